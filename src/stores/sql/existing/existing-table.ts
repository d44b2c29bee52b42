import type { Json } from '../../../conventions/json/json.ts';
import type { SortKey } from '../../../model/model.ts';
import type { ColumnForm } from '../column-form.ts';
import type { TableColumn } from '../columns.ts';

/**
 * A table or view that another program writes. It is read through a query with the columns of an own table. That is a
 * view with the name of the resource, or a part of each statement.
 */
export interface ExistingTable {
  /** The query, for `from`; null where a view has the name of the resource. */
  readonly rows: string | null;
  /** The forms of the columns of the query, by their names. */
  readonly forms: ReadonlyMap<string, ColumnForm>;
  /** The columns of the query with the key of a row. A single one is `id`, whose value is the id itself. */
  readonly key: readonly TableColumn[];
  /** Splits the id of a row into the values of the key; null for a text that is the id of no row. */
  readonly splitId: (id: string) => readonly string[] | null;
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
