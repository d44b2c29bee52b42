import { linkTable, type TableColumn, typeAt } from '../columns.ts';
import type { Dialect } from '../dialect.ts';
import type { Alteration } from './alteration.ts';
import { type ColumnSource, type ForeignKey, type Index, isCompact, type TableSchema } from './schema.ts';
import type { SchemaChange } from './schema-changes.ts';

/** The statements of schema changes in the SQL of a database. Renaming is the same in all of them. */
export interface SchemaStatements {
  readonly dialect: Dialect;
  readonly createTable: (table: TableSchema) => readonly string[];
  /** @param rows the number of rows of the table */
  readonly alterTable: (alteration: Alteration, rows: number) => readonly string[];
  readonly dropTable: (name: string) => string;
  /** @param rows the number of rows of the table */
  readonly createIndex: (table: TableSchema, index: Index, rows: number) => readonly string[];
  readonly dropIndex: (name: string) => string;
}

/** The statements of standard SQL. Tables are altered in a way that is each database's own. */
export function standardStatements(dialect: Dialect): Omit<SchemaStatements, 'alterTable'> {
  const { quote } = dialect;
  return {
    dialect,
    createTable: (table) => [createTable(dialect, table)],
    dropTable: (name) => `drop table ${quote(name)}`,
    createIndex: (table, index) => [createIndex(dialect, table, index)],
    dropIndex: (name) => `drop index ${quote(name)}`,
  };
}

/** The tables of a model, and the names of those that the database has, before and after renaming. */
interface KnownTables {
  readonly declared: readonly TableSchema[];
  readonly existing: ReadonlySet<string>;
}

/** Adds the new names of renamed tables to the existing ones. */
export function addRenamed({ declared, existing }: KnownTables, changes: readonly SchemaChange[]): KnownTables {
  const renamed = changes.flatMap((change) => (change.kind === 'rename-table' ? [change.to] : []));
  return { declared, existing: new Set([...existing, ...renamed]) };
}

/** Writes the statements of a change. */
export function writeChange(
  change: SchemaChange,
  { dialect, createTable: create, alterTable, dropTable, createIndex: index, dropIndex }: SchemaStatements,
  tables: KnownTables,
): readonly string[] {
  const { quote } = dialect;
  switch (change.kind) {
    case 'rename-table':
      return [`alter table ${quote(change.from)} rename to ${quote(change.to)}`];
    case 'rename-column':
      return [`alter table ${quote(change.table)} rename column ${quote(change.from)} to ${quote(change.to)}`];
    case 'drop-index':
      return [dropIndex(change.name)];
    case 'alter-table':
      return alterTable(change.alteration, change.rows);
    case 'create-table':
      return [...create(change.table), ...fillLinks(dialect, change.table, tables)];
    case 'drop-table':
      return [dropTable(change.table.name)];
    case 'create-index':
      return index(change.table, change.index, change.rows);
  }
}

/**
 * Fills the links of an existing array that becomes an array of references. A target below the same parent shares the
 * parent.
 */
function fillLinks(dialect: Dialect, table: TableSchema, { declared, existing }: KnownTables): readonly string[] {
  const owned = table.foreignKeys.find(({ cascade }) => cascade)?.table;
  const rows = declared.find(({ name }) => name === owned);
  const field = rows?.columns.find(({ name }) => linkTable(rows.name, name) === table.name);
  const [owner, target] = table.foreignKeys;
  if (table.kind !== 'links' || rows === undefined || !existing.has(rows.name)) return [];
  if (field === undefined || owner === undefined || target === undefined) return [];
  const { quote } = dialect;
  const held = (name: string): string => `held.${quote(name)}`;
  const columns = [...owner.columns, ...target.columns].map(quote).join(', ');
  const type = typeAt(table.columns, target.columns.slice(0, 1));
  const value = isCompact(type) ? dialect.compact('item.value', type) : 'item.value';
  const values = [...owner.keys.map(held), value, ...target.keys.slice(1).map(held)].join(', ');
  const from = `${quote(rows.name)} as held, ${dialect.arrayItems(held(field.name), 'item')}`;
  return [`insert into ${quote(table.name)} (${columns}) select distinct ${values} from ${from}`];
}

/** Writes a list of names. */
export function nameList({ quote }: Dialect, names: readonly string[]): string {
  return names.map(quote).join(', ');
}

/** Writes the target of a foreign key. */
export function referenceClause(dialect: Dialect, { table, keys, cascade }: ForeignKey): string {
  return `references ${dialect.quote(table)} (${nameList(dialect, keys)})${cascade ? ' on delete cascade' : ''}`;
}

/** Writes the default of a column. */
export function defaultValue(dialect: Dialect, { type, default: value }: TableColumn): string {
  return dialect.literal(value === null ? null : (dialect.encode(type)(value) ?? null));
}

/** Replaces NULL by the default of a column that must have values. */
export function fillNull(dialect: Dialect, column: TableColumn, expression: string): string {
  if (column.nullable || column.default === null) return expression;
  return `coalesce(${expression}, ${defaultValue(dialect, column)})`;
}

/** Writes the value that a new column of existing rows gets from the parents of the rows. */
export function parentValue({ quote }: Dialect, table: TableSchema, { from, by }: ColumnSource): string {
  // An alias: no resource name has a space.
  const parent = quote('parent row');
  const rows = `${quote(from.table)} as ${parent} where ${parent}.${quote('id')} = ${quote(table.name)}.${quote(by)}`;
  return `(select ${parent}.${quote(from.column)} from ${rows})`;
}

/**
 * Writes the definition of a column.
 *
 * @param defaults the columns whose default is one of the database
 */
export function columnDefinition(
  dialect: Dialect,
  column: TableColumn,
  { foreignKeys }: TableSchema,
  defaults: readonly TableColumn[] = [],
): string {
  const foreignKey = foreignKeys.find(({ columns }) => columns.length === 1 && columns[0] === column.name);
  const required = column.nullable ? '' : ' not null';
  const reference = foreignKey === undefined ? '' : ` ${referenceClause(dialect, foreignKey)}`;
  const value = defaults.some(({ name }) => name === column.name) ? ` default ${defaultValue(dialect, column)}` : '';
  return `${dialect.quote(column.name)} ${dialect.columnType(column.type)}${required}${value}${reference}`;
}

/**
 * Writes the statement that creates a table with its foreign keys.
 *
 * @param name the name of the table, where it is another one for a time
 * @param defaults the columns whose default is one of the database
 */
export function createTable(
  dialect: Dialect,
  table: TableSchema,
  name = table.name,
  defaults: readonly TableColumn[] = [],
): string {
  const columns = table.columns.map((column) => columnDefinition(dialect, column, table, defaults));
  const key = `primary key (${nameList(dialect, table.primaryKey)})`;
  const foreignKeys = table.foreignKeys
    .filter(({ columns: referring }) => referring.length > 1)
    .map((each) => `foreign key (${nameList(dialect, each.columns)}) ${referenceClause(dialect, each)}`);
  const definitions = [...columns, key, ...foreignKeys].map((each) => `  ${each}`);
  const options = dialect.tableOptions[table.kind === 'links' ? 'clustered' : 'rows'];
  return `create table ${dialect.quote(name)} (\n${definitions.join(',\n')}\n) ${options}`.trimEnd();
}

/** Writes a column, or a member inside of it, in a form that compares by value. */
export function columnExpression(
  dialect: Dialect,
  columns: readonly TableColumn[],
  [column = '', ...members]: readonly string[],
): string {
  const quoted = dialect.quote(column);
  if (members.length === 0) return quoted;
  return dialect.member(quoted, members, typeAt(columns, [column, ...members])).expression;
}

/** Differences between the indexes of databases. */
interface IndexForm {
  /** Between `index` and the name. */
  readonly option?: string;
  /** Puts the expression of a member into a term. Default: as it is. */
  readonly member?: (expression: string) => string;
}

/** Writes the statement that creates an index. */
export function createIndex(
  dialect: Dialect,
  table: TableSchema,
  { name, unique, keys }: Index,
  { option = '', member = (expression) => expression }: IndexForm = {},
): string {
  const terms = keys.map(({ path, descending }) => {
    const segments = path.split('.');
    const expression = columnExpression(dialect, table.columns, segments);
    return dialect.order(path, segments.length === 1 ? expression : member(expression), descending);
  });
  const create = `create ${unique ? 'unique ' : ''}index ${option}${dialect.quote(name)}`;
  return `${create} on ${dialect.quote(table.name)} (${terms.join(', ')})`;
}
