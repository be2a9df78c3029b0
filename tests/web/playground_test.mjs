// The page of `gcan algebra --page`, in GCAN_PAGE; GCAN is the program.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { launch } from './browser.mjs';

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

async function opened() {
  const page = await browser.open(`file://${process.env.GCAN_PAGE}`);
  await page.locator('[data-playground][data-ready]').waitFor();
  const set = async (signature) => {
    await page.getByLabel('Signature p,q,r').fill(signature);
    await page.getByLabel('Signature p,q,r').press('Enter');
  };
  const answers = () => page.locator('.answers code, .answers .problem').allTextContents();
  const run = async (statements) => {
    await page.locator('textarea.statements').fill(statements);
    return answers();
  };
  return { page, answers, set, run };
}

// The program's output, or its error.
function program(signature, statement) {
  const { status, stdout, stderr } = spawnSync(process.env.GCAN, ['algebra', signature, statement], { encoding: 'utf8' });
  return { fine: status === 0, text: (status === 0 ? stdout : stderr).trim() };
}

// The cells of --table.
function program_table(signature, product) {
  const { stdout } = spawnSync(process.env.GCAN, ['algebra', signature, '--table', '--product', product], { encoding: 'utf8' });
  return stdout.trimEnd().split('\n').slice(2).flatMap((line) => line.split('|')[1].trim().split(/\s+/));
}

test('computes as gcan algebra does', async () => {
  const { page, set, run } = await opened();
  await set('3,0,1');
  const shown = await run('(1 + 2e01) * (e1 - e23)\nT = 1 - 2.5e01;\nT >>> !(e0 + e1)\nnonsense +\n"<script>"');
  assert.equal(shown[0], program('3,0,1', '(1 + 2e01) * (e1 - e23)').text);
  assert.equal(shown.length, 4);
  assert.ok(shown[3].length > 0);
  assert.equal(await page.locator('.answers li.problem').count(), 2);
  assert.deepEqual(await page.problems(), []);
  await page.close();
});

// The page's algebra is compiled separately and committed; this checks that both agree.
test('knows every function of the program and gives the same answers', { timeout: 300000 }, async () => {
  const { page, set, run } = await opened();
  const help = await page.locator('#language').textContent();
  const functions = [...help.slice(help.indexOf('Functions:')).matchAll(/^  (\w+)\(([\w, ]+)\) /gm)];
  assert.ok(functions.length > 50, `${functions.length} functions`);
  const numbers = ['0.5', '-0.25', '0.75', '0.1'];
  const objects = { '2,0,1': 'point(0.25, -1)', '3,0,1': 'line(point(1, 2, 3), point(0, 1, -1))', '3,0,0': 'exp(0.3e12 - 0.2e23)' };
  for (const [signature, object] of Object.entries(objects)) {
    const statements = functions.flatMap(([, name, parameters]) => {
      const count = parameters.split(',').length;
      return [numbers.slice(0, count), [object, ...numbers.slice(1, count)], Array(count).fill(object)].map((words) => `${name}(${words.join(', ')})`);
    });
    await set(signature);
    const shown = await run(statements.join('\n'));
    assert.equal(shown.length, statements.length);
    const problems = await page.locator('.answers li').all((found) => found.map((item) => item.classList.contains('problem')));
    statements.forEach((statement, i) => {
      const { fine, text } = program(signature, statement);
      if (fine) assert.equal(shown[i], text, `${signature}: ${statement}`);
      assert.equal(problems[i], !fine, `${signature}: ${statement}: ${shown[i]} instead of ${text}`);
    });
  }
  assert.deepEqual(await page.problems(), []);
  await page.close();
});

test('points are dragged, what depends on them follows', async () => {
  const { page, answers } = await opened();
  const before_drag = await answers();
  await page.locator('circle[data-object=A]').scrollIntoViewIfNeeded();
  const box = await page.locator('circle[data-object=A]').boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + 60, box.y - 30, { steps: 4 });
  await page.mouse.up();
  const now = await answers();
  assert.notEqual(now[0], before_drag[0], 'A');
  assert.equal(now[1], before_drag[1], 'B');
  assert.notEqual(now[3], before_drag[3], 'the line through A and B');
  await page.locator('circle[data-object=B]').press('ArrowRight');
  assert.notEqual((await answers())[1], now[1], 'keys move points too');
  assert.ok((await page.locator('svg.algebra-scene path').count()) > 26 + 2, 'lines and the moved figure are drawn');
  assert.deepEqual(await page.problems(), []);
  await page.close();
});

// Drags an object by its centre, and returns its statement.
async function dragged(page, name, by) {
  const handle = page.locator(`[data-object=${name}]`);
  await handle.scrollIntoViewIfNeeded();
  const at = await handle.evaluate((element) => {
    if (!element.getTotalLength || element.getAttribute('fill') !== 'none') {
      const { x, y, width, height } = element.getBoundingClientRect();
      return [x + width / 2, y + height / 2];
    }
    const { x, y } = element.getPointAtLength(element.getTotalLength() / 2).matrixTransform(element.getScreenCTM());
    return [x, y];
  });
  await page.mouse.move(...at);
  await page.mouse.down();
  await page.mouse.move(at[0] + by[0], at[1] + by[1], { steps: 8 });
  await page.mouse.up();
  const text = await page.locator('textarea.statements').inputValue();
  return text.split('\n').find((line) => line.startsWith(`${name} =`));
}

test('lines, planes and motors are dragged too', async () => {
  const { page, set, run } = await opened();
  await run('g = line(0, 1, 2)\nM = motor(point(0, 0), pi/2)  # a quarter turn\nT = translator(2, 1)\nA = point(3, 3)\nB = !(e0 + e1)\nh = line(A, B)');
  const across = await page.locator('svg.algebra-scene').evaluate((scene) => scene.getScreenCTM().a);
  // One unit of the plane is 60 pixels of the picture: the line y = -2 goes up by one.
  assert.match(await dragged(page, 'g', [0, -60 * across]), /^g = line\(0, 1, (1|0\.99\d|1\.00\d)\)$/);
  const translator = (await dragged(page, 'T', [60 * across, 60 * across])).match(/^T = translator\((.*), (.*)\)$/);
  assert.ok(Math.abs(translator[1] - 3) < 0.02 && Math.abs(translator[2]) < 0.02, translator[0]);
  const motor = (await dragged(page, 'M', [0, -40 * across])).match(/^M = motor\(point\(0, 0\), (.*)\)  # a quarter turn$/);
  assert.ok(motor && Number(motor[1]) < 1.4, String(motor)); // upwards is back, left of the point
  assert.equal(await page.locator('[data-object=h]').count(), 0, 'what is computed is not dragged');

  await set('3,0,1');
  await run('q = plane(0, 0, 1, 2)\nA = point(1, 1, 1)');
  const plane = (await dragged(page, 'q', [0, -30 * across])).match(/^q = plane\(0, 0, 1, (.*)\)$/);
  assert.ok(Number(plane[1]) < 1.8, plane[0]);
  const turned = () => page.locator('circle[data-object=A]').boundingBox();
  const before_turn = await turned();
  await page.locator('svg.algebra-scene').press('ArrowLeft');
  assert.notDeepEqual(await turned(), before_turn);
  assert.deepEqual(await page.problems(), []);
  await page.close();
});

test('Cayley tables, and algebras that are too large', async () => {
  const { page } = await opened();
  assert.equal(await page.locator('.cayley tbody tr').count(), 8);
  // e1 e1 = 1, e0 e0 = 0
  assert.equal(await page.locator('.cayley tbody tr').nth(2).locator('td').nth(2).textContent(), '1');
  assert.equal(await page.locator('.cayley tbody tr').nth(1).locator('td').nth(1).textContent(), '0');
  const names = await page.locator('select').nth(1).locator('option').allTextContents();
  for (const [i, name] of names.entries()) {
    await page.locator('select').nth(1).selectOption(String(i));
    const cells = await page.locator('.cayley tbody td').allTextContents();
    const printed = program_table('2,0,1', name);
    assert.deepEqual(cells, printed, name);
  }
  await page.getByLabel('Signature p,q,r').fill('9,9');
  await page.getByLabel('Signature p,q,r').press('Enter');
  assert.ok((await page.locator('[role=alert]').textContent()).length > 10);
  await page.locator('select').first().selectOption('3,0,1');
  assert.equal(await page.locator('[role=alert]').textContent(), '');
  assert.equal(await page.locator('.cayley tbody tr').count(), 16);
  assert.ok((await page.locator('svg.algebra-scene circle').count()) >= 3);
  assert.deepEqual(await page.problems(), []);
  await page.close();
});
