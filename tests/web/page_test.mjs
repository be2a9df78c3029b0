// A page with every view, opened from a file like by its readers: node --test tests/web/page_test.mjs, with
// the page's path in GCAN_PAGE.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { browser_name, drawn, launch, pixels, view } from './browser.mjs';

const address = `file://${process.env.GCAN_PAGE}`;
const EVIL = `<script>document.title='broken'</script>"'`;
let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

// Opens the page, runs the steps, and expects no errors.
function page_test(name, steps, { skip, ...options } = {}) {
  test(name, { skip }, async () => {
    const page = await browser.open(address, options);
    try {
      await steps(page);
      assert.deepEqual(await page.problems(), []);
    } finally {
      await page.close();
    }
  });
}

page_test('names that hold HTML are text', async (page) => {
  await page.evaluate(async () => {
    for (let y = 0; y < document.body.scrollHeight; y += 400) {
      scrollTo(0, y);
      await new Promise((done) => setTimeout(done, 60));
    }
  });
  assert.ok((await page.title()).startsWith(`Sample ${EVIL}`));
  assert.ok((await page.locator('h1').textContent()).includes(EVIL));
  assert.equal(await page.locator('main script').count(), 0);
  for (const kind of ['chart', 'bodies', 'fields', 'runs'])
    assert.ok((await (await view(page, kind)).textContent()).includes(EVIL), kind);
});

page_test('bodies are drawn, played, stepped, scrubbed and turned', async (page) => {
  const bodies = await view(page, 'bodies');
  const canvas = bodies.locator('canvas.stage');
  const first = await drawn(canvas);
  assert.ok(first.colours > 50, `a picture of ${first.colours} colours is blank`);
  assert.ok(first.drawn > 0.05 && first.drawn < 0.8, `${first.drawn} of the picture is drawn on`);

  const time = bodies.locator('.time-text');
  assert.equal(await time.textContent(), 'step 5 of 8, predicted');
  await bodies.getByRole('button', { name: 'Next step' }).click();
  assert.equal(await time.textContent(), 'step 6 of 8, predicted');
  const second = await drawn(canvas);
  assert.notEqual(second.sum, first.sum);

  await bodies.locator('input.time').fill('0');
  assert.equal(await time.textContent(), 'step 1 of 8, given');
  const scrubbed = await drawn(canvas);
  assert.notEqual(scrubbed.sum, second.sum);

  await bodies.getByRole('button', { name: 'Play' }).click();
  await time.waitForFunction((element) => element.textContent.startsWith('step 8'));
  await bodies.getByRole('button', { name: 'Play' }).waitFor();

  await canvas.scrollIntoViewIfNeeded();
  const end = await drawn(canvas);
  const box = await canvas.boundingBox();
  await page.mouse.move(box.x + 100, box.y + 100);
  await page.mouse.down();
  await page.mouse.move(box.x + 220, box.y + 140, { steps: 4 });
  await page.mouse.up();
  const turned = await drawn(canvas);
  assert.notEqual(turned.sum, end.sum);
  await canvas.press('0');
  assert.equal((await drawn(canvas)).sum, end.sum, 'key 0 resets the view');
  await canvas.press('ArrowLeft');
  assert.notEqual((await drawn(canvas)).sum, end.sum);
  await canvas.press('+');
});

page_test('networks and trajectories are switched, errors follow', async (page) => {
  const bodies = await view(page, 'bodies');
  const canvas = bodies.locator('canvas.stage');
  const before_switch = await drawn(canvas);
  await bodies.locator('.tools').first().getByRole('button', { name: 'standing still' }).click();
  assert.equal(await bodies.locator('.pane-labels span').count(), 2);
  assert.notEqual((await drawn(canvas)).sum, before_switch.sum);
  const errors = () => bodies.locator('table.errors tbody td').allTextContents();
  const of_first = await errors();
  assert.ok(of_first.every((text) => Number(text) > 0), of_first.join());
  assert.equal(await bodies.locator('select').first().locator('option').count(), 12);
  await bodies.locator('select').first().selectOption('3');
  assert.notDeepEqual(await errors(), of_first);
  const by_object = await drawn(canvas);
  await bodies.locator('select').nth(1).selectOption('error');
  assert.notEqual((await drawn(canvas)).sum, by_object.sum);
  await bodies.getByRole('button', { name: 'square' }).click();
  assert.equal(await bodies.getByRole('button', { name: 'square' }).getAttribute('aria-pressed'), 'true');
});

page_test('hovering a body names it and its error', async (page) => {
  const bodies = await view(page, 'bodies');
  const canvas = bodies.locator('canvas.stage');
  const box = await canvas.boundingBox();
  for (let y = 20; y < box.height / 2; y += 12)
    for (let x = 20; x < box.width / 2; x += 24) {
      await canvas.hover({ position: { x, y } });
      if (await bodies.locator('.tip').isHidden()) continue;
      const text = await bodies.locator('.tip').textContent();
      assert.match(text, /, standing still, step 5: [0-9.e-]+ cube sides from the truth$/);
      return;
    }
  assert.fail('no body was found under the pointer');
});

page_test('fields on a globe and on a map: values, play, wind', async (page) => {
  const fields = await view(page, 'fields');
  const canvas = fields.locator('canvas.stage');
  const globe = await drawn(canvas);
  assert.ok(globe.colours > 200, `${globe.colours} colours`);
  await fields.locator('select').nth(1).selectOption('map');
  const map = await drawn(canvas);
  assert.ok(map.colours > 200);
  assert.notEqual(map.sum, globe.sum);
  assert.equal(await canvas.getAttribute('data-projection'), 'map');

  // The centre of the first map: the equator and the meridian 180. The truth there is 100 + 20 cos(3 (pi -
  // 0.1)).
  const box = await canvas.boundingBox();
  await canvas.hover({ position: { x: box.width / 6, y: box.height / 4 + 15 } });
  const text = await fields.locator('.reading').textContent();
  const found = text.match(/^latitude ([0-9.]+)° [NS], longitude ([0-9.]+)° [EW]: truth ([0-9.]+) m/);
  assert.ok(found, text);
  assert.ok(Number(found[1]) < 4 && Number(found[2]) > 177, text);
  assert.ok(Math.abs(Number(found[3]) - (100 + 20 * Math.cos(3 * (Math.PI - 0.1)))) < 2, text);

  await fields.getByRole('button', { name: 'Next step' }).click();
  assert.equal(await fields.locator('.time-text').textContent(), 'day 0.50, predicted');
  await fields.locator('select').first().selectOption({ label: 'velocity: v' });
  assert.notEqual((await drawn(canvas)).sum, map.sum);
  await fields.getByRole('button', { name: 'Wind' }).click();
  const [one, two] = [await pixels(canvas), (await page.waitForTimeout(400), await pixels(canvas))];
  assert.notEqual(one.sum, two.sum, 'the wind moves');
  await fields.getByRole('button', { name: 'Wind' }).click();
  await fields.getByRole('button', { name: 'Play' }).click();
  await page.waitForTimeout(500);
  assert.notEqual(await fields.locator('.time-text').textContent(), 'day 0.50, predicted');
});

page_test('a box of fields', async (page) => {
  const fields = await view(page, 'fields', 1);
  assert.ok((await drawn(fields.locator('canvas.stage'))).colours > 200);
  assert.match(await fields.locator('.time-text').textContent(), /^t = 0.5 s/);
});

page_test('charts: hover, zoom, switch, logarithmic, save', async (page) => {
  const chart = await view(page, 'chart');
  const plot = chart.locator('.u-over');
  assert.ok((await pixels(chart.locator('canvas'))).colours > 20);
  const box = await plot.boundingBox();
  await plot.hover({ position: { x: box.width / 2, y: box.height / 2 } });
  assert.match(await chart.locator('.u-legend .u-series').nth(1).locator('.u-value').textContent(), /^0\.\d+/);

  const series = chart.locator('.u-legend .u-series').nth(1).locator('th');
  await series.focus();
  await page.keyboard.press('Enter');
  assert.equal(await series.getAttribute('aria-pressed'), 'false');

  const linear = await pixels(chart.locator('canvas'));
  await chart.getByRole('button', { name: 'log y' }).click();
  assert.notEqual((await drawn(chart.locator('canvas'))).sum, linear.sum);

  const now = await plot.boundingBox(); // the page may have scrolled to the button
  await page.mouse.move(now.x + 100, now.y + 60);
  await page.mouse.down();
  await page.mouse.move(now.x + 300, now.y + 160, { steps: 4 });
  await drawn(chart.locator('canvas')); // uPlot follows the pointer once per frame
  await page.mouse.up();
  await chart.locator('.chart[role]').waitForFunction((element) => element.dataset.zoomed === 'true');
  await chart.getByRole('button', { name: 'whole range' }).click();

  const text_of = async (name) => {
    return page.backend.saved(() => chart.getByRole('button', { name }).click());
  };
  const csv = await text_of('Save the numbers as CSV');
  assert.equal(csv.name, 'learning.csv');
  assert.match(csv.bytes.toString(), /^step,MLP,"<script>/);
  assert.equal(csv.bytes.toString().split('\n')[2].split(/,(?=\d)/)[1], '2');
  const svg = await text_of('Save as SVG');
  assert.match(svg.bytes.toString(), /^<svg .*&lt;script&gt;/s);
  assert.ok(!svg.bytes.toString().includes('<script'));
  const png = await text_of('Save as PNG');
  assert.equal(png.bytes.subarray(1, 4).toString(), 'PNG');
  assert.equal(png.bytes.readUInt32BE(16), 1640, 'twice the width of the SVG');
  assert.ok(png.bytes.length > 20000, `${png.bytes.length} bytes are a blank picture`);
});

page_test('tables: sort, the paper beside ours, columns, copy, link', async (page) => {
  const table = page.locator('section').first().locator('.table > table').first();
  const names = () => table.locator('tbody tr:not([hidden]) th').allTextContents();
  await table.getByRole('button', { name: 'Sort by 1024' }).click();
  assert.deepEqual((await names()).slice(0, 4), ['GCA, paper', 'GCA, ours', 'MLP, paper', 'MLP, ours']);
  assert.equal(await table.locator('th[aria-sort]').getAttribute('aria-sort'), 'ascending');
  await table.getByRole('button', { name: 'Sort by 256' }).click();
  assert.deepEqual((await names()).slice(0, 2), ['MLP, paper', 'MLP, ours']);
  const tools = page.locator('.table-tools').first();
  await tools.getByRole('button', { name: 'Copy as Markdown' }).click();
  const copied = () => tools.locator('textarea').inputValue();
  assert.match(await copied(), /^\| network \| 256 \| 1024 \|\n\| --- \| ---: \| ---: \|\n\| MLP, paper/);
  assert.match(await copied(), /\*\*3.50 \/ 3.40\*\*/);
  assert.match(await copied(), /\\<script>/);
  await tools.getByRole('button', { name: 'Copy as LaTeX' }).click();
  assert.match(await copied(), /\\begin\{tabular\}\{lrr\}.*\\textbf\{3.50 \/ 3.40\}/s);
  await tools.getByText('Columns').click();
  await tools.getByLabel('256').uncheck();
  await tools.getByRole('button', { name: 'Copy as CSV' }).click();
  assert.match(await copied(), /^network,1024\n/);
  await tools.getByRole('button', { name: 'The paper’s rows' }).click();
  assert.ok(!(await names()).includes('MLP, paper'));
  await table.getByRole('link').click();
  const runs = await view(page, 'runs');
  await runs.waitForFunction((element) => element.querySelectorAll('.tools .toggle[aria-pressed=true]').length >= 1);
  assert.equal(await runs.getByRole('button', { name: 'MLP', exact: true }).getAttribute('aria-pressed'), 'true');
  assert.equal(await runs.getByRole('button', { name: 'GCA-MLP', exact: true }).getAttribute('aria-pressed'), 'false');
});

page_test('runs: settings that differ come first', async (page) => {
  const runs = await view(page, 'runs');
  const differing = runs.locator('table', { hasText: /^Settings that differ/ });
  assert.deepEqual(await differing.locator('tbody th').allTextContents(), ['model.name', 'train.steps']);
  await runs.getByRole('button', { name: 'GCA-MLP', exact: true }).click();
  await runs.locator('select').first().selectOption('1');
  const own = runs.locator('table', { hasText: /^Settings that are not the default/ });
  assert.ok((await own.locator('tbody th').allTextContents()).includes('train.steps'));
});

page_test('from a run to what it predicts', async (page) => {
  const runs = await view(page, 'runs');
  await runs.locator('select').first().selectOption('2');
  await runs.getByRole('button', { name: 'Show what' }).click();
  const bodies = await view(page, 'bodies');
  await bodies.waitForFunction((element) => element.querySelectorAll('.pane-labels span').length === 1);
  assert.equal(await bodies.locator('.pane-labels span').textContent(), await runs.locator('select option').nth(3).textContent());
  await bodies.waitForFunction((element) => Math.abs(element.getBoundingClientRect().top) < 50);
});

page_test('dark pages are dark', async (page) => {
  const colour = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert.equal(colour, 'rgb(22, 24, 27)');
  assert.ok((await drawn((await view(page, 'bodies')).locator('canvas.stage'))).colours > 50);
}, { dark: true });

page_test('everything that takes the focus has a name for screen readers', async (page) => {
  for (const kind of ['chart', 'bodies', 'fields', 'runs']) await view(page, kind);
  const read = await page.backend.read_aloud();
  const nameless = read.filter(({ focusable, name, role }) => focusable && !name.trim() && role !== 'RootWebArea');
  assert.deepEqual(nameless, []);
  const roles = new Set(read.map(({ role }) => role));
  for (const role of ['heading', 'table', 'columnheader', 'rowheader', 'slider', 'combobox', 'toolbar', 'button']) assert.ok(roles.has(role), role);
}, { skip: browser_name === 'firefox' && 'Firefox tells its accessibility tree to other programs alone' });

page_test('keys alone reach and work every control of a view', async (page) => {
  const bodies = await view(page, 'bodies');
  const controls = bodies.locator('button, select, input, canvas.stage, a[href], [tabindex="0"]').filterVisible();
  const wanted = await controls.count();
  await bodies.locator('select').first().focus();
  const reached = async () => bodies.evaluate((element) => {
    const at = document.activeElement;
    if (!element.contains(at)) return '';
    at.dataset.reached = 'yes';
    const { outlineStyle } = getComputedStyle(at);
    return outlineStyle === 'none' ? `no outline: ${at.outerHTML.slice(0, 80)}` : 'outlined';
  });
  for (let i = 0; i < 3 * wanted; ++i, await page.keyboard.press('Tab')) {
    const state = await reached();
    if (!state) break;
    if (i) assert.equal(state, 'outlined');
  }
  assert.deepEqual(await controls.all((found) => found.filter((e) => !e.dataset.reached).map((e) => e.outerHTML)), []);

  const time = bodies.locator('.time-text');
  const canvas = bodies.locator('canvas.stage');
  await bodies.locator('input.time').press('Home');
  assert.match(await time.textContent(), /^step 1 /);
  await bodies.locator('input.time').press('ArrowRight');
  assert.match(await time.textContent(), /^step 2 /);
  await canvas.press('.');
  assert.match(await time.textContent(), /^step 3 /);
  await canvas.press(',');
  assert.match(await time.textContent(), /^step 2 /);
  await canvas.press(' ');
  await bodies.getByRole('button', { name: 'Pause' }).waitFor();
  await canvas.press(' ');
  await bodies.getByRole('button', { name: 'Play' }).waitFor();
});

page_test('on paper: tables and still pictures, no controls', async (page) => {
  for (const kind of ['chart', 'bodies', 'fields', 'runs']) await view(page, kind);
  const paper = await page.backend.pdf();
  assert.equal(paper.subarray(0, 5).toString(), '%PDF-');
  await page.backend.paper(true);
  const shown = (css) => page.evaluate((wanted) => [...document.querySelectorAll(wanted)].filter((e) => e.checkVisibility()).length, css);
  assert.equal(await shown('.tools, .live canvas, .player, .table-tools, .view > button, .live.chart'), 0);
  assert.equal(await shown('figure img'), 1);
  assert.equal(await shown('main > section > .table > table'), 1);
  assert.ok((await shown('.live.runs table')) >= 1, 'settings and results have no still picture, so they are printed');
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
  await page.backend.paper(false);
}, { dark: true });

const no_scripts = browser_name === 'firefox' && 'Firefox runs no test in a page without scripts';
test('without scripts tables and still pictures are there, and no empty places', { skip: no_scripts }, async () => {
  const page = await browser.open(address, { scripts: false });
  assert.equal(await page.locator('table tbody tr').count(), 5);
  assert.equal(await page.locator('.live').count(), 0);
  assert.equal(await page.locator('figure img').all(([img]) => img.checkVisibility()), true);
  assert.match(await page.locator('noscript').textContent(), /Scripts are off/);
  const headings = await page.locator('h2').all((found) => found.filter((e) => e.checkVisibility()).map((e) => e.textContent));
  assert.deepEqual(headings, ['Errors', 'Motion', 'How this was made']);
  await page.close();
});
