import type { Json } from '../../conventions/json/json.ts';
import { storedDateTime } from './date-time.ts';
import { decimalError, MAX_DIGITS, storedDecimal, storedInt64 } from './exact-number.ts';
import { formats, readsUuids, storedUuid } from './formats.ts';
import type { ValueType } from '../model.ts';
import { toDigits } from './access.ts';

/** The value of a query parameter, or an error message without the name of the parameter. */
export type CoercionResult =
  | { readonly kind: 'valid'; readonly value: Json }
  | { readonly kind: 'invalid'; readonly message: string };

/** A result whose value is a string. */
type StringCoercionResult =
  | { readonly kind: 'valid'; readonly value: string }
  | (CoercionResult & { readonly kind: 'invalid' });

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** The result of form decoding for `+02:00`. */
const LOST_PLUS = /\d \d{2}:\d{2}$/;

/**
 * Converts a string from a query to a value of a type (QRY-2), in stored form. For an array it is the value of one
 * item. Strings are not validated, except dates: a string that no row has matches no row.
 */
export function coerceText(type: ValueType, text: string): CoercionResult {
  switch (type.kind) {
    case 'text':
      return type.format === 'date' && !formats.date.test(text)
        ? invalidValue(`must be ${formats.date.phrase}`)
        : { kind: 'valid', value: coerceId(type, text) };
    case 'binary':
    case 'json':
      return { kind: 'valid', value: text };
    case 'integer':
      return number(text, Number.isSafeInteger, 'must be an integer such as 42');
    case 'number':
      return number(text, Number.isFinite, 'must be a number such as 1.5');
    case 'boolean':
      return text === 'true' || text === 'false'
        ? { kind: 'valid', value: text === 'true' }
        : invalidValue('must be true or false');
    case 'date-time':
      return coerceDateTime(text, type);
    case 'decimal': {
      const isDecimal = decimalError(text, { precision: MAX_DIGITS, scale: null }) === null;
      return stored(isDecimal ? storedDecimal(text, type.scale) : null, 'must be a decimal number such as 19.99');
    }
    case 'int64':
      return stored(storedInt64(text), 'must be an integer from -2^63 to 2^63-1');
    case 'array':
      return coerceText(type.item.type, text);
    case 'object':
    case 'map':
      return invalidValue('is an object; use one of its members');
  }
}

/**
 * Converts a part of a text, with which values of a type are compared: it need not be a valid value. All values of the
 * format `uuid` are in lower case.
 */
export function coercePart(type: ValueType, part: string): string {
  const isUuid = type.kind === 'text' && type.format === 'uuid' && readsUuids(type);
  return isUuid ? part.toLowerCase() : part;
}

/** Converts a literal of a policy, or a claim, that is compared with a part of a text. */
export function coerceJsonPart(type: ValueType, part: Json): CoercionResult {
  return typeof part === 'string' ? { kind: 'valid', value: coercePart(type, part) } : invalidValue('must be a string');
}

/** Converts a text to lower case where it is compared with UUIDs. */
function coerceId(type: Extract<ValueType, { kind: 'text' }>, text: string): string {
  if (!readsUuids(type)) return text;
  return storedUuid(text) ?? coercePart(type, text);
}

/**
 * Converts a literal of a policy, or a claim, to a value of a type in stored form, to compare it with a field.
 * Numbers also stand for decimals and int64. For an array it is the value of one item, for JSON the whole value.
 */
export function coerceJson(type: ValueType, value: Json): CoercionResult {
  switch (type.kind) {
    case 'array':
      return coerceJson(type.item.type, value);
    case 'integer':
    case 'number':
      return typeof value === 'number' ? coerceText(type, String(value)) : invalidValue('must be a number');
    case 'json':
      return { kind: 'valid', value };
    case 'boolean':
      return typeof value === 'boolean' ? { kind: 'valid', value } : invalidValue('must be true or false');
    case 'decimal':
    case 'int64': {
      const digits = toDigits(value);
      return digits === null ? invalidValue('must be a number') : coerceText(type, digits);
    }
    case 'text':
    case 'binary':
    case 'date-time':
      return typeof value === 'string' ? coerceText(type, value) : invalidValue('must be a string');
    case 'object':
    case 'map':
      return coerceText(type, '');
  }
}

/** Converts a string from a query to a timestamp in stored form (REP-3). @param type its precision */
export function coerceDateTime(text: string, type: Extract<ValueType, { kind: 'date-time' }>): StringCoercionResult {
  return stored(storedDateTime(text, type), dateTimeError(text));
}

function number(text: string, test: (value: number) => boolean, message: string): CoercionResult {
  const value = Number(text);
  return NUMBER.test(text) && test(value) ? { kind: 'valid', value: value === 0 ? 0 : value } : invalidValue(message);
}

function stored(value: string | null, message: string): StringCoercionResult {
  return value === null ? invalidValue(message) : { kind: 'valid', value };
}

function dateTimeError(text: string): string {
  const message = 'must be a date and time with an offset, such as 2026-05-17T09:30:00Z';
  return LOST_PLUS.test(text) ? `${message}; a + in a query means a space, send %2B instead` : message;
}

function invalidValue(message: string): CoercionResult & { readonly kind: 'invalid' } {
  return { kind: 'invalid', message };
}
