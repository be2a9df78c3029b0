import { Grid, Place } from './grid';
import { Projection } from './projection';

const PARTICLES = 700;
const TAIL = 9; // stored positions of each
const LIFE = 90; // frames

interface Particle {
  tail: Place[];
  age: number;
}

// Particles that drift with a vector field, drawn with fading tails.
export class Wind {
  private readonly particles: Particle[];
  private readonly lines = new Float32Array(PARTICLES * (TAIL - 1) * 8);
  private seed = 1;

  constructor(
    private readonly grid: Grid,
    private readonly fastest: number, // of the field, crosses a fixed fraction of the grid per second
  ) {
    this.particles = Array.from({ length: PARTICLES }, () => this.fresh());
    for (const particle of this.particles) particle.age = Math.floor(this.random() * LIFE);
  }

  // Seeded, so every visit shows the same picture.
  private random(): number {
    this.seed = (Math.imul(this.seed, 1664525) + 1013904223) >>> 0;
    return this.seed / 4294967296;
  }

  private fresh(): Particle {
    const { rows, columns, sphere } = this.grid;
    // Uniform in area: the sine of the latitude is uniform.
    const row = sphere ? (Math.acos(1 - 2 * this.random()) / Math.PI) * (rows - 1) : this.random() * (rows - 1);
    return { tail: [{ row, column: this.random() * columns }], age: 0 };
  }

  // `first` and `second` are the components: eastward and northward, or along the axes of the box.
  move(first: Float32Array, second: Float32Array, seconds: number): void {
    const { grid } = this;
    const speed = (0.06 * grid.columns * Math.min(seconds, 0.1)) / (this.fastest || 1);
    const north = grid.axes[0].values[0] < grid.axes[0].values[grid.rows - 1] ? 1 : -1;
    this.particles.forEach((particle, i) => {
      const place = particle.tail[particle.tail.length - 1];
      const [a, b] = [grid.sample(first, place), grid.sample(second, place)];
      const polar = Math.sin((Math.PI * (place.row + 0.5)) / grid.rows);
      const next = grid.sphere
        ? { row: place.row + north * b * speed * (2 * grid.rows / grid.columns), column: place.column + (a * speed) / Math.max(polar, 0.05) }
        : { row: place.row + (a * speed * grid.rows) / grid.columns, column: place.column + b * speed };
      const outside = !(next.row >= 0 && next.row <= grid.rows - 1) || (!grid.sphere && !(next.column >= 0 && next.column <= grid.columns - 1));
      if (outside || ++particle.age > LIFE) {
        this.particles[i] = this.fresh();
        return;
      }
      particle.tail.push(next);
      if (particle.tail.length > TAIL) particle.tail.shift();
    });
  }

  // Ends of the tails' segments: x, y, z and opacity.
  ends(projection: Projection): Float32Array {
    const ends = this.lines;
    let count = 0;
    for (const { tail } of this.particles) {
      let before = projection.point_of(tail[0]);
      for (let i = 1; i < tail.length; ++i) {
        const point = projection.point_of(tail[i]);
        // Not across the edge of a map.
        if (Math.abs(point[0] - before[0]) < 0.5) {
          ends.set(before, count);
          ends[count + 3] = (i - 1) / TAIL;
          ends.set(point, count + 4);
          ends[count + 7] = i / TAIL;
          count += 8;
        }
        before = point;
      }
    }
    return ends.subarray(0, count);
  }
}
