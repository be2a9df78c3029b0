// Elements are only created here. Texts become text nodes: nothing from a file is parsed as HTML.

type Attribute = string | number | boolean | ((event: any) => void) | undefined;
type Child = Node | string | undefined;

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, Attribute> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') made.addEventListener(name, value);
    else made.setAttribute(name, value === true ? '' : String(value));
  }
  made.append(...children.filter((child): child is Node | string => child !== undefined));
  return made;
}

export function button(text: string, label: string, click: () => void): HTMLButtonElement {
  return element('button', { type: 'button', title: label, 'aria-label': label, click }, text);
}

// A toggle button.
export function toggle(text: string, on: boolean, change: (on: boolean) => void): HTMLButtonElement {
  const made = element('button', { type: 'button', 'aria-pressed': String(on), class: 'toggle' }, text);
  made.addEventListener('click', () => {
    const now = made.getAttribute('aria-pressed') !== 'true';
    made.setAttribute('aria-pressed', String(now));
    change(now);
  });
  return made;
}

export interface Choice {
  text: string;
  value: string;
}

export function choice(
  label: string,
  choices: Choice[],
  chosen: string,
  change: (value: string) => void,
): HTMLLabelElement {
  const select = element('select', { change: () => change(select.value) });
  for (const { text, value } of choices)
    select.append(element('option', { value, selected: value === chosen }, text));
  return element('label', { class: 'choice' }, element('span', {}, label), select);
}

// A readable number: three significant digits.
export function short(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return Number(value.toPrecision(digits)).toExponential();
  return String(Number(value.toPrecision(digits)));
}

export function save(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = element('a', { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

// "Test error, 256 -> 'test-error-256'".
export function file_name(text: string): string {
  return (
    text
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '') || 'gcan'
  );
}

// The value of a CSS property, in light and dark.
export function ink(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

// Calls back when the page switches between light and dark.
export function on_theme(change: () => void): void {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', change);
}
