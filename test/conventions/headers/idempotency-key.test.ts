import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readIdempotencyKey } from '../../../src/conventions/headers/idempotency-key.ts';
import { throwsApiError } from '../throws-api-error.ts';

const LONGEST = 'k'.repeat(255);

describe('readIdempotencyKey', () => {
  it('[MET-12] returns null without the field', () => assert.equal(readIdempotencyKey(null), null));

  const rows: readonly (readonly [text: string, key: string])[] = [
    ['"8e03978e-40d5-43e8-bc93-6894a57f9324"', '8e03978e-40d5-43e8-bc93-6894a57f9324'],
    ['8e03978e-40d5-43e8-bc93-6894a57f9324', '8e03978e-40d5-43e8-bc93-6894a57f9324'],
    ['k', 'k'],
    [LONGEST, LONGEST],
    [`"${LONGEST}"`, LONGEST],
    ['"a\\"b"', 'a"b'],
    ['"a\\\\b"', 'a\\b'],
    // A backslash is an escape only within quotes.
    ['a\\\\b', 'a\\\\b'],
    ['a"b', 'a"b'],
    ['a"', 'a"'],
    ['a;b=c,d', 'a;b=c,d'],
    ['"a;b=c,d"', 'a;b=c,d'],
    // Parameters are ignored.
    ['"a";b', 'a'],
    ['"a";b=1;  c="d, \\"e\\"";*f=?0;g=:YWJj:;h=%"x, y"', 'a'],
  ];
  for (const [text, key] of rows) {
    it(`[MET-12] parses ${text.slice(0, 60)} as ${key.slice(0, 40)}`, () =>
      assert.equal(readIdempotencyKey(text), key));
  }

  const invalid = [
    '',
    '""',
    '"',
    '"a',
    '"a"b',
    '"a" b',
    '"a"b"',
    '"a\\b"',
    '"a\\"',
    'a b',
    '"a b"',
    ' a',
    'a\t',
    'é',
    '"é"',
    'a\u007f',
    `${LONGEST}k`,
    `"${LONGEST}k"`,
    '"a";',
    '"a" ;b',
    '"a";B',
    '"a";b="c',
    // Two lines of the field, joined.
    'a, b',
    '"a", "b"',
    '"a", b',
    '"a";b, "c"',
    '"a";b=c, "d"',
    '"a";b=c,d',
    '"a";b="c", "d"',
  ];
  for (const text of invalid) {
    it(`[MET-12] rejects ${JSON.stringify(text).slice(0, 60)}`, () => {
      const { details } = throwsApiError(() => readIdempotencyKey(text), 'IDEMPOTENCY_KEY_INVALID');
      assert.deepEqual(
        details.map(({ field }) => field),
        ['Idempotency-Key'],
      );
    });
  }

  const visible = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));
  const key = fc.array(visible, { minLength: 1, maxLength: 255 }).map((characters) => characters.join(''));

  it('[MET-12] reads the same key with quotes and without', () => {
    const law = fc.property(key, (text) => {
      assert.equal(readIdempotencyKey(`"${text.replace(/["\\]/g, '\\$&')}"`), text);
      if (!text.startsWith('"')) assert.equal(readIdempotencyKey(text), text);
    });
    fc.assert(law);
  });

  it('[LIM-1] reads a header-sized value in linear time', () => {
    for (const text of ['"'.padEnd(16_000, 'a'), `"a"${';a'.repeat(8_000)},`, `"a"${';a="'.repeat(3_999)}`]) {
      throwsApiError(() => readIdempotencyKey(text), 'IDEMPOTENCY_KEY_INVALID');
    }
  });
});
