// Helpers for tests of pages: the browser GCAN_BROWSER (chromium or firefox), and the contents of a canvas.
import { launch_chromium } from './driver/chromium.mjs';

export const browser_name = process.env.GCAN_BROWSER ?? 'chromium';

export async function launch() {
  if (browser_name === 'chromium') return launch_chromium();
  const { launch_firefox } = await import('./driver/firefox.mjs');
  return launch_firefox();
}

// The number of colours of a canvas, the fraction that differs from its corner, and a checksum of its pixels.
export function pixels(canvas) {
  return canvas.evaluate((element) => {
    const copy = document.createElement('canvas');
    [copy.width, copy.height] = [element.width, element.height];
    const context = copy.getContext('2d');
    context.drawImage(element, 0, 0);
    const { data } = context.getImageData(0, 0, copy.width, copy.height);
    const all = new Uint32Array(data.buffer);
    const colours = new Set(all);
    let [sum, drawn] = [0, 0];
    for (const colour of all) {
      if (colour !== all[0]) ++drawn;
      sum = (Math.imul(sum, 31) + colour) | 0;
    }
    return { colours: colours.size, drawn: drawn / all.length, sum };
  });
}

// The canvas after a change has been drawn in full resolution.
export async function drawn(canvas) {
  await canvas.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await canvas.waitForFunction((element) => element.dataset.fine !== 'false');
  return pixels(canvas);
}

// Scrolls to the view of a kind, and returns it when it is ready.
export async function view(page, kind, index = 0) {
  const found = page.locator(`.view:has(.live.${kind})`).nth(index);
  for (let i = 0; (await found.count()) === 0 && i < 50; ++i) {
    await page.mouse.wheel(0, 600);
    await page.waitForTimeout(50);
  }
  await found.scrollIntoViewIfNeeded();
  await found.waitForFunction((element) => element.dataset.ready === 'true');
  return found;
}
