import type { Json } from '../../../conventions/json/json.ts';
import type { SortKey } from '../../../model/model.ts';
import { storedMember } from '../../../model/row-key.ts';
import type { ColumnForm } from '../column-form.ts';
import type { TableColumn } from '../columns.ts';
import type { Dialect, SqlRow } from '../dialect.ts';
import { quoteName } from '../standard-dialect.ts';

/** A column of a table of another program, as statements that write rows name it. */
export interface TargetColumn {
  /** The quoted name. */
  readonly name: string;
  /** The expression that is assigned for a bound value. */
  readonly assign: (placeholder: string) => string;
}

/** A column of the key of a table of another program, as statements that write rows name it. */
export interface TargetKey extends TargetColumn {
  /** The expression that is compared with a value of the key. */
  readonly compared: string;
  /** True if the server can make its values: UUIDs. */
  readonly isUuid: boolean;
}

/** A table of another program, as statements that write rows name it. Its alias is `shown`. */
export interface TableTarget {
  /** The qualified name. */
  readonly name: string;
  /** The expression of the id of a row that is written. */
  readonly id: string;
  /** The expression of the revision of a row; null where it is compared before the row is written. */
  readonly revision: string | null;
  readonly keys: readonly TargetKey[];
  /** The columns of fields and times, by their names in the row. */
  readonly columns: ReadonlyMap<string, TargetColumn>;
}

/** A table whose changes by other programs are recorded. */
export interface RecordedTable {
  /** The query, of recorded states of rows: a JSON array that is bound first. */
  readonly states: string;
}

/**
 * A table or view that another program writes. It is read through a query with the columns of an own table. That is a
 * view with the name of the resource, or a part of each statement.
 */
export interface ExistingTable {
  /** The SQL of conditions on its rows. */
  readonly dialect: Dialect;
  /** null for a table that is only read. */
  readonly target: TableTarget | null;
  /** The number of the table in the database; null where it has none. */
  readonly oid: number | null;
  /** null where changes by other programs are not recorded. */
  readonly recorded: RecordedTable | null;
  /** The query, for `from`; null where a view has the name of the resource. */
  readonly rows: string | null;
  /** The forms of the columns of the query, by their names. */
  readonly forms: ReadonlyMap<string, ColumnForm>;
  /** The columns of the query with the key of a row. A single one is `id`, whose value is the id itself. */
  readonly key: readonly TableColumn[];
  /** Splits the id of a row into the values of the key; null for a text that is the id of no row. */
  readonly splitId: (id: string) => readonly string[] | null;
  /**
   * Computes the revision of a row that was read whole. It is that of the query, which takes longer. Absent where the
   * database computes it.
   */
  readonly computeRevision?: (read: SqlRow) => number;
  /**
   * The upper bound of a range that has all texts with a prefix, in the order of every column that holds texts, and
   * others. Absent where there is no such range.
   *
   * @param next the smallest text that is greater than all of them, character by character
   */
  readonly boundPrefix?: (next: string) => string;
}

/** The tables of another program, by resource. */
export type ExistingTables = ReadonlyMap<string, ExistingTable>;

/** A table, by its key. */
interface KeyedTable {
  readonly key: readonly string[];
  readonly existing: ExistingTable | null;
}

/** Splits the ids of an address into the values of the key: those of another program are in one id. */
export function splitKey({ key, existing }: KeyedTable, ids: readonly string[]): readonly (string | null)[] {
  if (existing === null) return ids;
  return existing.splitId(ids[0] ?? '') ?? key.map(() => null);
}

/** Leaves the revision out of the select list of whole rows, where it is computed from them. */
export function omitDigest<S extends { readonly name: string; readonly text: string }>(
  existing: ExistingTable | null,
  selections: readonly S[],
): readonly S[] {
  if (existing?.computeRevision === undefined) return selections;
  return selections.map((each) =>
    each.name === 'revision' ? { ...each, text: `null as ${quoteName(each.name)}` } : each,
  );
}

/** Adds what follows from the stored values of a row that was read: its revision, and its position in an order. */
export function addStored({ computeRevision, forms }: ExistingTable, read: SqlRow, order: readonly SortKey[]): void {
  const row: Record<string, unknown> = read;
  if (read['revision'] === null) row['revision'] = computeRevision?.(read);
  for (const { path } of order) {
    const value = read[path] ?? null;
    const position = value === null ? null : (forms.get(path)?.position?.(value) ?? null);
    if (position !== null) row[storedMember(path)] = position;
  }
}

/** The columns that an id in a URL identifies a row by: its own, or all columns of a key of another program. */
export function listIdColumns({ key, existing }: KeyedTable): readonly string[] {
  return existing === null ? key.slice(0, 1) : key;
}

function toText(id: Json): string {
  return typeof id === 'string' ? id : '';
}

/** The order of a walk, and the position at which it continues. */
interface KeyedOrder {
  readonly order: readonly SortKey[];
  /** null at the start. */
  readonly after: readonly Json[] | null;
}

/** Puts the columns of a key in the place of the id: an index has the columns, and not the id. */
export function orderByKey(table: KeyedTable, { order, after }: KeyedOrder): KeyedOrder {
  const at = order.findIndex(({ path }) => path === 'id');
  const id = order[at];
  if (id === undefined || table.key[0] === 'id') return { order, after };
  return {
    order: order.toSpliced(at, 1, ...table.key.map((path) => ({ path, descending: id.descending }))),
    after: after === null ? null : after.toSpliced(at, 1, ...splitKey(table, [toText(after[at] ?? null)])),
  };
}
