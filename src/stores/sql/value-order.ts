import type { Json } from '../../conventions/json.ts';
import type { ValueType } from '../../model/model.ts';
import { decimalKey } from './decimal.ts';

/** Compares two values of one type, neither of them null, as every store does (QRY-7): negative where the first is less, 0 where they are equal. */
export type Compare = (one: Json, other: Json) => number;

const byNumber =
  (numberOf: (value: Json) => number): Compare =>
  (one, other) =>
    Math.sign(numberOf(one) - numberOf(other));

const byBytes =
  (bytesOf: (text: string) => Uint8Array): Compare =>
  (one, other) =>
    Buffer.compare(bytesOf(textOf(one)), bytesOf(textOf(other)));

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** How values of a type are ordered: numbers by value, text by its UTF-8 bytes, false before true. */
export function comparisonOf(type: ValueType): Compare {
  switch (type.kind) {
    case 'integer':
    case 'number':
    case 'boolean':
      return byNumber(Number);
    case 'date-time':
      return byNumber((value) => Date.parse(textOf(value)));
    case 'decimal':
    case 'int64':
      return byBytes((text) => Buffer.from(decimalKey(text) ?? ''));
    case 'binary':
      return byBytes((text) => Buffer.from(text, 'base64'));
    case 'text':
    case 'object':
    case 'map':
    case 'array':
      return byBytes((text) => Buffer.from(text));
  }
}
