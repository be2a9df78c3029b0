import 'uplot/dist/uPlot.min.css';
import './style.css';
import { Chart, line_of, StoredSeries } from './chart';
import { Block, PageData } from './data';
import { element, toggle } from './dom';
import { improve_table } from './table';
import { BodiesSpec, BodiesView, show_bodies } from './views/bodies';
import { FieldsSpec, FieldsView, show_fields } from './views/fields';
import { RunsSpec, Samples, show_runs } from './views/runs';
import { watch } from './watch';

// A report's page (gcan/report/html_report.cpp): without this program it shows tables and still pictures;
// this makes them interactive.

interface ChartStored {
  kind: 'chart';
  title: string;
  x_label: string;
  y_label: string;
  x_log: boolean;
  y_log: boolean;
  series: (StoredSeries & { x: number; y: number })[];
}

type View = ChartStored | BodiesSpec | FieldsSpec | RunsSpec;

interface Manifest {
  blocks: Block[];
  views: View[];
}

async function show_chart(host: HTMLElement, spec: ChartStored, data: PageData): Promise<void> {
  const lines = await Promise.all(
    spec.series.map(async (series) =>
      line_of(series, (await data.numbers(series.x)).values, (await data.numbers(series.y)).values),
    ),
  );
  host.append(new Chart({ ...spec, lines }).root);
}

function show(host: HTMLElement, view: View, data: PageData, samples: Samples): Promise<unknown> {
  switch (view.kind) {
    case 'chart': return show_chart(host, view, data);
    case 'bodies': return show_bodies(host, view, data);
    case 'fields': return show_fields(host, view, data);
    case 'runs': return show_runs(host, view, data, samples);
  }
}

// Replaces the still pictures by the interactive view; a button shows them again, and so does print.
function replace_stills(place: HTMLElement): void {
  const stills = place.querySelector<HTMLElement>('.stills');
  if (!stills?.childElementCount) return;
  const caption = stills.querySelector('figcaption')?.textContent;
  if (caption && place.querySelector('.live.chart')) stills.before(element('p', { class: 'note' }, caption));
  stills.classList.add('replaced');
  place.append(toggle('Still pictures', false, (on) => stills.classList.toggle('replaced', !on)));
  addEventListener('beforeprint', () => stills.querySelectorAll('img').forEach((img) => (img.loading = 'eager')));
}

// When the first view is on the screen, in milliseconds from the start: bench/page_bench.mjs reads it.
function note_first_picture(): void {
  const page = document.documentElement;
  if (page.dataset.firstPicture) return;
  page.dataset.firstPicture = '0';
  requestAnimationFrame(() => setTimeout(() => (page.dataset.firstPicture = performance.now().toFixed(1))));
}

async function fill(place: HTMLElement, manifest: Manifest, data: PageData, samples: Samples): Promise<void> {
  const view = manifest.views[Number(place.dataset.view)];
  const host = element('div', { class: `live ${view.kind}` });
  place.prepend(host);
  try {
    shown.set(place, await show(host, view, data, samples));
    replace_stills(place);
    place.dataset.ready = 'true';
    note_first_picture();
  } catch (problem) {
    host.replaceChildren(element('p', { class: 'note' }, `This view could not be made: ${String(problem)}`));
    console.error(problem);
  }
}

// From a run to its predictions: the view of its network, with only that network.
const shown = new WeakMap<HTMLElement, unknown>();

function networks_of(view: View): string[] {
  if (view.kind === 'bodies') return view.networks.map(({ name }) => name);
  return view.kind === 'fields' ? view.networks : [];
}

// An experiment has runs "MLP, 256" and "MLP, 1024", and shows the predictions of the one with most
// trajectories as "MLP".
function is_of(run: string, network: string, runs: string[]): boolean {
  if (run === network) return true;
  const number = (name: string) => parseInt(name.slice(network.length + 2), 10);
  const all = runs.filter((name) => name.startsWith(`${network}, `));
  return all.length > 0 && all.reduce((most, name) => (number(name) > number(most) ? name : most)) === run;
}

function samples_of(manifest: Manifest, places: HTMLElement[], make: (place: HTMLElement) => Promise<void>): Samples {
  const runs = manifest.views.flatMap((view) => (view.kind === 'runs' ? view.runs.map(({ name }) => name) : []));
  return (run) => {
    for (const place of places) {
      const network = networks_of(manifest.views[Number(place.dataset.view)]).find((name) => is_of(run, name, runs));
      if (network === undefined) continue;
      return async () => {
        await make(place);
        (shown.get(place) as BodiesView | FieldsView | undefined)?.show_only(network);
        place.scrollIntoView({ block: 'start' });
      };
    }
    return undefined;
  };
}

// Views are created when scrolled near the screen, because a page may have dozens.
function fill_when_near(places: HTMLElement[], make: (place: HTMLElement) => Promise<void>): void {
  const near = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        near.unobserve(entry.target);
        void make(entry.target as HTMLElement);
      }
    },
    { rootMargin: '600px' },
  );
  places.forEach((place) => near.observe(place));
}

function start(): void {
  document.documentElement.classList.add('scripted');
  document.querySelectorAll<HTMLTableElement>('.table > table').forEach(improve_table);
  document.querySelectorAll<HTMLElement>('[data-watch]').forEach(watch);
  const text = document.getElementById('gcan-manifest')?.textContent;
  if (!text) return;
  const manifest = JSON.parse(text) as Manifest;
  const data = new PageData(manifest.blocks, document.getElementById('gcan-data')?.textContent ?? '');
  const places = [...document.querySelectorAll<HTMLElement>('[data-view]')];
  const made = new Map<HTMLElement, Promise<void>>();
  const make = (place: HTMLElement): Promise<void> => {
    if (!made.has(place)) made.set(place, fill(place, manifest, data, samples));
    return made.get(place)!;
  };
  const samples = samples_of(manifest, places, make);
  fill_when_near(places, make);
}

start();
