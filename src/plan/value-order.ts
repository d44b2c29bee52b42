import type { Json } from '../conventions/json/json.ts';
import { compareTimes } from '../conventions/text/timestamp.ts';
import type { ValueType } from '../model/model.ts';
import { compareNumbers } from '../model/values/exact-number.ts';

/**
 * Compares two values of one type other than null, as all stores do (QRY-7): negative if the first is less, 0 if they
 * are equal.
 */
export type Compare = (one: Json, other: Json) => number;

const byNumber =
  (numberOf: (value: Json) => number): Compare =>
  (one, other) =>
    Math.sign(numberOf(one) - numberOf(other));

const byBytes =
  (bytesOf: (text: string) => Uint8Array): Compare =>
  (one, other) =>
    Buffer.compare(bytesOf(requireText(one)), bytesOf(requireText(other)));

function requireText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The order of values of a type: numbers by value, text by UTF-8 bytes, false before true. */
export function compileComparison(type: ValueType): Compare {
  switch (type.kind) {
    case 'integer':
    case 'number':
    case 'boolean':
      return byNumber(Number);
    case 'date-time':
      return (one, other) => compareTimes(requireText(one), requireText(other));
    case 'decimal':
    case 'int64':
      return (one, other) => Math.sign(compareNumbers(requireText(one), requireText(other)));
    case 'binary':
      return byBytes((text) => Buffer.from(text, 'base64'));
    case 'text':
    case 'object':
    case 'map':
    case 'array':
    case 'json':
      return byBytes((text) => Buffer.from(text));
  }
}
