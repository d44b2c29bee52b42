import type { Json } from '../../conventions/json.ts';

/** A number with its noun: `1 character`, `3 characters`, `2 entries`. */
export function counted(number: number, singular: string, plural = `${singular}s`): string {
  return `${number} ${number === 1 ? singular : plural}`;
}

/** What a value must be that is chosen from a list: `must be one of EUR, USD`. */
export function describeAllowed(values: readonly Json[]): string {
  return `must be ${values.length === 1 ? '' : 'one of '}${values.map(quoteValue).join(', ')}`;
}

/** A value of the model as a message shows it; a text that could be misread is quoted. */
export function quoteValue(value: Json): string {
  return typeof value === 'string' && /^[\w.:/-]+$/.test(value) ? value : JSON.stringify(value);
}
