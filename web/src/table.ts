import { button, element, toggle } from './dom';
import { csv_cell } from './chart_export';

// Makes the page's HTML tables sortable, with selectable columns and copying. A row of the paper's numbers
// (class "paper") stays above our row that follows it.

// The sort key of a cell: the last number of "0.12 / 0.10", which is the best checkpoint's.
export function sort_key(text: string): number {
  const found = text.replace(/,/g, '').match(/-?\d+(\.\d+)?(e[-+]?\d+)?/gi);
  if (text.includes('diverged')) return Number.MAX_VALUE;
  return found ? Number(found[found.length - 1]) : NaN;
}

const markdown_cell = (text: string) => text.replace(/[|*_<\\]/g, '\\$&').replace(/\n/g, ' ');

const LATEX: Record<string, string> = {
  '\\': '\\textbackslash{}', '~': '\\textasciitilde{}', '^': '\\textasciicircum{}',
  '&': '\\&', '%': '\\%', $: '\\$', '#': '\\#', _: '\\_', '{': '\\{', '}': '\\}',
};
const latex_cell = (text: string) => text.replace(/[\\~^&%$#_{}]/g, (c) => LATEX[c]);

interface Word {
  text: string;
  strong: boolean;
}

class PageTable {
  private readonly rows: HTMLTableRowElement[][]; // groups of rows that stay together
  private readonly shown: boolean[];
  private readonly heads: HTMLTableCellElement[];
  private readonly status = element('span', { class: 'status', role: 'status' });
  private readonly copied = element('textarea', { readonly: true, hidden: true, rows: 6, 'aria-label': 'Copied text' });
  private order: { column: number; down: boolean } | undefined;

  constructor(private readonly table: HTMLTableElement) {
    this.heads = [...table.tHead!.rows[0].cells];
    this.shown = this.heads.map(() => true);
    this.rows = this.groups();
    this.heads.forEach((head, i) => {
      const words = head.textContent || 'name';
      const sorter = button(words, `Sort by ${words}`, () => this.sort(i));
      sorter.className = 'sorter';
      head.replaceChildren(sorter);
    });
    (table.closest('.table') ?? table).after(this.tools());
  }

  private groups(): HTMLTableRowElement[][] {
    const groups: HTMLTableRowElement[][] = [];
    let open = false; // the last group begins with the paper's row and contains our rows
    for (const row of [...this.table.tBodies[0].rows]) {
      if (row.classList.contains('paper')) {
        groups.push([row]);
        open = true;
      } else if (open && row.classList.contains('ours')) {
        groups[groups.length - 1].push(row);
      } else {
        groups.push([row]);
        open = false;
      }
    }
    return groups;
  }

  private sort(column: number): void {
    const down = this.order?.column === column ? !this.order.down : false;
    this.order = { column, down };
    const text = (group: HTMLTableRowElement[]) => group[group.length - 1].cells[column]?.textContent ?? '';
    const numeric = this.rows.some((group) => column > 0 && Number.isFinite(sort_key(text(group))));
    const compare = (a: HTMLTableRowElement[], b: HTMLTableRowElement[]): number => {
      if (!numeric) return text(a).localeCompare(text(b), undefined, { numeric: true });
      const [x, y] = [sort_key(text(a)), sort_key(text(b))];
      if (Number.isNaN(x) || Number.isNaN(y)) return (Number.isNaN(x) ? 1 : 0) - (Number.isNaN(y) ? 1 : 0);
      return x - y;
    };
    const sorted = [...this.rows].sort(compare);
    if (down) sorted.reverse();
    this.table.tBodies[0].append(...sorted.flat());
    this.heads.forEach((head, i) => {
      if (i === column) head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      else head.removeAttribute('aria-sort');
    });
  }

  private show_column(column: number, on: boolean): void {
    this.shown[column] = on;
    for (const row of [...this.table.tHead!.rows, ...this.table.tBodies[0].rows]) row.cells[column].hidden = !on;
  }

  private words(): Word[][] {
    const words = (row: HTMLTableRowElement) =>
      [...row.cells]
        .filter((_, i) => this.shown[i])
        .map((cell) => ({ text: cell.textContent ?? '', strong: cell.querySelector('strong') !== null }));
    return [...this.table.tHead!.rows, ...this.table.tBodies[0].rows].filter((row) => !row.hidden).map(words);
  }

  private markdown(): string {
    const [head, ...rows] = this.words();
    const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
    const cell = ({ text, strong }: Word) => (strong ? `**${markdown_cell(text)}**` : markdown_cell(text));
    return [line(head.map(cell)), line(head.map((_, i) => (i ? '---:' : '---'))), ...rows.map((row) => line(row.map(cell)))].join('\n') + '\n';
  }

  private latex(): string {
    const [head, ...rows] = this.words();
    const cell = ({ text, strong }: Word) => (strong ? `\\textbf{${latex_cell(text)}}` : latex_cell(text));
    const line = (row: Word[]) => `${row.map(cell).join(' & ')} \\\\`;
    return [
      `\\begin{tabular}{l${'r'.repeat(head.length - 1)}}`, '\\toprule', line(head), '\\midrule',
      ...rows.map(line), '\\bottomrule', '\\end{tabular}',
    ].join('\n') + '\n';
  }

  private csv(): string {
    return this.words().map((row) => row.map(({ text }) => csv_cell(text)).join(',')).join('\n') + '\n';
  }

  private async copy(name: string, text: string): Promise<void> {
    this.copied.value = text;
    this.copied.hidden = false;
    this.copied.select();
    let done = false;
    try {
      await navigator.clipboard.writeText(text);
      done = true;
    } catch {
      done = document.execCommand('copy');
    }
    this.status.textContent = done ? `Copied as ${name}.` : `Select the text below to copy it as ${name}.`;
  }

  private tools(): HTMLElement {
    const columns = element('details', { class: 'columns' }, element('summary', {}, 'Columns'));
    this.heads.forEach((head, i) => {
      if (i === 0) return;
      const box = element('input', { type: 'checkbox', checked: true, change: () => this.show_column(i, box.checked) });
      columns.append(element('label', {}, box, ` ${head.textContent}`));
    });
    const paper = [...this.table.tBodies[0].rows].filter((row) => row.classList.contains('paper'));
    const bar = element('div', { class: 'tools', role: 'toolbar', 'aria-label': 'Table' });
    if (paper.length)
      bar.append(toggle('The paper’s rows', true, (on) => paper.forEach((row) => (row.hidden = !on))));
    bar.append(
      element('span', { class: 'tools-label' }, 'Copy as'),
      button('Markdown', 'Copy as Markdown', () => void this.copy('Markdown', this.markdown())),
      button('LaTeX', 'Copy as LaTeX', () => void this.copy('LaTeX', this.latex())),
      button('CSV', 'Copy as CSV', () => void this.copy('CSV', this.csv())),
      columns,
      this.status,
    );
    return element('div', { class: 'table-tools' }, bar, this.copied);
  }
}

export function improve_table(table: HTMLTableElement): void {
  if (!table.tHead?.rows.length || !table.tBodies.length) return;
  new PageTable(table);
}
