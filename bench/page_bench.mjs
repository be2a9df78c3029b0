// What the interactive pages cost: bytes, time to the first picture, frames a second. Run by bench/run page;
// GCAN_SAMPLE_PAGE is the program that writes the page; GCAN_PAGE may name another page, such as the demo's, whose
// time to the first picture is measured too.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
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

// A globe of 96 x 192, as the shallow-water data has it.
execFileSync(process.env.GCAN_SAMPLE_PAGE, [folder, '96']);
const sample = join(folder, 'index.html');
note('page with all views, 96 x 192 globe', statSync(sample).size / 2 ** 20, 'MiB');

const median = (all) => all.sort((a, b) => a - b)[Math.floor(all.length / 2)];

// From the start of loading to the first picture to turn or chart on the screen, by the page's own clock.
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

// Frames that are drawn while a view plays or turns for two seconds.
async function frames(kind, { projection, wind = false, turn = false } = {}) {
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
  const rate = await place.locator('canvas.stage').evaluate(async (canvas, turning) => {
    const [from, start] = [Number(canvas.dataset.draws), performance.now()];
    const turned = setInterval(() => turning && canvas.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft' })), 16);
    await new Promise((done) => setTimeout(done, 2000));
    clearInterval(turned);
    return ((Number(canvas.dataset.draws) - from) * 1000) / (performance.now() - start);
  }, turn);
  await page.close();
  return rate;
}
note('frames a second, bodies of three networks', await frames('bodies'), '1/s');
note('frames a second, three 96 x 192 globes', await frames('fields', { projection: 'globe' }), '1/s');
note('frames a second, globes that turn', await frames('fields', { projection: 'globe', turn: true }), '1/s');
note('frames a second, globes with wind', await frames('fields', { projection: 'globe', wind: true }), '1/s');
note('frames a second, three 96 x 192 maps', await frames('fields', { projection: 'map' }), '1/s');

await browser.close();
rmSync(folder, { recursive: true });
console.log(`Interactive pages in headless ${browser_name} without a graphics card, ${cpus().length} cores`);
for (const { row, value, unit } of values) console.log(`  ${row.padEnd(44)} ${value.toPrecision(3).padStart(8)} ${unit}`);
for (const { row, value, unit } of values) console.log(`VALUE ${row.replace(/ /g, '_')} ${value.toPrecision(4)} ${unit}`);
