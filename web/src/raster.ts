// A picture in memory, drawn without WebGL: many machines have none (virtual machines, remote desktops), and
// software emulation is slower than this.

// Red, green and blue from 0 to 255. Browsers only run on little-endian machines.
export function pixel(red: number, green: number, blue: number): number {
  return (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0;
}

export function pixel_of(hex: string): number {
  const value = parseInt(hex.slice(1), 16);
  return pixel(value >> 16, (value >> 8) & 255, value & 255);
}

// The position of a pane in the picture's pixels.
export interface Window {
  x: number;
  y: number;
  width: number;
  height: number;
}

const NEAR = 1e-3; // distances below are behind the viewer
const CORNERS = 8;

export class Raster {
  width = 0;
  height = 0;
  pixels = new Uint32Array(0);
  private depth = new Float32Array(0); // 1 / distance; 0: nothing there
  private image?: ImageData;
  private window: Window = { x: 0, y: 0, width: 0, height: 0 };
  private view: Float32Array = new Float32Array(16);
  // Corners of the polygon at hand.
  private readonly xs = new Float64Array(CORNERS);
  private readonly ys = new Float64Array(CORNERS);
  private count = 0;
  private readonly plane = new Float64Array(3);

  resize(width: number, height: number): void {
    if (width === this.width && height === this.height) return;
    [this.width, this.height] = [width, height];
    this.image = undefined;
    this.pixels = new Uint32Array(width * height);
    this.depth = new Float32Array(0);
  }

  clear(colour: number): void {
    this.pixels.fill(colour);
  }

  clear_depth(): void {
    if (this.depth.length !== this.pixels.length) this.depth = new Float32Array(this.pixels.length);
    else this.depth.fill(0);
  }

  data(): ImageData {
    this.image ??= new ImageData(new Uint8ClampedArray(this.pixels.buffer as ArrayBuffer), this.width, this.height);
    return this.image;
  }

  // Selects the window and the column-major matrix for further drawing.
  enter(window: Window, view: Float32Array): void {
    this.window = window;
    this.view = view;
  }

  // x, y and 1, times the distance, in `out` from `at` on.
  project(x: number, y: number, z: number, out: Float64Array, at: number): void {
    const { view: m, window } = this;
    const w = m[3] * x + m[7] * y + m[11] * z + m[15];
    out[at] = window.x * w + ((m[0] * x + m[4] * y + m[8] * z + m[12] + w) * window.width) / 2;
    out[at + 1] = window.y * w + ((w - m[1] * x - m[5] * y - m[9] * z - m[13]) * window.height) / 2;
    out[at + 2] = w;
  }

  // Fills a convex polygon of projected corners where nothing is nearer. The corners of `on` span its plane:
  // a polygon may lie on another one. 1 / distance is linear on the screen.
  polygon(projected: Float64Array, on: Float64Array, colour: number): void {
    this.clip(projected);
    if (this.count < 3 || !this.span(on)) return;
    const { window, xs, ys, count, plane, pixels, depth, width } = this;
    let [top, bottom] = [Infinity, -Infinity];
    for (let i = 0; i < count; ++i) {
      top = Math.min(top, ys[i]);
      bottom = Math.max(bottom, ys[i]);
    }
    const first = Math.max(Math.ceil(top - 0.5), window.y, 0);
    const last = Math.min(Math.ceil(bottom - 0.5), window.y + window.height, this.height);
    for (let row = first; row < last; ++row) {
      const y = row + 0.5;
      let [left, right] = [Infinity, -Infinity];
      for (let i = 0, j = count - 1; i < count; j = i++) {
        if (ys[i] > y === ys[j] > y) continue;
        const x = xs[i] + ((y - ys[i]) * (xs[j] - xs[i])) / (ys[j] - ys[i]);
        if (x < left) left = x;
        if (x > right) right = x;
      }
      const from = Math.max(Math.ceil(left - 0.5), window.x, 0);
      const to = Math.min(Math.ceil(right - 0.5), window.x + window.width, width);
      let nearness = plane[0] * (from + 0.5) + plane[1] * y + plane[2];
      for (let at = row * width + from, end = row * width + to; at < end; ++at, nearness += plane[0]) {
        if (nearness * 1.0001 < depth[at]) continue;
        depth[at] = nearness;
        pixels[at] = colour;
      }
    }
  }

  // Clips to the part in front of the viewer, and divides by the distance.
  private clip(projected: Float64Array): void {
    const given = projected.length / 3;
    let count = 0;
    const keep = (x: number, y: number, w: number) => {
      this.xs[count] = x / w;
      this.ys[count++] = y / w;
    };
    for (let i = 0; i < given; ++i) {
      const [a, b] = [3 * i, 3 * ((i + 1) % given)];
      const [wa, wb] = [projected[a + 2], projected[b + 2]];
      if (wa > NEAR) keep(projected[a], projected[a + 1], wa);
      if (wa > NEAR === wb > NEAR) continue;
      const part = (NEAR - wa) / (wb - wa);
      keep(projected[a] + part * (projected[b] - projected[a]), projected[a + 1] + part * (projected[b + 1] - projected[a + 1]), NEAR);
    }
    this.count = count;
  }

  // The plane through three projected corners: plane . (x, y, 1) = 1 / distance. False if it is seen edge-on.
  private span(p: Float64Array): boolean {
    const cross = (i: number, j: number, k: number) => p[i] * (p[j + 1] * p[k + 2] - p[j + 2] * p[k + 1]);
    const volume = cross(0, 3, 6) + cross(3, 6, 0) + cross(6, 0, 3);
    if (Math.abs(volume) < 1e-9) return false;
    for (let c = 0; c < 3; ++c) {
      const [d, e] = [(c + 1) % 3, (c + 2) % 3];
      let sum = 0;
      for (let i = 0; i < 3; ++i) {
        const [j, k] = [3 * ((i + 1) % 3), 3 * ((i + 2) % 3)];
        sum += p[j + d] * p[k + e] - p[j + e] * p[k + d];
      }
      this.plane[c] = sum / volume;
    }
    return true;
  }

  // A line between two projected points, fainter behind other objects.
  hidden_line(p: Float64Array, colour: number, thickness: number, alpha: number, behind: number): void {
    if (!(p[2] > NEAR && p[5] > NEAR)) return;
    const [x0, y0, x1, y1] = [p[0] / p[2], p[1] / p[2], p[3] / p[5], p[4] / p[5]];
    const steps = Math.ceil(Math.max(Math.abs(x1 - x0), Math.abs(y1 - y0), 1));
    if (steps > 4 * (this.width + this.height)) return;
    const flat = Math.abs(x1 - x0) >= Math.abs(y1 - y0);
    const [near0, near1] = [1 / p[2], 1 / p[5]];
    for (let i = 0; i < steps; ++i) {
      const part = (i + 0.5) / steps;
      const x = x0 + part * (x1 - x0);
      const y = y0 + part * (y1 - y0);
      const nearness = (near0 + part * (near1 - near0)) * 1.0005;
      for (let k = 0; k < thickness; ++k) {
        const off = k - (thickness - 1) / 2;
        const at = this.at(Math.floor(flat ? x : x + off), Math.floor(flat ? y + off : y));
        if (at >= 0) this.blend(at, colour, nearness >= this.depth[at] ? alpha : behind);
      }
    }
  }

  // An antialiased thin line on top of the picture, with its opacity at both ends from 0 to 1.
  soft_line(x0: number, y0: number, x1: number, y1: number, colour: number, alpha0: number, alpha1: number): void {
    const flat = Math.abs(x1 - x0) >= Math.abs(y1 - y0);
    // Along its longer axis, each whole pixel once, so adjacent lines do not overlap.
    const [from, to] = flat ? [x0, x1] : [y0, y1];
    const first = Math.ceil(Math.min(from, to) - 0.5);
    const last = Math.ceil(Math.max(from, to) - 0.5);
    if (!(last - first < this.width + this.height)) return;
    for (let i = first; i < last; ++i) {
      const part = (i + 0.5 - from) / (to - from);
      const alpha = alpha0 + part * (alpha1 - alpha0);
      const beside = (flat ? y0 + part * (y1 - y0) : x0 + part * (x1 - x0)) - 0.5;
      const low = Math.floor(beside);
      this.tint(flat ? i : low, flat ? low : i, colour, alpha * (low + 1 - beside));
      this.tint(flat ? i : low + 1, flat ? low + 1 : i, colour, alpha * (beside - low));
    }
  }

  // The pixel's index, or -1 outside the window.
  private at(column: number, row: number): number {
    const { x, y, width, height } = this.window;
    if (!(column >= x && row >= y && column < x + width && row < y + height)) return -1;
    return column < this.width && row < this.height ? row * this.width + column : -1;
  }

  private tint(column: number, row: number, colour: number, alpha: number): void {
    const at = this.at(column, row);
    if (at >= 0) this.blend(at, colour, alpha);
  }

  // Blends a colour onto a pixel, with `alpha` from 0 to 1.
  private blend(at: number, colour: number, alpha: number): void {
    const there = this.pixels[at];
    const mix = (shift: number) => {
      const low = (there >>> shift) & 255;
      return (low + (((colour >>> shift) & 255) - low) * alpha) << shift;
    };
    this.pixels[at] = ((there & 0xff000000) | (mix(16) & 0xff0000) | (mix(8) & 0xff00) | (mix(0) & 0xff)) >>> 0;
  }

  // A partly covered pixel.
  uncover(at: number, before: number, cover: number): void {
    this.blend(at, before, 1 - cover);
  }

  disc(x: number, y: number, radius: number, colour: number): void {
    for (let row = Math.floor(y - radius); row <= y + radius; ++row)
      for (let column = Math.floor(x - radius); column <= x + radius; ++column) {
        const cover = radius + 0.5 - Math.hypot(column + 0.5 - x, row + 0.5 - y);
        const at = this.at(column, row);
        if (at >= 0 && cover > 0) this.blend(at, colour, Math.min(cover, 1));
      }
  }

  // Averages every 2 x 2 pixels of a picture of twice the size.
  halve(large: Raster): void {
    const { pixels, width, height } = this;
    const from = large.pixels;
    for (let row = 0, at = 0; row < height; ++row)
      for (let p = 4 * row * width, end = p + 2 * width; p < end; p += 2, ++at) {
        const [a, b, c, d] = [from[p], from[p + 1], from[p + 2 * width], from[p + 2 * width + 1]];
        if (a === b && a === c && a === d) {
          pixels[at] = a;
          continue;
        }
        const odd = (a & 0xff00ff) + (b & 0xff00ff) + (c & 0xff00ff) + (d & 0xff00ff);
        const even = (a & 0xff00) + (b & 0xff00) + (c & 0xff00) + (d & 0xff00);
        pixels[at] = (0xff000000 | ((odd >>> 2) & 0xff00ff) | ((even >>> 2) & 0xff00)) >>> 0;
      }
  }
}
