import { Chart, Line } from '../chart';
import { LINES } from '../colours';
import { PageData } from '../data';
import { button, choice, element, toggle } from '../dom';
import { improve_table } from '../table';

// Runs and everything they depend on: one for inspection, several for comparison, with differences first.

export interface RunSheet {
  name: string;
  folder: string;
  settings: { key: string; value: string; standard: string; help: string }[];
  machine: [string, string][];
  numbers: [string, string][];
  curve: { train_steps: number; train_errors: number; valid_steps: number; valid_errors: number };
}

export interface RunsSpec {
  kind: 'runs';
  runs: RunSheet[];
}

// The view of a run's predictions, if the page has one.
export type Samples = (run: string) => (() => void) | undefined;

interface Row {
  key: string;
  help: string;
  standard?: string;
  values: string[]; // of each selected run
}

function rows_of(runs: RunSheet[], entries: (run: RunSheet) => { key: string; value: string; standard?: string; help?: string }[]): Row[] {
  const rows = new Map<string, Row>();
  runs.forEach((run, i) => {
    for (const { key, value, standard, help } of entries(run)) {
      if (!rows.has(key)) rows.set(key, { key, help: help ?? '', standard, values: runs.map(() => '–') });
      rows.get(key)!.values[i] = value;
    }
  });
  return [...rows.values()];
}

const differs = (row: Row) => new Set(row.values).size > 1;
const is_set = (row: Row) => row.standard !== undefined && row.values.some((value) => value !== row.standard);

class RunsView {
  private readonly body = element('div');
  private chosen: number[];

  constructor(
    private readonly host: HTMLElement,
    private readonly spec: RunsSpec,
    private readonly lines: Line[][],
    private readonly samples?: Samples,
  ) {
    this.chosen = spec.runs.map((_, i) => i).slice(0, 4);
    if (spec.runs.length > 1) host.append(this.chooser());
    host.append(this.body);
    this.show();
    addEventListener('hashchange', () => this.follow_link());
    this.follow_link();
  }

  private chooser(): HTMLElement {
    const bar = element('div', { class: 'tools', role: 'toolbar', 'aria-label': 'Runs' });
    const toggles = this.spec.runs.map((run, i) =>
      toggle(run.name, this.chosen.includes(i), (on) => {
        this.chosen = this.spec.runs.map((_, k) => k).filter((k) => (k === i ? on : this.chosen.includes(k)));
        this.show();
      }),
    );
    const all = [{ text: 'compared below', value: '' }, ...this.spec.runs.map((run, i) => ({ text: run.name, value: String(i) }))];
    bar.append(
      choice('one run', all, '', (value) => {
        if (value) this.choose([Number(value)], toggles);
      }),
      ...toggles,
    );
    return bar;
  }

  private choose(runs: number[], toggles?: HTMLButtonElement[]): void {
    this.chosen = runs;
    const all = toggles ?? [...this.host.querySelectorAll<HTMLButtonElement>('.tools .toggle')].slice(0, this.spec.runs.length);
    all.forEach((made, i) => made.setAttribute('aria-pressed', String(runs.includes(i))));
    this.show();
  }

  // The target of "#run-3" in a table.
  private follow_link(): void {
    const found = location.hash.match(/^#run-(\d+)$/);
    const index = found ? Number(found[1]) - 1 : -1;
    if (index < 0 || index >= this.spec.runs.length) return;
    this.choose([index]);
    this.host.scrollIntoView({ block: 'start' });
  }

  private table(title: string, rows: Row[], with_standard: boolean): HTMLElement | undefined {
    if (!rows.length) return undefined;
    const runs = this.chosen.map((i) => this.spec.runs[i]);
    const head = element('tr', {}, element('th', { scope: 'col' }, 'key'));
    for (const run of runs) head.append(element('th', { scope: 'col' }, run.name));
    if (with_standard) head.append(element('th', { scope: 'col' }, 'default'));
    const body = element('tbody');
    for (const row of rows) {
      const line = element('tr', { class: with_standard && differs(row) ? 'differs' : undefined }, element('th', { scope: 'row', title: row.help }, row.key));
      for (const value of row.values) line.append(element('td', {}, value));
      if (with_standard) line.append(element('td', { class: 'standard' }, row.standard ?? ''));
      body.append(line);
    }
    const table = element('table', {}, element('caption', {}, title), element('thead', {}, head), body);
    const box = element('div', { class: 'table run-table' }, table);
    const place = element('div', {}, box);
    improve_table(table);
    return place;
  }

  private folded(title: string, rows: Row[], with_standard: boolean): HTMLElement | undefined {
    const table = this.table(title, rows, with_standard);
    return table && element('details', {}, element('summary', {}, `${title} (${rows.length})`), table);
  }

  private show(): void {
    const runs = this.chosen.map((i) => this.spec.runs[i]);
    if (!runs.length) {
      this.body.replaceChildren(element('p', { class: 'note' }, 'Choose one run or several.'));
      return;
    }
    const numbers = rows_of(runs, (run) => run.numbers.map(([key, value]) => ({ key, value })));
    const settings = rows_of(runs, (run) => run.settings);
    const machine = rows_of(runs, (run) => run.machine.map(([key, value]) => ({ key, value })));
    const first = settings.filter((row) => differs(row) || (runs.length === 1 && is_set(row)));
    const second = settings.filter((row) => !first.includes(row) && is_set(row));
    const rest = settings.filter((row) => !first.includes(row) && !second.includes(row));
    const chart = new Chart({
      title: 'Learning', x_label: 'training step', y_label: 'error', x_log: false, y_log: true, height: 300,
      lines: this.chosen.flatMap((i) => this.lines[i]),
    });
    const sampled = runs.length === 1 ? this.samples?.(runs[0].name) : undefined;
    const parts = [
      sampled && element('div', { class: 'tools' }, button('Predictions', `Show what ${runs[0].name} predicts`, sampled)),
      this.table('Results', numbers, false),
      chart.root,
      this.table(runs.length === 1 ? 'Settings that are not the default' : 'Settings that differ', first, true),
      runs.length > 1 ? this.folded('Equal settings that are not the default', second, true) : undefined,
      this.folded('All other settings, at their defaults', rest, true),
      this.folded('Machine, versions and data', [...machine.filter(differs), ...machine.filter((row) => !differs(row))], false),
      element('p', { class: 'note' }, runs.map((run) => `${run.name}: ${run.folder}`).join(' · ')),
    ];
    this.body.replaceChildren(...parts.filter((part): part is HTMLElement => part !== undefined));
  }
}

async function lines_of(run: RunSheet, index: number, data: PageData): Promise<Line[]> {
  const colour = LINES[index % LINES.length];
  const values = async (block: number) => (await data.numbers(block)).values;
  return [
    { name: `${run.name}, validation`, x: await values(run.curve.valid_steps), y: await values(run.curve.valid_errors), colour, width: 2.2 },
    { name: `${run.name}, training`, x: await values(run.curve.train_steps), y: await values(run.curve.train_errors), colour: `${colour}80`, width: 1 },
  ];
}

export async function show_runs(host: HTMLElement, spec: RunsSpec, data: PageData, samples?: Samples): Promise<void> {
  const lines = await Promise.all(spec.runs.map((run, i) => lines_of(run, i, data)));
  new RunsView(host, spec, lines, samples);
}
