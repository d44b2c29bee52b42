import type { TableColumn } from '../columns.ts';
import { type Alteration, compareTables, type CurrentTable } from './alteration.ts';
import { dropEffects, findDuplicates, type Effects, findEffects, NO_EFFECTS, StoredTable } from './change-effects.ts';
import type { Index, TableSchema } from './schema.ts';
import type { StoredRows } from './stored-rows.ts';

/** A difference between a database and a model. */
export type SchemaChange = Effects &
  (
    | { readonly kind: 'rename-table'; readonly from: string; readonly to: string }
    | { readonly kind: 'rename-column'; readonly table: string; readonly from: string; readonly to: string }
    | { readonly kind: 'drop-index'; readonly name: string }
    | { readonly kind: 'alter-table'; readonly alteration: Alteration }
    | { readonly kind: 'create-table'; readonly table: TableSchema }
    | { readonly kind: 'drop-table'; readonly table: CurrentTable }
    | { readonly kind: 'create-index'; readonly table: TableSchema; readonly index: Index }
  );

/** The tables of a database under the names of the model. */
interface RenamedTables {
  /** The tables with the new names of tables and columns. */
  readonly tables: ReadonlyMap<string, CurrentTable>;
  /** The current name in the database of a table, or of a column. */
  readonly stored: (table: string, column: string | null) => string;
  readonly changes: readonly SchemaChange[];
}

/** Applies `was` to each new name that the database does not have, while it has the old one. */
function rename(current: readonly CurrentTable[], declared: readonly TableSchema[]): RenamedTables {
  const known = new Map(current.map((table) => [table.name, table]));
  const tableNames = new Map<string, string>();
  for (const { name, was } of declared) {
    if (was !== null && !known.has(name) && known.has(was)) tableNames.set(was, name);
  }
  const changes: SchemaChange[] = [...tableNames].map(([from, to]) => ({
    kind: 'rename-table',
    ...NO_EFFECTS,
    from,
    to,
  }));
  const storedTables = new Map([...tableNames].map(([from, to]) => [to, from]));
  // By table and column: the table of an array of references may have the name of one with a point.
  const storedColumns = new Map<string, ReadonlyMap<string, string>>();
  const columnNames = new Map<string, ReadonlyMap<string, string>>();
  for (const table of current) {
    const name = tableNames.get(table.name) ?? table.name;
    const columns = renamedColumns(table, declared.find((each) => each.name === name)?.columns ?? []);
    columnNames.set(table.name, columns);
    storedColumns.set(name, new Map([...columns].map(([from, to]) => [to, from])));
    for (const [from, to] of columns) changes.push({ kind: 'rename-column', ...NO_EFFECTS, table: name, from, to });
  }
  const tables = current.map((table) => withNames(table, tableNames, columnNames));
  const storedName = (table: string, column: string | null): string =>
    column === null ? (storedTables.get(table) ?? table) : (storedColumns.get(table)?.get(column) ?? column);
  return { tables: new Map(tables.map((table) => [table.name, table])), stored: storedName, changes };
}

/** A table with the new names of tables and of their columns, each by the old one. */
function withNames(
  table: CurrentTable,
  tableNames: ReadonlyMap<string, string>,
  columnNames: ReadonlyMap<string, ReadonlyMap<string, string>>,
): CurrentTable {
  const named = (of: string, columns: readonly string[]): readonly string[] =>
    columns.map((column) => columnNames.get(of)?.get(column) ?? column);
  return {
    ...table,
    name: tableNames.get(table.name) ?? table.name,
    columns: table.columns.map((column) => ({
      ...column,
      name: columnNames.get(table.name)?.get(column.name) ?? column.name,
    })),
    primaryKey: named(table.name, table.primaryKey),
    foreignKeys: table.foreignKeys.map((key) => ({
      ...key,
      columns: named(table.name, key.columns),
      table: tableNames.get(key.table) ?? key.table,
      keys: named(key.table, key.keys),
    })),
  };
}

function renamedColumns(table: CurrentTable, declared: readonly TableColumn[]): ReadonlyMap<string, string> {
  const known = new Set(table.columns.map(({ name }) => name));
  return new Map(
    declared.flatMap(({ name, was }): [string, string][] =>
      was !== null && !known.has(name) && known.has(was) ? [[was, name]] : [],
    ),
  );
}

function indexChanges(table: TableSchema, before: CurrentTable | undefined, stored: StoredTable): SchemaChange[] {
  const existing = new Set(before?.indexes);
  return table.indexes
    .filter(({ name }) => !existing.has(name))
    .map((index) => ({
      kind: 'create-index',
      table,
      index,
      losses: [],
      rows: before === undefined ? 0 : stored.count(),
      broken: before === undefined ? [] : findDuplicates(index, table, before, stored),
    }));
}

/** The changes of one table. Links are derived from rows: a new table is filled again. */
function tableChanges(
  table: TableSchema,
  tables: RenamedTables['tables'],
  storedTable: (name: string) => StoredTable,
): SchemaChange[] {
  const before = tables.get(table.name);
  if (before === undefined) return [{ kind: 'create-table', ...NO_EFFECTS, table }];
  const alteration = compareTables(before, table);
  if (alteration === null) return [];
  if (table.kind === 'links') {
    return [
      { kind: 'drop-table', ...NO_EFFECTS, table: before },
      { kind: 'create-table', ...NO_EFFECTS, table },
    ];
  }
  const effects = findEffects(alteration, storedTable(table.name), new Set(tables.keys()));
  return [{ kind: 'alter-table', ...effects, alteration }];
}

/**
 * The changes that migrate a database to a model, in the order in which they apply: renames, dropped indexes, tables,
 * created indexes.
 *
 * @param rows called with the current names in the database
 * @param derived the tables whose rows are no loss
 */
export function schemaChanges(
  current: readonly CurrentTable[],
  declared: readonly TableSchema[],
  rows: StoredRows,
  derived: ReadonlySet<string>,
): readonly SchemaChange[] {
  const { tables, stored, changes } = rename(current, declared);
  const storedTable = (name: string): StoredTable => new StoredTable(name, stored, rows);
  const wanted = new Map(declared.map((table) => [table.name, table]));
  const droppedIndexes = [...tables.values()].flatMap(({ name, indexes }) => {
    const kept = new Set(wanted.get(name)?.indexes.map((index) => index.name));
    return wanted.has(name) ? indexes.filter((each) => !kept.has(each)) : [];
  });
  const altered = declared.flatMap((table) => tableChanges(table, tables, storedTable));
  const created = new Set(altered.flatMap((change) => (change.kind === 'create-table' ? [change.table.name] : [])));
  const dropped = [...tables.values()]
    .filter(({ name }) => !wanted.has(name))
    .map((table): SchemaChange => {
      const effects = derived.has(table.name) ? NO_EFFECTS : dropEffects(table, storedTable(table.name));
      return { kind: 'drop-table', ...effects, table };
    });
  return [
    ...changes,
    ...droppedIndexes.map((name): SchemaChange => ({ kind: 'drop-index', ...NO_EFFECTS, name })),
    ...altered,
    ...dropped,
    ...declared.flatMap((table) =>
      indexChanges(table, created.has(table.name) ? undefined : tables.get(table.name), storedTable(table.name)),
    ),
  ];
}
