/**
 * Cells that a spreadsheet would evaluate as a formula, after any apostrophes; full-width characters count, too (OWASP,
 * CSV injection).
 */
const FORMULA = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const ESCAPED_FORMULA = /^'+[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/** A text that no spreadsheet evaluates: a formula is prefixed with an apostrophe. */
export function escapeFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

/** The text of a cell without the apostrophe that keeps spreadsheets from evaluating it. */
export function unescapeFormula(cell: string): string {
  return ESCAPED_FORMULA.test(cell) ? cell.slice(1) : cell;
}
