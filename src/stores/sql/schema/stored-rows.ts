import type { ValueType } from '../../../model/model.ts';

/** Rows that were found, and the ids of the first ones. */
export interface FoundRows {
  readonly rows: number;
  readonly ids: readonly string[];
}

/** A part of a unique key: a column, or a member inside of it. */
export interface KeyPart {
  readonly column: string;
  readonly members: readonly string[];
  readonly type: ValueType;
}

/** Counts the rows of a database before a migration. Tables and columns have their current names. */
export interface StoredRows {
  /** The number of rows of a table. */
  count(table: string): number;

  /** All rows of a table of rows. */
  all(table: string): FoundRows;

  /** The number of rows with a value in a column. */
  countValues(table: string, column: string): number;

  /** The rows that are NULL in a column. */
  withNull(table: string, column: string): FoundRows;

  /** The rows whose key another row has too. A key that is partly NULL equals no other. */
  duplicates(table: string, key: readonly KeyPart[]): FoundRows;

  /** The rows with a value in a column that is no id of another table. @param target null for a table that does not exist yet */
  dangling(table: string, column: string, target: string | null): FoundRows;
}
