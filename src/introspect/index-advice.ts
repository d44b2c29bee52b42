import type { Model, Resource, ValueType } from '../model/model.ts';
import { findColumn, type TableSource } from '../model/table-source.ts';
import { type ColumnKind, type DatabaseCatalogue, type DescribedTable, unqualifiedName } from './database.ts';
import { UNORDERED_KINDS } from './draft-indexes.ts';

/** From this number of rows on, an index is worth a line. A smaller table is read in less than a millisecond. */
const MIN_ROWS = 1_000;

/** A sort and a filter that a model offers, and that no index of the table serves. */
export interface IndexAdvice {
  readonly resource: string;
  readonly field: string;
  readonly table: string;
  /** About the number of rows; null where the database does not know it. */
  readonly rows: number | null;
  /** The statement that creates an index for it. */
  readonly statement: string;
}

/**
 * Describes the tables that a model shows, by the names of their resources. A table that is missing is left out: the
 * comparison of the start names it.
 */
export async function describeShown(
  catalogue: DatabaseCatalogue,
  { resources }: Model,
): Promise<ReadonlyMap<string, DescribedTable>> {
  const names = (await catalogue.list()).map(({ name }) => name);
  const shown = [...resources.values()].flatMap(({ name, table }) => {
    const found = table === null ? null : findTable(table, names, catalogue.defaultSchema);
    return found === null ? [] : [{ name, found }];
  });
  const described = await catalogue.describe(shown.map(({ found }) => found));
  return new Map(shown.flatMap(({ name }, at) => (described[at] === undefined ? [] : [[name, described[at]]])));
}

/** Finds a name of a model in a catalogue: that of the default schema first, and exact before another case. */
function findTable({ table }: TableSource, names: readonly string[], schema: string | null): string | null {
  const wanted = schema === null ? [table] : [`${schema}.${table}`, table];
  const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
  const exact = wanted.find((each) => names.includes(each));
  return exact ?? names.find((name) => wanted.some((each) => isSame(each, name))) ?? null;
}

/** Lists the sorts and filters of a model that no index serves, for tables that are not small. */
export function adviseIndexes(model: Model, tables: ReadonlyMap<string, DescribedTable>): readonly IndexAdvice[] {
  return [...tables].flatMap(([name, table]) => {
    const resource = model.resources.get(name);
    const isSmall = table.rowCount !== null && table.rowCount < MIN_ROWS;
    return resource === undefined || isSmall || table.view?.isMaterialized === false
      ? []
      : adviseTable(resource, table);
  });
}

function adviseTable(resource: Resource, table: DescribedTable): readonly IndexAdvice[] {
  const { table: source } = resource;
  if (source === null) return [];
  const key = source.key ?? table.primaryKey;
  const indexes = [key, table.primaryKey, ...table.uniqueKeys, ...table.indexes];
  const leading = new Set(indexes.flatMap(([first]) => (first === undefined ? [] : [first.toLowerCase()])));
  return offeredColumns(resource, source).flatMap(({ field, column: wanted }) => {
    const column = table.columns.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());
    if (column === undefined || leading.has(column.name.toLowerCase()) || !isOrdered(column.type.kind)) return [];
    const statement = createIndex(table, column, key);
    return [{ resource: resource.name, field, table: table.name, rows: table.rowCount, statement }];
  });
}

/** The fields and times that may be sorted or filtered, with their columns. */
function offeredColumns({ properties }: Resource, source: TableSource) {
  const times = new Map([
    ['created_at', source.createdAt],
    ['updated_at', source.updatedAt],
  ]);
  return [...properties.values()]
    .filter(({ path, type, sortable, filterable }) => isPlain(path, type.kind) && (sortable || filterable))
    .map(({ path }) => ({ field: path, column: times.get(path) ?? findColumn(source, path) }));
}

/** True for a field that an index of its column serves, other than the key. */
function isPlain(path: string, kind: ValueType['kind']): boolean {
  return path !== 'id' && !path.includes('.') && !['json', 'object', 'map', 'array', 'binary'].includes(kind);
}

function isOrdered(kind: ColumnKind): boolean {
  return !UNORDERED_KINDS.has(kind);
}

/**
 * The statement for an index in the order of a sort, in which the key breaks ties. Sorts have NULL first, as SQLite has
 * it anyway.
 */
function createIndex(
  table: DescribedTable,
  { name, notNull }: Pick<DescribedTable['columns'][number], 'name' | 'notNull'>,
  key: readonly string[],
): string {
  const isFile = table.schema === null;
  const own = unqualifiedName(table);
  const target = isFile ? quoteIdentifier(own) : `${quoteIdentifier(table.schema)}.${quoteIdentifier(own)}`;
  const first = `${quoteIdentifier(name)}${notNull || isFile ? '' : ' nulls first'}`;
  const columns = [first, ...key.filter((part) => part !== name && part !== table.rowNumber).map(quoteIdentifier)];
  const named = isFile ? ` ${quoteIdentifier(`${own}_${name}`)}` : '';
  return `create index${named} on ${target} (${columns.join(', ')});`;
}

function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
