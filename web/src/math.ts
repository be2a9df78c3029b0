// Vectors, quaternions (w, x, y, z) and 4x4 matrices in columns, as WebGL reads them.

export type Vec3 = [number, number, number];
export type Quaternion = [number, number, number, number];
export type Matrix = Float32Array;

export const add = (a: Vec3, b: Vec3): Vec3 => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const subtract = (a: Vec3, b: Vec3): Vec3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scale = (a: Vec3, by: number): Vec3 => [a[0] * by, a[1] * by, a[2] * by];
export const dot = (a: Vec3, b: Vec3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a: Vec3, b: Vec3): Vec3 => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
export const length = (a: Vec3): number => Math.hypot(...a);
export const unit = (a: Vec3): Vec3 => scale(a, 1 / (length(a) || 1));

export function multiply(a: Matrix, b: Matrix): Matrix {
  const c = new Float32Array(16);
  for (let column = 0; column < 4; ++column)
    for (let row = 0; row < 4; ++row)
      for (let k = 0; k < 4; ++k) c[4 * column + row] += a[4 * k + row] * b[4 * column + k];
  return c;
}

export function perspective(height_angle: number, aspect: number, near: number, far: number): Matrix {
  const f = 1 / Math.tan(height_angle / 2);
  const m = new Float32Array(16);
  m[0] = f / aspect;
  m[5] = f;
  m[10] = (far + near) / (near - far);
  m[11] = -1;
  m[14] = (2 * far * near) / (near - far);
  return m;
}

export function look(eye: Vec3, at: Vec3, up: Vec3): Matrix {
  const back = unit(subtract(eye, at));
  const right = unit(cross(up, back));
  const above = cross(back, right);
  return new Float32Array([
    right[0], above[0], back[0], 0,
    right[1], above[1], back[1], 0,
    right[2], above[2], back[2], 0,
    -dot(right, eye), -dot(above, eye), -dot(back, eye), 1,
  ]);
}

export function turn(q: Quaternion, v: Vec3): Vec3 {
  const u: Vec3 = [q[1], q[2], q[3]];
  const t = scale(cross(u, v), 2);
  return add(add(v, scale(t, q[0])), cross(u, t));
}

// Interpolates two rotations along the shorter way.
export function between(a: Quaternion, b: Quaternion, part: number): Quaternion {
  const sign = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0 ? -1 : 1;
  const q = a.map((value, i) => value + part * (sign * b[i] - value)) as Quaternion;
  const size = Math.hypot(...q) || 1;
  return q.map((value) => value / size) as Quaternion;
}
