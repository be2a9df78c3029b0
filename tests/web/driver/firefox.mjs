// Firefox over Marionette, its own remote protocol: a length, a colon and JSON on a socket. Needs Node and Debian's
// firefox-esr and nothing else. One page at a time.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Page } from './page.mjs';

export const firefox = process.env.FIREFOX ?? ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find((path) => existsSync(path));

const SETTINGS = {
  'marionette.port': 0, 'app.update.enabled': false, 'browser.shell.checkDefaultBrowser': false, 'browser.startup.page': 0,
  'browser.startup.homepage_override.mstone': 'ignore', 'datareporting.policy.dataSubmissionEnabled': false,
  'toolkit.telemetry.reportingpolicy.firstRun': false, 'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false, 'extensions.getAddons.cache.enabled': false, 'browser.download.folderList': 2,
  'browser.download.useDownloadDir': true, 'browser.download.alwaysOpenPanel': false, 'browser.download.open_pdf_attachments_inline': false,
};

class Marionette {
  constructor(socket) {
    [this.socket, this.number, this.waiting] = [socket, 0, new Map()];
    let rest = Buffer.alloc(0);
    socket.on('data', (bytes) => {
      rest = Buffer.concat([rest, bytes]);
      for (let colon; (colon = rest.indexOf(':')) > 0; ) {
        const end = colon + 1 + Number(rest.subarray(0, colon).toString());
        if (rest.length < end) return;
        this.take(JSON.parse(rest.subarray(colon + 1, end).toString()));
        rest = rest.subarray(end);
      }
    });
    socket.on('close', () => {
      for (const { fail } of this.waiting.values()) fail(new Error('the browser ended'));
    });
  }
  take(message) {
    if (!Array.isArray(message)) return; // its greeting
    const [, id, error, result] = message;
    const { done, fail, method } = this.waiting.get(id);
    this.waiting.delete(id);
    if (error) fail(new Error(`${method}: ${error.message}`));
    else done(result);
  }
  send(method, params = {}) {
    const id = ++this.number;
    const text = JSON.stringify([0, id, method, params]);
    this.socket.write(`${Buffer.byteLength(text)}:${text}`);
    return new Promise((done, fail) => this.waiting.set(id, { done, fail, method }));
  }
  // Runs in the page, or with `chrome` in the browser itself.
  async run(source, given, chrome = false) {
    if (chrome) await this.send('Marionette:SetContext', { value: 'chrome' });
    try {
      const script = `return (${source})(...JSON.parse(arguments[0]))`;
      return (await this.send('WebDriver:ExecuteScript', { script, args: [JSON.stringify(given)] })).value;
    } finally {
      if (chrome) await this.send('Marionette:SetContext', { value: 'content' });
    }
  }
}

const KEYS = {
  Enter: '\uE007', Tab: '\uE004', Escape: '\uE00C', End: '\uE010', Home: '\uE011',
  ArrowLeft: '\uE012', ArrowUp: '\uE013', ArrowRight: '\uE014', ArrowDown: '\uE015',
};

class Tab {
  constructor(marionette, folder, own) {
    Object.assign(this, { marionette, folder, own });
  }
  call(source, given) {
    return this.marionette.run(source, given.map((value) => value ?? null));
  }
  go(address) {
    return this.marionette.send('WebDriver:Navigate', { url: address });
  }
  act(type, id, actions, parameters) {
    return this.marionette.send('WebDriver:PerformActions', { actions: [{ type, id, parameters, actions }] });
  }
  pointer(kind, x, y) {
    const move = { type: 'pointerMove', x: Math.round(x), y: Math.round(y), duration: 0, origin: 'viewport' };
    const press = { down: [{ type: 'pointerDown', button: 0 }], up: [{ type: 'pointerUp', button: 0 }], move: [] }[kind];
    return this.act('pointer', 'mouse', [move, ...press], { pointerType: 'mouse' });
  }
  wheel(x, y, deltaY) {
    return this.act('wheel', 'wheel', [{ type: 'scroll', x: Math.round(x), y: Math.round(y), deltaX: 0, deltaY, duration: 0, origin: 'viewport' }]);
  }
  key(name) {
    const value = KEYS[name] ?? name;
    return this.act('key', 'keys', [{ type: 'keyDown', value }, { type: 'keyUp', value }]);
  }
  async screenshot() {
    const { value } = await this.marionette.send('WebDriver:TakeScreenshot', { full: false, hash: false });
    return Buffer.from(value, 'base64');
  }
  async pdf() {
    const { value } = await this.marionette.send('WebDriver:Print', { background: false });
    return Buffer.from(value, 'base64');
  }
  paper(on) {
    return this.marionette.run(`(on) => { gBrowser.selectedBrowser.browsingContext.mediumOverride = on ? 'print' : ''; }`, [on], true);
  }
  async saved(act) {
    const before = new Set(readdirSync(this.folder));
    await act();
    for (let i = 0; i < 400; ++i, await pause(25)) {
      const fresh = readdirSync(this.folder).filter((name) => !before.has(name));
      if (fresh.length && !fresh.some((name) => name.endsWith('.part'))) {
        const bytes = readFileSync(join(this.folder, fresh[0]));
        if (bytes.length) return { name: fresh[0], bytes };
      }
    }
    throw new Error('nothing was saved within 10 s');
  }
  // Errors that the page has caused, and requests that it has made.
  noted() {
    return this.marionette.run(`(own) => {
      const errors = Services.console.getMessageArray().filter((message) => {
        try { message.QueryInterface(Ci.nsIScriptError); } catch { return false; }
        return message.sourceName.startsWith(own) && !(message.flags & 1);
      });
      Services.console.reset();
      const requests = window.gcanRequests ?? [];
      window.gcanRequests = [];
      return [...errors.map((message) => 'console: ' + message.errorMessage), ...requests];
    }`, [this.own], true);
  }
  close() {
    return this.go('about:blank');
  }
}

class Firefox {
  constructor(child, marionette, folder, downloads) {
    Object.assign(this, { child, marionette, folder, downloads });
  }
  async open(address, { width = 1200, height = 900, dark = false, scripts = true, own = 'file:' } = {}) {
    await this.marionette.run(`(dark, scripts, own) => {
      Services.prefs.setIntPref('layout.css.prefers-color-scheme.content-override', dark ? 0 : 1);
      Services.prefs.setBoolPref('javascript.enabled', scripts);
      Services.console.reset();
      window.gcanRequests = [];
      if (window.gcanWatch) Services.obs.removeObserver(window.gcanWatch, 'http-on-modify-request');
      window.gcanWatch = { observe(channel) {
        const info = channel.QueryInterface(Ci.nsIHttpChannel);
        if (info.loadInfo.browsingContext && !info.URI.spec.startsWith(own)) window.gcanRequests.push('request: ' + info.URI.spec);
      } };
      Services.obs.addObserver(window.gcanWatch, 'http-on-modify-request');
    }`, [dark, scripts, own], true);
    const tab = new Tab(this.marionette, this.downloads, own);
    const page = new Page(tab);
    await page.goto(address);
    const inner = await page.evaluate(() => [outerWidth - innerWidth, outerHeight - innerHeight]);
    await this.marionette.send('WebDriver:SetWindowRect', { width: width + inner[0], height: height + inner[1] });
    return page;
  }
  async close() {
    const ended = new Promise((done) => this.child.on('exit', done));
    await this.marionette.send('Marionette:Quit', { flags: ['eForceQuit'] }).catch(() => {});
    await ended;
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function port_of(folder) {
  const file = join(folder, 'MarionetteActivePort');
  for (let i = 0; i < 1200; ++i, await pause(50)) if (existsSync(file)) return Number(readFileSync(file, 'utf8'));
  throw new Error('Firefox did not answer within 60 s');
}

export async function launch_firefox() {
  if (!firefox) throw new Error('Firefox was not found');
  const folder = mkdtempSync(join(tmpdir(), 'gcan-firefox-'));
  const downloads = mkdtempSync(join(folder, 'saved-'));
  const lines = Object.entries({ ...SETTINGS, 'browser.download.dir': downloads }).map(([key, value]) => `user_pref(${JSON.stringify(key)}, ${JSON.stringify(value)});`);
  writeFileSync(join(folder, 'user.js'), lines.join('\n'));
  const child = spawn(firefox, ['--headless', '--no-remote', '--marionette', '--remote-allow-system-access', '--profile', folder], { stdio: 'ignore', env: { ...process.env, HOME: folder } });
  const socket = connect(await port_of(folder), '127.0.0.1');
  const marionette = new Marionette(socket);
  await marionette.send('WebDriver:NewSession', {});
  return new Firefox(child, marionette, folder, downloads);
}
