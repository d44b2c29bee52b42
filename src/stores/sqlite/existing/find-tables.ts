import type { Model, ValueType } from '../../../model/model.ts';
import { DECLARED } from '../../sql/existing/declared-type.ts';
import {
  type ColumnMisfit,
  findColumns,
  findName,
  type FoundTable,
  NAMED_ROWS,
  nullKeyProblem,
  referenceProblems,
  repeatedKeyProblem,
  suggestNearest,
} from '../../sql/existing/found-table.ts';
import { UnusableDatabase } from '../../sql/schema/schema-errors.ts';
import { quoteName } from '../../sql/standard-dialect.ts';
import type { SqliteConnection } from '../connection/sqlite-connection.ts';
import {
  listTableNames,
  qualifyTable,
  readTable,
  type SourceColumn,
  type SourceTable,
  type TablesSchema,
} from './read-tables.ts';

/** A table or view of the file that a resource shows. */
export type FoundSource = FoundTable<SourceColumn, SourceTable>;

/** Kinds of values that a column with the affinity TEXT never holds: SQLite converts numbers to text. */
const NUMERIC: ReadonlySet<ValueType['kind']> = new Set(['integer', 'number', 'boolean', 'int64']);

/**
 * Finds the tables and columns that the resources of a model show.
 *
 * @param schema the name of their database
 * @throws {UnusableDatabase} with everything that is missing, or does not identify rows
 */
export function findTables(connection: SqliteConnection, schema: TablesSchema, model: Model): readonly FoundSource[] {
  const names = listTableNames(connection, schema);
  const problems: string[] = [];
  const found = [...model.resources.values()].flatMap((resource) => {
    if (resource.table === null) return [];
    const wanted = resource.table.table;
    const name = findName(wanted, names);
    if (name !== null)
      return findColumns(resource, readTable(connection, schema, name), { rowNumber, describeMisfit }, problems);
    problems.push(`${resource.name}: there is no table ${wanted}; ${suggestNearest(wanted, names)}`);
    return [];
  });
  problems.push(
    ...found.flatMap((each) => [
      ...referenceProblems(each, found),
      ...writeProblems(each),
      ...keyProblems(connection, each),
    ]),
  );
  if (problems.length > 0) throw new UnusableDatabase(problems.join('\n'));
  return found;
}

function describeMisfit({ kind }: ValueType, { affinity }: SourceColumn): ColumnMisfit | null {
  return affinity === 'TEXT' && NUMERIC.has(kind) ? { holds: 'text', write: DECLARED.text } : null;
}

/** The rowid as a column; null where the table has no rowid. */
function rowNumber({ rowid }: SourceTable): SourceColumn | null {
  return rowid === null ? null : { name: rowid, declared: 'INTEGER', affinity: 'INTEGER', required: true, place: 1 };
}

/** Reports a table whose rows the model writes, and the database cannot, and changes that no trigger of it records. */
function writeProblems({ resource, table }: FoundSource): readonly string[] {
  if (resource.table?.changes === 'triggers')
    return [`${resource.name}: only triggers of PostgreSQL record the changes of other programs; remove changes`];
  if (resource.readOnly || table.isWritable) return [];
  return [`${resource.name}: the rows of ${table.name} cannot be written: it is no table; set read_only: true`];
}

/** Reports a key that is NULL in some rows, or the same in several. A primary key can be NULL in SQLite. */
function keyProblems(connection: SqliteConnection, found: FoundSource): readonly string[] {
  const { table, key } = found;
  const columns = key.map(({ name }) => quoteName(name));
  const nullable = key.filter(({ required }) => !required).map(({ name }) => `${quoteName(name)} is null`);
  const rows = qualifyTable(table);
  if (nullable.length > 0) {
    const row = connection.get(`select count(*) as count from ${rows} where ${nullable.join(' or ')}`);
    const count = Number(row?.['count'] ?? 0);
    if (count > 0) return [nullKeyProblem(found, count)];
  }
  if (isPrimary(key, table)) return [];
  const repeated = connection.all(
    `select ${columns.join(', ')} from ${rows} group by ${columns.join(', ')} having count(*) > 1 limit ${NAMED_ROWS}`,
  );
  return repeated.length === 0 ? [] : [repeatedKeyProblem(found, repeated)];
}

/** True if SQLite itself keeps a key unique. */
function isPrimary(key: readonly SourceColumn[], { columns, rowid }: SourceTable): boolean {
  if (key.some(({ name }) => name.toLowerCase() === rowid)) return true;
  const primary = columns.filter(({ place }) => place > 0);
  return primary.length === key.length && key.every(({ name }) => primary.some((column) => column.name === name));
}
