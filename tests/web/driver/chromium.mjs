// Chromium over its DevTools protocol, through a pipe: needs Node and nothing else.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Page } from './page.mjs';

const FLAGS = [
  '--headless=new', '--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--no-first-run', '--hide-scrollbars',
  '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-extensions',
  '--disable-default-apps', '--force-color-profile=srgb', '--remote-debugging-pipe',
];

export const chromium = process.env.CHROMIUM ?? ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((path) => existsSync(path));

// Commands and events, each a zero-terminated JSON text.
class Pipe {
  constructor(child) {
    [this.out, this.number, this.waiting, this.listeners] = [child.stdio[3], 0, new Map(), []];
    let rest = '';
    child.stdio[4].setEncoding('utf8').on('data', (text) => {
      const parts = (rest + text).split('\0');
      rest = parts.pop();
      parts.forEach((part) => this.take(JSON.parse(part)));
    });
    child.on('exit', () => {
      for (const { fail } of this.waiting.values()) fail(new Error('the browser ended'));
    });
  }
  take(message) {
    if (message.id === undefined) {
      for (const listener of this.listeners) listener(message);
      return;
    }
    const { done, fail, method } = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (message.error) fail(new Error(`${method}: ${message.error.message}`));
    else done(message.result);
  }
  send(method, params = {}, sessionId = undefined) {
    const id = ++this.number;
    this.out.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((done, fail) => this.waiting.set(id, { done, fail, method }));
  }
}

const KEYS = {
  Enter: [13, '\r'], Tab: [9], Escape: [27], ' ': [32, ' '], End: [35], Home: [36],
  ArrowLeft: [37], ArrowUp: [38], ArrowRight: [39], ArrowDown: [40],
};

class Tab {
  constructor(pipe, target, session, downloads) {
    Object.assign(this, { pipe, target, session, downloads, problems: [], held: false });
  }
  send(method, params) {
    return this.pipe.send(method, params, this.session);
  }
  async call(source, given) {
    const expression = `(${source})(${given.map((value) => JSON.stringify(value) ?? 'undefined').join(', ')})`;
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }
  async go(address) {
    const loaded = new Promise((done) =>
      this.pipe.listeners.push(({ method, sessionId }) => sessionId === this.session && method === 'Page.loadEventFired' && done()),
    );
    const { errorText } = await this.send('Page.navigate', { url: address });
    if (errorText) throw new Error(`${address}: ${errorText}`);
    await loaded;
  }
  pointer(kind, x, y) {
    const type = { move: 'mouseMoved', down: 'mousePressed', up: 'mouseReleased' }[kind];
    if (kind !== 'move') this.held = kind === 'down';
    const held = this.held || kind === 'up';
    return this.send('Input.dispatchMouseEvent', {
      type, x, y, button: held ? 'left' : 'none', buttons: this.held ? 1 : 0, clickCount: kind === 'move' ? 0 : 1,
    });
  }
  wheel(x, y, deltaY) {
    return this.send('Input.dispatchMouseEvent', { type: 'mouseWheel', x, y, deltaX: 0, deltaY });
  }
  async key(name) {
    const [, shift, key] = name.match(/^(Shift\+)?(.+)$/);
    const [code, text] = KEYS[key] ?? [key.toUpperCase().charCodeAt(0), key];
    const event = { key, code: key.length > 1 ? key : undefined, windowsVirtualKeyCode: code, modifiers: shift ? 8 : 0 };
    await this.send('Input.dispatchKeyEvent', { type: text ? 'keyDown' : 'rawKeyDown', text, ...event });
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
  }
  resize({ width, height, sharpness = 1 }) {
    return this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: sharpness, mobile: false });
  }
  // `clip` is a rectangle of the page within the window.
  async screenshot({ clip, format = 'png' } = {}) {
    const { data } = await this.send('Page.captureScreenshot', { format, clip: clip && { ...clip, scale: 1 } });
    return Buffer.from(data, 'base64');
  }
  paper(on) {
    return this.send('Emulation.setEmulatedMedia', { media: on ? 'print' : '', features: this.features });
  }
  async pdf() {
    const { data } = await this.send('Page.printToPDF', { printBackground: false, preferCSSPageSize: true });
    return Buffer.from(data, 'base64');
  }
  // The information for screen readers: role, name and whether it is focusable.
  async read_aloud() {
    const { nodes } = await this.send('Accessibility.getFullAXTree');
    return nodes.filter((node) => !node.ignored).map((node) => ({
      role: node.role?.value, name: node.name?.value ?? '',
      focusable: node.properties?.some(({ name, value }) => name === 'focusable' && value.value) ?? false,
    }));
  }
  // The file saved by `act`.
  async saved(act) {
    const begun = this.downloads.length;
    await act();
    for (let i = 0; i < 400; ++i, await pause(25)) {
      const file = this.downloads[begun];
      if (file?.done) return { name: file.name, bytes: await readFile(file.path) };
    }
    throw new Error('nothing was saved within 10 s');
  }
  noted() {
    return this.problems;
  }
  close() {
    return this.pipe.send('Target.closeTarget', { targetId: this.target });
  }
}

function note_problems(tab, own) {
  const noted = (text) => tab.problems.push(text);
  tab.pipe.listeners.push(({ method, params, sessionId }) => {
    if (sessionId !== tab.session) return;
    if (method === 'Runtime.consoleAPICalled' && ['error', 'warning'].includes(params.type))
      noted(`console: ${params.args.map((value) => value.value ?? value.description).join(' ')}`);
    if (method === 'Runtime.exceptionThrown') noted(`exception: ${params.exceptionDetails.exception?.description ?? params.exceptionDetails.text}`);
    if (method === 'Log.entryAdded' && ['error', 'warning'].includes(params.entry.level)) noted(`console: ${params.entry.text}`);
    if (method !== 'Network.requestWillBeSent') return;
    const { url } = params.request;
    // Data within the page is not a request.
    if (!url.startsWith(own) && !/^(blob|about|data):/.test(url)) noted(`request: ${url.slice(0, 200)}`);
  });
}

class Chromium {
  constructor(child, pipe, folder) {
    Object.assign(this, { child, pipe, folder, downloads: [] });
    pipe.listeners.push(({ method, params }) => {
      if (method === 'Browser.downloadWillBegin')
        this.downloads.push({ id: params.guid, name: params.suggestedFilename, path: join(folder, params.guid), done: false });
      if (method === 'Browser.downloadProgress' && params.state === 'completed')
        this.downloads.find(({ id }) => id === params.guid).done = true;
    });
  }
  // Options: width, height, dark, scripts (false: none run), sharpness, own (what requests may begin with).
  async open(address, { width = 1200, height = 900, dark = false, scripts = true, sharpness = 1, own = 'file:' } = {}) {
    const { targetId } = await this.pipe.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await this.pipe.send('Target.attachToTarget', { targetId, flatten: true });
    const tab = new Tab(this.pipe, targetId, sessionId, this.downloads);
    for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await tab.send(`${domain}.enable`);
    await tab.resize({ width, height, sharpness });
    await tab.send('Emulation.setFocusEmulationEnabled', { enabled: true });
    tab.features = [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }];
    await tab.paper(false);
    if (!scripts) await tab.send('Emulation.setScriptExecutionDisabled', { value: true });
    note_problems(tab, own);
    const page = new Page(tab);
    await page.goto(address);
    return page;
  }
  async close() {
    const ended = new Promise((done) => this.child.on('exit', done));
    await this.pipe.send('Browser.close').catch(() => {});
    await ended;
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

export async function launch_chromium(more = []) {
  if (!chromium) throw new Error('chromium was not found');
  const folder = mkdtempSync(join(tmpdir(), 'gcan-chromium-'));
  const child = spawn(chromium, [...FLAGS, ...more, `--user-data-dir=${folder}`], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
  const pipe = new Pipe(child);
  await pipe.send('Browser.setDownloadBehavior', { behavior: 'allowAndName', downloadPath: folder, eventsEnabled: true });
  return new Chromium(child, pipe, folder);
}
