import { LINES, lit } from '../colours';
import { add, scale, unit, Vec3 } from '../math';
import { Shape } from './geometry';

// Points, lines, planes and objects moved by motors, drawn as SVG; draggable points look different.

export interface Drawn {
  name: string;
  shape: Shape;
  draggable: boolean;
  path?: Vec3[][]; // of a motor: a moving figure
}

const NAMESPACE = 'http://www.w3.org/2000/svg';
const [WIDTH, HEIGHT] = [640, 480];

function svg(tag: string, attributes: Record<string, string | number>, text?: string): SVGElement {
  const made = document.createElementNS(NAMESPACE, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  if (text !== undefined) made.textContent = text;
  return made;
}

export class Scene {
  readonly root = svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: 'algebra-scene', tabindex: 0, role: 'group',
    'aria-label': 'Points, lines, planes and motors; arrow keys turn space, + and - zoom' }) as SVGSVGElement;
  private drawn: Drawn[] = [];
  private flat = true;
  private azimuth = 0.6;
  private elevation = 0.4;
  private unit_pixels = 60;
  private dragged?: string;

  // `moved` receives the drag distance in pixels, and a function that projects points of space to the
  // picture.
  constructor(private readonly moved: (name: string, by: [number, number], seen: (p: Vec3) => [number, number]) => void) {
    let last: [number, number] | undefined;
    const at = (event: PointerEvent): [number, number] => {
      const box = this.root.getBoundingClientRect();
      return [((event.clientX - box.left) / box.width) * WIDTH, ((event.clientY - box.top) / box.height) * HEIGHT];
    };
    this.root.addEventListener('pointerdown', (event) => {
      this.dragged = (event.target as Element).getAttribute('data-object') ?? undefined;
      last = at(event);
      this.root.setPointerCapture(event.pointerId);
    });
    this.root.addEventListener('pointermove', (event) => {
      if (!last) return;
      const now = at(event);
      if (this.dragged) this.drag(this.dragged, now[0] - last[0], now[1] - last[1]);
      else if (!this.flat) this.turn((last[0] - now[0]) * 0.008, (now[1] - last[1]) * 0.008);
      last = now;
    });
    const end = () => (last = this.dragged = undefined);
    this.root.addEventListener('pointerup', end);
    this.root.addEventListener('pointercancel', end);
    this.root.addEventListener('keydown', (event) => this.key(event));
    this.root.addEventListener('wheel', (event) => {
      if (document.activeElement !== this.root && !this.root.contains(document.activeElement)) return; // the page scrolls
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * 0.0015));
    }, { passive: false });
  }

  show(drawn: Drawn[], flat: boolean): void {
    this.drawn = drawn;
    this.flat = flat;
    this.draw();
  }

  private key(event: KeyboardEvent): void {
    const turns: Record<string, [number, number]> = {
      ArrowLeft: [-0.08, 0], ArrowRight: [0.08, 0], ArrowUp: [0, 0.08], ArrowDown: [0, -0.08],
    };
    const object = (event.target as Element).getAttribute('data-object');
    const turn = turns[event.key];
    if (turn && object) this.drag(object, turn[0] * 75, -turn[1] * 75);
    else if (turn && !this.flat) this.turn(...turn);
    else if (event.key === '+' || event.key === '-') this.zoom(event.key === '+' ? 1.1 : 1 / 1.1);
    else return;
    event.preventDefault();
  }

  private zoom(factor: number): void {
    this.unit_pixels = Math.min(Math.max(this.unit_pixels * factor, 8), 600);
    this.draw();
  }

  private turn(across: number, up: number): void {
    this.azimuth += across;
    this.elevation = Math.min(Math.max(this.elevation + up, -1.5), 1.5);
    this.draw();
  }

  // Rightwards and upwards on the screen.
  private axes(): [Vec3, Vec3] {
    if (this.flat) return [[1, 0, 0], [0, 1, 0]];
    const [a, e] = [this.azimuth, this.elevation];
    return [
      [-Math.sin(a), Math.cos(a), 0],
      [-Math.cos(a) * Math.sin(e), -Math.sin(a) * Math.sin(e), Math.cos(e)],
    ];
  }

  private seen(p: Vec3): [number, number] {
    const [right, up] = this.axes();
    const along = (axis: Vec3) => p[0] * axis[0] + p[1] * axis[1] + p[2] * axis[2];
    return [WIDTH / 2 + this.unit_pixels * along(right), HEIGHT / 2 - this.unit_pixels * along(up)];
  }

  private drag(name: string, dx: number, dy: number): void {
    this.moved(name, [dx, dy], (p) => this.seen(p));
  }

  // Makes a figure draggable by pointer and keys.
  private handle(one: Drawn): Record<string, string | number> {
    if (!one.draggable) return {};
    return { 'data-object': one.name, tabindex: 0, class: 'draggable', role: 'button',
      'aria-label': `${one.shape.kind} ${one.name}: arrow keys move it` };
  }

  private path(points: Vec3[], attributes: Record<string, string | number>): SVGElement {
    const d = points.map((p) => this.seen(p).map((v) => v.toFixed(2)).join(' ')).join('L');
    return svg('path', { d: `M${d}`, fill: 'none', ...attributes });
  }

  private label(p: Vec3, name: string, colour: string): SVGElement {
    return this.label_at(this.seen(p), name, colour);
  }

  private label_at([x, y]: [number, number], name: string, colour: string): SVGElement {
    return svg('text', { x: x + 10, y: y - 8, fill: colour, 'font-size': 15, 'font-weight': 600 }, name);
  }

  // Where a line leaves the picture, except for a margin: the position of its name.
  private in_sight(through: Vec3, way: Vec3): [number, number] {
    const [x, y] = this.seen(through);
    const end = this.seen(add(through, way));
    const [dx, dy] = [end[0] - x, end[1] - y];
    let [low, high] = [-1, 1];
    for (const [at, by, least, most] of [[x, dx, 10, WIDTH - 50], [y, dy, 30, HEIGHT - 10]]) {
      if (Math.abs(by) < 1e-9) continue;
      const [a, b] = [(least - at) / by, (most - at) / by];
      [low, high] = [Math.max(low, Math.min(a, b)), Math.min(high, Math.max(a, b))];
    }
    return low < high ? [x + high * dx, y + high * dy] : [x, y];
  }

  private figures(one: Drawn, colour: string): SVGElement[] {
    const { shape } = one;
    switch (shape.kind) {
      case 'point': {
        const [cx, cy] = this.seen(shape.at);
        const [r, ring] = one.draggable ? [8, 1.5] : [5, 0];
        const look = { cx, cy, r, fill: colour, stroke: 'currentColor', 'stroke-width': ring };
        return [svg('circle', { ...look, ...this.handle(one) }), this.label(shape.at, one.name, colour)];
      }
      case 'line': {
        const way = scale(unit(shape.direction), 30);
        const ends = [add(shape.through, scale(way, -1)), add(shape.through, way)];
        return [
          this.path(ends, { stroke: colour, 'stroke-width': 2.5 }),
          ...(one.draggable ? [this.path(ends, { stroke: 'transparent', 'stroke-width': 16, ...this.handle(one) })] : []),
          this.label_at(this.in_sight(shape.through, way), one.name, colour),
        ];
      }
      case 'plane': {
        const n = unit(shape.normal);
        const other: Vec3 = Math.abs(n[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0];
        const u = unit([n[1] * other[2] - n[2] * other[1], n[2] * other[0] - n[0] * other[2], n[0] * other[1] - n[1] * other[0]]);
        const v: Vec3 = [n[1] * u[2] - n[2] * u[1], n[2] * u[0] - n[0] * u[2], n[0] * u[1] - n[1] * u[0]];
        const corners = [[-2, -2], [2, -2], [2, 2], [-2, 2], [-2, -2]].map(([a, b]) => add(shape.through, add(scale(u, a), scale(v, b))));
        return [
          this.path(corners, { stroke: colour, 'stroke-width': 1.5, fill: colour, 'fill-opacity': 0.2, ...this.handle(one) }),
          this.label(shape.through, one.name, colour),
        ];
      }
      case 'motor': {
        const steps = one.path ?? [];
        const drawn = steps.map((figure, i) =>
          this.path(figure, { stroke: colour, 'stroke-width': i === steps.length - 1 ? 3 : 1.5, 'stroke-opacity': 0.2 + (0.8 * i) / steps.length }));
        const last = steps[steps.length - 1];
        if (!last) return drawn;
        if (one.draggable) drawn.push(this.path(last, { stroke: 'transparent', 'stroke-width': 18, ...this.handle(one) }));
        return [...drawn, this.label(last[0], one.name, colour)];
      }
    }
  }

  private background(): SVGElement[] {
    const parts: SVGElement[] = [];
    for (let i = -6; i <= 6; ++i) {
      const style = { stroke: 'currentColor', 'stroke-opacity': i === 0 ? 0.45 : 0.12, 'stroke-width': 1 };
      parts.push(this.path([[i, -6, 0], [i, 6, 0]], style), this.path([[-6, i, 0], [6, i, 0]], style));
    }
    if (!this.flat) parts.push(this.path([[0, 0, 0], [0, 0, 3]], { stroke: 'currentColor', 'stroke-opacity': 0.45 }));
    return parts;
  }

  // Planes are drawn first, then lines, then points.
  private draw(): void {
    const focused = document.activeElement?.getAttribute('data-object');
    const depth = { plane: 0, motor: 1, line: 2, point: 3 };
    const figures = this.drawn.map((one, i) => ({ depth: depth[one.shape.kind], made: this.figures(one, lit(LINES[i % LINES.length])) }));
    figures.sort((a, b) => a.depth - b.depth);
    this.root.replaceChildren(...this.background(), ...figures.flatMap(({ made }) => made));
    if (focused) this.root.querySelector<SVGElement>(`[data-object="${CSS.escape(focused)}"]`)?.focus();
  }
}
