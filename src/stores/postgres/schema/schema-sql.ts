import type { TableColumn } from '../../sql/columns.ts';
import { isList } from '../../sql/compact-list.ts';
import { type Alteration, keyText } from '../../sql/schema/alteration.ts';
import {
  createIndex,
  createTable,
  defaultValue,
  fillNull,
  nameList,
  parentValue,
  referenceClause,
  type SchemaStatements,
  standardStatements,
} from '../../sql/schema/schema-statements.ts';
import type { SchemaChange } from '../../sql/schema/schema-changes.ts';
import type { ForeignKey, TableSchema } from '../../sql/schema/schema.ts';
import { quoteText } from '../../sql/standard-dialect.ts';
import { castType, postgres } from '../dialect/postgres-dialect.ts';
import { storedName } from '../dialect/literals.ts';

const { quote } = postgres;

const list = (names: readonly string[]): string => nameList(postgres, names);

/** The comment that holds a name which the database would cut. */
function namedBy(kind: 'table' | 'index', name: string): readonly string[] {
  return storedName(name) === name ? [] : [`comment on ${kind} ${quote(name)} is ${quoteText(name)}`];
}

/**
 * The statement that adds a foreign key.
 *
 * @param isChecked whether it reads all rows of the table; else {@link checkForeignKeys} does
 */
export function addForeignKey(table: string, key: ForeignKey, isChecked: boolean): string {
  const unchecked = isChecked ? '' : ' not valid';
  const references = referenceClause(postgres, key);
  return `alter table ${quote(table)} add foreign key (${list(key.columns)}) ${references}${unchecked}`;
}

/**
 * The statement that reads the rows of a table to check those of its foreign keys to another one that were added
 * without. Their names are the database's.
 */
export function checkForeignKeys(table: string, { columns, table: target }: ForeignKey): string {
  const [from, to] = [quoteText(quote(table)), quoteText(quote(target))];
  return `do $$ declare found record; begin
  for found in select conname from pg_constraint where conrelid = ${from}::regclass and confrelid = ${to}::regclass
      and contype = 'f' and not convalidated and cardinality(conkey) = ${columns.length} loop
    execute format('alter table ${quote(table).replaceAll("'", "''")} validate constraint %I', found.conname);
  end loop;
end $$`;
}

/**
 * The statements that drop the constraints of a table: `f`, its foreign keys; `p`, its primary key, with the foreign
 * keys that refer to it.
 */
function dropConstraints(table: string, kind: 'f' | 'p'): string {
  const name = quote(table);
  return `do $$ declare found record; begin
  for found in select conname from pg_constraint where conrelid = ${quoteText(name)}::regclass and contype = '${kind}' loop
    execute format('alter table ${name.replaceAll("'", "''")} drop constraint %I cascade', found.conname);
  end loop;
end $$`;
}

/**
 * Checks if all foreign keys of a table are dropped, and added again once all tables are altered. Those of a dropped
 * column go with it.
 */
function renewsKeys({ before, after, dropped, primaryKey, converted, retyped }: Alteration): boolean {
  if (primaryKey || converted.length + retyped.length > 0) return true;
  const kept = new Set(after.foreignKeys.map(keyText));
  const gone = new Set(dropped.map(({ name }) => name));
  return before.foreignKeys.some((key) => !kept.has(keyText(key)) && !key.columns.some((column) => gone.has(column)));
}

/** The foreign keys that a change adds. */
export function keysToAdd(change: SchemaChange): readonly ForeignKey[] {
  if (change.kind === 'create-table') return change.table.foreignKeys;
  if (change.kind !== 'alter-table') return [];
  const { before, after } = change.alteration;
  if (renewsKeys(change.alteration)) return after.foreignKeys;
  const existing = new Set(before.foreignKeys.map(keyText));
  return after.foreignKeys.filter((key) => !existing.has(keyText(key)));
}

/**
 * The statements that alter a table, but for the rules of {@link columnsToRequire}. A new column with a default
 * rewrites no row.
 */
function alterTable(alteration: Alteration, rows: number): readonly string[] {
  const { after, added, converted, retyped, dropped, defaults, withoutDefault, primaryKey } = alteration;
  const table = `alter table ${quote(after.name)}`;
  const alter = (name: string): string => `${table} alter column ${quote(name)}`;
  return [
    ...(renewsKeys(alteration) ? [dropConstraints(after.name, 'f')] : []),
    ...(primaryKey ? [dropConstraints(after.name, 'p')] : []),
    ...added.flatMap((column) => addColumn(after, column, defaults.includes(column))),
    ...defaults
      .filter((column) => !added.includes(column))
      .map((column) => `${alter(column.name)} set default ${defaultValue(postgres, column)}`),
    ...withoutDefault.map((name) => `${alter(name)} drop default`),
    ...convertColumns(after.name, converted),
    ...retyped.map((column) => retype(table, column, defaultValue(postgres, column))),
    ...dropped.map(({ name }) => `${table} drop column ${quote(name)} cascade`),
    ...nullability(alteration, rows),
    ...(primaryKey ? [`${table} add primary key (${list(after.primaryKey)})`] : []),
  ];
}

function addColumn(table: TableSchema, column: TableColumn, keepsDefault: boolean): readonly string[] {
  const [name, type] = [quote(column.name), postgres.columnType(column.type)];
  const source = table.sources.find((each) => each.column === column.name);
  const add = `alter table ${quote(table.name)} add column ${name} ${type}`;
  if (source !== undefined)
    return [add, `update ${quote(table.name)} set ${name} = ${parentValue(postgres, table, source)}`];
  if (column.default === null) return [add];
  const filled = `${add}${column.nullable ? '' : ' not null'} default ${defaultValue(postgres, column)}`;
  return keepsDefault ? [filled] : [filled, `alter table ${quote(table.name)} alter column ${name} drop default`];
}

/**
 * Converts columns. A new type cannot follow from a query: lists are written in place, before the table is rewritten.
 */
function convertColumns(table: string, columns: readonly TableColumn[]): readonly string[] {
  const lists = columns.filter(({ type }) => isList(type));
  const others = columns.filter((column) => !lists.includes(column));
  return [
    ...lists.map(({ name, type }) => {
      return `update ${quote(table)} set ${quote(name)} = ${postgres.compact(quote(name), type)} where ${quote(name)} is not null`;
    }),
    ...others.map((column) => retype(`alter table ${quote(table)}`, column, castColumn(column))),
  ];
}

function castColumn({ name, type }: TableColumn): string {
  return `${quote(name)}::${castType(type)}`;
}

function retype(table: string, column: TableColumn, source: string): string {
  const { name, type } = column;
  const using = `(${fillNull(postgres, column, source)})::${castType(type)}`;
  return `${table} alter column ${quote(name)} type ${postgres.columnType(type)} using ${using}`;
}

/**
 * The columns that become required, while nothing else rewrites their rows: first new values are checked, then rows are
 * filled, then all are checked.
 */
export function columnsToRequire(alteration: Alteration, rows: number): readonly TableColumn[] {
  if (rows === 0) return [];
  const { before, after, converted, retyped } = alteration;
  const optional = new Set(before.columns.filter(({ nullable }) => nullable).map(({ name }) => name));
  const rewritten = new Set([...converted, ...retyped]);
  return after.columns.filter((column) => !column.nullable && optional.has(column.name) && !rewritten.has(column));
}

function nullability(alteration: Alteration, rows: number): readonly string[] {
  const { before, after, added, retyped } = alteration;
  const previous = new Map(before.columns.map((column) => [column.name, column.nullable]));
  const later = columnsToRequire(alteration, rows);
  const table = `alter table ${quote(after.name)}`;
  return after.columns.flatMap((column) => {
    const wasNullable = added.includes(column) || (previous.get(column.name) ?? true);
    const name = quote(column.name);
    if (column.nullable) return wasNullable ? [] : [`${table} alter column ${name} drop not null`];
    if (later.includes(column))
      return [`${table} add constraint ${requiredName(column)} check (${name} is not null) not valid`];
    if (!wasNullable && !retyped.includes(column)) return [];
    const isAddedWithDefault = added.includes(column) && column.default !== null;
    return isAddedWithDefault ? [] : [`${table} alter column ${name} set not null`];
  });
}

/** The prefix of the names of the checks that a column is not null, until it is required. */
export const REQUIRED_PREFIX = 'restwright_required.';

const requiredName = ({ name }: TableColumn): string => quote(`${REQUIRED_PREFIX}${name}`);

/**
 * The statement that gives a column its default where it is null. Parameters: the first block of rows, and the one
 * after the last.
 */
export function fillColumn(table: TableSchema, column: TableColumn): string {
  const name = quote(column.name);
  const blocks = `ctid >= format('(%s,0)', $1::bigint)::tid and ctid < format('(%s,0)', $2::bigint)::tid`;
  return `update ${quote(table.name)} set ${name} = ${defaultValue(postgres, column)} where ${name} is null and ${blocks}`;
}

/** The statements that require a column: one that reads all rows, and one that reads none because of the first. */
export function requireColumn(table: TableSchema, column: TableColumn): readonly [check: string, require: string] {
  const [alter, check] = [`alter table ${quote(table.name)}`, requiredName(column)];
  return [
    `${alter} validate constraint ${check}`,
    `${alter} alter column ${quote(column.name)} set not null, drop constraint ${check}`,
  ];
}

/** Indexes of rows that others use are created concurrently, and foreign keys are added once all tables are there. */
export const STATEMENTS: SchemaStatements = {
  ...standardStatements(postgres),
  createTable: (table) => [createTable(postgres, { ...table, foreignKeys: [] }), ...namedBy('table', table.name)],
  alterTable,
  dropTable: (name) => `drop table ${quote(name)} cascade`,
  createIndex: (table, index, rows) => {
    const form = { option: rows > 0 ? 'concurrently ' : '', member: (expression: string) => `(${expression})` };
    return [createIndex(postgres, table, index, form), ...namedBy('index', index.name)];
  },
  dropIndex: (name) => `drop index if exists ${quote(name)}`,
};
