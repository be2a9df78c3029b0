// A two-dimensional grid: the sphere (latitude, longitude in degrees) or a box (first axis rightwards, second
// upwards). Positions on it are fractional rows and columns.

export interface Place {
  row: number;
  column: number;
}

export interface GridAxis {
  name: string;
  unit: string;
  periodic: boolean;
  values: Float32Array;
}

// The fractional index of a value on an ascending or descending axis.
export function index_on(values: Float32Array, value: number): number {
  const last = values.length - 1;
  const rising = values[last] >= values[0];
  let low = 0;
  let high = last;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (values[middle] <= value === rising) low = middle;
    else high = middle;
  }
  const part = (value - values[low]) / (values[high] - values[low] || 1);
  return Math.min(Math.max(low + part, 0), last);
}

export class Grid {
  readonly rows: number;
  readonly columns: number;

  constructor(
    readonly sphere: boolean,
    readonly axes: [GridAxis, GridAxis],
  ) {
    this.rows = axes[0].values.length;
    this.columns = axes[1].values.length;
  }

  // Whether an axis is periodic.
  periodic(axis: 0 | 1): boolean {
    return this.sphere ? axis === 1 : this.axes[axis].periodic;
  }

  // Interpolates the four points around a position.
  sample(values: Float32Array, place: Place): number {
    const around = (at: number, count: number, periodic: boolean): [number, number, number] => {
      if (periodic) {
        const wrapped = ((at % count) + count) % count;
        const low = Math.floor(wrapped) % count;
        return [low, (low + 1) % count, wrapped - Math.floor(wrapped)];
      }
      const held = Math.min(Math.max(at, 0), count - 1);
      const low = Math.min(Math.floor(held), Math.max(count - 2, 0));
      return [low, Math.min(low + 1, count - 1), held - low];
    };
    const [r0, r1, r] = around(place.row, this.rows, this.periodic(0));
    const [c0, c1, c] = around(place.column, this.columns, this.periodic(1));
    const w = this.columns;
    return (
      (1 - r) * ((1 - c) * values[r0 * w + c0] + c * values[r0 * w + c1]) +
      r * ((1 - c) * values[r1 * w + c0] + c * values[r1 * w + c1])
    );
  }

  // For the sphere, in degrees.
  place_of(latitude: number, longitude: number): Place {
    const { values } = this.axes[1];
    const width = this.columns > 1 ? values[1] - values[0] : 360;
    const from_first = (((longitude - values[0]) % 360) + 360) % 360;
    return { row: index_on(this.axes[0].values, latitude), column: from_first / width };
  }

  // A readable name of a position.
  text(place: Place): string {
    const at = (axis: GridAxis, index: number): number => {
      const low = Math.min(Math.max(Math.floor(index), 0), axis.values.length - 1);
      const high = Math.min(low + 1, axis.values.length - 1);
      const step = high > low ? axis.values[high] - axis.values[low] : axis.values[low] - (axis.values[low - 1] ?? 0);
      return axis.values[low] + (index - low) * step;
    };
    const first = at(this.axes[0], place.row);
    const second = at(this.axes[1], place.column);
    if (!this.sphere)
      return `${this.axes[0].name} ${first.toFixed(2)}, ${this.axes[1].name} ${second.toFixed(2)}`;
    const east = (((second + 180) % 360) + 360) % 360 - 180;
    return (
      `latitude ${Math.abs(first).toFixed(1)}° ${first < 0 ? 'S' : 'N'}, ` +
      `longitude ${Math.abs(east).toFixed(1)}° ${east < 0 ? 'W' : 'E'}`
    );
  }
}
