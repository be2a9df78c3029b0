import { listen } from '../camera';
import { Chart, Line } from '../chart';
import { DIVERGING, gradient, LINES, SEQUENTIAL } from '../colours';
import { Numbers, PageData } from '../data';
import { button, choice, element, ink, save, short, toggle } from '../dom';
import { Player } from '../player';
import { pixel, Raster } from '../raster';
import { grid as panes_of, Pane, Stage, title_of, TITLE } from '../stage';
import { Grid, GridAxis, Place } from './fields/grid';
import { FieldPainter } from './fields/painter';
import { Box, EarthMap, Globe, Projection } from './fields/projection';
import { Wind } from './fields/wind';

// A rollout of fields on the sphere or in a box: truth, predictions and their differences, on a globe and on
// a map.

export interface FieldsSpec {
  kind: 'fields';
  sphere: boolean;
  axes: { name: string; unit: string; periodic: boolean; values: number }[];
  input_times: number[];
  times: number[];
  error_times: number[];
  networks: string[];
  colours?: number[]; // of the networks, consistent with the page's other charts; default: in order
  fields: {
    name: string;
    unit: string;
    components: string[];
    input: number;
    target: number;
    predictions: number[];
    errors: number[];
  }[];
  spectrum?: { name: string; target: number; predictions: number[] };
}

interface Field {
  name: string;
  unit: string;
  components: string[];
  truth: Float32Array[]; // by frame, inputs first: (component, row, column)
  predictions: Float32Array[][]; // of each network
  errors: Float32Array[];
}

// The drawn quantity of a field: a component, or the length of a vector.
interface Quantity {
  field: Field;
  text: string;
  component: number; // -1: the length
}

type Source = { kind: 'truth' } | { kind: 'prediction' | 'difference'; network: number };

function frames_of(blocks: Numbers[]): Float32Array[] {
  return blocks.flatMap(({ values, shape }) => {
    const size = shape[1] * shape[2] * shape[3];
    return Array.from({ length: shape[0] }, (_, i) => values.subarray(i * size, (i + 1) * size));
  });
}

function quantities_of(fields: Field[]): Quantity[] {
  return fields.flatMap((field) => {
    if (field.components.length < 2) return [{ field, text: field.name, component: 0 }];
    const parts = field.components.map((name, component) => ({ field, text: `${field.name}: ${name}`, component }));
    return [{ field, text: `${field.name}: length`, component: -1 }, ...parts];
  });
}

const DAY = 86400;

interface Spectra {
  target: Numbers;
  predictions: Numbers[];
}

export class FieldsView {
  private readonly painter: FieldPainter;
  private readonly stage: Stage;
  private readonly player: Player;
  private readonly projections: { globe?: Projection; map: Projection };
  private projection: Projection;
  private readonly quantities: Quantity[];
  private quantity: Quantity;
  private readonly wind_field?: Field;
  private winds = new Map<string, Wind>();
  private wind_on = false;
  private wind_before = 0;
  private readonly shown: boolean[];
  private switches: HTMLButtonElement[] = []; // of the networks
  private differences = true;
  private scale = 'whole'; // or 'now'
  private value_map = '';
  private difference_map = DIVERGING[0];
  private panes: Pane[] = [];
  private sources: Source[] = [];
  private values: Float32Array[] = []; // the current one of each pane
  private pointed?: Place;
  private limits: [number, number] = [0, 1];
  private difference_limit = 1;
  private readonly labels = element('div', { class: 'pane-labels', 'aria-hidden': 'true' });
  private readonly reading = element('output', { class: 'reading', 'aria-live': 'off' });
  private readonly legend = element('div', { class: 'legend' });
  private readonly error_chart: Chart;
  private readonly spectrum_chart?: Chart;
  private readonly given: number;
  private readonly lengths: Float32Array[]; // of vectors in two frames, for interpolation
  private shown_frame = -1;

  constructor(
    private readonly host: HTMLElement,
    private readonly spec: FieldsSpec,
    private readonly grid: Grid,
    private readonly fields: Field[],
    private spectra: Spectra | undefined,
    private readonly canvas: HTMLCanvasElement,
  ) {
    this.given = spec.input_times.length;
    this.shown = spec.networks.map((_, i) => i < 2);
    this.lengths = [0, 1].map(() => new Float32Array(grid.rows * grid.columns));
    this.painter = new FieldPainter(grid);
    this.stage = new Stage(canvas, false, (raster, scale) => this.draw(raster, scale));
    const redraw = () => this.stage.redraw();
    this.projections = spec.sphere
      ? { globe: new Globe(grid, redraw), map: new EarthMap(grid, redraw) }
      : { map: new Box(grid, redraw) };
    this.projection = this.projections.globe ?? this.projections.map;
    this.quantities = quantities_of(fields);
    this.quantity = this.quantities[0];
    this.wind_field = fields.find((field) => field.components.length === 2);
    this.player = new Player(this.given + spec.times.length, (frame) => this.time_text(frame), [2, 4, 8, 16]);
    this.error_chart = new Chart(
      {
        title: 'Error over time', x_label: this.time_label(), y_label: 'error', x_log: false, y_log: true,
        lines: [], height: 260,
      },
      (x) => this.go_to(x),
    );
    if (spec.spectrum)
      this.spectrum_chart = new Chart({
        title: `Spectrum of the ${spec.spectrum.name}`, x_label: 'wavenumber', y_label: spec.spectrum.name,
        x_log: true, y_log: true, lines: [], height: 260,
      });
    this.player.on_change(() => this.time_changed());
    this.build();
    this.choose(this.quantities[0]);
    this.layout();
    this.player.go(this.given);
  }

  // The same frames, predicted by a later checkpoint of `gcan watch`.
  async update(spec: FieldsSpec, data: PageData): Promise<void> {
    const fields = await fields_of(spec, data);
    this.fields.forEach((field, i) => Object.assign(field, fields[i]));
    this.spectra = await spectra_of(spec, data);
    this.shown_frame = -1;
    this.rescale();
    this.show_errors();
    this.time_changed();
  }

  show_only(name: string): void {
    this.spec.networks.forEach((network, i) => {
      if (this.shown[i] !== (network === name)) this.switches[i]?.click();
    });
  }

  private time_label(): string {
    return this.in_days() ? 'time [days]' : 'time [s]';
  }

  private in_days(): boolean {
    return this.spec.sphere;
  }

  private time_at(frame: number): number {
    const time = frame < this.given ? this.spec.input_times[frame] : this.spec.times[frame - this.given];
    return this.in_days() ? time / DAY : time;
  }

  private time_text(frame: number): string {
    const time = this.time_at(frame);
    const what = frame < this.given ? 'given' : 'predicted';
    return `${this.in_days() ? `day ${time.toFixed(2)}` : `t = ${short(time, 4)} s`}, ${what}`;
  }

  private go_to(time: number): void {
    let nearest = 0;
    for (let frame = 0; frame < this.given + this.spec.times.length; ++frame)
      if (Math.abs(this.time_at(frame) - time) < Math.abs(this.time_at(nearest) - time)) nearest = frame;
    this.player.go(nearest);
  }

  private build(): void {
    const bar = element('div', { class: 'tools', role: 'toolbar', 'aria-label': 'Fields' });
    bar.append(
      choice('field', this.quantities.map((q, i) => ({ text: q.text, value: String(i) })), '0', (value) =>
        this.choose(this.quantities[Number(value)]),
      ),
    );
    if (this.projections.globe)
      bar.append(
        choice('on', [{ text: 'globe', value: 'globe' }, { text: 'map', value: 'map' }], 'globe', (value) => {
          this.projection = value === 'globe' ? this.projections.globe! : this.projections.map;
          this.canvas.dataset.projection = value;
          this.layout();
        }),
      );
    if (this.spec.networks.length > 1)
      this.switches = this.spec.networks.map((name, i) =>
        toggle(name, this.shown[i], (on) => {
          this.shown[i] = on;
          this.layout();
          this.show_errors();
          this.show_spectrum(Math.round(this.player.time));
        }),
      );
    bar.append(...this.switches);
    bar.append(
      toggle('Differences', true, (on) => {
        this.differences = on;
        this.layout();
      }),
    );
    if (this.wind_field)
      bar.append(toggle(this.spec.sphere ? 'Wind' : 'Flow', false, (on) => this.set_wind(on)));
    const maps = (names: string[]) => names.map((name) => ({ text: name, value: name }));
    bar.append(
      choice('colours', [{ text: 'automatic', value: '' }, ...maps([...SEQUENTIAL, ...DIVERGING])], '', (value) => {
        this.value_map = value;
        this.rescale();
      }),
      choice('difference colours', maps(DIVERGING), this.difference_map, (value) => {
        this.difference_map = value;
        this.rescale();
      }),
      choice('range', [{ text: 'all times', value: 'whole' }, { text: 'this time', value: 'now' }], 'whole', (value) => {
        this.scale = value;
        this.rescale();
      }),
      button('Reset view', 'Reset the view', () => this.projection.reset()),
      button('PNG', 'Save this picture as PNG', () => void this.stage.png(this.panes).then((blob) => save('fields.png', blob))),
    );
    const charts = element('div', { class: this.spectrum_chart ? 'two' : '' }, this.error_chart.root);
    if (this.spectrum_chart) charts.append(this.spectrum_chart.root);
    this.host.append(
      bar,
      element('div', { class: 'scene' }, this.canvas, this.labels),
      this.reading,
      this.legend,
      this.player.controls,
      charts,
      element('p', { class: 'note' },
        'Drag or arrow keys turn the globe and move the map, wheel or + and − zoom, space plays, comma and full ' +
        'stop step. The pointer reads values in all pictures at once. Error: the root of the mean square over the area.'),
    );
    this.canvas.dataset.projection = this.projections.globe ? 'globe' : 'map';
    this.canvas.addEventListener('keydown', (event) => {
      if (this.projection.key(event) || this.player.key(event)) event.preventDefault();
    });
    listen(this.canvas, {
      drag: (dx, dy) => this.projection.drag(dx, dy, this.panes[0]?.height ?? 300),
      zoom: (factor) => this.projection.zoom(factor),
      hover: (x, y) => this.point_at(x, y),
      leave: () => this.point_at(-1, -1),
    });
    new ResizeObserver(() => this.layout()).observe(this.canvas);
  }

  private layout(): void {
    this.sources = [{ kind: 'truth' }];
    this.shown.forEach((on, network) => {
      if (!on) return;
      this.sources.push({ kind: 'prediction', network });
      if (this.differences) this.sources.push({ kind: 'difference', network });
    });
    const { clientWidth: width } = this.canvas;
    if (width === 0) return; // not in the page yet
    const columns = Math.min(width < 560 ? 1 : 3, this.sources.length);
    // Predictions in one row, differences in the next.
    const places = this.sources.flatMap((source): (Source | undefined)[] =>
      columns === 3 && this.differences && source.kind === 'prediction' && source !== this.sources[1] ? [undefined, source] : [source]);
    const lines = Math.ceil(places.length / columns);
    const shape = this.projection.flat ? (this.spec.sphere ? 0.52 : 0.8) : 0.92;
    const height = Math.max(Math.round(Math.min((width / columns) * shape, 520)), 160);
    this.canvas.style.height = `${(height + TITLE) * lines}px`;
    const all = panes_of(places.map((source) => source && this.title(source)), columns, width, this.canvas.clientHeight);
    this.panes = all.filter((_, i) => places[i]);
    this.labels.replaceChildren(...this.panes.map(title_of));
    this.values = this.sources.map(() => new Float32Array(this.grid.rows * this.grid.columns));
    this.rescale();
  }

  private title(source: Source): string {
    if (source.kind === 'truth') return 'truth';
    const name = this.spec.networks[source.network];
    return source.kind === 'prediction' ? name : `${name} − truth`;
  }

  private choose(quantity: Quantity): void {
    this.quantity = quantity;
    this.rescale();
    this.show_errors();
  }

  // The quantity in a frame; the length of a vector is computed into `scratch`.
  private read(frame: Float32Array, scratch: Float32Array): Float32Array {
    const size = this.grid.rows * this.grid.columns;
    const { component } = this.quantity;
    if (component >= 0) return frame.subarray(component * size, (component + 1) * size);
    for (let i = 0; i < size; ++i) scratch[i] = Math.sqrt(frame[i] * frame[i] + frame[size + i] * frame[size + i]);
    return scratch;
  }

  private frames(source: Source): Float32Array[] {
    const { field } = this.quantity;
    return source.kind === 'truth' ? field.truth : field.predictions[source.network];
  }

  // Interpolates two frames.
  private read_at(frames: Float32Array[], time: number, out: Float32Array): void {
    const frame = Math.min(Math.floor(time), frames.length - 1);
    const next = Math.min(frame + 1, frames.length - 1);
    const part = time - frame;
    const before = this.read(frames[frame], this.lengths[0]);
    if (part < 1e-3) {
      out.set(before);
      return;
    }
    const after = this.read(frames[next], this.lengths[1]);
    for (let i = 0; i < out.length; ++i) out[i] = before[i] + part * (after[i] - before[i]);
  }

  private fill_values(): void {
    const truth = this.values[0];
    const { time } = this.player;
    this.read_at(this.quantity.field.truth, time, truth);
    this.sources.forEach((source, i) => {
      if (i === 0) return;
      this.read_at(this.frames(source), time, this.values[i]);
      if (source.kind === 'difference') for (let j = 0; j < truth.length; ++j) this.values[i][j] -= truth[j];
    });
  }

  // Colour ranges: of the truth, and of the differences from it.
  private rescale(): void {
    if (!this.values.length) return;
    const now = this.scale === 'now';
    let [low, high, most] = [Infinity, -Infinity, 0];
    const { truth } = this.quantity.field;
    const frames = now ? [Math.round(this.player.time)] : truth.map((_, i) => i);
    for (const frame of frames) {
      const a = this.read(truth[frame], this.lengths[0]);
      for (let i = 0; i < a.length; ++i) {
        if (a[i] < low) low = a[i];
        if (a[i] > high) high = a[i];
      }
      this.shown.forEach((on, network) => {
        if (!on) return;
        const b = this.read(this.quantity.field.predictions[network][frame], this.lengths[1]);
        for (let i = 0; i < a.length; ++i) {
          const size = Math.abs(b[i] - a[i]);
          if (size > most) most = size;
        }
      });
    }
    if (!(low < high)) [low, high] = [Number.isFinite(low) ? low - 1 : 0, Number.isFinite(low) ? low + 1 : 1];
    this.difference_limit = Math.min(most, 2 * (high - low)) || 1;
    if (low < 0 && high > 0) high = Math.max(-low, high);
    this.limits = low < 0 && high > 0 ? [-high, high] : [low, high];
    this.show_legend();
    this.stage.redraw();
  }

  private map_of(difference: boolean): string {
    if (difference) return this.difference_map;
    return this.value_map || (this.limits[0] < 0 && this.limits[1] > 0 ? DIVERGING[0] : SEQUENTIAL[0]);
  }

  private unit(before: string, after = ''): string {
    const { unit } = this.quantity.field;
    return unit && unit !== '1' ? `${before}${unit}${after}` : '';
  }

  private show_legend(): void {
    const bar = (text: string, low: number, high: number, map: string) => [
      element('span', {}, `${text}: ${short(low)}`),
      element('i', { style: `background: ${gradient(map)}` }),
      element('span', {}, short(high)),
    ];
    this.legend.replaceChildren(
      ...bar(this.quantity.text + this.unit(' [', ']'), ...this.limits, this.map_of(false)),
      ...(this.differences ? bar('difference', -this.difference_limit, this.difference_limit, this.map_of(true)) : []),
    );
  }

  private draw(raster: Raster, scale: number): void {
    if (!this.panes.length) return;
    this.fill_values();
    this.move_wind();
    this.panes.forEach((pane, i) => {
      const window = Stage.window(pane, scale);
      raster.enter(window, this.projection.matrix(pane.width / pane.height));
      const difference = this.sources[i].kind === 'difference';
      const [low, high] = difference ? [-this.difference_limit, this.difference_limit] : this.limits;
      this.painter.draw_surface(raster, window, this.projection, this.values[i], low, high, this.map_of(difference));
      const wind = this.wind_on ? this.winds.get(this.wind_key(this.sources[i])) : undefined;
      if (wind) this.painter.draw_lines(raster, this.projection, wind.ends(this.projection), this.wind_colour());
      if (this.pointed) this.painter.draw_mark(raster, this.projection, this.projection.point_of(this.pointed), scale);
    });
    if (this.wind_on) this.stage.redraw();
  }

  private wind_colour(): number {
    return DIVERGING.includes(this.map_of(false)) ? pixel(25, 25, 25) : pixel(255, 255, 255);
  }

  private wind_key(source: Source): string {
    return source.kind === 'difference' ? '' : source.kind === 'truth' ? 'truth' : `${source.network}`;
  }

  private set_wind(on: boolean): void {
    this.wind_on = on;
    this.wind_before = 0;
    this.winds.clear();
    this.stage.redraw();
  }

  private move_wind(): void {
    if (!this.wind_on || !this.wind_field) return;
    const now = performance.now();
    const seconds = this.wind_before ? (now - this.wind_before) / 1000 : 0.03;
    this.wind_before = now;
    const size = this.grid.rows * this.grid.columns;
    let fastest = 0;
    const frame = this.wind_field.truth[Math.round(this.player.time)];
    for (let i = 0; i < size; i += 7) fastest = Math.max(fastest, Math.hypot(frame[i], frame[size + i]) || 0);
    for (const source of this.sources) {
      const key = this.wind_key(source);
      if (!key) continue;
      if (!this.winds.has(key)) this.winds.set(key, new Wind(this.grid, fastest));
      const flow = source.kind === 'truth' ? this.wind_field.truth : this.wind_field.predictions[(source as { network: number }).network];
      const at = flow[Math.round(this.player.time)];
      this.winds.get(key)!.move(at.subarray(0, size), at.subarray(size), seconds);
    }
  }

  private point_at(x: number, y: number): void {
    const pane = this.panes.find((p) => x >= p.x && x < p.x + p.width && y >= p.y && y < p.y + p.height);
    this.pointed = pane && this.projection.place_at(
      (2 * (x - pane.x)) / pane.width - 1, 1 - (2 * (y - pane.y)) / pane.height, pane.width / pane.height);
    this.read_values();
    this.stage.redraw();
  }

  private read_values(): void {
    if (!this.pointed) {
      this.reading.textContent = '';
      return;
    }
    const place = this.pointed;
    const parts = this.sources.map((source, i) => `${this.title(source)} ${short(this.grid.sample(this.values[i], place), 4)}${this.unit(' ')}`);
    this.reading.textContent = `${this.grid.text(place)}: ${parts.join(', ')}`;
  }

  private time_changed(): void {
    if (this.scale === 'now') this.rescale();
    this.stage.redraw();
    const frame = Math.round(this.player.time);
    if (frame === this.shown_frame) return;
    this.shown_frame = frame;
    this.error_chart.set_mark(this.time_at(frame));
    this.show_spectrum(frame);
    if (this.pointed) requestAnimationFrame(() => this.read_values());
  }

  private colour(network: number): string {
    return LINES[(this.spec.colours?.[network] ?? network) % LINES.length];
  }

  private show_errors(): void {
    const times = this.spec.error_times.map((time) => (this.in_days() ? time / DAY : time));
    this.error_chart.set_lines(
      this.spec.networks.flatMap((name, network): Line[] =>
        this.shown[network] ? [{ name, x: times, y: this.quantity.field.errors[network], colour: this.colour(network) }] : [],
      ),
      `error of ${this.quantity.field.name}${this.unit(' [', ']')}`,
    );
  }

  private show_spectrum(frame: number): void {
    if (!this.spectrum_chart || !this.spectra) return;
    const step = Math.max(frame - this.given, 0);
    const row = ({ values, shape }: Numbers) => {
      const spectrum = values.subarray(step * shape[1] + 1, (step + 1) * shape[1]);
      const least = 1e-8 * Math.max(...spectrum); // less is rounding
      return spectrum.map((value) => (value < least ? NaN : value));
    };
    const x = Array.from({ length: this.spectra.target.shape[1] - 1 }, (_, i) => i + 1);
    const lines: Line[] = [{ name: 'truth', x, y: row(this.spectra.target), colour: ink('--soft') }];
    this.spectra.predictions.forEach((spectrum, network) => {
      if (this.shown[network])
        lines.push({ name: this.spec.networks[network], x, y: row(spectrum), colour: this.colour(network) });
    });
    this.spectrum_chart.set_lines(lines);
  }
}

async function field_of(spec: FieldsSpec['fields'][0], data: PageData): Promise<Field> {
  const input = await data.numbers(spec.input);
  const made = await Promise.all(spec.predictions.map((block) => data.numbers(block)));
  const numbers = input.shape[1];
  return {
    name: spec.name,
    unit: spec.unit,
    components: spec.components.length === numbers ? spec.components : Array.from({ length: numbers }, (_, i) => `component ${i + 1}`),
    truth: frames_of([input, await data.numbers(spec.target)]),
    predictions: made.map((block) => frames_of([input, block])),
    errors: await Promise.all(spec.errors.map(async (block) => (await data.numbers(block)).values)),
  };
}

const fields_of = (spec: FieldsSpec, data: PageData) => Promise.all(spec.fields.map((field) => field_of(field, data)));

async function spectra_of({ spectrum }: FieldsSpec, data: PageData): Promise<Spectra | undefined> {
  if (!spectrum) return undefined;
  return {
    target: await data.numbers(spectrum.target),
    predictions: await Promise.all(spectrum.predictions.map((block) => data.numbers(block))),
  };
}

export async function show_fields(host: HTMLElement, spec: FieldsSpec, data: PageData): Promise<FieldsView> {
  const canvas = element('canvas', {
    class: 'stage', tabindex: 0, role: 'img',
    'aria-label': `Fields of a rollout: the truth and predictions of ${spec.networks.join(', ')}; arrow keys turn, space plays. The charts below give errors and spectra.`,
  });
  const axes = await Promise.all(
    spec.axes.map(async (axis): Promise<GridAxis> => ({ ...axis, values: (await data.numbers(axis.values)).values })),
  );
  const fields = await fields_of(spec, data);
  const spectra = await spectra_of(spec, data);
  return new FieldsView(host, spec, new Grid(spec.sphere, axes as [GridAxis, GridAxis]), fields, spectra, canvas);
}
