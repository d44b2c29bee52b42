import { texts } from '../texts.ts';
import { formatValue } from './json-values.ts';

/** A value to read. */
export function Value({ value }: { readonly value: unknown }) {
  const text = formatValue(value);
  return text === null ? <span className="hint">{texts.row.notSet}</span> : <span className="row-value">{text}</span>;
}
