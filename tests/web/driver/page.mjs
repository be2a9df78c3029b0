// A browser page and its elements, for tests: waits for elements before acting on them, and uses pointer and
// keys like a reader. A backend (chromium.mjs, firefox.mjs) has: call(source, arguments), pointer(kind, x,
// y), wheel(x, y, dy), key(name), and what only some browsers can.
import { setTimeout as pause } from 'node:timers/promises';
import { find } from './find.mjs';

const LIMIT = 60000; // [ms], for busy machines

async function until(what, condition, limit = LIMIT) {
  const end = Date.now() + limit;
  for (;;) {
    const found = await condition();
    if (found) return found;
    if (Date.now() > end) throw new Error(`waited ${limit / 1000} s for ${what}`);
    await pause(40);
  }
}

const step_of = (css, { has, hasText } = {}) => ({
  css,
  has: has?.steps,
  has_text: hasText === undefined ? undefined : hasText instanceof RegExp ? { source: hasText.source, flags: hasText.flags } : { plain: hasText },
});

class Places {
  constructor(backend, steps) {
    this.backend = backend;
    this.steps = steps;
  }
  with(step) {
    return new Locator(this.backend, [...this.steps, step]);
  }
  locator(css, options) {
    return this.with(step_of(css, options));
  }
  getByRole(role, { name, exact } = {}) {
    return this.with({ role, name, exact });
  }
  getByLabel(label) {
    return this.with({ label });
  }
  getByText(text) {
    return this.with({ text });
  }
}

export class Locator extends Places {
  nth(nth) {
    return this.with({ nth });
  }
  first() {
    return this.nth(0);
  }
  filterVisible() {
    return this.with({ visible: true });
  }
  toString() {
    return JSON.stringify(this.steps);
  }

  // A function of the elements, in the page.
  all(look, argument) {
    const source = `async (steps, argument) => { const find = ${find}; return (${look})(find(steps), argument); }`;
    return this.backend.call(source, [this.steps, argument]);
  }
  // Of the first one, if there is one.
  async evaluate(look, argument) {
    await this.waitFor();
    return this.all(`async ([element], argument) => (${look})(element, argument)`, argument);
  }
  count() {
    return this.all((found) => found.length);
  }
  waitFor({ timeout } = {}) {
    return until(this, () => this.count(), timeout);
  }
  waitForFunction(condition, { timeout } = {}) {
    return until(`${this}: ${condition}`, () => this.all(`async ([element]) => Boolean(element && (${condition})(element))`), timeout);
  }
  textContent() {
    return this.evaluate((element) => element.textContent);
  }
  allTextContents() {
    return this.all((found) => found.map((element) => element.textContent));
  }
  getAttribute(name) {
    return this.evaluate((element, key) => element.getAttribute(key), name);
  }
  inputValue() {
    return this.evaluate((element) => element.value);
  }
  isHidden() {
    return this.all(([element]) => !element || !element.checkVisibility());
  }
  focus() {
    return this.evaluate((element) => element.focus());
  }

  scrollIntoViewIfNeeded() {
    return this.evaluate((element) => {
      const { top, bottom } = element.getBoundingClientRect();
      if (top < 0 || bottom > innerHeight) element.scrollIntoView({ block: 'center' });
    });
  }
  boundingBox() {
    return this.evaluate((element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      return { x, y, width, height };
    });
  }
  // Its position once it is stable and not covered.
  async place({ position, bare = true } = {}) {
    await this.waitFor();
    let before = '';
    return until(`${this} to hold still in sight`, async () => {
      const now = await this.all(
        ([element], at) => {
          if (!element?.checkVisibility()) return null;
          const box = element.getBoundingClientRect();
          if (box.top < 0 || box.bottom > innerHeight) element.scrollIntoView({ block: 'center' });
          const { x, y, width, height } = element.getBoundingClientRect();
          const point = { x: x + (at?.x ?? width / 2), y: y + (at?.y ?? height / 2) };
          const top = document.elementFromPoint(point.x, point.y);
          return { ...point, bare: Boolean(top && (element.contains(top) || top.contains(element))) };
        },
        position ?? null,
      );
      const same = now && JSON.stringify(now) === before;
      before = JSON.stringify(now);
      return same && (now.bare || !bare) ? now : undefined;
    });
  }
  async hover(options) {
    const { x, y } = await this.place(options);
    await this.backend.pointer('move', x, y);
  }
  async click(options) {
    const { x, y } = await this.place(options);
    await this.backend.pointer('move', x, y);
    await this.backend.pointer('down', x, y);
    await this.backend.pointer('up', x, y);
  }
  async press(key) {
    await this.focus();
    await this.backend.key(key);
  }
  async uncheck() {
    if (await this.evaluate((element) => element.checked)) await this.click();
  }
  fill(text) {
    return this.evaluate((element, value) => {
      element.focus();
      element.value = value;
      for (const kind of ['input', 'change']) element.dispatchEvent(new Event(kind, { bubbles: true }));
    }, text);
  }
  // A value, { label } or { index }.
  selectOption(choice) {
    return this.evaluate((element, { value, label, index }) => {
      const at = [...element.options].findIndex((option, i) => option.value === value || option.text === label || i === index);
      if (at < 0) throw new Error(`no such option: ${value ?? label ?? index}`);
      element.selectedIndex = at;
      element.dispatchEvent(new Event('change', { bubbles: true }));
    }, typeof choice === 'string' ? { value: choice } : choice);
  }
}

export class Page extends Places {
  constructor(backend) {
    super(backend, []);
    this.at = { x: 0, y: 0 };
    const go = async (kind, x, y) => {
      this.at = { x, y };
      await backend.pointer(kind, x, y);
    };
    this.mouse = {
      move: async (x, y, { steps = 1 } = {}) => {
        const from = this.at;
        for (let i = 1; i <= steps; ++i) await go('move', from.x + ((x - from.x) * i) / steps, from.y + ((y - from.y) * i) / steps);
      },
      down: () => go('down', this.at.x, this.at.y),
      up: () => go('up', this.at.x, this.at.y),
      wheel: (_, dy) => backend.wheel(this.at.x, this.at.y, dy),
    };
    this.keyboard = { press: (key) => backend.key(key) };
  }
  goto(address) {
    return this.backend.go(address);
  }
  evaluate(look, argument) {
    return this.backend.call(`async (argument) => (${look})(argument)`, [argument]);
  }
  title() {
    return this.evaluate(() => document.title);
  }
  waitForTimeout(time) {
    return pause(time);
  }
  until(what, condition, limit) {
    return until(what, condition, limit);
  }
  resize(size) {
    return this.backend.resize(size);
  }
  screenshot(options) {
    return this.backend.screenshot(options);
  }
  pdf() {
    return this.backend.pdf();
  }
  // Things that must not happen: console errors, exceptions, requests to other places.
  problems() {
    return this.backend.noted();
  }
  close() {
    return this.backend.close();
  }
}
