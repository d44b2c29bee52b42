import { type TableColumn, typeAt } from '../../sql/columns.ts';
import type { Alteration } from '../../sql/schema/alteration.ts';
import { describeChange } from '../../sql/schema/describe-change.ts';
import { fillLinks, ownerOf } from '../../sql/schema/link-rows.ts';
import type { SchemaChange } from '../../sql/schema/schema-changes.ts';
import type { ColumnSource, ForeignKey, Index, TableSchema } from '../../sql/schema/schema.ts';
import type { SchemaStep, StepCost, StepLock } from '../../sql/schema/schema-errors.ts';
import { sqlite } from '../dialect.ts';

const { quote } = sqlite;

/** The name of a rebuilt table until it replaces the original. */
const REBUILT = 'restwright_rebuilt';

function list(names: readonly string[]): string {
  return names.map(quote).join(', ');
}

function references({ table, keys, cascade }: ForeignKey): string {
  return ` references ${quote(table)} (${list(keys)})${cascade ? ' on delete cascade' : ''}`;
}

/** @param defaults the columns whose default is one of the database */
function columnSql(column: TableColumn, table: TableSchema, defaults: readonly TableColumn[] = []): string {
  const foreignKey = table.foreignKeys.find(({ columns }) => columns.length === 1 && columns[0] === column.name);
  const required = column.nullable ? '' : ' not null';
  const reference = foreignKey === undefined ? '' : references(foreignKey);
  const value = defaults.some(({ name }) => name === column.name) ? ` default ${defaultSql(column)}` : '';
  return `${quote(column.name)} ${sqlite.columnType(column.type)}${required}${value}${reference}`;
}

function tableSql(table: TableSchema, name: string, defaults: readonly TableColumn[] = []): string {
  const columns = table.columns.map((column) => `  ${columnSql(column, table, defaults)}`);
  const key = `  primary key (${list(table.primaryKey)})`;
  const foreignKeys = table.foreignKeys
    .filter(({ columns: referring }) => referring.length > 1)
    .map((foreignKey) => `  foreign key (${list(foreignKey.columns)})${references(foreignKey)}`);
  const form = table.kind === 'links' ? sqlite.tableOptions.clustered : sqlite.tableOptions.rows;
  return `create table ${quote(name)} (\n${[...columns, key, ...foreignKeys].join(',\n')}\n) ${form}`;
}

function indexSql(table: TableSchema, { name, unique, keys }: Index): string {
  const terms = keys.map(({ path, descending }) => {
    const [column = '', ...members] = path.split('.');
    const type = typeAt(table.columns, [column, ...members]);
    const expression = members.length === 0 ? quote(column) : sqlite.member(quote(column), members, type).expression;
    return sqlite.order(path, expression, descending);
  });
  return `create ${unique ? 'unique ' : ''}index ${quote(name)} on ${quote(table.name)} (${terms.join(', ')})`;
}

function defaultSql({ type, default: value }: TableColumn): string {
  return sqlite.literal(value === null ? null : (sqlite.encode(type)(value) ?? null));
}

/** An alias: no resource name has a space. */
const PARENT = quote('parent row');

/** The values of a column of a rebuilt table that its rows get from their parents. */
function parentSql(table: TableSchema, { from, by }: ColumnSource): string {
  const of = `${quote(from.table)} as ${PARENT} where ${PARENT}.${quote('id')} = ${quote(table.name)}.${quote(by)}`;
  return `(select ${PARENT}.${quote(from.column)} from ${of})`;
}

/** The source of a column of a rebuilt table: its values, or the default where they are missing. */
function sourceSql({ before, after, converted, retyped }: Alteration, column: TableColumn): string {
  const existed = before.columns.some(({ name }) => name === column.name);
  const source = after.sources.find((each) => each.column === column.name);
  if (!existed && source !== undefined) return parentSql(after, source);
  if (!existed || retyped.includes(column)) return defaultSql(column);
  const name = quote(column.name);
  const value = converted.includes(column) ? `cast(${name} as ${sqlite.columnType(column.type)})` : name;
  return column.nullable || column.default === null ? value : `coalesce(${value}, ${defaultSql(column)})`;
}

/** SQLite can alter little in place: a new table is created and filled, and replaces the old one with its indexes. */
function rebuild(alteration: Alteration): readonly string[] {
  const { before, after, defaults } = alteration;
  const kept = after.indexes.filter(({ name }) => before.indexes.includes(name));
  const known = new Set(after.indexes.map(({ name }) => name));
  // Of another model that is served, too: only its migration has defaults.
  const others = defaults.length === 0 ? [] : before.indexes.filter((name) => !known.has(name));
  const columns = list(after.columns.map(({ name }) => name));
  const sources = after.columns.map((column) => sourceSql(alteration, column)).join(', ');
  return [
    tableSql(after, REBUILT, defaults),
    `insert into ${quote(REBUILT)} (${columns}) select ${sources} from ${quote(after.name)}`,
    `drop table ${quote(after.name)}`,
    `alter table ${quote(REBUILT)} rename to ${quote(after.name)}`,
    ...kept.map((index) => indexSql(after, index)),
    ...others.flatMap((name) => before.definitions?.[name] ?? []),
  ];
}

/** Whether columns that are NULL in every row, or have a default of the database, are all that is added, which SQLite can do in place. */
function addsOnly(alteration: Alteration): boolean {
  const { before, after, added, defaults, withoutDefault, nullability, foreignKeys, primaryKey } = alteration;
  const newKeys = after.foreignKeys.filter(
    ({ columns: [only, ...others] }) => others.length === 0 && added.some(({ name }) => name === only),
  );
  const keysOnlyAdded = !foreignKeys || after.foreignKeys.length - newKeys.length === before.foreignKeys.length;
  const isFilled = (column: TableColumn): boolean =>
    defaults.includes(column) || (column.nullable && column.default === null);
  const { converted, retyped, dropped } = alteration;
  const kept = [converted, retyped, dropped, withoutDefault].every(({ length }) => length === 0);
  const inPlace = added.every(isFilled) && defaults.every((column) => added.includes(column));
  return keysOnlyAdded && inPlace && kept && !nullability && !primaryKey;
}

/** The tables that are dropped and created again, with another name for a moment: they lose their triggers. */
export function rebuiltTables(changes: readonly SchemaChange[]): ReadonlySet<string> {
  return new Set(
    changes.flatMap((change) => {
      if (change.kind === 'rename-table') return [change.to];
      return change.kind === 'alter-table' && !addsOnly(change.alteration) ? [change.alteration.after.name] : [];
    }),
  );
}

function alterSql(alteration: Alteration): readonly string[] {
  if (!addsOnly(alteration)) return rebuild(alteration);
  const { after, added } = alteration;
  return added.map(
    (column) => `alter table ${quote(after.name)} add column ${columnSql(column, after, alteration.defaults)}`,
  );
}

function sqlOf(
  change: SchemaChange,
  declared: readonly TableSchema[],
  existing: ReadonlySet<string>,
): readonly string[] {
  switch (change.kind) {
    case 'rename-table':
      return [`alter table ${quote(change.from)} rename to ${quote(change.to)}`];
    case 'rename-column':
      return [`alter table ${quote(change.table)} rename column ${quote(change.from)} to ${quote(change.to)}`];
    case 'drop-index':
      return [`drop index ${quote(change.name)}`];
    case 'alter-table':
      return alterSql(change.alteration);
    case 'create-table': {
      const owner = ownerOf(change.table);
      const fill = change.table.kind === 'links' && owner !== undefined && existing.has(owner);
      return [
        tableSql(change.table, change.table.name),
        ...(fill ? fillLinks(change.table, declared, sqlite, (array) => `json_each(${array}) as item`) : []),
      ];
    }
    case 'drop-table':
      return [`drop table ${quote(change.table.name)}`];
    case 'create-index':
      return [indexSql(change.table, change.index)];
  }
}

function costOf(change: SchemaChange): StepCost {
  const { rows } = change;
  if (change.kind === 'create-index') return { kind: 'reads', rows };
  if (change.kind === 'alter-table' && !addsOnly(change.alteration)) return { kind: 'rewrites', rows };
  return { kind: 'constant', rows };
}

/** The lock of every migration: one transaction that writes. Reads go on with the rows from before it. */
export function writeLock({ kind, rows }: StepCost): StepLock {
  return { mode: 'RESERVED', table: null, blocks: 'writes', momentary: kind === 'constant' || rows === 0 };
}

/**
 * The SQL of schema changes, one step per change, in order. Foreign keys must be disabled while it runs, because a rebuilt table does not exist
 * for a moment, and checked afterwards.
 *
 * @param existing names of the tables that the database has, before renaming
 */
export function schemaSteps(
  changes: readonly SchemaChange[],
  declared: readonly TableSchema[],
  existing: ReadonlySet<string>,
): readonly SchemaStep[] {
  const renamed = new Set([
    ...existing,
    ...changes.flatMap((change) => (change.kind === 'rename-table' ? [change.to] : [])),
  ]);
  return changes.map((change) => ({
    purpose: describeChange(change),
    statements: sqlOf(change, declared, renamed),
    cost: costOf(change),
    lock: writeLock(costOf(change)),
    losses: change.losses,
    broken: change.broken,
  }));
}
