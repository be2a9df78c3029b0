import uPlot from 'uplot';
import { button, element, file_name, ink, on_theme, save, short, toggle } from './dom';
import { LINES, lit } from './colours';
import { csv_text, png_of, svg_text } from './chart_export';

export interface Line {
  name: string;
  x: ArrayLike<number>;
  y: ArrayLike<number>;
  colour: string;
  dash?: number[];
  width?: number;
  points?: 'filled' | 'hollow';
  shown?: boolean;
}

export interface ChartSpec {
  title: string;
  x_label: string;
  y_label: string;
  x_log: boolean;
  y_log: boolean;
  lines: Line[];
  height?: number;
  small?: boolean; // without the export bar
}

// A series of a chart in the page's data (gcan/report/chart.h).
export interface StoredSeries {
  name: string;
  colour: number;
  marker: 'none' | 'filled' | 'hollow';
  dashed: boolean;
  faint: boolean;
  reference: boolean;
}

const REFERENCE_DASHES = [[2, 3], [8, 3, 2, 3], [10, 4]];

export function line_of(series: StoredSeries, x: ArrayLike<number>, y: ArrayLike<number>): Line {
  if (series.reference)
    return {
      name: series.name,
      x,
      y,
      colour: '#808080',
      dash: REFERENCE_DASHES[series.colour % REFERENCE_DASHES.length],
      width: 1.5,
    };
  const colour = LINES[series.colour % LINES.length];
  return {
    name: series.name,
    x,
    y,
    colour: series.faint ? colour + '80' : colour,
    dash: series.dashed || series.colour >= LINES.length ? [6, 4] : undefined,
    width: series.faint ? 1 : series.dashed ? 1.5 : 2.2,
    points: series.marker === 'none' ? undefined : series.marker,
  };
}

// Values that a logarithmic axis can show; others become gaps.
function drawable(values: ArrayLike<number>, log: boolean): (number | null)[] {
  return Array.from(values, (v) => (Number.isFinite(v) && (!log || v > 0) ? v : null));
}

// The range of the values with a margin; at least enough for a labelled tick.
function log_range(low: number | null, high: number | null): uPlot.Range.MinMax {
  if (low === null || high === null || !(low > 0)) return [0.1, 10];
  const room = Math.max((high / low) ** 0.03, high / low < 3 ? 1.5 : 1);
  return [low / room, high * room];
}

const MOST_DECADES = 3; // that have lines between the powers of ten

// Powers of ten, and their multiples over a short range.
function log_splits(low: number, high: number): number[] {
  const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  const every = Math.ceil((last - first) / 8);
  const splits: number[] = [];
  for (let power = first; power <= last; power += last - first > MOST_DECADES ? every : 1)
    for (const digit of last - first > MOST_DECADES ? [1] : [1, 2, 3, 4, 5, 6, 7, 8, 9]) {
      const split = Number(`${digit}e${power}`);
      if (split >= low * 0.9999 && split <= high * 1.0001) splits.push(split);
    }
  return splits;
}

// Labels powers of ten; over less than two decades also 2 and 5.
function is_labelled(value: number, splits: number[]): boolean {
  const digit = Number(value.toExponential(0)[0]);
  const short_range = splits[splits.length - 1] / splits[0] < 50;
  return digit === 1 || (short_range && (digit === 2 || digit === 5));
}

// One x for all lines: a line is continuous where it has no value (undefined) and has a gap where its value
// cannot be drawn (null).
export function aligned(lines: Line[], x_log: boolean, y_log: boolean): uPlot.AlignedData {
  const places = new Set<number>();
  for (const line of lines)
    for (const x of Array.from(line.x)) if (Number.isFinite(x) && (!x_log || x > 0)) places.add(x);
  const x = [...places].sort((a, b) => a - b);
  const index = new Map(x.map((value, i) => [value, i]));
  const rows = lines.map((line) => {
    const row: (number | null | undefined)[] = new Array(x.length).fill(undefined);
    drawable(line.y, y_log).forEach((value, i) => {
      const at = index.get(line.x[i]);
      if (at !== undefined) row[at] = value;
    });
    return row;
  });
  return [x, ...rows] as uPlot.AlignedData;
}

// Lines over two axes: drag to zoom, double click or the button to reset, hover for values, click the legend
// to toggle series.
export class Chart {
  readonly root: HTMLElement;
  private plot?: uPlot;
  private readonly box = element('div', { class: 'plot' });
  private readonly table = element('div', { class: 'table values', hidden: true });
  private mark?: number;
  private readonly mark_line = element('div', { class: 'mark', hidden: true });
  private range?: { x: [number, number]; y: [number, number] };

  constructor(
    private spec: ChartSpec,
    private readonly pick?: (x: number) => void,
  ) {
    this.root = element('div', { class: 'chart', role: 'group', 'aria-label': spec.title || spec.y_label });
    this.root.append(this.box);
    this.root.append(this.tools(), this.table);
    new ResizeObserver(() => this.fit()).observe(this.root);
    on_theme(() => this.rebuild());
    this.box.addEventListener('click', () => this.picked());
    this.box.addEventListener('dblclick', () => this.show_all());
  }

  // Other lines, the same axes.
  set_lines(lines: Line[], y_label = this.spec.y_label): void {
    const hidden = new Set(this.spec.lines.filter((line) => line.shown === false).map((line) => line.name));
    const relabelled = y_label !== this.spec.y_label;
    this.spec = { ...this.spec, lines, y_label };
    for (const line of lines) if (hidden.has(line.name)) line.shown = false;
    const fits =
      this.plot && !relabelled &&
      this.plot.series.length === lines.length + 1 &&
      lines.every((line, i) => this.plot!.series[i + 1].label === line.name);
    if (fits) this.plot!.setData(aligned(lines, this.spec.x_log, this.spec.y_log), this.range === undefined);
    else this.rebuild();
    if (!this.table.hidden) this.fill_table();
  }

  // A vertical line at the player's position.
  set_mark(x: number): void {
    this.mark = x;
    if (this.plot) this.place_mark(this.plot);
  }

  private tools(): HTMLElement {
    const name = () => file_name(this.spec.title || this.spec.y_label);
    const bar = element('div', { class: 'tools', role: 'toolbar', 'aria-label': 'Chart' });
    bar.append(
      toggle('log x', this.spec.x_log, (on) => this.set_axis('x_log', on)),
      toggle('log y', this.spec.y_log, (on) => this.set_axis('y_log', on)),
      button('Reset zoom', 'Show the whole range', () => this.show_all()),
    );
    if (this.spec.small) return bar;
    bar.append(
      button('SVG', 'Save as SVG', () =>
        save(`${name()}.svg`, new Blob([svg_text(this.spec, this.range)], { type: 'image/svg+xml' })),
      ),
      button('PNG', 'Save as PNG', () => void png_of(svg_text(this.spec, this.range)).then((blob) => save(`${name()}.png`, blob))),
      button('CSV', 'Save the numbers as CSV', () =>
        save(`${name()}.csv`, new Blob([csv_text(this.spec)], { type: 'text/csv' })),
      ),
      toggle('Values', false, (on) => {
        this.table.hidden = !on;
        if (on) this.fill_table();
      }),
    );
    return bar;
  }

  private show_all(): void {
    this.range = undefined;
    delete this.root.dataset.zoomed;
    this.rebuild();
  }

  private set_axis(axis: 'x_log' | 'y_log', on: boolean): void {
    this.spec = { ...this.spec, [axis]: on };
    this.range = undefined;
    this.rebuild();
  }

  private fit(): void {
    const width = Math.floor(this.box.clientWidth);
    if (width <= 0) return;
    if (!this.plot) this.rebuild();
    else if (this.plot.width !== width) this.plot.setSize({ width, height: this.plot.height });
  }

  private picked(): void {
    const left = this.plot?.cursor.left;
    if (this.pick && this.plot && left !== undefined && left >= 0) this.pick(this.plot.posToVal(left, 'x'));
  }

  private rebuild(): void {
    const width = Math.floor(this.box.clientWidth);
    if (width <= 0) return;
    this.plot?.destroy();
    const data = aligned(this.spec.lines, this.spec.x_log, this.spec.y_log);
    if (data[0].length === 0) {
      this.plot = undefined;
      this.box.replaceChildren(element('p', { class: 'note' }, 'There is nothing to draw here yet.'));
      return;
    }
    this.box.replaceChildren();
    this.plot = new uPlot(this.options(width), data, this.box);
    if (this.range) {
      this.plot.setScale('x', { min: this.range.x[0], max: this.range.x[1] });
      this.plot.setScale('y', { min: this.range.y[0], max: this.range.y[1] });
    }
    this.make_key_accessible();
  }

  private options(width: number): uPlot.Options {
    const { spec } = this;
    const whole_x = !spec.x_log && spec.lines.every((line) => Array.from(line.x).every(Number.isInteger));
    const axis = (label: string, log: boolean, whole = false): uPlot.Axis => ({
      label,
      stroke: ink('--ink'),
      grid: { stroke: ink('--line'), width: 1 },
      ticks: { stroke: ink('--line'), width: 1 },
      ...(whole ? { incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6] } : {}),
      font: '13px system-ui, sans-serif',
      labelFont: '13px system-ui, sans-serif',
      labelSize: 20,
      labelGap: 4,
      // uPlot would only label powers of ten.
      ...(log ? { filter: (_plot: uPlot, splits: number[]) => splits, splits: (_plot: uPlot, _axis: number, low: number, high: number) => log_splits(low, high) } : {}),
      values: (_plot, splits) => splits.map((v) => (v === null || v === undefined || (log && !is_labelled(v, splits)) ? '' : short(v))),
    });
    const scale = (log: boolean): uPlot.Scale => ({
      time: false,
      distr: log ? 3 : 1,
      ...(log ? { range: (_plot: uPlot, low: number, high: number) => log_range(low, high) } : {}),
    });
    return {
      width,
      height: spec.height ?? 380,
      scales: { x: scale(spec.x_log), y: scale(spec.y_log) },
      axes: [{ ...axis(spec.x_label, spec.x_log, whole_x), size: 34 }, { ...axis(spec.y_label, spec.y_log), size: 62 }],
      series: [
        { label: spec.x_label, value: (_plot, v) => (v === null ? '–' : short(v, 6)) },
        ...spec.lines.map((line) => ({
          label: line.name,
          stroke: lit(line.colour),
          width: line.width ?? 2,
          dash: line.dash,
          show: line.shown !== false,
          points: line.points
            ? { show: true, size: 8, stroke: lit(line.colour), fill: line.points === 'filled' ? lit(line.colour) : ink('--paper') }
            : { show: Array.from(line.x).length === 1, size: 8 },
          value: (_plot: uPlot, v: number | null) => (v === null || v === undefined ? '–' : short(v)),
        })),
      ],
      legend: {
        markers: {
          fill: (_plot: uPlot, i: number) => (spec.lines[i - 1]?.dash || spec.lines[i - 1]?.points === 'hollow' ? 'transparent' : lit(spec.lines[i - 1]?.colour ?? '#808080')),
          dash: (_plot: uPlot, i: number) => (spec.lines[i - 1]?.dash ? 'dashed' : 'solid'),
        },
      },
      cursor: { drag: { x: true, y: true, uni: 20 }, focus: { prox: 24 } },
      focus: { alpha: 0.35 },
      hooks: {
        draw: [(plot) => this.place_mark(plot)],
        setSelect: [(plot) => this.remember_range(plot)],
        setSeries: [
          (plot, index) => {
            if (index === null || index < 1) return;
            spec.lines[index - 1].shown = plot.series[index].show;
            this.say_pressed();
          },
        ],
      },
    };
  }

  private remember_range(plot: uPlot): void {
    if (plot.select.width < 2 && plot.select.height < 2) return;
    requestAnimationFrame(() => {
      const { x, y } = plot.scales;
      this.range = { x: [x.min!, x.max!], y: [y.min!, y.max!] };
      this.root.dataset.zoomed = 'true';
    });
  }

  // The mark is on top of the plot, so moving it redraws nothing.
  private place_mark(plot: uPlot): void {
    if (this.mark === undefined) return;
    const x = plot.valToPos(this.mark, 'x');
    this.mark_line.hidden = !(x >= 0 && x <= plot.over.clientWidth);
    if (this.mark_line.parentElement !== plot.over) plot.over.append(this.mark_line);
    if (!this.mark_line.hidden) this.mark_line.style.transform = `translateX(${x.toFixed(1)}px)`;
  }

  // uPlot's legend handles clicks; keyboards and screen readers need more.
  private make_key_accessible(): void {
    this.box.querySelector('canvas')?.setAttribute('aria-hidden', 'true');
    this.box.querySelectorAll<HTMLElement>('.u-legend .u-series').forEach((row, i) => {
      const head = row.querySelector('th');
      if (!head || i === 0) return;
      head.tabIndex = 0;
      head.setAttribute('role', 'button');
      head.addEventListener('keydown', (event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        head.click();
      });
    });
    this.say_pressed();
  }

  private say_pressed(): void {
    this.box.querySelectorAll<HTMLElement>('.u-legend .u-series th[role=button]').forEach((head, i) => {
      head.setAttribute('aria-pressed', String(this.spec.lines[i]?.shown !== false));
    });
  }

  private fill_table(): void {
    const [x, ...rows] = aligned(this.spec.lines, false, false);
    const head = element('tr', {}, element('th', { scope: 'col' }, this.spec.x_label));
    for (const line of this.spec.lines) head.append(element('th', { scope: 'col' }, line.name));
    const body = element('tbody');
    Array.from(x as number[]).forEach((value, i) => {
      const row = element('tr', {}, element('th', { scope: 'row' }, short(value, 6)));
      for (const line of rows) row.append(element('td', {}, line[i] === undefined || line[i] === null ? '' : short(line[i]!, 4)));
      body.append(row);
    });
    this.table.replaceChildren(element('table', {}, element('thead', {}, head), body));
  }
}
