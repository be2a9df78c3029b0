// The page of `gcan algebra --page`, in GCAN_PAGE.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch } from './browser.mjs';

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

async function opened() {
  const page = await browser.open(`file://${process.env.GCAN_PAGE}`);
  // WebAssembly is read from the page itself.
  const bad = async () => (await page.problems()).filter((text) => !text.startsWith('request: data:'));
  await page.locator('[data-playground][data-ready]').waitFor();
  return { page, bad, answers: () => page.locator('.answers li').allTextContents() };
}

test('computes as gcan algebra does', async () => {
  const { page, bad, answers } = await opened();
  await page.getByLabel('Signature p,q,r').fill('3,0,1');
  await page.getByLabel('Signature p,q,r').press('Enter');
  await page.locator('textarea.statements').fill('(1 + 2e01) * (e1 - e23)\nT = 1 - 2.5e01;\nT >>> !(e0 + e1)\nnonsense +\n"<script>"');
  const shown = await answers();
  assert.equal(shown[0], process.env.GCAN_EXPECTED);
  assert.equal(shown.length, 4);
  assert.ok(shown[3].length > 0);
  assert.equal(await page.locator('.answers li.problem').count(), 2);
  assert.deepEqual(await bad(), []);
  await page.close();
});

test('points are dragged, what depends on them follows', async () => {
  const { page, bad, answers } = await opened();
  const before_drag = await answers();
  await page.locator('circle[data-point=A]').scrollIntoViewIfNeeded();
  const box = await page.locator('circle[data-point=A]').boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + 60, box.y - 30, { steps: 4 });
  await page.mouse.up();
  const now = await answers();
  assert.notEqual(now[0], before_drag[0], 'A');
  assert.equal(now[1], before_drag[1], 'B');
  assert.notEqual(now[3], before_drag[3], 'the line through A and B');
  await page.locator('circle[data-point=B]').press('ArrowRight');
  assert.notEqual((await answers())[1], now[1], 'keys move points too');
  assert.ok((await page.locator('svg.algebra-scene path').count()) > 26 + 2, 'lines and the moved figure are drawn');
  assert.deepEqual(await bad(), []);
  await page.close();
});

test('Cayley tables, and algebras that are too large', async () => {
  const { page, bad } = await opened();
  assert.equal(await page.locator('.cayley tbody tr').count(), 8);
  // e1 e1 = 1, e0 e0 = 0
  assert.equal(await page.locator('.cayley tbody tr').nth(2).locator('td').nth(2).textContent(), '1');
  assert.equal(await page.locator('.cayley tbody tr').nth(1).locator('td').nth(1).textContent(), '0');
  await page.getByLabel('Signature p,q,r').fill('9,9');
  await page.getByLabel('Signature p,q,r').press('Enter');
  assert.ok((await page.locator('[role=alert]').textContent()).length > 10);
  await page.locator('select').first().selectOption('3,0,1');
  assert.equal(await page.locator('[role=alert]').textContent(), '');
  assert.equal(await page.locator('.cayley tbody tr').count(), 16);
  assert.ok((await page.locator('svg.algebra-scene circle').count()) >= 3);
  assert.deepEqual(await bad(), []);
  await page.close();
});
