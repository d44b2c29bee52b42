import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readJson, writeJson } from '../../src/formats/json.ts';
import { throwsApiError } from '../conventions/throws-api-error.ts';

const LIMITS = { depth: 32, items: 10_000 };
const bytes = (...parts: readonly (string | readonly number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));

/** Strings without characters that I-JSON refuses. */
const text = fc.string({ unit: 'grapheme' }).filter((value) => !/[\0\p{Cs}\p{Noncharacter_Code_Point}]/u.test(value));
const name = text.filter((value) => !['__proto__', 'constructor', 'prototype'].includes(value));
const long = fc.double({ min: 2 ** 53, max: 1e22, noNaN: true }).map(Math.round);
const number = fc
  .oneof(
    fc.maxSafeInteger(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    long,
    long.map((value) => -value),
  )
  // -0 is written as 0.
  .map((value) => (value === 0 ? 0 : value));
const { value: iJson } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, depthSize: 'small' },
    fc.constantFrom(null, true, false),
    number,
    text,
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(name, tie('value'), { maxKeys: 5, noNullPrototype: true }),
  ),
}));

describe('readJson', () => {
  it('[REP-7] reads what writeJson writes', () => {
    const law = fc.property(iJson, (value) => assert.deepEqual(readJson(Buffer.from(writeJson(value)), LIMITS), value));
    fc.assert(law, { numRuns: 300 });
  });

  it('[REP-7] skips a byte order mark', () =>
    assert.deepEqual(readJson(bytes([0xef, 0xbb, 0xbf], '{"a":1}'), LIMITS), { a: 1 }));

  it('[REP-7] keeps a byte order mark inside a string', () =>
    assert.equal(readJson(bytes('"', [0xef, 0xbb, 0xbf], '"'), LIMITS), '\ufeff'));

  const notUtf8: readonly (readonly [what: string, body: Buffer])[] = [
    ['a lone continuation byte', bytes('"', [0x80], '"')],
    ['a truncated sequence', bytes('"', [0xe2, 0x82], '"')],
    ['an overlong slash', bytes('"', [0xc0, 0xaf], '"')],
    ['an encoded surrogate', bytes('"', [0xed, 0xa0, 0x80], '"')],
    ['a code point beyond Unicode', bytes('"', [0xf4, 0x90, 0x80, 0x80], '"')],
    ['Latin-1', Buffer.from('"café"', 'latin1')],
    ['UTF-16 with its mark', bytes([0xff, 0xfe], Buffer.from('{}', 'utf16le').toJSON().data)],
  ];
  for (const [what, body] of notUtf8) {
    it(`[REP-7] refuses ${what} as invalid UTF-8`, () =>
      assert.match(throwsApiError(() => readJson(body, LIMITS), 'REQUEST_BODY_MALFORMED').message, /UTF-8/));
  }

  for (const [what, body] of [
    ['no byte', bytes()],
    ['white space', bytes(' \t\r\n')],
    ['a byte order mark', bytes([0xef, 0xbb, 0xbf])],
  ] as const) {
    it(`[REP-7] reports a missing body for ${what}`, () => {
      throwsApiError(() => readJson(body, LIMITS), 'REQUEST_BODY_REQUIRED');
    });
  }

  it('[REP-7] works again after a body of invalid UTF-8', () => {
    throwsApiError(() => readJson(bytes([0xe2, 0x82]), LIMITS), 'REQUEST_BODY_MALFORMED');
    assert.equal(readJson(bytes('1'), LIMITS), 1);
  });
});

describe('writeJson', () => {
  it('[REP-1] writes members in order, without white space', () =>
    assert.equal(writeJson({ b: [1, null], a: 'é' }), '{"b":[1,null],"a":"é"}'));

  for (const value of [undefined, () => 1, Symbol('a'), 1n]) {
    it(`[REP-1] throws on a ${typeof value}, which cannot be JSON`, () =>
      assert.throws(() => writeJson(value), TypeError));
  }
});
