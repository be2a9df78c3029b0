// Objects defined by plain numbers can be dragged: `A = point(1, 2)`, `g = line(0, 1, -2)`, `q = plane(0, 0,
// 1, 2)`, `T = translator(1, 0)`, `M = motor(A, pi/3)`. Dragging changes the numbers in the statement.

export interface Handle {
  name: string;
  parts: string[]; // the arguments
  free: number[]; // those that dragging changes
  expression(values: number[]): string;
  statement(values: number[]): string;
}

const STATEMENT = /^(\s*([A-Za-z]\w*)\s*=\s*)(point|line|plane|translator|motor)\(([^#;]*)\)(\s*;?\s*(#.*)?)$/;
const NUMBER = /^[-+*/().\d\s]*(pi[-+*/().\d\s]*)?$/;
const STEP = 1e-4;
const STIFF = 1e-4; // damping: keeps numbers with little effect from jumping

// Which arguments dragging changes: lines and planes move along themselves, axes of motors stay.
const FREE: Record<string, (count: number) => number[]> = {
  point: (count) => [0, 1, 2].slice(0, count),
  translator: (count) => [0, 1, 2].slice(0, count),
  line: (count) => (count === 3 ? [2] : []),
  plane: (count) => (count === 4 ? [3] : []),
  motor: (count) => [1, 2].slice(0, count - 1),
};

// The arguments of a call; commas within brackets belong to them.
function arguments_of(text: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const c of text) {
    depth += c === '(' ? 1 : c === ')' ? -1 : 0;
    if (depth < 0) return []; // not a single call
    if (c === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += c;
  }
  return parts.map((part) => part.trim());
}

const text_of = (value: number) => String(Number(value.toFixed(3)) || 0);

// The draggable handles of a statement's object.
export function made_by(line: string): Handle | undefined {
  const found = line.match(STATEMENT);
  if (!found) return undefined;
  const [, before, name, call, text, after] = found;
  const parts = arguments_of(text);
  const free = FREE[call](parts.length);
  if (!free.length || !free.every((i) => parts[i] && NUMBER.test(parts[i]))) return undefined;
  const expression = (values: number[], word: (value: number) => string) =>
    `${call}(${parts.map((part, i) => (free.includes(i) ? word(values[free.indexOf(i)]) : part)).join(', ')})`;
  return {
    name,
    parts,
    free,
    expression: (values) => expression(values, (value) => value.toFixed(9)),
    statement: (values) => before + expression(values, text_of) + after,
  };
}

// The numbers that move the object by so much on the screen, with the least change of them (one step of damped least
// squares: J^T (J J^T + d)^-1 `by`). `seen` is where the object with these numbers is held.
export function moved(
  numbers: number[],
  by: [number, number],
  seen: (numbers: number[]) => [number, number] | undefined,
): number[] | undefined {
  const here = seen(numbers);
  if (!here || !numbers.every(Number.isFinite)) return undefined;
  const columns: [number, number][] = [];
  for (let i = 0; i < numbers.length; ++i) {
    const there = seen(numbers.map((value, k) => (k === i ? value + STEP : value)));
    if (!there) return undefined;
    columns.push([(there[0] - here[0]) / STEP, (there[1] - here[1]) / STEP]);
  }
  let [xx, xy, yy] = [0, 0, 0];
  for (const [x, y] of columns) [xx, xy, yy] = [xx + x * x, xy + x * y, yy + y * y];
  const damping = STIFF * (xx + yy) + 1e-12;
  [xx, yy] = [xx + damping, yy + damping];
  const size = xx * yy - xy * xy;
  const u = [(yy * by[0] - xy * by[1]) / size, (xx * by[1] - xy * by[0]) / size];
  return numbers.map((value, i) => value + columns[i][0] * u[0] + columns[i][1] * u[1]);
}
