import { Ray } from '../../camera';
import { Rgb } from '../../colours';
import { add, dot, Quaternion, scale, subtract, turn, Vec3 } from '../../math';
import { pixel, Raster } from '../../raster';

// Draws cubes, solid and as outlines.

const HALF = 0.47; // of a cube, slightly less than half, to separate cubes
const RIM = 0.92; // of a face, up to its dark rim

export interface Cube {
  object: number;
  centre: Vec3;
  pose: Quaternion;
}

const BOTH = [-1, 1];
const AXES = [0, 1, 2];

interface Face {
  normal: Vec3;
  corners: Vec3[];
}

const FACES: Face[] = AXES.flatMap((axis) =>
  BOTH.map((side) => {
    const corner = (u: number, v: number): Vec3 => {
      const at: Vec3 = [side, side, side];
      at[(axis + 1) % 3] = u;
      at[(axis + 2) % 3] = v;
      return at;
    };
    const normal: Vec3 = [0, 0, 0];
    normal[axis] = side;
    return { normal, corners: [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)] };
  }),
);

const EDGES: [Vec3, Vec3][] = AXES.flatMap((axis) =>
  BOTH.flatMap((u) =>
    BOTH.map((v): [Vec3, Vec3] => {
      const end = (along: number): Vec3 => {
        const at: Vec3 = [u, u, u];
        at[axis] = along;
        at[(axis + 2) % 3] = v;
        return at;
      };
      return [end(-1), end(1)];
    }),
  ),
);

function colour_of(rgb: Rgb, factor: number): number {
  const byte = (value: number) => Math.round(255 * Math.min(value * factor, 1));
  return pixel(byte(rgb[0]), byte(rgb[1]), byte(rgb[2]));
}

const outer = new Float64Array(12);
const inner = new Float64Array(12);

// A face, with a dark rim.
function draw_face(raster: Raster, cube: Cube, face: Face, colour: Rgb, shade: number): void {
  const middle = scale(face.normal, HALF);
  face.corners.forEach((corner, i) => {
    const whole = scale(corner, HALF);
    const [a, b] = [whole, add(middle, scale(subtract(whole, middle), RIM))].map((p) => add(cube.centre, turn(cube.pose, p)));
    raster.project(...a, outer, 3 * i);
    raster.project(...b, inner, 3 * i);
  });
  raster.polygon(outer, outer, colour_of(colour, 0.2 * shade + 0.28));
  raster.polygon(inner, outer, colour_of(colour, shade));
}

// In the window of Raster.enter, seen from `eye`.
export function draw_solid(raster: Raster, eye: Vec3, light: Vec3, cubes: Cube[], colour: (object: number) => Rgb): void {
  for (const cube of cubes)
    for (const face of FACES) {
      const normal = turn(cube.pose, face.normal);
      if (dot(normal, subtract(eye, add(cube.centre, scale(normal, HALF)))) <= 0) continue;
      draw_face(raster, cube, face, colour(cube.object), 0.62 + 0.42 * Math.max(0, dot(normal, light)));
    }
}

// Faint behind other objects.
export function draw_outlines(raster: Raster, cubes: Cube[], colour: number, thickness: number): void {
  for (const cube of cubes)
    for (const edge of EDGES) {
      edge.forEach((end, i) => raster.project(...add(cube.centre, turn(cube.pose, scale(end, 0.5))), outer, 3 * i));
      raster.hidden_line(outer, colour, thickness, 0.9, 0.25);
    }
}

// The distance at which a ray enters a cube; Infinity if it misses.
export function hit(ray: Ray, cube: Cube): number {
  const inverse: Quaternion = [cube.pose[0], -cube.pose[1], -cube.pose[2], -cube.pose[3]];
  const from = turn(inverse, subtract(ray.from, cube.centre));
  const direction = turn(inverse, ray.direction);
  let [near, far] = [0, Infinity];
  for (let i = 0; i < 3; ++i) {
    const [a, b] = [(-HALF - from[i]) / direction[i], (HALF - from[i]) / direction[i]];
    near = Math.max(near, Math.min(a, b));
    far = Math.min(far, Math.max(a, b));
  }
  return near <= far ? near : Infinity;
}
