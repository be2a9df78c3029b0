import { Chart, Line } from './chart';
import { LINES } from './colours';
import { Block, PageData } from './data';
import { choice, element, short } from './dom';
import { BodiesSpec, BodiesView, show_bodies } from './views/bodies';
import { FieldsSpec, FieldsView, show_fields } from './views/fields';
import { RunsSpec, show_runs } from './views/runs';

// `gcan watch` (gcan/cli/commands/watch.cpp): running trainings. Polls the server, which may be temporarily
// unavailable.

const EVERY = 2000; // [ms]
const RETRY = 8000; // [ms] after a picture that failed

interface WatchedRun {
  name: string;
  title?: string;
  folder: string;
  step: number;
  steps?: number;
  loss: number | null;
  valid: number | null;
  steps_per_second: number | null;
  checkpoint: string;
  finished: boolean;
  problem?: string;
  curve: { train_steps: number; train_errors: number; valid_steps: number; valid_errors: number };
}

interface Answer {
  blocks: Block[];
  data: string;
}

async function ask<T>(what: string): Promise<T> {
  const answer = await fetch(what, { cache: 'no-store' });
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  return (await answer.json()) as T;
}

export function duration(seconds: number): string {
  if (!Number.isFinite(seconds)) return '–';
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1) return `${Math.ceil(seconds)} s`;
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function state_text(run: WatchedRun, moved: boolean): string {
  if (run.finished) return 'finished';
  if (run.problem) return run.problem;
  return moved ? 'running' : 'waiting or stopped';
}

class WatchView {
  private readonly status = element('p', { class: 'status', role: 'status' });
  private readonly table = element('table');
  private readonly chart = new Chart({
    title: 'Learning', x_label: 'training step', y_label: 'error', x_log: false, y_log: true, lines: [], height: 380,
  });
  private readonly pictures = element('section', {}, element('h2', {}, 'Latest picture'));
  private readonly picture = element('div', { class: 'live' });
  private readonly sheets = element('section', {}, element('h2', {}, 'Configuration and machine'));
  private readonly steps = new Map<string, { step: number; at: number }>();
  private names = '';
  private pictured = '';
  private drawn = ''; // run and checkpoint of the picture
  private readonly picture_text = element('p', { class: 'note', role: 'status' });
  private view?: BodiesView | FieldsView;
  private view_spec = ''; // identifies its numbers
  private ask_again = 0; // time of the next picture request [ms]

  constructor(host: HTMLElement) {
    host.append(
      this.status,
      element('div', { class: 'table watched' }, this.table, element('p', { class: 'note' }, 'Training and validation: errors, the latest ones.')),
      this.chart.root,
      this.pictures,
      this.sheets,
    );
    void this.loop();
  }

  private async loop(): Promise<void> {
    for (;;) {
      try {
        const state = await ask<Answer & { runs: WatchedRun[] }>('state');
        await this.show(state);
        this.status.textContent = `As of ${new Date().toLocaleTimeString()}.`;
      } catch (problem) {
        this.status.textContent = `gcan watch does not answer (${String(problem)}); this page tries again.`;
      }
      await new Promise((done) => setTimeout(done, EVERY));
    }
  }

  private async show(state: Answer & { runs: WatchedRun[] }): Promise<void> {
    const data = new PageData(state.blocks, state.data);
    this.fill_table(state.runs);
    const lines = await Promise.all(state.runs.map((run, i) => this.lines_of(run, i, data)));
    this.chart.set_lines(lines.flat());
    const names = state.runs.map((run) => `${run.folder} ${run.finished}`).join('\n'); // results come at the end
    if (names !== this.names) {
      this.names = names;
      this.choose_pictures(state.runs);
      await this.show_sheets();
    }
    await this.show_picture(state.runs);
  }

  private async lines_of(run: WatchedRun, index: number, data: PageData): Promise<Line[]> {
    const colour = LINES[index % LINES.length];
    const values = async (block: number) => (await data.numbers(block)).values;
    return [
      { name: `${run.name}, validation`, x: await values(run.curve.valid_steps), y: await values(run.curve.valid_errors), colour, width: 2.2 },
      { name: `${run.name}, training`, x: await values(run.curve.train_steps), y: await values(run.curve.train_errors), colour: `${colour}80`, width: 1 },
    ];
  }

  // Whether its step has changed within the last half minute.
  private moved(run: WatchedRun): boolean {
    const before = this.steps.get(run.folder);
    const now = performance.now();
    if (!before || before.step !== run.step) this.steps.set(run.folder, { step: run.step, at: now });
    return now - this.steps.get(run.folder)!.at < 30000;
  }

  private fill_table(runs: WatchedRun[]): void {
    const head = ['run', 'network', 'state', 'step', 'training', 'validation', 'steps/s', 'time left'];
    const number = (value: number | null) => (value === null ? '–' : short(value));
    const rows = runs.map((run) => {
      const moved = this.moved(run);
      const speed = run.finished || !moved ? null : run.steps_per_second;
      const left = speed && run.steps ? (run.steps - run.step) / speed : NaN;
      const bar = element('progress', { max: run.steps ?? 1, value: run.finished ? (run.steps ?? 1) : run.step, 'aria-label': `Steps of ${run.name}` });
      return element('tr', {},
        element('th', { scope: 'row' }, run.name),
        element('td', {}, run.title ?? ''),
        element('td', {}, state_text(run, moved)),
        element('td', {}, bar, ` ${run.step} of ${run.steps ?? '?'}`),
        element('td', {}, number(run.loss)),
        element('td', {}, number(run.valid)),
        element('td', {}, number(speed)),
        element('td', {}, duration(left)));
    });
    this.table.replaceChildren(
      element('thead', {}, element('tr', {}, ...head.map((text) => element('th', { scope: 'col' }, text)))),
      element('tbody', {}, ...rows),
    );
    if (!runs.length) this.table.replaceChildren(element('caption', {}, 'No run has begun yet.'));
  }

  private choose_pictures(runs: WatchedRun[]): void {
    if (!runs.some((run) => run.folder === this.pictured)) this.pictured = runs[0]?.folder ?? '';
    const names = runs.map((run) => ({ text: run.name, value: run.folder }));
    const chooser = choice('of', names, this.pictured, (value) => {
      this.pictured = value;
      this.ask_again = 0;
    });
    this.pictures.replaceChildren(element('h2', {}, 'Latest picture'), this.picture);
    if (runs.length > 1) this.picture.before(chooser);
    this.picture.before(this.picture_text);
  }

  // Updated with each checkpoint. The view keeps its camera and time, and gets new numbers.
  private async show_picture(runs: WatchedRun[]): Promise<void> {
    const run = runs.find((one) => one.folder === this.pictured);
    if (!run) return;
    if (!run.checkpoint) {
      this.clear_picture('This run has no checkpoint yet.');
      return;
    }
    const wanted = `${run.folder} ${run.checkpoint}`;
    if (wanted === this.drawn || performance.now() < this.ask_again) return;
    const { view, problem, ...answer } = await ask<Answer & { view?: BodiesSpec | FieldsSpec; problem?: string }>(
      `picture?run=${encodeURIComponent(run.folder)}`);
    if (!view) {
      // The checkpoint may just have been replaced by the next one: keep the previous picture.
      this.ask_again = performance.now() + RETRY;
      if (!this.drawn.startsWith(`${run.folder} `)) this.clear_picture(problem ?? '');
      return;
    }
    const spec = JSON.stringify([run.folder, view]);
    const data = new PageData(answer.blocks, answer.data);
    if (this.view && spec === this.view_spec) {
      await this.view.update(view as any, data);
    } else {
      const host = element('div');
      this.view = view.kind === 'bodies' ? await show_bodies(host, view, data) : await show_fields(host, view, data);
      this.view_spec = spec;
      this.picture.replaceChildren(host);
    }
    this.drawn = wanted;
    this.picture.dataset.checkpoint = run.checkpoint;
    const step = run.checkpoint.match(/\d+/)?.[0];
    this.picture_text.textContent = step ? `${run.name} after ${step} steps, on data that it does not learn from.` : '';
  }

  private clear_picture(text: string): void {
    this.picture_text.textContent = text;
    if (!this.view) return;
    this.picture.replaceChildren();
    this.view = undefined;
    this.drawn = '';
  }

  private async show_sheets(): Promise<void> {
    const answer = await ask<Answer & { view: RunsSpec }>('sheets');
    const host = element('div', { class: 'live' });
    this.sheets.replaceChildren(element('h2', {}, 'Configuration and machine'), host);
    if (answer.view.runs.length) await show_runs(host, answer.view, new PageData(answer.blocks, answer.data));
  }
}

export function watch(host: HTMLElement): void {
  new WatchView(host);
}
