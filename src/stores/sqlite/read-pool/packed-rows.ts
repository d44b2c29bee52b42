import type { SqlRow, SqlValue } from '../../sql/dialect.ts';
import type { BatchRows } from '../../sql/sql-client.ts';

/** The rows of one statement for another thread: the names of its columns once, and the values of each row. */
interface PackedRows {
  readonly names: readonly string[];
  readonly rows: readonly (readonly SqlValue[])[];
}

/**
 * The rows of each statement of a batch. Structured cloning writes and reads the names of each object, which takes
 * longer than its values do.
 */
export type PackedBatch = readonly PackedRows[];

/** @param batch rows of a statement have the same columns in the same order */
export function packBatch(batch: BatchRows): PackedBatch {
  return batch.map((rows) => ({
    names: Object.keys(rows[0] ?? {}),
    rows: rows.map((row) => Object.values(row)),
  }));
}

export function unpackBatch(batch: PackedBatch): BatchRows {
  return batch.map(({ names: cloned, rows }) => {
    // As the names of properties: V8 would look up a cloned string for each row.
    const names = Object.keys(Object.fromEntries(cloned.map((name) => [name, null])));
    return rows.map((values) => unpackRow(names, values));
  });
}

function unpackRow(names: readonly string[], values: readonly SqlValue[]): SqlRow {
  const row: SqlRow = {};
  for (let column = 0; column < names.length; column += 1) row[names[column] ?? ''] = values[column] ?? null;
  return row;
}
