// The cost of interactive pages: bytes, time to the first picture, frames per second. Run by bench/run page;
// GCAN_SAMPLE_PAGE is the program that writes the page; GCAN_PAGE may name another page, such as the demo's,
// to measure its time to the first picture too.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { browser_name, launch, view } from '../tests/web/browser.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'gcan-page-'));
const browser = await launch();
const values = [];
const note = (row, value, unit) => values.push({ row, value, unit });

for (const file of ['gcan-page.js', 'gcan-page.css', 'gcan-playground.js'])
  note(`web/dist/${file}`, statSync(join(root, 'web/dist', file)).size / 1024, 'KiB');

// A globe of 96 x 192, like the shallow-water data.
execFileSync(process.env.GCAN_SAMPLE_PAGE, [folder, '96']);
const sample = join(folder, 'index.html');
note('page with all views, 96 x 192 globe', statSync(sample).size / 2 ** 20, 'MiB');

const median = (all) => all.sort((a, b) => a - b)[Math.floor(all.length / 2)];

// From the start of loading to the first view or chart on the screen, by the page's clock.
async function first_picture(path) {
  const times = [];
  for (let i = 0; i < 5; ++i) {
    const page = await browser.open(`file://${path}`);
    await page.locator('html[data-first-picture]:not([data-first-picture="0"])').waitFor();
    times.push(await page.evaluate(() => Number(document.documentElement.dataset.firstPicture)));
    await page.close();
  }
  return median(times) / 1000;
}
note('first picture', await first_picture(sample), 's');
if (process.env.GCAN_PAGE) {
  const own = resolve(process.env.GCAN_PAGE);
  note('page of GCAN_PAGE', statSync(own).size / 2 ** 20, 'MiB');
  note('first picture of GCAN_PAGE', await first_picture(own), 's');
}

// CPU time of the page's thread [s]; only Chromium reports it.
async function worked(page) {
  if (browser_name !== 'chromium') return NaN;
  await page.backend.send('Performance.enable', { timeDomain: 'threadTicks' });
  const { metrics } = await page.backend.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration').value;
}

// Frames drawn while a view plays or rotates for two seconds, and the CPU time of each.
async function frames(row, kind, { projection, wind = false, turn = false } = {}) {
  const page = await browser.open(`file://${sample}`);
  const place = await view(page, kind);
  // Truth, prediction and difference of one network.
  if (kind === 'fields') {
    await place.locator('.tools .toggle').nth(1).click();
    await place.locator('select').nth(1).selectOption(projection);
    if (wind) await place.getByRole('button', { name: 'Wind' }).click();
  }
  await place.locator('.player select').selectOption({ index: 0 });
  await place.getByRole('button', { name: 'Play' }).click();
  await place.locator('canvas.stage').scrollIntoViewIfNeeded();
  await page.waitForTimeout(300);
  const before = await worked(page);
  const [count, seconds] = await place.locator('canvas.stage').evaluate(async (canvas, turning) => {
    const [from, start] = [Number(canvas.dataset.draws), performance.now()];
    const turned = setInterval(() => turning && canvas.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft' })), 16);
    await new Promise((done) => setTimeout(done, 2000));
    clearInterval(turned);
    return [Number(canvas.dataset.draws) - from, (performance.now() - start) / 1000];
  }, turn);
  const work = (await worked(page)) - before;
  await page.close();
  note(`frames a second, ${row}`, count / seconds, '1/s');
  if (Number.isFinite(work)) note(`processor per frame, ${row}`, (1000 * work) / count, 'ms');
}
await frames('bodies of three networks', 'bodies');
await frames('three 96 x 192 globes', 'fields', { projection: 'globe' });
await frames('globes that turn', 'fields', { projection: 'globe', turn: true });
await frames('globes with wind', 'fields', { projection: 'globe', wind: true });
await frames('three 96 x 192 maps', 'fields', { projection: 'map' });

await browser.close();
rmSync(folder, { recursive: true });
console.log(`Interactive pages in headless ${browser_name} without a graphics card, ${cpus().length} cores, load average ${loadavg()[0].toFixed(1)}`);
for (const { row, value, unit } of values) console.log(`  ${row.padEnd(44)} ${value.toPrecision(3).padStart(8)} ${unit}`);
for (const { row, value, unit } of values) console.log(`VALUE ${row.replace(/ /g, '_')} ${value.toPrecision(4)} ${unit}`);
