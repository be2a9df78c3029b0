import { listen, Orbit } from '../camera';
import { Chart, Line } from '../chart';
import { colour_table, gradient, LINES, OBJECTS, Rgb, rgb } from '../colours';
import { Numbers, PageData } from '../data';
import { button, choice, element, ink, on_theme, save, short, toggle } from '../dom';
import { add, between, dot, Quaternion, scale, subtract, Vec3 } from '../math';
import { Player } from '../player';
import { pixel_of, Raster } from '../raster';
import { grid, Pane, Stage, title_of, TITLE } from '../stage';
import { Cube, draw_outlines, draw_solid, hit } from './bodies/cubes';

// Rigid bodies of four cubes in space: networks' predictions, and the truth as outlines.

export interface BodiesSpec {
  kind: 'bodies';
  objects: string[]; // names
  given: number; // steps
  trajectories: string[]; // names
  truth: { positions: number; poses: number }; // (trajectory, step, point, 3), (trajectory, step, object, 4)
  networks: { name: string; positions: number; poses: number; errors: number }[]; // only predicted steps
}

const POINTS = 4; // cubes of an object
const DEGREE = Math.PI / 180;
const HOME = { azimuth: -55 * DEGREE, elevation: 24 * DEGREE };

interface Motion {
  positions: Numbers;
  poses: Numbers;
}

// Positions for objects of these sizes in rows of equal length, filling a pane of this aspect ratio.
function in_lines(widths: number[], heights: number[], aspect: number): { at: [number, number][]; radius: number } {
  const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);
  const layout = (columns: number) => {
    const most = (sizes: number[], count: number, line: (i: number) => number) =>
      Array.from({ length: count }, (_, k) => Math.max(...sizes.map((size, i) => (line(i) === k ? size : 0))));
    const [column, line] = [(i: number) => i % columns, (i: number) => Math.floor(i / columns)];
    const widest = most(widths, columns, column);
    const tallest = most(heights, Math.ceil(heights.length / columns), line);
    const at = widths.map((_, i): [number, number] => [
      sum(widest.slice(0, column(i))) + widest[column(i)] / 2 - sum(widest) / 2,
      sum(tallest) / 2 - sum(tallest.slice(0, line(i))) - tallest[line(i)] / 2,
    ]);
    return { at, radius: Math.max(sum(widest) / 2 / Math.max(aspect, 1), sum(tallest) / 2) };
  };
  return widths.map((_, i) => layout(i + 1)).reduce((best, next) => (next.radius < best.radius ? next : best));
}

interface Predicted extends Motion {
  name: string;
  errors: Numbers;
}

export class BodiesView {
  private readonly orbit: Orbit;
  private readonly stage: Stage;
  private readonly player: Player;
  private readonly chart: Chart;
  private readonly labels = element('div', { class: 'pane-labels', 'aria-hidden': 'true' });
  private readonly tip = element('div', { class: 'tip', hidden: true });
  private readonly legend = element('div', { class: 'legend', hidden: true });
  private readonly list = element('table', { class: 'errors' });
  private readonly steps: number;
  private readonly shown: boolean[];
  private switches: HTMLButtonElement[] = []; // of the networks
  private panes: Pane[] = [];
  private trajectory = 0;
  private object = -1; // the chosen one; -1: all
  private apart = true;
  private outlines = true;
  private by_error = false;
  private places: Vec3[] = [];
  private listed = -1; // the step of the table's errors
  private readonly table = colour_table('viridis');

  constructor(
    private readonly host: HTMLElement,
    private readonly spec: BodiesSpec,
    private truth: Motion,
    private networks: Predicted[],
    private readonly canvas: HTMLCanvasElement,
  ) {
    this.steps = truth.positions.shape[1];
    this.shown = networks.map((_, i) => i < 4);
    this.orbit = new Orbit({ ...HOME, distance: 20 }, () => this.stage.redraw());
    this.stage = new Stage(canvas, true, (raster, scale) => this.draw(raster, scale));
    this.player = new Player(this.steps, (frame) => this.time_text(frame), [1, 2, 4, 8]);
    this.chart = new Chart(
      {
        title: 'Distance from the truth by step', x_label: 'step', y_label: 'distance [cube sides]',
        x_log: false, y_log: true, lines: [], height: 260, small: false,
      },
      (x) => this.player.go(Math.round(x) - 1),
    );
    this.player.on_change(() => this.time_changed());
    this.build();
    this.set_trajectory(0);
    this.player.go(this.spec.given);
    on_theme(() => this.stage.redraw());
  }

  private build(): void {
    const { spec } = this;
    const bar = element('div', { class: 'tools', role: 'toolbar', 'aria-label': 'Scene' });
    bar.append(
      choice('trajectory', spec.trajectories.map((text, i) => ({ text, value: String(i) })), '0', (value) =>
        this.set_trajectory(Number(value)),
      ),
    );
    if (this.networks.length > 1)
      this.switches = this.networks.map((network, i) =>
        toggle(network.name, this.shown[i], (on) => {
          this.shown[i] = on;
          this.layout();
        }),
      );
    bar.append(...this.switches);
    bar.append(
      choice('colour', [{ text: 'by object', value: 'object' }, { text: 'by error', value: 'error' }], 'object', (value) => {
        this.by_error = value === 'error';
        this.legend.hidden = !this.by_error;
        this.stage.redraw();
      }),
      toggle('Outline the truth', true, (on) => {
        this.outlines = on;
        this.stage.redraw();
      }),
      toggle('Separate objects', true, (on) => {
        this.apart = on;
        this.place_objects();
        this.stage.redraw();
      }),
      button('Reset view', 'Reset the view', () => this.orbit.reset()),
      button('PNG', 'Save this picture as PNG', () => void this.stage.png(this.panes).then((blob) => save('bodies.png', blob))),
    );
    this.legend.append(
      element('span', {}, 'distance from the truth [cube sides]: 0.001'),
      element('i', { style: `background: ${gradient('viridis')}` }),
      element('span', {}, '1'),
    );
    const scene = element('div', { class: 'scene' }, this.canvas, this.labels, this.tip);
    this.host.append(
      bar,
      scene,
      this.legend,
      this.player.controls,
      element('div', { class: 'beside' }, this.chart.root, element('div', { class: 'table' }, this.list)),
      element('p', { class: 'note' },
        'Drag or arrow keys turn the scene, wheel or + and − zoom, space plays, comma and full stop step. ' +
        'Each network is given the first steps and predicts the rest; the truth is outlined. ' +
        'Click an object to follow its error.'),
    );
    this.canvas.addEventListener('keydown', (event) => {
      if (this.orbit.key(event) || this.player.key(event)) event.preventDefault();
    });
    listen(this.canvas, {
      drag: (dx, dy) => this.orbit.turn(dx * 0.008, dy * 0.008),
      zoom: (factor) => this.orbit.zoom(factor),
      hover: (x, y) => this.hover(x, y),
      leave: () => (this.tip.hidden = true),
      click: (x, y) => this.choose(this.object_at(x, y)?.object ?? -1),
    });
    new ResizeObserver(() => this.layout()).observe(this.canvas);
    this.layout();
  }

  // The same trajectories, predicted by a later checkpoint of `gcan watch`.
  async update(spec: BodiesSpec, data: PageData): Promise<void> {
    [this.truth, this.networks] = await numbers_of(spec, data);
    this.set_trajectory(this.trajectory);
  }

  show_only(name: string): void {
    this.networks.forEach((network, i) => {
      if (this.shown[i] !== (network.name === name)) this.switches[i]?.click();
    });
  }

  private time_text(frame: number): string {
    const what = frame < this.spec.given ? 'given' : 'predicted';
    return `step ${frame + 1} of ${this.steps}, ${what}`;
  }

  private visible(): number[] {
    return this.networks.map((_, i) => i).filter((i) => this.shown[i]);
  }

  private layout(): void {
    const { clientWidth: width } = this.canvas;
    if (width === 0) return; // not in the page yet
    const visible = this.visible();
    const columns = width < 560 ? 1 : 2;
    const lines = Math.ceil(visible.length / columns);
    this.canvas.style.height = `${(lines > 1 ? 270 : 400) * Math.max(lines, 1) + TITLE * lines}px`;
    this.panes = grid(visible.map((network) => this.networks[network].name), columns, width, this.canvas.clientHeight);
    this.labels.replaceChildren(...this.panes.map(title_of));
    this.place_objects();
    this.show_errors();
    this.stage.redraw();
  }

  private set_trajectory(index: number): void {
    this.trajectory = index;
    this.place_objects();
    this.show_errors();
    this.stage.redraw();
  }

  // A motion with only predicted steps begins at the step `first`.
  private cube(motion: Motion, step: number, point: number, first: number): { centre: Vec3; pose: Quaternion } {
    const [, steps, points] = motion.positions.shape;
    const objects = motion.poses.shape[2];
    const row = this.trajectory * steps + step - first;
    const p = 3 * (row * points + point);
    const q = 4 * (row * objects + Math.floor(point / POINTS));
    return {
      centre: Array.from(motion.positions.values.subarray(p, p + 3)) as Vec3,
      pose: Array.from(motion.poses.values.subarray(q, q + 4)) as Quaternion,
    };
  }

  private at_step(network: number, step: number, point: number) {
    if (network < 0 || step < this.spec.given) return this.cube(this.truth, step, point, 0);
    return this.cube(this.networks[network], step, point, this.spec.given);
  }

  // Network -1 is the truth.
  private cubes(network: number): Cube[] {
    const step = Math.min(Math.floor(this.player.time), this.steps - 1);
    const next = Math.min(step + 1, this.steps - 1);
    const part = this.player.time - step;
    const cubes: Cube[] = [];
    for (let point = 0; point < this.truth.positions.shape[2]; ++point) {
      const object = Math.floor(point / POINTS);
      const a = this.at_step(network, step, point);
      const b = this.at_step(network, next, point);
      const centre = add(a.centre, scale(subtract(b.centre, a.centre), part));
      if (!centre.every(Number.isFinite)) continue;
      cubes.push({ object, centre: add(centre, this.places[object]), pose: between(a.pose, b.pose, part) });
    }
    return cubes;
  }

  // All objects start at the origin: each gets its own cell, large enough for its true motion.
  private place_objects(): void {
    const objects = this.spec.objects.length;
    const lows: Vec3[] = [];
    const highs: Vec3[] = [];
    for (let object = 0; object < objects; ++object) {
      const low: Vec3 = [Infinity, Infinity, Infinity];
      const high: Vec3 = [-Infinity, -Infinity, -Infinity];
      for (let step = 0; step < this.steps; ++step)
        for (let i = 0; i < POINTS; ++i) {
          const { centre } = this.cube(this.truth, step, object * POINTS + i, 0);
          for (let c = 0; c < 3; ++c) {
            low[c] = Math.min(low[c], centre[c]);
            high[c] = Math.max(high[c], centre[c]);
          }
        }
      lows.push(low);
      highs.push(high);
    }
    const middles = lows.map((low, i) => scale(add(low, highs[i]), 0.5));
    const aspect = this.panes.length ? this.panes[0].width / this.panes[0].height : 1;
    if (!this.apart) {
      this.places = middles.map(() => [0, 0, 0] as Vec3);
      this.orbit.middle = scale(middles.reduce(add, [0, 0, 0]), 1 / objects);
      const radius = Math.max(...highs.map((high, i) => Math.max(
        Math.hypot(...subtract(high, this.orbit.middle)), Math.hypot(...subtract(lows[i], this.orbit.middle)))));
      this.orbit.set_home(Orbit.distance_for(radius + 1, aspect));
      return;
    }
    const room = 1.6; // for half cubes at both ends and a gap
    const right: Vec3 = [-Math.sin(HOME.azimuth), Math.cos(HOME.azimuth), 0];
    const widths = middles.map((_, i) => Math.abs(dot(subtract(highs[i], lows[i]), right.map(Math.abs) as Vec3)) + room);
    const heights = middles.map((_, i) => highs[i][2] - lows[i][2] + room);
    const { at, radius } = in_lines(widths, heights, aspect);
    this.places = middles.map((middle, i) => subtract(add(scale(right, at[i][0]), [0, 0, at[i][1]]), middle));
    this.orbit.middle = [0, 0, 0];
    this.orbit.set_home(Orbit.distance_for(radius, aspect) * 0.95);
  }

  private error(network: number, step: number, object: number): number {
    const { values, shape } = this.networks[network].errors;
    if (step < this.spec.given) return 0;
    return values[(this.trajectory * shape[1] + step - this.spec.given) * shape[2] + object];
  }

  // The root-mean-square over all objects.
  private error_of(network: number, step: number): number {
    if (this.object >= 0) return this.error(network, step, this.object);
    const objects = this.spec.objects.length;
    let sum = 0;
    for (let object = 0; object < objects; ++object) sum += this.error(network, step, object) ** 2;
    return Math.sqrt(sum / objects);
  }

  private colour(network: number, object: number): Rgb {
    const step = Math.round(this.player.time);
    let colour = rgb(OBJECTS[object % OBJECTS.length]);
    if (this.by_error) {
      // From a thousandth of a cube's side to a whole side.
      const part = 1 + Math.log10(Math.max(this.error(network, step, object), 1e-12)) / 3;
      const index = 3 * Math.round(255 * Math.min(Math.max(part, 0), 1));
      colour = [this.table[index] / 255, this.table[index + 1] / 255, this.table[index + 2] / 255];
    }
    if (this.object < 0 || this.object === object) return colour;
    return colour.map((c) => 0.45 + 0.35 * c) as Rgb;
  }

  private draw(raster: Raster, sharpness: number): void {
    const visible = this.visible();
    const eye = this.orbit.eye();
    const above = subtract(add(eye, [0, 0, this.orbit.distance]), this.orbit.middle);
    const light = scale(above, 1 / Math.hypot(...above));
    const line = pixel_of(ink('--outline'));
    const truth = this.cubes(-1);
    raster.clear_depth();
    this.panes.forEach((pane, i) => {
      raster.enter(Stage.window(pane, sharpness), this.orbit.matrix(pane.width / pane.height));
      draw_solid(raster, eye, light, this.cubes(visible[i]), (object) => this.colour(visible[i], object));
      if (this.outlines) draw_outlines(raster, truth, line, Math.max(1, Math.round(sharpness)));
    });
  }

  private object_at(x: number, y: number): { network: number; object: number } | undefined {
    const visible = this.visible();
    const at = this.panes.findIndex((p) => x >= p.x && x < p.x + p.width && y >= p.y && y < p.y + p.height);
    if (at < 0) return undefined;
    const pane = this.panes[at];
    const ray = this.orbit.ray((2 * (x - pane.x)) / pane.width - 1, 1 - (2 * (y - pane.y)) / pane.height, pane.width / pane.height);
    let nearest = Infinity;
    let found: { network: number; object: number } | undefined;
    for (const cube of this.cubes(visible[at])) {
      const distance = hit(ray, cube);
      if (distance >= nearest) continue;
      nearest = distance;
      found = { network: visible[at], object: cube.object };
    }
    return found;
  }

  private hover(x: number, y: number): void {
    const found = this.object_at(x, y);
    this.tip.hidden = !found;
    if (!found) return;
    const step = Math.round(this.player.time);
    const error = step < this.spec.given ? 'given' : `${short(this.error(found.network, step, found.object))} cube sides from the truth`;
    this.tip.textContent = `${this.spec.objects[found.object]}, ${this.networks[found.network].name}, step ${step + 1}: ${error}`;
    this.tip.style.left = `${Math.min(x + 14, this.canvas.clientWidth - 220)}px`;
    this.tip.style.top = `${y + 14}px`;
  }

  private choose(object: number): void {
    this.object = object === this.object ? -1 : object;
    this.show_errors();
    this.stage.redraw();
  }

  private time_changed(): void {
    this.stage.redraw();
    this.chart.set_mark(this.player.time + 1);
    const step = Math.round(this.player.time);
    if (step === this.listed) return;
    this.listed = step;
    this.fill_list();
  }

  private show_errors(): void {
    const steps = Array.from({ length: this.steps - this.spec.given }, (_, i) => this.spec.given + i);
    this.chart.set_lines(
      this.visible().map(
        (network): Line => ({
          name: this.networks[network].name,
          x: steps.map((step) => step + 1),
          y: steps.map((step) => this.error_of(network, step)),
          colour: LINES[network % LINES.length],
          points: 'filled',
        }),
      ),
    );
    this.list.replaceChildren();
    this.fill_list();
  }

  // Errors by object at this step; clicking a row selects its object.
  private fill_list(): void {
    const visible = this.visible();
    const step = Math.round(this.player.time);
    const text = (network: number, object: number) => (step < this.spec.given ? 'given' : short(this.error(network, step, object)));
    if (!this.list.tBodies.length) {
      const head = element('tr', {}, element('th', { scope: 'col' }, 'object'));
      for (const network of visible) head.append(element('th', { scope: 'col' }, this.networks[network].name));
      const body = element('tbody');
      this.spec.objects.forEach((name, object) => {
        const chooser = toggle(name, this.object === object, () => this.choose(object));
        chooser.prepend(element('i', { class: 'chip', style: `background:${OBJECTS[object % OBJECTS.length]}` }));
        const row = element('tr', {}, element('th', { scope: 'row' }, chooser));
        for (const _ of visible) row.append(element('td'));
        body.append(row);
      });
      this.list.append(element('thead', {}, head), body);
    }
    [...this.list.tBodies[0].rows].forEach((row, object) =>
      visible.forEach((network, i) => (row.cells[i + 1].textContent = text(network, object))),
    );
  }
}

async function numbers_of(spec: BodiesSpec, data: PageData): Promise<[Motion, Predicted[]]> {
  const motion = async (of: { positions: number; poses: number }): Promise<Motion> => ({
    positions: await data.numbers(of.positions),
    poses: await data.numbers(of.poses),
  });
  const networks = spec.networks.map(async (n) => ({ ...(await motion(n)), name: n.name, errors: await data.numbers(n.errors) }));
  return [await motion(spec.truth), await Promise.all(networks)];
}

export async function show_bodies(host: HTMLElement, spec: BodiesSpec, data: PageData): Promise<BodiesView> {
  const canvas = element('canvas', {
    class: 'stage', tabindex: 0, role: 'img',
    'aria-label': `Moving bodies in space as predicted by ${spec.networks.map((n) => n.name).join(', ')}; arrow keys turn, space plays. The table below gives the errors by object.`,
  });
  return new BodiesView(host, spec, ...(await numbers_of(spec, data)), canvas);
}
