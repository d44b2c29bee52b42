import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json } from '../../../src/conventions/json/json.ts';
import { coerceText } from '../../../src/model/values/coercion.ts';
import type { ValueType } from '../../../src/model/model.ts';

const decimal: ValueType = { kind: 'decimal', precision: 6, scale: 2 };
const date: ValueType = { kind: 'text', format: 'date' };
const text: ValueType = { kind: 'text', format: null };

describe('coerceText', () => {
  const valid: readonly (readonly [type: ValueType, from: string, value: Json])[] = [
    [text, '5', '5'],
    [text, '', ''],
    [{ kind: 'text', format: 'uuid' }, 'ab', 'ab'],
    [date, '2026-05-17', '2026-05-17'],
    [{ kind: 'integer' }, '42', 42],
    [{ kind: 'integer' }, '-0', 0],
    [{ kind: 'integer' }, '1e3', 1000],
    [{ kind: 'number' }, '1.50', 1.5],
    [{ kind: 'number' }, '-2E-1', -0.2],
    [{ kind: 'boolean' }, 'true', true],
    [{ kind: 'boolean' }, 'false', false],
    [{ kind: 'date-time' }, '2026-05-17T09:30:00+02:00', '2026-05-17T07:30:00.000Z'],
    [decimal, '7', '7.00'],
    [decimal, '7.125', '7.125'],
    [decimal, '99999999', '99999999.00'],
    [{ kind: 'int64' }, '9223372036854775807', '9223372036854775807'],
    [{ kind: 'array', item: { type: { kind: 'integer' }, nullable: false } }, '3', 3],
    [{ kind: 'binary', mediaType: null }, 'AAAA', 'AAAA'],
  ];
  for (const [type, from, value] of valid) {
    it(`[QRY-2] reads ${JSON.stringify(from)} as ${type.kind} ${JSON.stringify(value)}`, () => {
      assert.deepEqual(coerceText(type, from), { kind: 'valid', value });
    });
  }

  const invalid: readonly (readonly [type: ValueType, from: string, message: RegExp])[] = [
    [date, '2026-02-30', /must be a date such as/],
    [{ kind: 'integer' }, '4.5', /must be an integer/],
    [{ kind: 'integer' }, '9007199254740992', /must be an integer/],
    [{ kind: 'integer' }, '0x10', /must be an integer/],
    [{ kind: 'integer' }, ' 1', /must be an integer/],
    [{ kind: 'integer' }, '', /must be an integer/],
    [{ kind: 'number' }, '1.', /must be a number/],
    [{ kind: 'number' }, '.5', /must be a number/],
    [{ kind: 'number' }, '+1', /must be a number/],
    [{ kind: 'number' }, '1e999', /must be a number/],
    [{ kind: 'number' }, 'NaN', /must be a number/],
    [{ kind: 'boolean' }, '1', /must be true or false/],
    [{ kind: 'boolean' }, 'TRUE', /must be true or false/],
    [{ kind: 'date-time' }, '2026-05-17', /with an offset/],
    [decimal, '1e2', /must be a decimal number/],
    [{ kind: 'int64' }, '9223372036854775808', /must be an integer/],
    [{ kind: 'map', value: { type: text, nullable: false } }, 'a', /is an object/],
  ];
  for (const [type, from, message] of invalid) {
    it(`[QRY-2] rejects ${JSON.stringify(from)} as ${type.kind}`, () => {
      const coerced = coerceText(type, from);
      assert.ok(coerced.kind === 'invalid');
      assert.match(coerced.message, message);
    });
  }

  it('[URL-4] suggests %2B if the + of an offset became a space, and only then', () => {
    const message = (from: string): string => {
      const coerced = coerceText({ kind: 'date-time' }, from);
      return coerced.kind === 'invalid' ? coerced.message : '';
    };
    assert.match(message('2026-05-17T09:30:00 02:00'), /%2B/);
    assert.doesNotMatch(message('2026-05-17'), /%2B/);
  });
});
