import { aligned, ChartSpec, Line } from './chart';
import { short } from './dom';

// Charts as files: CSV with all numbers, and a picture of lines that any drawing program can edit.

export function csv_cell(text: string): string {
  return /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

export function csv_text(spec: ChartSpec): string {
  const [x, ...rows] = aligned(spec.lines, false, false);
  const lines = [[spec.x_label, ...spec.lines.map((line) => line.name)].map(csv_cell).join(',')];
  Array.from(x as number[]).forEach((value, i) => {
    lines.push([value, ...rows.map((row) => row[i] ?? '')].join(','));
  });
  return lines.join('\n') + '\n';
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}

// Maps values to positions on paper along one axis.
class Axis {
  constructor(
    private readonly low: number,
    private readonly high: number,
    private readonly log: boolean,
    private readonly from: number,
    private readonly to: number,
  ) {}

  place(value: number): number {
    const f = (v: number) => (this.log ? Math.log10(v) : v);
    const width = f(this.high) - f(this.low) || 1;
    return this.from + ((f(value) - f(this.low)) / width) * (this.to - this.from);
  }

  ticks(): number[] {
    if (this.log) {
      const ticks: number[] = [];
      const decades = Math.log10(this.high / this.low);
      for (let power = Math.floor(Math.log10(this.low)); power <= Math.log10(this.high); ++power)
        for (const digit of decades > 2.5 ? [1] : [1, 2, 5]) ticks.push(digit * 10 ** power);
      return ticks.filter((t) => t >= this.low * 0.999 && t <= this.high * 1.001);
    }
    const rough = (this.high - this.low) / 6 || 1;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((d) => d * power).find((s) => s >= rough)!;
    const ticks: number[] = [];
    for (let i = Math.ceil(this.low / step); i * step <= this.high + 1e-9 * step; ++i) ticks.push(i * step);
    return ticks;
  }
}

interface Ranges {
  x: [number, number];
  y: [number, number];
}

function points_of(line: Line, spec: ChartSpec): [number, number][] {
  const points: [number, number][] = [];
  for (let i = 0; i < line.x.length; ++i) {
    const [x, y] = [line.x[i], line.y[i]];
    if (!Number.isFinite(x) || !Number.isFinite(y) || (spec.x_log && x <= 0) || (spec.y_log && y <= 0)) continue;
    points.push([x, y]);
  }
  return points;
}

function ranges_of(lines: Line[], spec: ChartSpec): Ranges {
  const all = lines.flatMap((line) => points_of(line, spec));
  const range = (axis: 0 | 1, log: boolean): [number, number] => {
    let [low, high] = [Infinity, -Infinity];
    for (const point of all) {
      low = Math.min(low, point[axis]);
      high = Math.max(high, point[axis]);
    }
    if (!(low <= high)) return [1, 10];
    if (log) return [low / 1.2, high * 1.2];
    const room = (high - low || 1) * 0.04;
    return [low - room, high + room];
  };
  return { x: range(0, spec.x_log), y: range(1, spec.y_log) };
}

export function svg_text(spec: ChartSpec, zoomed?: Ranges): string {
  const [width, height, left, right, top, bottom] = [820, 480, 80, 210, 40, 60];
  const shown = spec.lines.filter((line) => line.shown !== false);
  const range = zoomed ?? ranges_of(shown, spec);
  const x = new Axis(...range.x, spec.x_log, left, width - right);
  const y = new Axis(...range.y, spec.y_log, height - bottom, top);
  const parts: string[] = [];
  const text = (at_x: number, at_y: number, words: string, more = '') =>
    parts.push(`<text x="${at_x.toFixed(1)}" y="${at_y.toFixed(1)}" ${more}>${escaped(words)}</text>`);
  const stroke = (line: Line) =>
    `stroke="${line.colour.slice(0, 7)}" stroke-width="${line.width ?? 2}"` +
    (line.colour.length > 7 ? ' stroke-opacity="0.5"' : '') +
    (line.dash ? ` stroke-dasharray="${line.dash.join(' ')}"` : '');
  for (const tick of x.ticks()) {
    const at = x.place(tick);
    parts.push(`<path d="M${at.toFixed(1)} ${top}V${height - bottom}" stroke="#e4e4e4"/>`);
    text(at, height - bottom + 18, short(tick), 'text-anchor="middle"');
  }
  for (const tick of y.ticks()) {
    const at = y.place(tick);
    parts.push(`<path d="M${left} ${at.toFixed(1)}H${width - right}" stroke="#e4e4e4"/>`);
    text(left - 8, at + 4, short(tick), 'text-anchor="end"');
  }
  shown.forEach((line, i) => {
    const places = points_of(line, spec).map(([a, b]) => [x.place(a).toFixed(2), y.place(b).toFixed(2)]);
    const path = places.map((place) => place.join(' ')).join('L');
    if (path) parts.push(`<path clip-path="url(#inside)" fill="none" ${stroke(line)} d="M${path}"/>`);
    if (line.points || places.length === 1) {
      const fill = line.points === 'hollow' ? '#fff' : line.colour.slice(0, 7);
      const dots = places.map(([a, b]) => `<circle cx="${a}" cy="${b}" r="4"/>`);
      parts.push(`<g clip-path="url(#inside)" fill="${fill}" stroke="${line.colour.slice(0, 7)}">${dots.join('')}</g>`);
    }
    const at = top + 14 + 20 * i;
    parts.push(`<path d="M${width - right + 14} ${at - 4}h26" fill="none" ${stroke(line)}/>`);
    text(width - right + 46, at, line.name);
  });
  text((left + width - right) / 2, height - 16, spec.x_label, 'text-anchor="middle"');
  text(18, (top + height - bottom) / 2, spec.y_label,
    `text-anchor="middle" transform="rotate(-90 18 ${(top + height - bottom) / 2})"`);
  if (spec.title) text((left + width - right) / 2, 22, spec.title, 'text-anchor="middle" font-weight="600"');
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" ` +
    `font-family="sans-serif" font-size="13" fill="#202020">` +
    `<clipPath id="inside"><rect x="${left}" y="${top}" width="${width - right - left}" height="${height - bottom - top}"/></clipPath>` +
    `<rect width="100%" height="100%" fill="#fff"/>${parts.join('')}` +
    `<path d="M${left} ${top}V${height - bottom}H${width - right}" fill="none" stroke="#404040"/></svg>\n`
  );
}

// The same picture as pixels, at twice the size.
export async function png_of(svg: string): Promise<Blob> {
  const picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await picture.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [2 * picture.width, 2 * picture.height];
  canvas.getContext('2d')!.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((done, fail) => canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error('no picture')))));
}
