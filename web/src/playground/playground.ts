import load from './algebra.mjs';
import { choice, element, on_theme } from '../dom';
import { add, scale, Vec3 } from '../math';
import { Coefficients, meaning, Shape, shape_of } from './geometry';
import { Handle, made_by, moved } from './handles';
import { Drawn, Scene } from './scene';

// The algebra page (`gcan algebra --page`): statements, their values, the Cayley table, and in the projective
// algebras of plane and space a picture with points to drag. gcan's own library, as WebAssembly, does all
// computation.

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
  '2,0,1': `# Drag A, B, C, the line g and the figure of M.
A = point(-2, -1)
B = point(3, 0.5)
C = point(0.5, 2)
ab = line(A, B)         # through A and B
h = ab | C              # the perpendicular through C
P = h ^ ab              # where they meet
g = line(0, 1, 2.5)     # 0 x + 1 y + 2.5 = 0
M = motor(C, -pi/3)     # 60 degrees around C
D = M >>> A`,
  '3,0,1': `# Drag A, B, C, the plane q and the figure of M;
# drag the background to turn space.
A = point(1.5, -1, 0)
B = point(-1, 1, 1.5)
C = point(0.5, 2, 0.5)
l = line(A, B)          # through A and B
p = plane(A, B, C)      # through all three
q = plane(0, 0, 1, 2)   # 0 x + 0 y + 1 z + 2 = 0
m = p ^ q               # where the planes meet
M = motor(l, 0.4*pi, 1) # turns around l, moves along it
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

const PRODUCTS = ['geometric', 'outer', 'inner', 'regressive', 'left', 'right', 'scalar', 'commutator'];
const FIGURE: Vec3[] = [[0, 0, 0], [0, 1, 0], [0.6, 1, 0], [0, 1, 0], [0, 0.6, 0], [0.4, 0.6, 0]]; // an F
const WAY = 8;

class Playground {
  private readonly text = element('textarea', { class: 'statements', spellcheck: 'false', wrap: 'off', rows: 12, 'aria-label': 'Statements, one a line', input: () => this.run() });
  private readonly answers = element('ol', { class: 'answers', 'aria-live': 'polite' });
  private readonly table = element('div', { class: 'table cayley' });
  private readonly scene = new Scene((name, by, seen) => this.move(name, by, seen));
  private readonly signature = element('input', { value: '2,0,1', size: 8, 'aria-label': 'Signature p,q,r', change: () => this.open(this.signature.value) });
  private readonly problem = element('p', { class: 'note problem', role: 'alert' });
  private name = '';
  private blades: string[] = [];
  private product = 0;
  private readonly handles = new Map<string, Handle & { line: number }>();

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
    on_theme(() => this.run());
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
    this.handles.clear();
    this.text.value.split('\n').forEach((line, i) => {
      const result: Result = this.call('gcan_run', line);
      if (result.problem) {
        this.answers.append(element('li', { value: i + 1, class: 'problem' }, result.problem));
        return;
      }
      if (result.text === undefined) return;
      const shape = this.shape(result);
      const text = result.variable ? `${result.variable} = ${result.text}` : result.text;
      if (!result.quiet)
        this.answers.append(
          element('li', { value: i + 1 }, element('code', {}, text), shape && element('span', { class: 'meaning' }, meaning(shape, this.name === 'G(2,0,1)'))),
        );
      if (!shape) return;
      const name = result.variable || `line ${i + 1}`;
      const handle = made_by(line);
      if (handle) this.handles.set(handle.name, { ...handle, line: i });
      drawn.push({ name, shape, draggable: handle !== undefined,
        path: shape.kind === 'motor' && result.variable ? this.motion(result.variable) : undefined });
    });
    (this.scene.root as SVGElement).style.display = this.drawable() ? '' : 'none';
    this.scene.show(drawn, this.name === 'G(2,0,1)');
  }

  private drawable(): boolean {
    return this.name === 'G(2,0,1)' || this.name === 'G(3,0,1)';
  }

  private value_of(expression: string): Result {
    return this.call('gcan_run', expression);
  }

  // The figure moved by a motor.
  private figure(motor: string): Vec3[] {
    const figure: Vec3[] = [];
    for (const p of FIGURE) {
      const numbers = p.slice(0, this.name === 'G(2,0,1)' ? 2 : 3).join(', ');
      const shape = this.shape(this.value_of(`(${motor}) >>> point(${numbers})`));
      if (shape?.kind !== 'point') return [];
      figure.push(shape.at);
    }
    return figure;
  }

  private shape(result: Result): Shape | undefined {
    return result.values && shape_of(this.name, this.coefficients(result));
  }

  // A figure moving from its position to its image under the motor.
  private motion(motor: string): Vec3[][] {
    const steps = Array.from({ length: WAY + 1 }, (_, i) => this.figure(`exp(${i / WAY} * log(normalize(${motor})))`));
    return steps.every((figure) => figure.length) ? steps : [];
  }

  // The point by which an object is held.
  private held_at(expression: string): Vec3 | undefined {
    const shape = this.shape(this.value_of(expression));
    if (shape?.kind === 'point') return shape.at;
    if (shape?.kind !== 'motor') return shape?.through;
    const figure = this.figure(expression);
    return figure.length ? scale(figure.reduce(add), 1 / figure.length) : undefined;
  }

  // Changes the numbers of the object's statement so that it follows the pointer.
  private move(name: string, by: [number, number], seen: (p: Vec3) => [number, number]): void {
    const handle = this.handles.get(name);
    if (!handle) return;
    const numbers = handle.free.map((i) => this.value_of(handle.parts[i]).values?.[0] ?? NaN);
    const to = moved(numbers, by, (values) => {
      const at = this.held_at(handle.expression(values));
      return at && seen(at);
    });
    if (!to) return;
    const lines = this.text.value.split('\n');
    lines[handle.line] = handle.statement(to);
    this.text.value = lines.join('\n');
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
