import type { Model, Resource, ValueType } from '../model/model.ts';
import { findColumn, type TableSource } from '../model/table-source.ts';
import type { DatabaseCatalogue, DescribedTable } from './database.ts';
import { UNORDERED_KINDS } from './draft-indexes.ts';

/** From this number of rows on, an index is worth a line. A smaller table is read in less than a millisecond. */
const MIN_ROWS = 1_000;

/** Kinds of values without a sort or a filter by the whole value. */
const STRUCTURED: ReadonlySet<ValueType['kind']> = new Set(['json', 'object', 'map', 'array', 'binary']);

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
 * Lists the sorts and filters of a model that no index serves, for tables that are not small.
 *
 * @param names of the tables in the catalogue, by those of their resources
 */
export async function adviseIndexes(
  { resources }: Model,
  names: ReadonlyMap<string, string>,
  catalogue: DatabaseCatalogue,
): Promise<readonly IndexAdvice[]> {
  // Tables are described as they were listed.
  await catalogue.list();
  const described = await catalogue.describe([...new Set(names.values())]);
  const tables = new Map(described.map((table) => [table.name, table]));
  return [...resources.values()].flatMap((resource) => {
    const table = tables.get(names.get(resource.name) ?? '');
    if (table === undefined || resource.table === null || !mayNeedIndex(table)) return [];
    return adviseTable(resource, resource.table, table, catalogue);
  });
}

/** True for stored rows that are not few. */
function mayNeedIndex({ rowCount, view }: DescribedTable): boolean {
  return (rowCount === null || rowCount >= MIN_ROWS) && view?.isMaterialized !== false;
}

function adviseTable(
  { name: resource, properties }: Resource,
  source: TableSource,
  table: DescribedTable,
  catalogue: DatabaseCatalogue,
): readonly IndexAdvice[] {
  const key = source.key ?? table.primaryKey;
  const indexes = [key, table.primaryKey, ...table.uniqueKeys, ...table.indexes];
  const leading = new Set(indexes.map(([first = '']) => first.toLowerCase()));
  return [...properties.values()].flatMap(({ path, type, sortable, filterable }) => {
    const isOffered = (sortable || filterable) && path !== 'id' && !path.includes('.') && !STRUCTURED.has(type.kind);
    const wanted = nameColumn(path, source).toLowerCase();
    const column = table.columns.find(({ name }) => name.toLowerCase() === wanted);
    if (!isOffered || column === undefined || leading.has(wanted) || UNORDERED_KINDS.has(column.type.kind)) return [];
    const ties = key.filter((part) => part !== column.name && part !== table.rowNumber);
    const statement = catalogue.writeIndex(table, [column.name, ...ties]);
    return [{ resource, field: path, table: table.name, rows: table.rowCount, statement }];
  });
}

/** The column of a field or a time. */
function nameColumn(path: string, source: TableSource): string {
  const times: Readonly<Record<string, string | null>> = { created_at: source.createdAt, updated_at: source.updatedAt };
  return times[path] ?? findColumn(source, path);
}
