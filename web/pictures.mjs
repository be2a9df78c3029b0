// Makes the pictures of docs/pages.md and the screencast of the README from gcan's pages.
// Usage: node web/pictures.mjs GCAN BODIES_PAGE FIELDS_PAGE RUNS [screencast]
// for example: node web/pictures.mjs build/release/bin/gcan report/tetris/report/index.html
// sw/report/index.html report/tetris web/screencast.py, which needs python3-pil, assembles the screencast.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { drawn, launch, view } from '../tests/web/browser.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const [gcan, bodies_page, fields_page, watched, only] = process.argv.slice(2);
if (!watched) throw new Error('usage: node web/pictures.mjs GCAN BODIES_PAGE FIELDS_PAGE RUNS [screencast]');
const scratch = mkdtempSync(join(tmpdir(), 'gcan-pictures-'));
const browser = await launch();
const WINDOW = { width: 1080, height: 900 };
const open = (path, options) => browser.open(`file://${resolve(path)}`, { ...WINDOW, ...options });

// The element, and what is below it down to `last`, once all canvases are drawn, in a window that is tall enough: a
// picture beyond the window would resize the page for a moment, which clears its canvases.
async function picture(page, first, last = first) {
  const margin = 8;
  const edge = (place, side) => place.evaluate((element, name) => element.getBoundingClientRect()[name] + scrollY, side);
  const top = (await edge(first, 'top')) - margin;
  const height = (await edge(last, 'bottom')) + margin - top;
  await page.resize({ ...WINDOW, height: Math.max(WINDOW.height, Math.ceil(height)) });
  await page.evaluate((y) => scrollTo(0, y), top);
  const canvases = page.locator('canvas.stage');
  for (let i = 0; i < (await canvases.count()); ++i) await drawn(canvases.nth(i));
  const [left, right] = [await first.boundingBox(), await last.boundingBox()];
  const bytes = await page.screenshot({
    clip: { x: left.x - margin, y: top, width: Math.max(left.width, right.width) + 2 * margin, height },
  });
  await page.resize(WINDOW);
  return bytes;
}
async function keep(name, bytes) {
  writeFileSync(join(root, 'docs', name), await bytes);
  console.log(`docs/${name}`);
}

async function stills() {
  let page = await open(bodies_page);
  let place = await view(page, 'bodies');
  await place.getByRole('button', { name: 'Next step' }).click();
  await drawn(place.locator('canvas.stage'));
  await keep('page-bodies.png', picture(page, place.locator('.tools').first(), place.locator('.beside')));
  await keep('page-table.png', picture(page, page.locator('main > section > .table').first(), page.locator('.table-tools').first()));
  await keep('page-chart.png', picture(page, (await view(page, 'chart')).locator('.live')));
  place = await view(page, 'runs');
  await keep('page-runs.png', picture(page, place.locator('.live'), place.locator('.run-table').nth(1)));
  await place.locator('select').first().selectOption({ index: 2 });
  await keep('page-run.png', picture(page, place.locator('.live'), place.locator('.run-table').nth(1)));
  await page.close();

  page = await open(fields_page, { dark: true });
  place = await view(page, 'fields');
  await place.locator('select').first().selectOption({ index: 1 });
  await place.locator('input.time').fill('7');
  await place.locator('canvas.stage').focus();
  await drawn(place.locator('canvas.stage'));
  await keep('page-fields.png', picture(page, place.locator('.tools').first(), place.locator('.two')));
  await place.locator('.tools .toggle').nth(1).click();
  await place.locator('select').nth(1).selectOption('map');
  await place.getByRole('button', { name: 'Wind' }).click();
  await page.waitForTimeout(1500);
  await keep('page-map.png', picture(page, place.locator('.tools').first(), place.locator('.player')));
  await page.close();

  const server = spawn(gcan, ['watch', watched]);
  const address = await new Promise((done) => server.stdout.on('data', (text) => done(String(text).split('\n')[0])));
  page = await browser.open(address, { width: 1080, height: 1360, own: address });
  await drawn(page.locator('canvas.stage'));
  await page.waitForTimeout(500);
  await keep('page-watch.png', page.screenshot());
  await page.close();
  server.kill('SIGTERM');

  const algebra = join(scratch, 'algebra.html');
  execFileSync(gcan, ['algebra', '--page', algebra]);
  page = await open(algebra);
  await page.locator('[data-playground][data-ready]').waitFor();
  await keep('page-algebra.png', page.screenshot());
  await page.close();
}

// Moving and rotating bodies, then globes: one picture after another, at any speed of the machine.
async function screencast() {
  const frames = join(scratch, 'frames');
  mkdirSync(frames);
  let count = 0;
  const play = async (page, place, last, steps) => {
    const canvas = place.locator('canvas.stage');
    await canvas.evaluate((element) => element.closest('.live').scrollIntoView({ block: 'start' }));
    for (let i = 0; i <= steps; ++i) {
      await place.locator('input.time').fill(String((last * i) / steps));
      if (i) await canvas.press('ArrowRight');
      await drawn(canvas);
      writeFileSync(join(frames, `${String(count++).padStart(4, '0')}.png`), await page.screenshot());
    }
  };
  let page = await open(bodies_page, { width: 880, height: 560 });
  await play(page, await view(page, 'bodies'), 7, 32);
  await page.close();
  page = await open(fields_page, { width: 880, height: 560, dark: true });
  const place = await view(page, 'fields');
  const networks = await place.locator('.tools .toggle').allTextContents();
  if (networks.length > 3) await place.locator('.tools .toggle').nth(1).click();
  await play(page, place, Number(await place.locator('input.time').getAttribute('max')), 32);
  await page.close();
  execFileSync(process.env.PYTHON ?? '/usr/bin/python3', [join(root, 'web/screencast.py'), frames, join(root, 'docs/pages.gif')], { stdio: 'inherit' });
}

if (only !== 'screencast') await stills();
await screencast();
await browser.close();
rmSync(scratch, { recursive: true });
