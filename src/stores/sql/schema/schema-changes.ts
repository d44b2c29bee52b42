import { type TableColumn } from '../columns.ts';
import { type ForeignKey, type Index, type TableSchema, storageType } from './schema.ts';

/** A column of the database. */
interface CurrentColumn {
  readonly name: string;
  /** As `storageType` returns it. */
  readonly storageType: string;
  readonly nullable: boolean;
}

/** A table of the database. */
export interface CurrentTable {
  readonly name: string;
  readonly kind: 'rows' | 'links';
  readonly columns: readonly CurrentColumn[];
  readonly primaryKey: readonly string[];
  readonly foreignKeys: readonly ForeignKey[];
  /** Names of its indexes. */
  readonly indexes: readonly string[];
}

/** Whether a table has rows, or rows that are NULL in a column. */
export type HasRows = (table: string, nullIn: string | null) => boolean;

/** The changes of a table; `before` has the names after renaming. */
export interface Alteration {
  readonly before: CurrentTable;
  readonly after: TableSchema;
  readonly added: readonly TableColumn[];
  /** Columns of both with another storage type: their values are lost. */
  readonly retyped: readonly TableColumn[];
  readonly dropped: readonly CurrentColumn[];
  /** Whether a column of both became required or optional. */
  readonly nullability: boolean;
  readonly foreignKeys: boolean;
  readonly primaryKey: boolean;
}

/** A difference between a database and a model; `lossy` describes the data that it would lose. */
export type SchemaChange = { readonly lossy: string | null } & (
  | { readonly kind: 'rename-table'; readonly from: string; readonly to: string }
  | { readonly kind: 'rename-column'; readonly table: string; readonly from: string; readonly to: string }
  | { readonly kind: 'drop-index'; readonly name: string }
  | { readonly kind: 'alter-table'; readonly alteration: Alteration }
  | { readonly kind: 'create-table'; readonly table: TableSchema }
  | { readonly kind: 'drop-table'; readonly table: CurrentTable }
  | { readonly kind: 'create-index'; readonly table: TableSchema; readonly index: Index }
);

interface RenameResult {
  /** The tables with the new names of tables and columns. */
  readonly tables: ReadonlyMap<string, CurrentTable>;
  /** The current name in the database of a table, or of a column. */
  readonly stored: (table: string, column: string | null) => string;
  readonly changes: readonly SchemaChange[];
}

/** Applies `was` to each new name that the database does not have, while it has the old one. */
function rename(current: readonly CurrentTable[], declared: readonly TableSchema[]): RenameResult {
  const known = new Map(current.map((table) => [table.name, table]));
  const tableNames = new Map<string, string>();
  for (const { name, was } of declared) {
    if (was !== null && !known.has(name) && known.has(was)) tableNames.set(was, name);
  }
  const changes: SchemaChange[] = [...tableNames].map(([from, to]) => ({
    kind: 'rename-table',
    lossy: null,
    from,
    to,
  }));
  const stored = new Map([...tableNames].map(([from, to]) => [to, from]));
  const tables = new Map<string, CurrentTable>();
  for (const table of current) {
    const name = tableNames.get(table.name) ?? table.name;
    const columns = columnNames(table, declared.find((each) => each.name === name)?.columns ?? []);
    for (const [from, to] of columns) {
      changes.push({ kind: 'rename-column', lossy: null, table: name, from, to });
      stored.set(`${name}.${to}`, from);
    }
    tables.set(name, {
      ...table,
      name,
      columns: table.columns.map((column) => ({ ...column, name: columns.get(column.name) ?? column.name })),
      foreignKeys: table.foreignKeys.map((key) => ({
        ...key,
        columns: key.columns.map((column) => columns.get(column) ?? column),
        table: tableNames.get(key.table) ?? key.table,
      })),
    });
  }
  const storedName = (table: string, column: string | null): string =>
    column === null ? (stored.get(table) ?? table) : (stored.get(`${table}.${column}`) ?? column);
  return { tables, stored: storedName, changes };
}

function columnNames(table: CurrentTable, declared: readonly TableColumn[]): ReadonlyMap<string, string> {
  const known = new Set(table.columns.map(({ name }) => name));
  return new Map(
    declared.flatMap(({ name, was }): [string, string][] =>
      was !== null && !known.has(name) && known.has(was) ? [[was, name]] : [],
    ),
  );
}

function keyText({ columns, table, keys, cascade }: ForeignKey): string {
  return `${columns.join()} ${table} ${keys.join()} ${cascade}`;
}

function alterationOf(before: CurrentTable, after: TableSchema): Alteration | null {
  const existing = new Map(before.columns.map((column) => [column.name, column]));
  const wanted = new Set(after.columns.map(({ name }) => name));
  const both = after.columns.flatMap((column) => {
    const previous = existing.get(column.name);
    return previous === undefined ? [] : [{ column, previous }];
  });
  const alteration: Alteration = {
    before,
    after,
    added: after.columns.filter(({ name }) => !existing.has(name)),
    retyped: both
      .filter(({ column, previous }) => storageType(column.type) !== previous.storageType)
      .map(({ column }) => column),
    dropped: before.columns.filter(({ name }) => !wanted.has(name)),
    nullability: both.some(({ column, previous }) => column.nullable !== previous.nullable),
    foreignKeys: before.foreignKeys.map(keyText).sort().join() !== after.foreignKeys.map(keyText).sort().join(),
    primaryKey: before.primaryKey.join() !== after.primaryKey.join(),
  };
  const changed =
    alteration.added.length + alteration.retyped.length + alteration.dropped.length > 0 ||
    alteration.nullability ||
    alteration.foreignKeys ||
    alteration.primaryKey;
  return changed ? alteration : null;
}

/** The data that the rows of a table would lose, for each changed column. */
function losses({ before, after, added, retyped, dropped }: Alteration, nullIn: (column: string) => boolean): string[] {
  const of = (column: string): string => `${after.name}.${column}`;
  const previous = new Map(before.columns.map((column) => [column.name, column]));
  return [
    ...dropped.map(
      ({ name }) => `${of(name)} is no longer declared; declare it, or name it in x-was of the field that it became`,
    ),
    ...retyped.map(
      ({ name, type }) =>
        `${of(name)} changes from ${previous.get(name)?.storageType ?? ''} to ${storageType(type)}; declare a new field and copy the values`,
    ),
    ...added
      .filter((column) => !column.nullable && column.default === null)
      .filter(({ name }) => !after.sources.some(({ column }) => column === name))
      .map(
        ({ name }) => `${of(name)} is required and rows have no value for it; declare a default, or make it optional`,
      ),
    ...after.columns
      .filter((column) => !column.nullable && column.default === null && previous.get(column.name)?.nullable === true)
      .filter(({ name }) => nullIn(name))
      .map(
        ({ name }) => `${of(name)} becomes required and is null in some rows; declare a default, or fill them first`,
      ),
  ];
}

function indexChanges(table: TableSchema, before: CurrentTable | undefined): SchemaChange[] {
  const existing = new Set(before?.indexes);
  return table.indexes
    .filter(({ name }) => !existing.has(name))
    .map((index) => ({ kind: 'create-index', lossy: null, table, index }));
}

/**
 * The changes that migrate a database to a model, in the order in which they apply: renames, dropped indexes, tables, created indexes.
 *
 * @param holds called with the current names in the database
 */
export function schemaChanges(
  current: readonly CurrentTable[],
  declared: readonly TableSchema[],
  holds: HasRows,
): readonly SchemaChange[] {
  const { tables, stored, changes } = rename(current, declared);
  const wanted = new Map(declared.map((table) => [table.name, table]));
  const droppedIndexes = [...tables.values()].flatMap(({ name, indexes }) => {
    const kept = new Set(wanted.get(name)?.indexes.map((index) => index.name));
    return wanted.has(name) ? indexes.filter((each) => !kept.has(each)) : [];
  });
  const altered = declared.flatMap((table): SchemaChange[] => {
    const before = tables.get(table.name);
    if (before === undefined) return [{ kind: 'create-table', lossy: null, table }];
    const alteration = alterationOf(before, table);
    if (alteration === null) return [];
    // Links are derived from rows: a new table is filled again.
    if (table.kind === 'links') {
      return [
        { kind: 'drop-table', lossy: null, table: before },
        { kind: 'create-table', lossy: null, table },
      ];
    }
    const from = stored(table.name, null);
    const lost = holds(from, null) ? losses(alteration, (column) => holds(from, stored(table.name, column))) : [];
    return [{ kind: 'alter-table', lossy: lost.length === 0 ? null : lost.join('; '), alteration }];
  });
  const recreated = new Set(altered.flatMap((change) => (change.kind === 'create-table' ? [change.table.name] : [])));
  const dropped = [...tables.values()]
    .filter(({ name }) => !wanted.has(name))
    .map((table): SchemaChange => ({ kind: 'drop-table', lossy: dropLoss(table, holds), table }));
  return [
    ...changes,
    ...droppedIndexes.map((name): SchemaChange => ({ kind: 'drop-index', lossy: null, name })),
    ...altered,
    ...dropped,
    ...declared.flatMap((table) => indexChanges(table, recreated.has(table.name) ? undefined : tables.get(table.name))),
  ];
}

function dropLoss({ name, kind }: CurrentTable, holds: HasRows): string | null {
  if (kind === 'links' || !holds(name, null)) return null;
  return `${name} is no longer declared and holds rows; declare it, or name it in \`was\` of the resource that it became`;
}
