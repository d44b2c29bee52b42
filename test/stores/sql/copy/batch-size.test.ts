import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAX_BATCH_ROWS, MAX_BATCH_SIZE, nextBatchRows, rowSize } from '../../../../src/stores/sql/copy/batch-size.ts';

const rows = (count: number, size: number) => Array.from({ length: count }, () => ({ id: 1, text: 'x'.repeat(size) }));

describe('a batch of rows that are copied', () => {
  it('[OPS-4b] has the size of its text and blobs', () => {
    assert.equal(rowSize({ id: 7, text: 'abc', data: new Uint8Array(5), nothing: null }), 8);
  });

  it('[OPS-4b] grows to many small rows, and not beyond what memory is for', () => {
    let count = 16;
    for (const expected of [32, 64, 128, 256, MAX_BATCH_ROWS, MAX_BATCH_ROWS]) {
      count = nextBatchRows(rows(count, 10));
      assert.equal(count, expected);
    }
    assert.equal(nextBatchRows(rows(MAX_BATCH_ROWS, 10_000)), Math.floor(MAX_BATCH_SIZE / 10_000));
    assert.equal(nextBatchRows(rows(2, 2 * MAX_BATCH_SIZE)), 1);
  });
});
