import type { Json } from '../../conventions/json.ts';
import { storedDateTime } from './date-time.ts';
import { decimalError, MAX_DIGITS, storedDecimal, storedInt64 } from './exact-number.ts';
import { formats } from './formats.ts';
import type { ValueType } from '../model.ts';

/** A text of a query as a value, or what is wrong with it in words that follow the parameter's name. */
export type CoercionResult =
  | { readonly kind: 'valid'; readonly value: Json }
  | { readonly kind: 'invalid'; readonly message: string };

/** One whose value is a text. */
export type StringCoercionResult =
  | { readonly kind: 'valid'; readonly value: string }
  | (CoercionResult & { readonly kind: 'invalid' });

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** What is left of `+02:00` after a form decoder. */
const LOST_PLUS = /\d \d{2}:\d{2}$/;

/**
 * A text of a query string as a value of a type (QRY-2), in the form that JSON shows. A list takes the text of one item.
 * Text is taken as it is but for dates: one that no row holds matches none.
 */
export function coerceText(type: ValueType, text: string): CoercionResult {
  switch (type.kind) {
    case 'text':
      return type.format === 'date' && !formats.date.test(text)
        ? invalid(`must be ${formats.date.phrase}`)
        : { kind: 'valid', value: text };
    case 'binary':
      return { kind: 'valid', value: text };
    case 'integer':
      return number(text, Number.isSafeInteger, 'must be an integer such as 42');
    case 'number':
      return number(text, Number.isFinite, 'must be a number such as 1.5');
    case 'boolean':
      return text === 'true' || text === 'false'
        ? { kind: 'valid', value: text === 'true' }
        : invalid('must be true or false');
    case 'date-time':
      return coerceDateTime(text);
    case 'decimal': {
      const fault = decimalError(text, { precision: MAX_DIGITS, scale: null });
      return fault === null
        ? stored(storedDecimal(text, type.scale), '')
        : invalid('must be a decimal number such as 19.99');
    }
    case 'int64':
      return stored(storedInt64(text), 'must be an integer from -2^63 to 2^63-1');
    case 'array':
      return coerceText(type.item.type, text);
    case 'object':
    case 'map':
      return invalid('is an object: name one of its members');
  }
}

/** A text of a query string as a timestamp in its one form (REP-3). */
export function coerceDateTime(text: string): StringCoercionResult {
  return stored(storedDateTime(text), dateTimeError(text));
}

function number(text: string, test: (value: number) => boolean, message: string): CoercionResult {
  const value = Number(text);
  return NUMBER.test(text) && test(value) ? { kind: 'valid', value: value === 0 ? 0 : value } : invalid(message);
}

function stored(value: string | null, message: string): StringCoercionResult {
  return value === null ? invalid(message) : { kind: 'valid', value };
}

function dateTimeError(text: string): string {
  const fault = 'must be a date and time with an offset, such as 2026-05-17T09:30:00Z';
  return LOST_PLUS.test(text) ? `${fault}; a + in a query stands for a space, so send %2B` : fault;
}

function invalid(message: string): CoercionResult & { readonly kind: 'invalid' } {
  return { kind: 'invalid', message };
}
