import type { BindParameters, KeyRows, KeyRowsOptions, SqlValue } from '../sql/dialect.ts';
import { quoteName } from '../sql/standard-dialect.ts';

/**
 * A value as JSON that SQLite reads as the value itself. An integer beyond 2^53 is written with an exponent: its digits would be read as another
 * integer. A lone surrogate becomes U+FFFD. Bytes are written as hexadecimal digits.
 */
function writeValue(value: SqlValue): string {
  if (value instanceof Uint8Array) return `"${Buffer.from(value).toString('hex')}"`;
  if (typeof value === 'string') return JSON.stringify(value.toWellFormed());
  if (typeof value === 'number' && !Number.isSafeInteger(value)) return value.toExponential();
  return String(value);
}

/** A query of values of one type that are bound as one parameter. */
export function valueList(values: readonly SqlValue[], parameters: BindParameters): string {
  const value = values[0] instanceof Uint8Array ? 'unhex(value)' : 'value';
  return `select ${value} from json_each(${parameters.add(`[${values.map(writeValue).join(',')}]`)})`;
}

/** Keys that are bound as one parameter: strings, or arrays of strings. */
export function keyRows(
  keys: readonly (readonly string[])[],
  { alias, width }: KeyRowsOptions,
  parameters: BindParameters,
): KeyRows {
  const of = quoteName(alias);
  const value = `${of}.value`;
  const json = JSON.stringify(width === 1 ? keys.flat() : keys);
  const members = Array.from({ length: width }, (_, at) => `json_extract(${value}, '$[${at}]')`);
  return {
    source: `json_each(${parameters.add(json)}) as ${of}`,
    position: `${of}.key`,
    ids: width === 1 ? [value] : members,
  };
}
