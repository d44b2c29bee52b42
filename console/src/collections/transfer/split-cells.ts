import { unescapeFormula } from '../../../../src/formats/csv-formula.ts';

/**
 * Splits a record of CSV (RFC 4180) into its cells: null for an empty cell, `''` for an empty one in quotes.
 *
 * @param delimiter one character
 */
export function splitCells(record: string, delimiter: string): readonly (string | null)[] {
  const cells: (string | null)[] = [];
  let at = 0;
  for (;;) {
    const isQuoted = record[at] === '"';
    const end = isQuoted ? findQuote(record, at + 1) : findOr(record, delimiter, at);
    const text = isQuoted ? record.slice(at + 1, end).replaceAll('""', '"') : record.slice(at, end);
    cells.push(text === '' && !isQuoted ? null : unescapeFormula(text));
    const next = isQuoted ? findOr(record, delimiter, end) : end;
    if (next >= record.length) return cells;
    at = next + 1;
  }
}

/** The index of the quote that closes a cell: a doubled one belongs to it. */
function findQuote(record: string, from: number): number {
  let at = findOr(record, '"', from);
  while (record[at + 1] === '"') at = findOr(record, '"', at + 2);
  return at;
}

function findOr(record: string, text: string, from: number): number {
  const found = record.indexOf(text, from);
  return found === -1 ? record.length : found;
}
