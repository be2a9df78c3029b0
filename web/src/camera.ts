import { add, cross, look, Matrix, multiply, perspective, scale, unit, Vec3 } from './math';

const HEIGHT_ANGLE = (32 * Math.PI) / 180;

export interface Ray {
  from: Vec3;
  direction: Vec3;
}

// A camera that orbits a point: drag or arrow keys rotate it, wheel, pinch or + and - zoom. The panes of a
// canvas share it, so they show the same view.
export class Orbit {
  middle: Vec3 = [0, 0, 0];
  azimuth: number;
  elevation: number;
  distance: number;

  constructor(
    private readonly home: { azimuth: number; elevation: number; distance: number },
    private readonly changed: () => void,
  ) {
    ({ azimuth: this.azimuth, elevation: this.elevation, distance: this.distance } = home);
  }

  // The distance at which a ball of this radius fills a pane.
  static distance_for(radius: number, aspect: number): number {
    const half = Math.atan(Math.tan(HEIGHT_ANGLE / 2) * Math.min(aspect, 1));
    return radius / Math.sin(half);
  }

  set_home(distance: number): void {
    this.distance *= distance / this.home.distance;
    this.home.distance = distance;
  }

  reset(): void {
    Object.assign(this, this.home);
    this.changed();
  }

  eye(): Vec3 {
    const c = Math.cos(this.elevation);
    const outward: Vec3 = [c * Math.cos(this.azimuth), c * Math.sin(this.azimuth), Math.sin(this.elevation)];
    return add(this.middle, scale(outward, this.distance));
  }

  matrix(aspect: number): Matrix {
    const near = this.distance / 100;
    return multiply(
      perspective(HEIGHT_ANGLE, aspect, near, this.distance * 20),
      look(this.eye(), this.middle, [0, 0, 1]),
    );
  }

  // Half of a pane's height at the distance 1.
  static slope(): number {
    return Math.tan(HEIGHT_ANGLE / 2);
  }

  frame(): { from: Vec3; forward: Vec3; right: Vec3; up: Vec3 } {
    const from = this.eye();
    const forward = unit(add(this.middle, scale(from, -1)));
    const right = unit(cross(forward, [0, 0, 1]));
    return { from, forward, right, up: cross(right, forward) };
  }

  // The ray through a position in a pane, -1 to 1 rightwards and upwards.
  ray(x: number, y: number, aspect: number): Ray {
    const { from, forward, right, up } = this.frame();
    const size = Orbit.slope();
    return {
      from,
      direction: unit(add(forward, add(scale(right, x * size * aspect), scale(up, y * size)))),
    };
  }

  turn(across: number, upward: number): void {
    this.azimuth -= across;
    this.elevation = Math.min(Math.max(this.elevation + upward, -1.55), 1.55);
    this.changed();
  }

  zoom(factor: number): void {
    this.distance = Math.min(Math.max(this.distance * factor, this.home.distance / 20), this.home.distance * 5);
    this.changed();
  }

  // Arrows, + and -, 0 to reset the view.
  key(event: KeyboardEvent): boolean {
    const by = 0.08;
    switch (event.key) {
      case 'ArrowLeft': this.turn(-by, 0); break;
      case 'ArrowRight': this.turn(by, 0); break;
      case 'ArrowUp': this.turn(0, by); break;
      case 'ArrowDown': this.turn(0, -by); break;
      case '+': case '=': this.zoom(0.9); break;
      case '-': this.zoom(1 / 0.9); break;
      case '0': this.reset(); break;
      default: return false;
    }
    return true;
  }
}

export interface Gestures {
  drag: (dx: number, dy: number) => void; // [px]
  zoom: (factor: number) => void;
  hover?: (x: number, y: number) => void; // from the canvas' upper left corner [px]
  leave?: () => void;
  click?: (x: number, y: number) => void;
}

// Pointer and wheel. The wheel zooms only while the canvas has the focus, so that pages still scroll.
export function listen(canvas: HTMLCanvasElement, gestures: Gestures): void {
  const down = new Map<number, { x: number; y: number }>();
  let moved = false;
  const spread = () => {
    const [a, b] = [...down.values()];
    return Math.hypot(a.x - b.x, a.y - b.y);
  };
  canvas.addEventListener('pointerdown', (event) => {
    canvas.focus({ preventScroll: true });
    canvas.setPointerCapture(event.pointerId);
    down.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    moved = false;
  });
  canvas.addEventListener('pointermove', (event) => {
    const before = down.get(event.pointerId);
    if (!before) {
      gestures.hover?.(event.offsetX, event.offsetY);
      return;
    }
    const dx = event.offsetX - before.x;
    const dy = event.offsetY - before.y;
    if (Math.hypot(dx, dy) < 3 && !moved) return;
    moved = true;
    const apart = down.size === 2 ? spread() : 0;
    down.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    if (down.size === 2) gestures.zoom(apart / Math.max(spread(), 1));
    else gestures.drag(dx, dy);
  });
  const up = (event: PointerEvent) => {
    if (down.delete(event.pointerId) && !moved && event.type === 'pointerup')
      gestures.click?.(event.offsetX, event.offsetY);
  };
  canvas.addEventListener('pointerup', up);
  canvas.addEventListener('pointercancel', up);
  canvas.addEventListener('pointerleave', () => gestures.leave?.());
  canvas.addEventListener(
    'wheel',
    (event) => {
      if (document.activeElement !== canvas) return;
      event.preventDefault();
      gestures.zoom(Math.exp(Math.sign(event.deltaY) * Math.min(Math.abs(event.deltaY), 100) * 0.0015));
    },
    { passive: false },
  );
}
