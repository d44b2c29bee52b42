/** Renders a Markdown table: text in the first column, numbers in the others. An empty string if there are no rows. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, column) => (column === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n');
}

/** Formats a number with thousands separators; `-` if undefined or NaN. */
export function formatCount(value: number | undefined): string {
  return value === undefined || Number.isNaN(value) ? '-' : Math.round(value).toLocaleString('en-US');
}

/** Numbered notes below the tables, without duplicates. */
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
