// `gcan watch` with trainings that start, stop and resume, in a browser: GCAN is the program.
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { drawn, launch } from './browser.mjs';

const gcan = process.env.GCAN;
const scratch = mkdtempSync(join(tmpdir(), 'gcan-watch-'));
const runs = join(scratch, 'runs');
let browser, server, address;

function train(name, steps, more = []) {
  const settings = [
    `data.file=${join(scratch, 'tetris.h5')}`, `train.steps=${steps}`, 'data.train=16', 'train.batch=8', 'train.validate_every=10',
    'train.log_every=5', 'train.checkpoint_every=10', 'model.width=8', ...more,
  ];
  return [...settings.flatMap((setting) => ['--set', setting]), '--out', join(runs, name)];
}

before(async () => {
  mkdirSync(runs);
  execFileSync(gcan, ['simulate', 'tetris', '--train', '16', '--valid', '8', '--test', '8', '--out', join(scratch, 'tetris.h5')]);
  server = spawn(gcan, ['watch', runs]);
  address = await new Promise((done, fail) => {
    server.stdout.on('data', (text) => done(String(text).split('\n')[0]));
    server.on('exit', (code) => fail(new Error(`gcan watch ended with ${code}`)));
  });
  browser = await launch();
});
after(async () => {
  await browser.close();
  if (server.exitCode === null && server.signalCode === null) server.kill('SIGKILL');
  rmSync(scratch, { recursive: true });
});

const config = join(process.env.GCAN_SOURCE, 'configs/tetris/mlp.toml');
const run = (name, steps, more) => execFileSync(gcan, ['train', config, ...train(name, steps, more)], { stdio: 'pipe' });

test('the address has a token, and without it there is nothing', async () => {
  const { port, pathname, hostname } = new URL(address);
  assert.equal(hostname, '127.0.0.1');
  assert.match(pathname, /^\/[0-9a-f]{32}\/$/);
  for (const path of ['/', '/state', `/${'0'.repeat(32)}/`, `/${'0'.repeat(32)}/state`, '/favicon.ico'])
    assert.equal((await fetch(`http://127.0.0.1:${port}${path}`)).status, 404, path);
  const state = await fetch(`${address}state`);
  assert.equal(state.status, 200);
  assert.deepEqual((await state.json()).runs, []);
});

test('runs appear, move on, are drawn and end', { timeout: 240000 }, async () => {
  const page = await browser.open(address, { own: address });
  await page.getByText('No run has begun yet.').waitFor();

  run('first', 20);
  const row = page.locator('tbody tr', { has: page.locator('progress[aria-label="Steps of first"]') });
  await row.waitFor({ timeout: 30000 });
  await page.locator('tbody tr', { hasText: /finished.*20 of 20/ }).waitFor({ timeout: 30000 });
  const canvas = page.locator('canvas.stage');
  await canvas.waitFor({ timeout: 60000 });
  assert.ok((await drawn(canvas)).colours > 20);
  await page.getByText('first after 20 steps').waitFor();
  const picture = page.locator('[data-checkpoint]');
  assert.match(await picture.getAttribute('data-checkpoint'), /-20(-again)?$/);

  // A training that is stopped, and resumed under the same name.
  const child = execFile(gcan, ['train', config, ...train('second', 100000)]);
  const second = page.locator('tbody tr', { has: page.locator('progress[aria-label="Steps of second"]') });
  await second.waitFor({ timeout: 60000 });
  const step = async () => Number((await second.locator('td').nth(2).textContent()).match(/(\d+) of 100000/)[1]);
  const earlier = await step();
  await page.waitForTimeout(5000);
  assert.ok((await step()) > earlier, 'the step moves');
  assert.match(await second.textContent(), /running/);

  // Its picture follows the checkpoints and keeps the camera.
  await page.locator('section').first().locator('select').first().selectOption({ label: 'second' });
  await page.getByText('second after ').waitFor();
  await canvas.evaluate((element) => (element.dataset.own = 'kept'));
  await page.locator('input.time').fill('7');
  const earlier_picture = await drawn(canvas);
  const stamp = await picture.getAttribute('data-checkpoint');
  await page.until('a later checkpoint', async () => (await picture.getAttribute('data-checkpoint')) !== stamp);
  assert.notEqual((await drawn(canvas)).sum, earlier_picture.sum);
  assert.equal(await canvas.getAttribute('data-own'), 'kept');
  assert.match(await page.locator('.time-text').textContent(), /^step 8 /);
  child.kill('SIGINT');
  await new Promise((done) => child.on('exit', done));
  await page.waitForTimeout(4500);
  const stopped = await step();
  const again = execFile(gcan, ['train', config, ...train('second', 100000)]);
  await page.waitForTimeout(8000);
  assert.ok((await step()) > stopped, 'it went on');
  again.kill('SIGINT');
  await new Promise((done) => again.on('exit', done));
  assert.deepEqual(await page.problems(), []);
  await page.close();
});

test('the picture of fields, of a network that is still bad', { timeout: 240000 }, async () => {
  const data = join(scratch, 'smoke.h5');
  execFileSync(gcan, ['simulate', 'navier-stokes', '--cells', '16', '--length', '4', '--steps', '24', '--train', '3', '--valid', '1', '--test', '2', '--out', data]);
  const settings = [`data.file=${data}`, 'data.history=2', 'data.train=3', 'train.steps=4', 'train.batch=2', 'train.validate_every=2', 'model.channels=4', 'model.blocks=1'];
  const fluid = join(process.env.GCAN_SOURCE, 'configs/fluid/gca-resnet.toml');
  execFileSync(gcan, ['train', fluid, ...settings.flatMap((setting) => ['--set', setting]), '--out', join(runs, 'smoke')], { stdio: 'pipe' });
  const page = await browser.open(address, { own: address });
  await page.locator('section').first().locator('select').first().selectOption({ label: 'smoke' });
  await page.getByText('smoke after 4 steps').waitFor();
  assert.ok((await drawn(page.locator('canvas.stage'))).colours > 50);
  assert.match(await page.locator('.time-text').textContent(), /^t = .*predicted/);
  assert.deepEqual(await page.problems(), []);
  await page.close();
});

test('it ends cleanly', async () => {
  server.kill('SIGTERM');
  const ended = server.exitCode ?? server.signalCode;
  const code = ended ?? (await new Promise((done) => server.on('exit', (number, signal) => done(number ?? signal))));
  assert.equal(code, 0);
  await assert.rejects(fetch(`${address}state`));
});
