import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { successor } from '../../../../src/stores/sql/read/intervals.ts';
import { runs } from '../../../extent.ts';

const bytes = (text: string): Buffer => Buffer.from(text);
const compare = (one: string, other: string): number => Buffer.compare(bytes(one), bytes(other));

describe('the texts with a prefix', () => {
  const rows: readonly (readonly [prefix: string, next: string | null])[] = [
    ['', null],
    ['a', 'b'],
    ['a%', 'a&'],
    ['z\u{10ffff}', '{'],
    ['\u{10ffff}\u{10ffff}', null],
    ['a\u{d7ff}', 'a\u{e000}'],
    ['\u{ffff}', '\u{10000}'],
    ['\u{1f600}', '\u{1f601}'],
  ];
  for (const [prefix, next] of rows) {
    it(`[QRY-7] end before ${JSON.stringify(next)} for ${JSON.stringify(prefix)}`, () => {
      assert.equal(successor(prefix), next);
    });
  }

  it('[QRY-7] start at the prefix and end before its successor, in the order of bytes', () => {
    const character = fc.oneof(
      fc.constantFrom('a', 'b', '\u{7f}', '\u{80}', '\u{d7ff}', '\u{e000}', '\u{ffff}', '\u{10000}', '\u{10ffff}'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    );
    const text = fc.array(character, { maxLength: 4 }).map((characters) => characters.join(''));
    fc.assert(
      fc.property(text, text, text, (prefix, other, rest) => {
        for (const each of [other, `${prefix}${rest}`]) {
          const next = successor(prefix);
          const between = compare(each, prefix) >= 0 && (next === null || compare(each, next) < 0);
          assert.equal(between, bytes(each).subarray(0, bytes(prefix).length).equals(bytes(prefix)));
        }
      }),
      { numRuns: runs(700, 4_000) },
    );
  });
});
