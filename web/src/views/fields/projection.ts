import { Orbit } from '../../camera';
import { dot, Matrix, unit, Vec3 } from '../../math';
import { Grid, index_on, Place } from './grid';
import { Lookup } from './lookup';

// The shape of a grid in space: a globe, an Equal Earth map, or a flat box.

const DEGREE = Math.PI / 180;
const EQUAL_EARTH = [1.340264, -0.081106, 0.000893, 0.003796];
const ROOT = Math.sqrt(3) / 2;

function equal_earth_y(theta: number): number {
  const [a, b, c, d] = EQUAL_EARTH;
  const t2 = theta * theta;
  return theta * (a + b * t2 + t2 ** 3 * (c + d * t2));
}

function equal_earth_slope(theta: number): number {
  const [a, b, c, d] = EQUAL_EARTH;
  const t2 = theta * theta;
  return a + 3 * b * t2 + t2 ** 3 * (7 * c + 9 * d * t2);
}

// Degrees to the map's plane, centred on the meridian 0.
export function equal_earth(latitude: number, longitude: number): [number, number] {
  const theta = Math.asin(ROOT * Math.sin(latitude * DEGREE));
  return [(longitude * DEGREE * Math.cos(theta)) / (ROOT * equal_earth_slope(theta)), equal_earth_y(theta)];
}

export function from_equal_earth(x: number, y: number): [number, number] | undefined {
  let theta = y;
  for (let i = 0; i < 12; ++i) theta -= (equal_earth_y(theta) - y) / equal_earth_slope(theta);
  const sine = Math.sin(theta) / ROOT;
  if (!(Math.abs(sine) <= 1)) return undefined;
  const longitude = (x * ROOT * equal_earth_slope(theta)) / Math.cos(theta) / DEGREE;
  return Math.abs(longitude) <= 180 ? [Math.asin(sine) / DEGREE, longitude] : undefined;
}

export interface Projection {
  readonly flat: boolean;
  readonly lines: Float32Array; // both ends of each, x, y, z: the graticule
  // A key that changes if positions are drawn elsewhere.
  state(): string;
  // Fills the lookup of a pane of this size in pixels.
  look(lookup: Lookup, width: number, height: number): void;
  matrix(aspect: number): Matrix;
  // Whether a point near the surface is on the visible side.
  in_front(x: number, y: number, z: number): boolean;
  // The position on the grid under a point of a pane, -1 to 1 rightwards and upwards.
  place_at(x: number, y: number, aspect: number): Place | undefined;
  // The position in space of a position on the grid, slightly above the surface.
  point_of(place: Place): Vec3;
  drag(dx: number, dy: number, height: number): void;
  zoom(factor: number): void;
  key(event: KeyboardEvent): boolean;
  reset(): void;
}

// Meridians and parallels every 30 degrees.
function graticule(point: (latitude: number, longitude: number) => Vec3, meridians: number[]): Float32Array {
  const lines: number[] = [];
  const path = (at: (t: number) => [number, number], from: number, to: number) => {
    for (let t = from; t < to; t += 3) lines.push(...point(...at(t)), ...point(...at(Math.min(t + 3, to))));
  };
  for (const longitude of meridians) path((t) => [t, longitude], -90, 90);
  for (let latitude = -60; latitude <= 60; latitude += 30) path((t) => [latitude, t], -180, 180);
  return new Float32Array(lines);
}

// A table of the grid's rows by latitude, in eighths of a degree.
class RowTable {
  private readonly rows: Float32Array;

  constructor(grid: Grid) {
    this.rows = Float32Array.from({ length: 1442 }, (_, i) => index_on(grid.axes[0].values, i / 8 - 90));
  }

  row(latitude: number): number {
    const at = Math.min(Math.max((latitude + 90) * 8, 0), 1440);
    const low = at | 0;
    return this.rows[low] + (at - low) * (this.rows[low + 1] - this.rows[low]);
  }
}

// Columns of the sphere's grid for a longitude: first + longitude * each, then a remainder by the columns.
function columns_of(grid: Grid): { first: number; each: number } {
  const { values } = grid.axes[1];
  const each = grid.columns / 360;
  return { first: -values[0] * each, each };
}

export class Globe implements Projection {
  readonly lines: Float32Array;
  readonly flat = false;
  private readonly orbit: Orbit;
  private readonly rows: RowTable;
  private eye: Vec3 = [1, 0, 0]; // of the last matrix

  constructor(
    private readonly grid: Grid,
    changed: () => void,
  ) {
    this.orbit = new Orbit({ azimuth: 0.6, elevation: 0.45, distance: 3.95 }, changed);
    const meridians = Array.from({ length: 12 }, (_, i) => 30 * i);
    this.lines = graticule((a, b) => this.on_sphere(a, b, 1), meridians);
    this.rows = new RowTable(grid);
  }

  state(): string {
    return `globe ${this.orbit.azimuth} ${this.orbit.elevation} ${this.orbit.distance}`;
  }

  // Each pixel's ray hits the unit sphere, or passes its centre at a distance.
  look(lookup: Lookup, width: number, height: number): void {
    const { from: eye, forward, right, up } = this.orbit.frame();
    const aspect = width / height;
    const tall = Orbit.slope();
    const outside = dot(eye, eye) - 1;
    const pixel = ((2 * tall) / height) * Math.sqrt(outside); // at the rim
    const light = unit([eye[0], eye[1], eye[2] + 0.4 * this.orbit.distance]);
    const { first, each } = columns_of(this.grid);
    const { columns } = this.grid;
    for (let i = 0, place = 0; i < height; ++i) {
      const y = (1 - (2 * (i + 0.5)) / height) * tall;
      for (let j = 0; j < width; ++j, ++place) {
        const x = ((2 * (j + 0.5)) / width - 1) * tall * aspect;
        const dx = forward[0] + x * right[0] + y * up[0];
        const dy = forward[1] + x * right[1] + y * up[1];
        const dz = forward[2] + x * right[2] + y * up[2];
        const square = 1 + x * x + y * y;
        const along = eye[0] * dx + eye[1] * dy + eye[2] * dz;
        const inside = along * along - square * outside;
        const cover = 0.5 + (1 - Math.sqrt(Math.max(outside + 1 - (along * along) / square, 0))) / pixel;
        if (cover <= 0) continue;
        const distance = (-along - Math.sqrt(Math.max(inside, 0))) / square;
        const px = eye[0] + distance * dx;
        const py = eye[1] + distance * dy;
        const pz = eye[2] + distance * dz;
        const latitude = Math.asin(pz > 1 ? 1 : pz < -1 ? -1 : pz) / DEGREE;
        let column = (first + (Math.atan2(py, px) / DEGREE) * each) % columns;
        if (column < 0) column += columns;
        const bright = (0.3 / 0.28) * Math.max(0, px * light[0] + py * light[1] + pz * light[2]);
        lookup.add(place, this.rows.row(latitude), column, bright, cover);
      }
    }
  }

  in_front(x: number, y: number, z: number): boolean {
    const { eye } = this;
    return x * eye[0] + y * eye[1] + z * eye[2] > 1.05; // except at the rim
  }

  private on_sphere(latitude: number, longitude: number, radius: number): Vec3 {
    const c = radius * Math.cos(latitude * DEGREE);
    return [c * Math.cos(longitude * DEGREE), c * Math.sin(longitude * DEGREE), radius * Math.sin(latitude * DEGREE)];
  }

  matrix(aspect: number): Matrix {
    this.eye = this.orbit.eye();
    return this.orbit.matrix(aspect);
  }

  place_at(x: number, y: number, aspect: number): Place | undefined {
    const { from, direction } = this.orbit.ray(x, y, aspect);
    const half = dot(from, direction);
    const inside = half * half - dot(from, from) + 1;
    if (inside < 0) return undefined;
    const distance = -half - Math.sqrt(inside);
    const p = from.map((value, i) => value + distance * direction[i]);
    return this.grid.place_of(Math.asin(Math.min(Math.max(p[2], -1), 1)) / DEGREE, Math.atan2(p[1], p[0]) / DEGREE);
  }

  point_of(place: Place): Vec3 {
    return this.on_sphere(...degrees(this.grid, place), 1.006);
  }

  drag(dx: number, dy: number, height: number): void {
    const by = (2.2 / height) * (this.orbit.distance / 3.95);
    this.orbit.turn(dx * by, dy * by);
  }

  zoom(factor: number): void {
    this.orbit.zoom(factor);
    this.orbit.distance = Math.max(this.orbit.distance, 1.4);
  }

  key(event: KeyboardEvent): boolean {
    return this.orbit.key(event);
  }

  reset(): void {
    this.orbit.reset();
  }
}

function degrees(grid: Grid, place: Place): [number, number] {
  const latitudes = grid.axes[0].values;
  const low = Math.min(Math.max(Math.floor(place.row), 0), latitudes.length - 2);
  const latitude = latitudes[low] + (place.row - low) * (latitudes[low + 1] - latitudes[low]);
  const longitudes = grid.axes[1].values;
  return [Math.min(Math.max(latitude, -90), 90), longitudes[0] + place.column * (longitudes[1] - longitudes[0])];
}

// Flat projections share their camera: zoom, and a movable centre.
abstract class Flat implements Projection {
  abstract readonly lines: Float32Array;
  readonly flat = true;
  protected x = 0;
  protected y = 0;
  protected near = 1;

  constructor(
    private readonly half_width: number,
    private readonly half_height: number,
    protected readonly changed: () => void,
  ) {}

  abstract look(lookup: Lookup, width: number, height: number): void;
  abstract place_on(x: number, y: number): Place | undefined;
  abstract point_of(place: Place): Vec3;

  state(): string {
    return `flat ${this.x} ${this.y} ${this.near}`;
  }

  in_front(): boolean {
    return true;
  }

  // Half of the visible range, rightwards and upwards.
  protected extent(aspect: number): [number, number] {
    const height = Math.max(this.half_height, this.half_width / aspect) * 1.04 / this.near;
    return [height * aspect, height];
  }

  matrix(aspect: number): Matrix {
    const [width, height] = this.extent(aspect);
    const m = new Float32Array(16);
    m[0] = 1 / width;
    m[5] = 1 / height;
    m[10] = -0.1;
    m[12] = -this.x / width;
    m[13] = -this.y / height;
    m[15] = 1;
    return m;
  }

  place_at(x: number, y: number, aspect: number): Place | undefined {
    const [width, height] = this.extent(aspect);
    return this.place_on(x * width + this.x, y * height + this.y);
  }

  drag(dx: number, dy: number, height: number): void {
    const unit = (2.08 * this.half_height) / height / this.near;
    this.move(-dx * unit, dy * unit);
  }

  protected move(x: number, y: number): void {
    this.x = Math.min(Math.max(this.x + x, -this.half_width), this.half_width);
    this.y = Math.min(Math.max(this.y + y, -this.half_height), this.half_height);
    this.changed();
  }

  zoom(factor: number): void {
    this.near = Math.min(Math.max(this.near / factor, 0.8), 20);
    this.changed();
  }

  key(event: KeyboardEvent): boolean {
    const by = (0.1 * this.half_height) / this.near;
    switch (event.key) {
      case 'ArrowLeft': this.move(-by, 0); break;
      case 'ArrowRight': this.move(by, 0); break;
      case 'ArrowUp': this.move(0, by); break;
      case 'ArrowDown': this.move(0, -by); break;
      case '+': case '=': this.zoom(0.9); break;
      case '-': this.zoom(1 / 0.9); break;
      case '0': this.reset(); break;
      default: return false;
    }
    return true;
  }

  reset(): void {
    this.x = this.y = 0;
    this.near = 1;
    this.changed();
  }
}

// Horizontal moves change the map's central meridian.
export class EarthMap extends Flat {
  readonly lines: Float32Array;
  private readonly rows: RowTable;
  private middle = 180;

  constructor(
    private readonly grid: Grid,
    changed: () => void,
  ) {
    super(equal_earth(0, 180)[0], equal_earth(90, 0)[1], changed);
    const meridians = Array.from({ length: 13 }, (_, i) => 30 * i - 180);
    this.lines = graticule((a, b) => [...equal_earth(a, b), 0], meridians);
    this.rows = new RowTable(grid);
  }

  override state(): string {
    return `${super.state()} ${this.middle}`;
  }

  // A row of the map is a parallel, along which longitudes are evenly spaced.
  look(lookup: Lookup, width: number, height: number): void {
    const [half_width, half_height] = this.extent(width / height);
    const { first, each } = columns_of(this.grid);
    const { columns } = this.grid;
    const pixel = (2 * half_width) / width;
    for (let i = 0; i < height; ++i) {
      const y = (1 - (2 * (i + 0.5)) / height) * half_height + this.y;
      const end = from_equal_earth(0, y);
      if (!end) continue;
      const row = this.rows.row(end[0]);
      const half = equal_earth(end[0], 180)[0];
      for (let j = 0; j < width; ++j) {
        const x = ((2 * (j + 0.5)) / width - 1) * half_width + this.x;
        const cover = 0.5 + (half - Math.abs(x)) / pixel;
        if (cover <= 0) continue;
        const longitude = (180 * x) / half + this.middle;
        let column = (first + longitude * each) % columns;
        if (column < 0) column += columns;
        lookup.add(i * width + j, row, column, 1, cover);
      }
    }
  }

  protected override move(x: number, y: number): void {
    this.middle = (((this.middle + x * 66) % 360) + 360) % 360;
    super.move(0, y);
  }

  override reset(): void {
    this.middle = 180;
    super.reset();
  }

  place_on(x: number, y: number): Place | undefined {
    const found = from_equal_earth(x, y);
    return found && this.grid.place_of(found[0], found[1] + this.middle);
  }

  point_of(place: Place): Vec3 {
    const [latitude, longitude] = degrees(this.grid, place);
    const from_middle = ((((longitude - this.middle + 180) % 360) + 360) % 360) - 180;
    return [...equal_earth(latitude, from_middle), 0.02];
  }
}

// The data's cells, with widths according to the axes.
export class Box extends Flat {
  readonly lines = new Float32Array(0);
  private readonly half: [number, number];

  constructor(
    private readonly grid: Grid,
    changed: () => void,
  ) {
    const size = (axis: Float32Array) => (axis.length > 1 ? (Math.abs(axis[axis.length - 1] - axis[0]) * axis.length) / (axis.length - 1) : 1);
    const [width, height] = grid.axes.map((axis) => size(axis.values));
    const largest = Math.max(width, height);
    const half: [number, number] = [width / largest, height / largest];
    super(half[0], half[1], changed);
    this.half = half;
  }

  // The first axis points rightwards, the second upwards.
  look(lookup: Lookup, width: number, height: number): void {
    const [half_width, half_height] = this.extent(width / height);
    const cell = (part: number, axis: 0 | 1): number => {
      const count = this.grid.axes[axis].values.length;
      const at = part * count - 0.5;
      return this.grid.periodic(axis) ? (at + count) % count : Math.min(Math.max(at, 0), count - 1);
    };
    for (let i = 0; i < height; ++i) {
      const up = (((1 - (2 * (i + 0.5)) / height) * half_height + this.y) / this.half[1] + 1) / 2;
      if (up < 0 || up > 1) continue;
      const column = cell(up, 1);
      for (let j = 0; j < width; ++j) {
        const across = ((((2 * (j + 0.5)) / width - 1) * half_width + this.x) / this.half[0] + 1) / 2;
        if (across >= 0 && across <= 1) lookup.add(i * width + j, cell(across, 0), column, 1, 1);
      }
    }
  }

  place_on(x: number, y: number): Place | undefined {
    const [across, up] = [(x / this.half[0] + 1) / 2, (y / this.half[1] + 1) / 2];
    if (across < 0 || across > 1 || up < 0 || up > 1) return undefined;
    return { row: across * this.grid.rows - 0.5, column: up * this.grid.columns - 0.5 };
  }

  point_of(place: Place): Vec3 {
    return [
      (2 * ((place.row + 0.5) / this.grid.rows) - 1) * this.half[0],
      (2 * ((place.column + 0.5) / this.grid.columns) - 1) * this.half[1],
      0.02,
    ];
  }
}
