import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { packBatch, unpackBatch } from '../../../../src/stores/sqlite/read-pool/packed-rows.ts';

const value = fc.oneof(
  fc.string(),
  fc.double(),
  fc.bigInt(),
  fc.constant(null),
  fc.uint8Array({ maxLength: 4 }).map((bytes) => Uint8Array.from(bytes)),
);

/** Rows of one statement: the same columns in the same order. */
const rowsOfStatement = fc
  .uniqueArray(fc.stringMatching(/^[a-z]{1,8}( [0-9])?$/), { minLength: 1, maxLength: 5 })
  .chain((names) => fc.array(fc.tuple(...names.map((name) => fc.tuple(fc.constant(name), value))), { maxLength: 4 }))
  .map((rows) => rows.map((members) => Object.fromEntries(members)));

describe('packed rows', () => {
  it('[QRY-3] are the same rows in another thread', () => {
    fc.assert(
      fc.property(fc.array(rowsOfStatement, { maxLength: 3 }), (batch) => {
        const read = unpackBatch(structuredClone(packBatch(batch)));
        assert.deepEqual(read, batch);
        const columns = (rows: readonly object[]): unknown => rows.map((row) => Object.keys(row));
        assert.deepEqual(read.map(columns), batch.map(columns), 'with the columns in order');
      }),
    );
  });
});
