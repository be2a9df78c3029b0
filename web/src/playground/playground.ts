import load from './algebra.mjs';
import { choice, element } from '../dom';
import { Vec3 } from '../math';
import { Coefficients, shape_of } from './geometry';
import { Drawn, Scene } from './scene';

// The algebra page (`gcan algebra --page`): statements, their values, the Cayley table, and in the projective
// algebras of plane and space a picture with points to drag. All computing is gcan's own library as WebAssembly.

interface Opened {
  name?: string;
  blades?: string[];
  problem?: string;
}

interface Result {
  variable?: string;
  text?: string;
  quiet?: boolean;
  values?: (number | null)[];
  problem?: string;
  column?: number;
}

const EXAMPLES: Record<string, string> = {
  '2,0,1': `# Points are drawn: drag A, B and C.
A = !(e0 - 2 e1 - 1 e2)
B = !(e0 + 2 e1 + 0.5 e2)
C = !(e0 + 0.5 e1 + 2 e2)
ab = A & B              # the line through A and B
c = (ab | C) * ab       # C projected onto it
h = ab | C              # the perpendicular through C
M = exp(-pi/6 * C)      # a turn by 60 degrees around C
D = M >>> A`,
  '3,0,1': `# Drag A, B and C, or the background to turn space.
A = !(e0 + 1.5 e1 - 1 e2)
B = !(e0 - 1 e1 + 1 e2 + 1.5 e3)
C = !(e0 + 0.5 e1 + 2 e2 + 0.5 e3)
l = A & B               # the line through A and B
p = A & B & C           # the plane through all three
M = exp(-pi/5 * normalize(l))  # a turn around the line
D = M >>> C`,
  '3,0,0': `R = exp(-pi/4 * e12)     # a rotor: a quarter turn from e1 to e2
R >>> e1
e1 * e2 * e3`,
  '1,3,0': `exp(0.5 e12) >>> e1      # a boost
e1 * e1
e2 * e2`,
  '4,1,0': `o = 0.5 (e5 - e4)        # origin and infinity of conformal geometry
n = e4 + e5
o | n
n * n`,
};

const PRODUCTS = ['geometric', 'outer', 'inner', 'regressive'];
const POINT = /^(\s*)([A-Za-z]\w*)(\s*=\s*)!\(\s*e0\b[^)&|*/]*\)(.*)$/;
const FIGURE: Vec3[] = [[0, 0, 0], [0, 1, 0], [0.6, 1, 0], [0, 1, 0], [0, 0.6, 0], [0.4, 0.6, 0]]; // an F
const WAY = 8;

class Playground {
  private readonly text = element('textarea', { class: 'statements', spellcheck: 'false', rows: 12, 'aria-label': 'Statements, one a line', input: () => this.run() });
  private readonly answers = element('ol', { class: 'answers', 'aria-live': 'polite' });
  private readonly table = element('div', { class: 'table cayley' });
  private readonly scene = new Scene((name, to) => this.move_point(name, to));
  private readonly signature = element('input', { value: '2,0,1', size: 8, 'aria-label': 'Signature p,q,r', change: () => this.open(this.signature.value) });
  private readonly problem = element('p', { class: 'note problem', role: 'alert' });
  private name = '';
  private blades: string[] = [];
  private product = 0;

  constructor(
    host: HTMLElement,
    private readonly call: (name: string, argument: string | number) => any,
  ) {
    const examples = Object.keys(EXAMPLES).map((text) => ({ text: `G(${text})`, value: text }));
    host.append(
      element('div', { class: 'tools' },
        element('label', { class: 'choice' }, element('span', {}, 'signature'), this.signature),
        choice('examples', examples, '2,0,1', (value) => {
          this.signature.value = value;
          this.text.value = EXAMPLES[value];
          this.open(value);
        })),
      this.problem,
      element('div', { class: 'two' }, element('div', {}, this.text, this.answers), this.scene.root as unknown as HTMLElement),
      element('h2', {}, 'Cayley table'),
      choice('product', PRODUCTS.map((text, i) => ({ text, value: String(i) })), '0', (value) => {
        this.product = Number(value);
        this.show_table();
      }),
      this.table,
    );
    this.text.value = EXAMPLES['2,0,1'];
    this.open('2,0,1');
  }

  private open(signature: string): void {
    const opened: Opened = this.call('gcan_open', signature);
    this.problem.textContent = opened.problem ?? '';
    if (opened.problem) return;
    this.name = opened.name!;
    this.blades = opened.blades!;
    this.show_table();
    this.run();
  }

  private coefficients(result: Result): Coefficients {
    const found: Coefficients = {};
    this.blades.forEach((blade, i) => (found[blade] = result.values?.[i] ?? NaN));
    return found;
  }

  private run(): void {
    this.call('gcan_open', this.signature.value); // forgets the variables
    this.answers.replaceChildren();
    const drawn: Drawn[] = [];
    this.text.value.split('\n').forEach((line, i) => {
      const result: Result = this.call('gcan_run', line);
      if (result.problem) {
        this.answers.append(element('li', { value: i + 1, class: 'problem' }, result.problem));
        return;
      }
      if (result.text === undefined) return;
      if (!result.quiet)
        this.answers.append(element('li', { value: i + 1 }, result.variable ? `${result.variable} = ${result.text}` : result.text));
      const shape = shape_of(this.name, this.coefficients(result));
      if (!shape) return;
      const name = result.variable || `line ${i + 1}`;
      drawn.push({ name, shape, draggable: shape.kind === 'point' && POINT.test(line),
        path: shape.kind === 'motor' && result.variable ? this.motion(result.variable) : undefined });
    });
    (this.scene.root as SVGElement).style.display = this.drawable() ? '' : 'none';
    this.scene.show(drawn, this.name === 'G(2,0,1)');
  }

  private drawable(): boolean {
    return this.name === 'G(2,0,1)' || this.name === 'G(3,0,1)';
  }

  // A figure on its way from its place to where the motor takes it.
  private motion(motor: string): Vec3[][] {
    const steps: Vec3[][] = [];
    for (let i = 0; i <= WAY; ++i) {
      const figure: Vec3[] = [];
      for (const p of FIGURE) {
        const result: Result = this.call('gcan_run', `exp(${i / WAY} * log(normalize(${motor}))) >>> ${this.point_text(p)}`);
        const shape = result.values && shape_of(this.name, this.coefficients(result));
        if (shape?.kind !== 'point') return [];
        figure.push(shape.at);
      }
      steps.push(figure);
    }
    return steps;
  }

  private point_text(p: Vec3): string {
    const parts = ['e0'];
    p.slice(0, this.name === 'G(2,0,1)' ? 2 : 3).forEach((value, i) => {
      const digits = Math.abs(value).toFixed(3).replace(/\.?0+$/, '');
      if (digits !== '0') parts.push(`${value < 0 ? '-' : '+'} ${digits} e${i + 1}`);
    });
    return `!(${parts.join(' ')})`;
  }

  private move_point(name: string, to: Vec3): void {
    this.text.value = this.text.value
      .split('\n')
      .map((line) => {
        const found = line.match(POINT);
        return found && found[2] === name ? `${found[1]}${name}${found[3]}${this.point_text(to)}${found[4]}` : line;
      })
      .join('\n');
    this.run();
  }

  private show_table(): void {
    if (this.blades.length > 32) {
      this.table.replaceChildren(element('p', { class: 'note' }, 'The table of this algebra is too large for a page.'));
      return;
    }
    const cells: string[][] = this.call('gcan_table', this.product);
    const head = element('tr', {}, element('th', {}, ''), ...this.blades.map((blade) => element('th', { scope: 'col' }, blade)));
    const rows = cells.map((row, i) =>
      element('tr', {}, element('th', { scope: 'row' }, this.blades[i]), ...row.map((cell) => element('td', { class: cell === '0' ? 'zero' : undefined }, cell))));
    this.table.replaceChildren(element('table', {}, element('thead', {}, head), element('tbody', {}, ...rows)));
  }
}

async function start(): Promise<void> {
  const host = document.querySelector<HTMLElement>('[data-playground]');
  if (!host) return;
  const module = await load();
  new Playground(host, (name, argument) =>
    JSON.parse(module.ccall(name, 'string', [typeof argument === 'number' ? 'number' : 'string'], [argument])));
  host.dataset.ready = 'true';
}

void start();
