/** A Markdown table with its first column as text and the others as numbers; nothing where it has no row. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, column) => (column === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n');
}

/** A number of things, with its thousands apart; `-` for none. */
export function formatCount(value: number | undefined): string {
  return value === undefined || Number.isNaN(value) ? '-' : Math.round(value).toLocaleString('en-US');
}

/** Notes below the tables, each told once. */
export class Footnotes {
  readonly #notes: string[] = [];

  mark(note: string): string {
    if (!this.#notes.includes(note)) this.#notes.push(note);
    return `<sup>${this.#notes.indexOf(note) + 1}</sup>`;
  }

  toMarkdown(): string {
    return this.#notes.map((note, index) => `${index + 1}. ${note}`).join('\n');
  }
}
