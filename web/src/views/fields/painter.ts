import { colour_table } from '../../colours';
import { pixel, Raster, Window } from '../../raster';
import { Grid } from './grid';
import { Lookup, SHADES } from './lookup';
import { Projection } from './projection';

// Draws a grid of values as colours, and lines over it.

const DARKEST = 0.72; // of a colour, in grazing light

// Pixels by shade and colour. Colour 0 is white, for NaN.
function palette_of(map: string): Uint32Array {
  const table = colour_table(map);
  const palette = new Uint32Array(SHADES * 256);
  for (let shade = 0; shade < SHADES; ++shade) {
    const light = DARKEST + ((1 - DARKEST) * shade) / (SHADES - 1);
    const byte = (value: number) => Math.round(value * light);
    for (let i = 0; i < 256; ++i) {
      const at = 3 * Math.round(((i - 1) / 254) * 255);
      palette[256 * shade + i] = i ? pixel(byte(table[at]), byte(table[at + 1]), byte(table[at + 2])) : pixel(byte(255), byte(255), byte(255));
    }
  }
  return palette;
}

const palettes = new Map<string, Uint32Array>();

function palette(map: string): Uint32Array {
  let found = palettes.get(map);
  if (!found) palettes.set(map, (found = palette_of(map)));
  return found;
}

export class FieldPainter {
  private readonly lookup = new Lookup();
  private made_for = '';
  private readonly codes: Float32Array; // colours of the grid's points, with the first row and column repeated at the end
  private readonly ends = new Float64Array(6);

  constructor(private readonly grid: Grid) {
    this.codes = new Float32Array((grid.rows + 1) * (grid.columns + 1));
  }

  // Maps the values from `low` to `high` to colours.
  draw_surface(raster: Raster, window: Window, projection: Projection, values: Float32Array, low: number, high: number, map: string): void {
    this.look(window, projection);
    this.encode(values, low, high);
    const { codes, lookup } = this;
    const { count, pixel: places, base, across, down, shade } = lookup;
    const { pixels, width } = raster;
    const colours = palette(map);
    const stride = this.grid.columns + 1;
    const corner = window.y * width + window.x;
    const skip = width - window.width;
    for (let i = 0; i < lookup.edges; ++i) this.keep(i, pixels[this.at(lookup.edge_pixel[i], corner, skip, window.width)]);
    // Pixels are in order, so rows are counted instead of divided.
    let row_end = window.width;
    let offset = corner;
    for (let i = 0; i < count; ++i) {
      const place = places[i];
      while (place >= row_end) {
        row_end += window.width;
        offset += skip;
      }
      const at = base[i];
      const x = across[i];
      const upper = codes[at] + x * (codes[at + 1] - codes[at]);
      const lower = codes[at + stride] + x * (codes[at + stride + 1] - codes[at + stride]);
      pixels[place + offset] = colours[(shade[i] << 8) | (upper + down[i] * (lower - upper))];
    }
    for (let i = 0; i < lookup.edges; ++i)
      raster.uncover(this.at(lookup.edge_pixel[i], corner, skip, window.width), this.kept[i], lookup.edge_alpha[i]);
    this.draw_graticule(raster, projection);
  }

  private kept = new Uint32Array(0); // previous pixels at the edges

  private keep(edge: number, colour: number): void {
    if (this.kept.length <= edge) {
      const more = new Uint32Array(2 * edge + 256);
      more.set(this.kept);
      this.kept = more;
    }
    this.kept[edge] = colour;
  }

  private at(place: number, corner: number, skip: number, width: number): number {
    return corner + place + Math.floor(place / width) * skip;
  }

  private look(window: Window, projection: Projection): void {
    const key = `${window.width} ${window.height} ${projection.state()}`;
    if (key === this.made_for) return;
    this.made_for = key;
    this.lookup.begin(window.width * window.height, this.grid.rows, this.grid.columns);
    projection.look(this.lookup, window.width, window.height);
  }

  // From 1 to 255.99; NaN if there is no value.
  private encode(values: Float32Array, low: number, high: number): void {
    const { codes } = this;
    const { rows, columns } = this.grid;
    const factor = 254.99 / (high - low);
    for (let row = 0, from = 0, to = 0; row < rows; ++row, ++to) {
      const first = to;
      for (let column = 0; column < columns; ++column, ++from, ++to) {
        const code = 1 + (values[from] - low) * factor;
        codes[to] = code < 1 ? 1 : code > 255.99 ? 255.99 : code;
      }
      codes[to] = codes[this.grid.periodic(1) ? first : to - 1];
    }
    const last = rows * (columns + 1);
    codes.copyWithin(last, this.grid.periodic(0) ? 0 : last - columns - 1, this.grid.periodic(0) ? columns + 1 : last);
  }

  private draw_graticule(raster: Raster, projection: Projection): void {
    const white = pixel(255, 255, 255);
    const { lines } = projection;
    for (let i = 0; i < lines.length; i += 6)
      this.line(raster, projection, lines, i, i + 3, white, 0.3, 0.3);
  }

  private line(raster: Raster, projection: Projection, points: Float32Array, a: number, b: number, colour: number, from: number, to: number): void {
    if (!projection.in_front(points[a], points[a + 1], points[a + 2]) || !projection.in_front(points[b], points[b + 1], points[b + 2])) return;
    const { ends } = this;
    raster.project(points[a], points[a + 1], points[a + 2], ends, 0);
    raster.project(points[b], points[b + 1], points[b + 2], ends, 3);
    raster.soft_line(ends[0] / ends[2], ends[1] / ends[2], ends[3] / ends[5], ends[4] / ends[5], colour, from, to);
  }

  // Ends of lines: x, y, z and opacity.
  draw_lines(raster: Raster, projection: Projection, points: Float32Array, colour: number): void {
    for (let i = 0; i < points.length; i += 8)
      this.line(raster, projection, points, i, i + 4, colour, points[i + 3], points[i + 7]);
  }

  draw_mark(raster: Raster, projection: Projection, point: [number, number, number], scale: number): void {
    if (!projection.in_front(...point)) return;
    const { ends } = this;
    raster.project(...point, ends, 0);
    const [x, y] = [ends[0] / ends[2], ends[1] / ends[2]];
    raster.disc(x, y, 5.5 * scale, pixel(0, 0, 0));
    raster.disc(x, y, 3.5 * scale, pixel(255, 255, 255));
  }
}
