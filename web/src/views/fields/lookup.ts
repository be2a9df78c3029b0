// The mapping from a pane to a grid: for each pixel on the surface, the four surrounding points of the grid.
// Recomputed when the camera or the size changes; frames then only look up colours.

export const SHADES = 64;

export class Lookup {
  count = 0;
  pixel = new Int32Array(0); // row * width + column of the pane
  base = new Int32Array(0); // the upper left point, in a grid with an extra column and row
  across = new Float32Array(0); // fractions of the way to the next column
  down = new Float32Array(0); // and to the next row
  shade = new Uint8Array(0); // below SHADES
  edges = 0;
  edge_pixel = new Int32Array(0); // pixels that the surface partly covers
  edge_alpha = new Float32Array(0); // and the covered fraction
  private stride = 0;
  private rows = 0;

  // For a pane of this size in pixels, on a grid of `rows` and `columns`.
  begin(pixels: number, rows: number, columns: number): void {
    this.count = this.edges = 0;
    this.stride = columns + 1;
    this.rows = rows;
    if (this.pixel.length >= pixels) return;
    this.pixel = new Int32Array(pixels);
    this.base = new Int32Array(pixels);
    this.across = new Float32Array(pixels);
    this.down = new Float32Array(pixels);
    this.shade = new Uint8Array(pixels);
    this.edge_pixel = new Int32Array(pixels);
    this.edge_alpha = new Float32Array(pixels);
  }

  // `row` and `column` are fractional and at least 0; the column is below the number of columns.
  add(pixel: number, row: number, column: number, brightness: number, cover: number): void {
    const i = this.count++;
    const top = Math.min(row | 0, this.rows - 1);
    const left = Math.min(column | 0, this.stride - 2);
    this.pixel[i] = pixel;
    this.base[i] = top * this.stride + left;
    this.down[i] = row - top;
    this.across[i] = column - left;
    this.shade[i] = Math.min(brightness, 1) * (SHADES - 1) + 0.5;
    if (cover >= 1) return;
    this.edge_pixel[this.edges] = pixel;
    this.edge_alpha[this.edges++] = cover;
  }
}
