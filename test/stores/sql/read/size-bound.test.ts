import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SqlRow } from '../../../../src/stores/sql/dialect.ts';
import { readUpTo, measureSize } from '../../../../src/stores/sql/read/size-bound.ts';

/** Rows with texts of these lengths, and those of them that were read so far. */
function lazyRows(...lengths: readonly number[]): { readonly rows: Iterable<SqlRow>; readonly taken: number[] } {
  const taken: number[] = [];
  function* rows(): Generator<SqlRow> {
    for (const length of lengths) {
      taken.push(length);
      yield { id: '', text: 'x'.repeat(length) };
    }
  }
  return { rows: rows(), taken };
}

describe('readUpTo', () => {
  for (const { title, lengths, size, reads } of [
    { title: 'all rows within the bound', lengths: [3, 3, 4], size: 10, reads: [3, 3, 4] },
    { title: 'no row after the one that exceeds the bound', lengths: [3, 3, 5, 1, 1], size: 10, reads: [3, 3, 5] },
    { title: 'one row after a first one that exceeds it alone', lengths: [11, 11, 1], size: 10, reads: [11, 11] },
    { title: 'nothing of an empty list', lengths: [], size: 10, reads: [] },
  ]) {
    it(`[LIM-1] reads ${title}`, () => {
      const { rows, taken } = lazyRows(...lengths);
      const read = readUpTo(rows, { columns: ['id', 'text'], size, guarded: false });
      assert.deepEqual([taken, read.map(({ text }) => String(text).length)], [reads, reads]);
    });
  }
});

describe('sizeOf', () => {
  it('[LIM-1] counts characters of text and bytes of blobs in the named columns', () => {
    const row = { id: 'ab', text: 'Öl', bytes: Buffer.from([1, 2, 3]), count: 7, none: null, other: 'x' };
    assert.equal(measureSize(row, ['id', 'text', 'bytes', 'count', 'none', 'absent']), 7);
  });
});
