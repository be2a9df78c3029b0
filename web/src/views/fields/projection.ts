import { Orbit } from '../../camera';
import { dot, Matrix, Vec3 } from '../../math';
import { Grid, Place } from './grid';

// How a grid lies in space: as a globe, as an Equal Earth map, or as a flat box.

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

// Degrees to the map's plane, with the meridian 0 in its middle.
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

export interface Mesh {
  points: Float32Array; // x, y, z, u, v
  triangles: Uint32Array;
  lines: Float32Array; // x, y, z, brightness: ends of the graticule
}

export interface Projection {
  readonly mesh: Mesh;
  readonly flat: boolean;
  // Added to u, so that a map can be shifted to another meridian.
  shift(): number;
  matrix(aspect: number): Matrix;
  // What lies under a place of a pane, -1 to 1 rightwards and upwards.
  place_at(x: number, y: number, aspect: number): Place | undefined;
  // Where a place of the grid is in space, a little above the surface.
  point_of(place: Place): Vec3;
  drag(dx: number, dy: number, height: number): void;
  zoom(factor: number): void;
  key(event: KeyboardEvent): boolean;
  reset(): void;
}

// A mesh of (rows + 1) x (columns + 1) points.
function mesh_of(rows: number, columns: number, point: (i: number, j: number) => number[], lines: number[]): Mesh {
  const points: number[] = [];
  const triangles: number[] = [];
  for (let i = 0; i <= rows; ++i)
    for (let j = 0; j <= columns; ++j) {
      points.push(...point(i / rows, j / columns));
      if (i === rows || j === columns) continue;
      const at = i * (columns + 1) + j;
      triangles.push(at, at + 1, at + columns + 1, at + 1, at + columns + 2, at + columns + 1);
    }
  return { points: new Float32Array(points), triangles: new Uint32Array(triangles), lines: new Float32Array(lines) };
}

// Meridians and parallels every 30 degrees.
function graticule(point: (latitude: number, longitude: number) => Vec3, meridians: number[]): number[] {
  const lines: number[] = [];
  const path = (at: (t: number) => [number, number], from: number, to: number) => {
    for (let t = from; t < to; t += 3) lines.push(...point(...at(t)), 0.5, ...point(...at(Math.min(t + 3, to))), 0.5);
  };
  for (const longitude of meridians) path((t) => [t, longitude], -90, 90);
  for (let latitude = -60; latitude <= 60; latitude += 30) path((t) => [latitude, t], -180, 180);
  return lines;
}

function texture_place(grid: Grid, latitude: number, longitude: number): [number, number] {
  const { values } = grid.axes[1];
  const place = grid.place_of(latitude, 0);
  return [(longitude - values[0]) / 360 + 0.5 / grid.columns, (place.row + 0.5) / grid.rows];
}

export class Globe implements Projection {
  readonly mesh: Mesh;
  readonly flat = false;
  private readonly orbit: Orbit;

  constructor(
    private readonly grid: Grid,
    changed: () => void,
  ) {
    this.orbit = new Orbit({ azimuth: 0.6, elevation: 0.45, distance: 3.95 }, changed);
    const point = (i: number, j: number) => {
      const [latitude, longitude] = [90 - 180 * i, 360 * j];
      return [...this.on_sphere(latitude, longitude, 1), ...texture_place(grid, latitude, longitude)];
    };
    const meridians = Array.from({ length: 12 }, (_, i) => 30 * i);
    this.mesh = mesh_of(64, 96, point, graticule((a, b) => this.on_sphere(a, b, 1.002), meridians));
  }

  private on_sphere(latitude: number, longitude: number, radius: number): Vec3 {
    const c = radius * Math.cos(latitude * DEGREE);
    return [c * Math.cos(longitude * DEGREE), c * Math.sin(longitude * DEGREE), radius * Math.sin(latitude * DEGREE)];
  }

  shift(): number {
    return 0;
  }

  matrix(aspect: number): Matrix {
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

// Flat ones share their camera: zoom, and a middle that can be moved.
abstract class Flat implements Projection {
  abstract readonly mesh: Mesh;
  readonly flat = true;
  protected x = 0;
  protected y = 0;
  protected near = 1;

  constructor(
    private readonly half_width: number,
    private readonly half_height: number,
    protected readonly changed: () => void,
  ) {}

  abstract shift(): number;
  abstract place_on(x: number, y: number): Place | undefined;
  abstract point_of(place: Place): Vec3;

  // Half of what a pane shows, rightwards and upwards.
  private extent(aspect: number): [number, number] {
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

// The map's middle is a meridian that sideways moves change.
export class EarthMap extends Flat {
  readonly mesh: Mesh;
  private middle = 180;

  constructor(
    private readonly grid: Grid,
    changed: () => void,
  ) {
    super(equal_earth(0, 180)[0], equal_earth(90, 0)[1], changed);
    const flat = (latitude: number, longitude: number): Vec3 => [...equal_earth(latitude, longitude), 0];
    const point = (i: number, j: number) => {
      const [latitude, longitude] = [90 - 180 * i, 360 * j - 180];
      return [...flat(latitude, longitude), ...texture_place(grid, latitude, longitude)];
    };
    const meridians = Array.from({ length: 13 }, (_, i) => 30 * i - 180);
    this.mesh = mesh_of(64, 64, point, graticule((a, b) => [...equal_earth(a, b), 0.01], meridians));
  }

  protected override move(x: number, y: number): void {
    this.middle = (((this.middle + x * 66) % 360) + 360) % 360;
    super.move(0, y);
  }

  override reset(): void {
    this.middle = 180;
    super.reset();
  }

  shift(): number {
    return this.middle / 360;
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

// Cells as the data has them, as wide as their axes say.
export class Box extends Flat {
  readonly mesh: Mesh;

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
    // The texture's rows are the first axis, which goes rightwards.
    this.mesh = mesh_of(1, 1, (i, j) => [(2 * i - 1) * half[0], (2 * j - 1) * half[1], 0, j, i], []);
  }
  private readonly half: [number, number];

  shift(): number {
    return 0;
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
