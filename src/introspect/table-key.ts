import type { ColumnKind, DescribedTable } from './database.ts';

/** The columns whose values are the id of a row. */
export interface TableKey {
  /** None where a digest is the id of a row. Such rows are only read. */
  readonly columns: readonly string[];
  /** True for what identifies the rows of a table without a primary key: a resource does not name it. */
  readonly isImplicit: boolean;
  /** The reason for a key that is not the primary key; null for the primary key. */
  readonly note: string | null;
}

/** The kinds of values that can be unique. */
export const UNIQUE_KINDS: ReadonlySet<ColumnKind> = new Set([
  'integer',
  'int64',
  'decimal',
  'text',
  'date',
  'date-time',
  'uuid',
]);

/** The kinds of values that can be unique together with others. */
const UNIQUE_PARTS: ReadonlySet<ColumnKind> = new Set([...UNIQUE_KINDS, 'boolean']);

/** The kinds whose values can be ids. */
export const ID_KINDS: ReadonlySet<ColumnKind> = new Set([...UNIQUE_PARTS, 'binary']);

/** The key of a table in which no column identifies a row. */
const DIGEST: TableKey = {
  columns: [],
  isImplicit: true,
  note: 'no key: rows are only read, each page reads the whole table, and a changed row has another id; a primary key, or `key: COLUMN`, ends this',
};

/**
 * Chooses the key of a table: its primary key, else its shortest unique index without nulls, else the number of the
 * row, else its digest. Null where there is none.
 */
export function chooseKey(table: DescribedTable): TableKey | null {
  const { primaryKey, uniqueKeys, rowNumber } = table;
  const problem = findKeyProblem(table);
  if (problem === null) return { columns: primaryKey, isImplicit: false, note: null };
  const [unique] = uniqueKeys
    .filter((columns) => columns.every((name) => hasKind(table, name, ID_KINDS) && isNeverNull(table, name)))
    .toSorted((one, other) => one.length - other.length);
  if (unique !== undefined)
    return { columns: unique, isImplicit: false, note: `${problem}: a unique index is the key` };
  if (rowNumber === null) return table.hasDigests && primaryKey.length === 0 ? DIGEST : null;
  const note = `${problem}: the rowid is the key, which a VACUUM may change`;
  return { columns: [rowNumber], isImplicit: primaryKey.length === 0, note };
}

/** The reason why a primary key is not the key of a resource; null if it is. */
function findKeyProblem(table: DescribedTable): string | null {
  if (table.primaryKey.length === 0) return 'no primary key';
  if (table.hasNullKeys) return 'the primary key is null in some rows';
  return table.primaryKey.every((name) => hasKind(table, name, ID_KINDS))
    ? null
    : 'the values of the primary key cannot be ids';
}

/** Lists the columns that are unique together, other than those of a key. */
export function listUniqueTogether(table: DescribedTable, key: TableKey): DescribedTable['uniqueKeys'] {
  return table.uniqueKeys.filter(
    (columns) =>
      columns.length > 1 &&
      !isSameSet(columns, key.columns) &&
      columns.every((name) => hasKind(table, name, UNIQUE_PARTS)),
  );
}

/** True for the same columns, in any order. */
function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name) => other.includes(name));
}

function hasKind({ columns }: DescribedTable, name: string, kinds: ReadonlySet<ColumnKind>): boolean {
  return columns.some((column) => column.name === name && kinds.has(column.type.kind));
}

/** No database says it of the columns of a view: the start checks those of its key. */
function isNeverNull({ columns, view }: DescribedTable, name: string): boolean {
  return view !== null || columns.some((column) => column.name === name && column.notNull);
}
