import type { SizeBound, SqlRow, SqlValue } from '../dialect.ts';

/** Measures a row: characters of text and bytes of blobs. JSON has at least as many bytes. */
export function measureSize(read: SqlRow, columns: readonly string[]): number {
  let size = 0;
  for (const column of columns) size += measureLength(read[column]);
  return size;
}

/** The size of all rows together. */
export function sizeOfAll(reads: readonly SqlRow[], columns: readonly string[]): number {
  return reads.reduce((sum, read) => sum + measureSize(read, columns), 0);
}

/**
 * The rows up to a bound, and the one that exceeds it: the next one is never read. A single row is never the last for
 * its size alone.
 */
export function readUpTo(rows: Iterable<SqlRow>, { columns, size }: SizeBound): SqlRow[] {
  const read: SqlRow[] = [];
  let left = size;
  for (const row of rows) {
    read.push(row);
    left -= measureSize(row, columns);
    if (left < 0 && read.length > 1) break;
  }
  return read;
}

function measureLength(value: SqlValue | undefined): number {
  return typeof value === 'string' || value instanceof Uint8Array ? value.length : 0;
}
