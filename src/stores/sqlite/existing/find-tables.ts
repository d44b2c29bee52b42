import { closestMatch } from '../../../conventions/text/closest-match.ts';
import type { Model, Resource, ValueType } from '../../../model/model.ts';
import { UnusableDatabase } from '../../sql/schema/schema-errors.ts';
import { quoteName } from '../../sql/standard-dialect.ts';
import type { SqliteConnection } from '../connection/sqlite-connection.ts';
import { listTableNames, qualifyTable, readTable, type SourceColumn, type SourceTable } from './read-tables.ts';
import { type FoundTable, wantedColumns } from './source-view.ts';

/** Names with a different case are the same to SQLite. */
function findName(name: string, known: readonly string[]): string | null {
  return known.find((each) => each === name) ?? known.find((each) => each.toLowerCase() === name.toLowerCase()) ?? null;
}

function suggest(name: string, known: readonly string[]): string {
  const near = closestMatch(name, known);
  return near === null
    ? `it has ${known.length === 0 ? 'none' : known.slice(0, 10).join(', ')}`
    : `did you mean ${near}?`;
}

/** Kinds of values that a column with the affinity TEXT never holds: SQLite converts numbers to text. */
const NUMERIC: ReadonlySet<ValueType['kind']> = new Set(['integer', 'number', 'boolean', 'int64']);

/**
 * Finds the tables and columns that the resources of a model show.
 *
 * @throws {UnusableDatabase} with everything that is missing, or does not identify rows
 */
export function findTables(connection: SqliteConnection, model: Model): readonly FoundTable[] {
  const names = listTableNames(connection);
  const problems: string[] = [];
  const found = [...model.resources.values()].flatMap((resource) => {
    const wanted = resource.table?.table ?? '';
    const name = findName(wanted, names);
    if (name !== null) return findParts(resource, readTable(connection, name), problems);
    problems.push(`${resource.name}: there is no table ${wanted}; ${suggest(wanted, names)}`);
    return [];
  });
  problems.push(...found.flatMap((each) => [...referenceProblems(each, found), ...keyProblems(connection, each)]));
  if (problems.length > 0) throw new UnusableDatabase(problems.join('\n'));
  return found;
}

/** Finds the columns of one table. @param problems receives what is missing */
function findParts(resource: Resource, table: SourceTable, problems: string[]): readonly FoundTable[] {
  const { table: source } = resource;
  if (source === null) return [];
  const known = table.columns.map(({ name }) => name);
  const missing: string[] = [];
  const find = (name: string): readonly SourceColumn[] => {
    const found = findName(name, known);
    const column = table.columns.find((each) => each.name === found);
    if (column !== undefined) return [column];
    missing.push(`${resource.name}: the table ${table.name} has no column ${name}; ${suggest(name, known)}`);
    return [];
  };
  const columns = [...wantedColumns(resource)].flatMap(([member, name]) =>
    find(name).map((column) => [member, column] as const),
  );
  const key =
    source.key?.flatMap((name) => (isRowid(name, table) ? listRowid(table) : find(name))) ?? defaultKey(table);
  if (key.length === 0 && missing.length === 0)
    missing.push(`${resource.name}: ${table.name} has no primary key; name one with key`);
  for (const { name, type } of resource.fields) {
    const column = columns.find(([member]) => member === name)?.[1];
    if (column?.affinity !== 'TEXT' || !NUMERIC.has(type.kind)) continue;
    missing.push(
      `${resource.name}.${name}: the column ${column.name} holds text, not values of type ${type.kind}; write type: string`,
    );
  }
  problems.push(...missing);
  return missing.length > 0 ? [] : [{ resource, source, table, key, columns: new Map(columns) }];
}

/** The primary key of a table; else its rowid. */
function defaultKey(table: SourceTable): readonly SourceColumn[] {
  const { columns } = table;
  const primary = columns.filter(({ place }) => place > 0).toSorted((one, other) => one.place - other.place);
  if (primary.length > 0) return primary;
  return listRowid(table);
}

function isRowid(name: string, { rowid }: SourceTable): boolean {
  return name.toLowerCase() === rowid;
}

/** The rowid as a column; none where the table has no rowid. */
function listRowid({ rowid }: SourceTable): readonly SourceColumn[] {
  return rowid === null ? [] : [{ name: rowid, declared: 'INTEGER', affinity: 'INTEGER', required: true, place: 1 }];
}

/** Reports references to rows that several columns identify: one column cannot hold them. */
function referenceProblems({ resource }: FoundTable, all: readonly FoundTable[]): readonly string[] {
  return resource.fields.flatMap(({ name, reference }) => {
    const target = all.find((each) => each.resource.name === reference?.resource);
    if (target === undefined || target.key.length === 1) return [];
    const columns = target.key.map((column) => column.name).join(', ');
    return [
      `${resource.name}.${name}: rows of ${target.resource.name} are identified by several columns (${columns}); remove x-references`,
    ];
  });
}

/** The most rows that an error names. */
const NAMED_ROWS = 3;

/** Reports a key that is NULL in some rows, or the same in several. A primary key can be NULL in SQLite. */
function keyProblems(connection: SqliteConnection, { resource, table, key }: FoundTable): readonly string[] {
  const columns = key.map(({ name }) => quoteName(name));
  const where = `${resource.name}: the key (${key.map(({ name }) => name).join(', ')})`;
  const nullable = key.filter(({ required }) => !required).map(({ name }) => `${quoteName(name)} is null`);
  const rows = qualifyTable(table.name);
  if (nullable.length > 0) {
    const found = connection.get(`select count(*) as count from ${rows} where ${nullable.join(' or ')}`);
    const count = Number(found?.['count'] ?? 0);
    if (count > 0)
      return [`${where} is NULL in ${count === 1 ? '1 row' : `${count} rows`} of ${table.name}; name another key`];
  }
  if (isPrimary(key, table)) return [];
  const repeated = connection.all(
    `select ${columns.join(', ')} from ${rows} group by ${columns.join(', ')} having count(*) > 1 limit ${NAMED_ROWS}`,
  );
  if (repeated.length === 0) return [];
  const values = repeated.map((row) => Object.values(row).map(String).join(',')).join(' and ');
  return [`${where} does not identify the rows of ${table.name}: several have ${values}; name another key`];
}

/** True if SQLite itself keeps a key unique. */
function isPrimary(key: readonly SourceColumn[], table: SourceTable): boolean {
  if (key.some(({ name }) => isRowid(name, table))) return true;
  const { columns } = table;
  const primary = columns.filter(({ place }) => place > 0);
  return primary.length === key.length && key.every(({ name }) => primary.some((column) => column.name === name));
}
