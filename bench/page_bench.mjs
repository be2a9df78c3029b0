// What the interactive pages cost: bytes, time to the first picture, frames a second. Run by bench/run page;
// GCAN_SAMPLE_PAGE is the program that writes the page.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launch, open } from '../tests/web/browser.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'gcan-page-'));
const browser = await launch();
const values = [];
const note = (row, value, unit) => values.push({ row, value, unit });

for (const file of ['gcan-page.js', 'gcan-page.css', 'gcan-playground.js'])
  note(`web/dist/${file}`, statSync(join(root, 'web/dist', file)).size / 1024, 'KiB');

// A globe of 96 x 192, as the shallow-water data has it.
execFileSync(process.env.GCAN_SAMPLE_PAGE, [folder, '96']);
note('page with all views, 96 x 192 globe', statSync(join(folder, 'index.html')).size / 2 ** 20, 'MiB');

const median = (all) => all.sort((a, b) => a - b)[Math.floor(all.length / 2)];

// From the start of loading to the first picture with colours, measured in the page.
async function first_picture() {
  const { page } = await open(browser, `file://${folder}/index.html`);
  await page.locator('.view[data-ready=true] canvas').first().waitFor();
  const time = await page.evaluate(() => performance.now());
  await page.close();
  return time;
}
const starts = [];
for (let i = 0; i < 5; ++i) starts.push(await first_picture());
note('first picture', median(starts) / 1000, 's');

// Frames that are drawn while a view plays for two seconds.
async function frames(kind, projection) {
  const { page } = await open(browser, `file://${folder}/index.html`);
  const place = page.locator('.view', { has: page.locator(`.live.${kind}`) }).first();
  for (let i = 0; (await place.count()) === 0 && i < 50; ++i) {
    await page.mouse.wheel(0, 500);
    await page.waitForTimeout(50);
  }
  await place.scrollIntoViewIfNeeded();
  await page.waitForFunction((e) => e.dataset.ready === 'true', await place.elementHandle());
  // Truth, prediction and difference of one network.
  if (kind === 'fields') {
    await place.locator('.tools .toggle').nth(1).click();
    if (projection) await place.locator('select').nth(1).selectOption(projection);
  }
  await place.locator('.player select').selectOption({ index: 0 });
  await place.locator('canvas.stage').scrollIntoViewIfNeeded();
  await place.getByRole('button', { name: 'Play' }).click();
  await page.waitForTimeout(300);
  const rate = await place.locator('canvas.stage').evaluate(async (canvas) => {
    const [from, start] = [Number(canvas.dataset.draws), performance.now()];
    await new Promise((done) => setTimeout(done, 2000));
    return ((Number(canvas.dataset.draws) - from) * 1000) / (performance.now() - start);
  });
  await page.close();
  return rate;
}
note('frames a second, bodies of three networks', await frames('bodies'), '1/s');
note('frames a second, three 96 x 192 globes', await frames('fields', 'globe'), '1/s');
note('frames a second, three 96 x 192 maps', await frames('fields', 'map'), '1/s');

await browser.close();
rmSync(folder, { recursive: true });
console.log(`Interactive pages in headless Chromium with software WebGL, ${cpus().length} cores`);
for (const { row, value, unit } of values) console.log(`  ${row.padEnd(44)} ${value.toPrecision(3).padStart(8)} ${unit}`);
for (const { row, value, unit } of values) console.log(`VALUE ${row.replace(/ /g, '_')} ${value.toPrecision(4)} ${unit}`);
