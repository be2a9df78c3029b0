import { pixel_of, Raster, Window } from './raster';
import { element, ink } from './dom';

export const TITLE = 30; // height of a pane's title [px]

export interface Pane {
  title: string;
  x: number; // CSS pixels from the upper left corner
  y: number; // below the title
  width: number;
  height: number;
}

// Panes in rows of at most `columns`.
export function grid(titles: (string | undefined)[], columns: number, width: number, height: number): Pane[] {
  const across = Math.min(titles.length, columns);
  const lines = Math.ceil(titles.length / Math.max(across, 1));
  return titles.map((title, i) => ({
    title: title ?? '',
    x: ((i % across) * width) / across,
    y: (Math.floor(i / across) * height) / lines + TITLE,
    width: width / across,
    height: height / lines - TITLE,
  }));
}

export function title_of(pane: Pane): HTMLElement {
  const style = `left:${pane.x}px;top:${pane.y - TITLE}px;width:${pane.width}px`;
  return element('span', { style, title: pane.title }, pane.title);
}

const SLOW = 22; // [ms] slower pictures are drawn with lower resolution during motion
const REST = 250; // [ms] without a change, after which it is drawn in full resolution

// A canvas that is redrawn on changes. At rest it has the screen's resolution and antialiasing; during
// motion, the best resolution that the machine can draw in time.
export class Stage {
  readonly raster = new Raster();
  private readonly large = new Raster();
  private readonly paper: CanvasRenderingContext2D;
  private wanted = false;
  private cost = 0; // of full-resolution pictures [ms]
  private last = -Infinity; // when the previous picture was requested
  private resting = 0;
  draws = 0; // for benchmarks

  // `smooth`: draws at twice the resolution on low-resolution screens.
  constructor(
    readonly canvas: HTMLCanvasElement,
    private readonly smooth: boolean,
    private readonly draw: (raster: Raster, scale: number) => void,
  ) {
    this.paper = canvas.getContext('2d', { willReadFrequently: true })!;
    new ResizeObserver(() => this.redraw()).observe(canvas);
  }

  redraw(): void {
    if (this.wanted) return;
    this.wanted = true;
    requestAnimationFrame((now) => {
      const moving = now - this.last < REST;
      this.last = now;
      this.draw_now(!moving || this.cost < SLOW);
    });
  }

  draw_now(fine = true): void {
    this.wanted = false;
    clearTimeout(this.resting);
    const began = performance.now();
    const { canvas } = this;
    const ratio = fine ? Math.min(window.devicePixelRatio || 1, 2) : 1;
    const width = Math.round(canvas.clientWidth * ratio);
    const height = Math.round(canvas.clientHeight * ratio);
    if (width === 0 || height === 0) return;
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    this.raster.resize(width, height);
    const twice = this.smooth && fine && ratio < 1.5;
    const into = twice ? this.large : this.raster;
    if (twice) into.resize(2 * width, 2 * height);
    into.clear(pixel_of(ink('--stage')));
    this.draw(into, twice ? 2 * ratio : ratio);
    if (twice) this.raster.halve(into);
    this.paper.putImageData(this.raster.data(), 0, 0);
    canvas.dataset.draws = String(++this.draws);
    canvas.dataset.fine = String(fine);
    const took = performance.now() - began;
    if (fine) this.cost = this.cost ? 0.7 * this.cost + 0.3 * took : took;
    else this.resting = window.setTimeout(() => this.draw_now(), REST);
  }

  // A pane in pixels of the current picture.
  static window(pane: Pane, scale: number): Window {
    const x = Math.round(pane.x * scale);
    const y = Math.round(pane.y * scale);
    return { x, y, width: Math.round((pane.x + pane.width) * scale) - x, height: Math.round((pane.y + pane.height) * scale) - y };
  }

  // The current picture, with the titles of its panes.
  png(panes: Pane[]): Promise<Blob> {
    this.draw_now();
    const { canvas } = this;
    const copy = element('canvas', { width: canvas.width, height: canvas.height });
    const paper = copy.getContext('2d')!;
    paper.drawImage(canvas, 0, 0);
    const ratio = canvas.width / canvas.clientWidth;
    paper.scale(ratio, ratio);
    paper.font = '600 15px system-ui, sans-serif';
    paper.fillStyle = ink('--ink');
    for (const pane of panes) paper.fillText(pane.title, pane.x + 10, pane.y - 10, pane.width - 20);
    return new Promise((done, fail) => copy.toBlob((blob) => (blob ? done(blob) : fail(new Error('no picture')))));
  }
}
