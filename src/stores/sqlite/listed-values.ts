import type { BindParameters, SqlValue } from '../sql/dialect.ts';

/**
 * A value as JSON that SQLite reads as the value that it binds. A whole number beyond 2^53 is written with an exponent: its digits would be
 * read as another integer. What is no character, a surrogate alone, is bound as U+FFFD. JSON knows no bytes: they are told by their digits.
 */
function jsonOf(value: SqlValue): string {
  if (value instanceof Uint8Array) return `"${Buffer.from(value).toString('hex')}"`;
  if (typeof value === 'string') return JSON.stringify(value.toWellFormed());
  if (typeof value === 'number' && !Number.isSafeInteger(value)) return value.toExponential();
  return String(value);
}

/** A query of values of one type, which are one parameter. */
export function listedValues(values: readonly SqlValue[], parameters: BindParameters): string {
  const value = values[0] instanceof Uint8Array ? 'unhex(value)' : 'value';
  return `select ${value} from json_each(${parameters.add(`[${values.map(jsonOf).join(',')}]`)})`;
}
