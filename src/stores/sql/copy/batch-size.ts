import type { SqlRow } from '../dialect.ts';

/** A batch of rows that reaches one of them is large enough. The size is that of {@link rowSize}. */
export const MAX_BATCH_ROWS = 500;
export const MAX_BATCH_SIZE = 1_048_576;

/** Characters of text and bytes of blobs. */
export function rowSize(row: SqlRow): number {
  return Object.values(row).reduce<number>(
    (sum, value) => sum + (typeof value === 'string' || value instanceof Uint8Array ? value.length : 0),
    0,
  );
}

/** The number of rows to fetch next: as many as fit if they are as large as the last ones, at most twice as many. */
export function nextBatchRows(rows: readonly SqlRow[]): number {
  const average = rows.reduce((sum, row) => sum + rowSize(row), 0) / Math.max(1, rows.length);
  const fitting = Math.floor(MAX_BATCH_SIZE / Math.max(1, average));
  return Math.max(1, Math.min(MAX_BATCH_ROWS, rows.length * 2, fitting));
}
