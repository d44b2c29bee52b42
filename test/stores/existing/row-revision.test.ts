import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SqlValue } from '../../../src/stores/sql/dialect.ts';
import { digestInParts, rowRevision } from '../../../src/stores/sqlite/existing/row-revision.ts';

function countRevisions(rows: readonly (readonly SqlValue[])[]): number {
  return new Set(rows.map(rowRevision)).size;
}

/** Short texts of two letters: all of some lengths. */
function listTexts(longest: number): readonly string[] {
  let texts = [''];
  const all = [...texts];
  for (let length = 1; length <= longest; length += 1) {
    texts = texts.flatMap((text) => [`${text}a`, `${text}b`]);
    all.push(...texts);
  }
  return all;
}

describe('the digest of a row', () => {
  it('differs for values of different types, and for values at different places', () => {
    const rows: readonly (readonly SqlValue[])[] = [
      [1],
      ['1'],
      [1.5],
      ['1.5'],
      [new Uint8Array([0x31])],
      [null],
      ['null'],
      [''],
      [],
      [1, null],
      [null, 1],
      ['ab', 'c'],
      ['a', 'bc'],
      ['abc', ''],
      ['', 'abc'],
      [new Uint8Array([1]), new Uint8Array([2, 3])],
      [new Uint8Array([1, 2]), new Uint8Array([3])],
      [Infinity],
      [-Infinity],
      [Number.MAX_SAFE_INTEGER],
      [-Number.MAX_SAFE_INTEGER],
      [2 ** 32],
      [-(2 ** 32)],
      [0],
    ];
    assert.equal(countRevisions(rows), rows.length);
  });

  it('differs for neighbouring numbers and for all short texts', () => {
    const numbers = Array.from({ length: 50_000 }, (_, at) => [at - 25_000, (at % 7) / 4]);
    assert.equal(countRevisions(numbers), numbers.length);
    const texts = listTexts(14).map((text) => [text]);
    assert.equal(countRevisions(texts), texts.length);
  });

  it('differs for long texts that differ in two places', () => {
    const texts = Array.from({ length: 100 }, (_, one) =>
      Array.from({ length: 100 }, (_item, other) => [`${'x'.repeat(one)}y${'x'.repeat(99)}z${'x'.repeat(other)}`]),
    ).flat();
    assert.equal(countRevisions(texts), texts.length);
  });

  it('spreads over all of its bits, and has fewer digits than the numbers that JSON writes with exponents', () => {
    const revisions = Array.from({ length: 4_096 }, (_, at) => rowRevision([at]));
    for (let bit = 0; bit < 49; bit += 1) {
      const set = revisions.filter((revision) => Math.floor(revision / 2 ** bit) % 2 === 1).length;
      assert.ok(set > 1_800 && set < 2_300, `bit ${bit} is set in ${set}`);
    }
    assert.ok(Math.max(...revisions) < 10 ** 15);
  });

  it('of more values than a function of SQLite has arguments depends on each of them', () => {
    const row: readonly SqlValue[] = Array.from({ length: 250 }, () => null);
    const rows = [row, ...row.map((_, at) => row.with(at, 1))];
    assert.equal(new Set(rows.map((each) => digestInParts(each, rowRevision))).size, rows.length);
  });
});
