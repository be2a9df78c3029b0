// A headless Chromium with software WebGL, and a page in it that notes what must not happen.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const web = fileURLToPath(new URL('../../web', import.meta.url));
const { chromium } = createRequire(join(web, 'package.json'))('playwright-core');

const program = process.env.CHROMIUM ?? ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((path) => existsSync(path));

export function launch() {
  return chromium.launch({
    executablePath: program,
    args: [
      '--no-sandbox', '--disable-dev-shm-usage', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync', '--enable-unsafe-swiftshader', '--use-angle=swiftshader',
    ],
  });
}

// Problems: errors in the console, exceptions, and requests to anywhere but the page itself (`own` begins
// their addresses).
export async function open(browser, address, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1200, height: 900 }, acceptDownloads: true, ...options });
  const problems = [];
  const own = options.own ?? 'file:';
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !/GPU stall|GL Driver Message/.test(message.text()))
      problems.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => problems.push(`exception: ${error.message}`));
  page.on('request', (request) => {
    if (!request.url().startsWith(own) && !request.url().startsWith('blob:')) problems.push(`request: ${request.url()}`);
  });
  await page.goto(address);
  return { page, problems };
}

// How many different colours a canvas shows, and a short sum of its pixels to tell pictures apart.
export function pixels(canvas) {
  return canvas.evaluate((element) => {
    const copy = document.createElement('canvas');
    [copy.width, copy.height] = [element.width, element.height];
    const context = copy.getContext('2d');
    context.drawImage(element, 0, 0);
    const { data } = context.getImageData(0, 0, copy.width, copy.height);
    const colours = new Set();
    let [sum, drawn] = [0, 0];
    for (let i = 0; i < data.length; i += 4) {
      const colour = (data[i] << 16) | (data[i + 1] << 8) | data[i + 2];
      if (data[i + 3] > 0) {
        ++drawn;
        colours.add(colour);
      }
      sum = (Math.imul(sum, 31) + colour + data[i + 3]) | 0;
    }
    return { colours: colours.size, drawn: drawn / (copy.width * copy.height), sum };
  });
}
