import { short } from '../dom';
import { Vec3 } from '../math';

// The geometric meaning of multivectors in the projective algebras of the plane, G(2,0,1), and of space,
// G(3,0,1). The point (x, y, z) is !(e0 + x e1 + y e2 + z e3); the plane a x + b y + c z + d = 0 is a e1 + b
// e2 + c e3 + d e0.

export type Shape =
  | { kind: 'point'; at: Vec3 }
  | { kind: 'line'; through: Vec3; direction: Vec3 }
  | { kind: 'plane'; normal: Vec3; through: Vec3 }
  | { kind: 'motor' };

export type Coefficients = Record<string, number>;

const TINY = 1e-9;

function grades_in(values: Coefficients): Set<number> {
  const grades = new Set<number>();
  for (const [blade, value] of Object.entries(values))
    if (Math.abs(value) > TINY) grades.add(blade === '1' ? 0 : blade.length - 1);
  return grades;
}

function plane_like(v: Coefficients, flat: boolean): Shape | undefined {
  const normal: Vec3 = [v.e1 ?? 0, v.e2 ?? 0, v.e3 ?? 0];
  const size = normal[0] ** 2 + normal[1] ** 2 + normal[2] ** 2;
  if (size < TINY) return undefined; // at infinity
  const through = normal.map((n) => (-n * (v.e0 ?? 0)) / size) as Vec3;
  if (flat) return { kind: 'line', through, direction: [-normal[1], normal[0], 0] };
  return { kind: 'plane', normal, through };
}

// The dual of a point is e0 + x e1 + ..., up to a factor: its coefficients are those of the complements.
function point_2d(v: Coefficients): Shape | undefined {
  const weight = v.e12 ?? 0;
  if (Math.abs(weight) < TINY) return undefined;
  return { kind: 'point', at: [-(v.e02 ?? 0) / weight, (v.e01 ?? 0) / weight, 0] };
}

function point_3d(v: Coefficients): Shape | undefined {
  const weight = v.e123 ?? 0;
  if (Math.abs(weight) < TINY) return undefined;
  return { kind: 'point', at: [-(v.e023 ?? 0) / weight, (v.e013 ?? 0) / weight, -(v.e012 ?? 0) / weight] };
}

function line_3d(v: Coefficients): Shape | undefined {
  const d: Vec3 = [v.e23 ?? 0, -(v.e13 ?? 0), v.e12 ?? 0];
  const m: Vec3 = [v.e01 ?? 0, v.e02 ?? 0, v.e03 ?? 0];
  const size = d[0] ** 2 + d[1] ** 2 + d[2] ** 2;
  if (size < TINY || Math.abs(d[0] * m[0] + d[1] * m[1] + d[2] * m[2]) > 1e-6 * size) return undefined;
  const through: Vec3 = [
    (d[1] * m[2] - d[2] * m[1]) / size,
    (d[2] * m[0] - d[0] * m[2]) / size,
    (d[0] * m[1] - d[1] * m[0]) / size,
  ];
  return { kind: 'line', through, direction: d };
}

// Undefined for multivectors without a picture: other algebras, mixtures, objects at infinity.
export function shape_of(algebra: string, values: Coefficients): Shape | undefined {
  const flat = algebra === 'G(2,0,1)';
  if (!flat && algebra !== 'G(3,0,1)') return undefined;
  const grades = [...grades_in(values)];
  if (grades.length === 1) {
    if (grades[0] === 1) return plane_like(values, flat);
    if (grades[0] === 2) return flat ? point_2d(values) : line_3d(values);
    if (grades[0] === 3 && !flat) return point_3d(values);
    return undefined;
  }
  return grades.length > 1 && grades.every((grade) => grade % 2 === 0) ? { kind: 'motor' } : undefined;
}

// As text, beside the value.
export function meaning(shape: Shape, flat: boolean): string {
  if (shape.kind !== 'point') return shape.kind;
  return `point (${shape.at.slice(0, flat ? 2 : 3).map((value) => short(value, 4)).join(', ')})`;
}
