import { type TableColumn, typeAt } from '../../sql/columns.ts';
import type { Alteration } from '../../sql/schema/alteration.ts';
import { fillLinks } from '../../sql/schema/link-rows.ts';
import type { SchemaChange } from '../../sql/schema/schema-changes.ts';
import { type ColumnSource, type ForeignKey, type Index, type TableSchema } from '../../sql/schema/schema.ts';
import { postgres } from '../dialect.ts';
import { quoteText, storedName } from '../literals.ts';

const { quote } = postgres;

function list(names: readonly string[]): string {
  return names.map(quote).join(', ');
}

/** The comment that holds a name which the database would cut. */
function namedBy(kind: 'table' | 'index', name: string): readonly string[] {
  return storedName(name) === name ? [] : [`comment on ${kind} ${quote(name)} is ${quoteText(name)}`];
}

/** The statements that create a table, without its foreign keys. */
export function createTable(
  table: TableSchema,
  declared: readonly TableSchema[],
  isFilled: boolean,
): readonly string[] {
  const columns = table.columns.map(
    ({ name, type, nullable }) => `  ${quote(name)} ${postgres.columnType(type)}${nullable ? '' : ' not null'}`,
  );
  const key = `  primary key (${list(table.primaryKey)})`;
  return [
    `create table ${quote(table.name)} (\n${[...columns, key].join(',\n')}\n)`,
    ...namedBy('table', table.name),
    ...(isFilled ? fillLinks(table, declared, postgres, itemsOf) : []),
  ];
}

export function createIndex(table: TableSchema, { name, unique, keys }: Index): readonly string[] {
  const terms = keys.map(({ path, descending }) => {
    const [column = '', ...members] = path.split('.');
    const type = typeAt(table.columns, [column, ...members]);
    const expression = members.length === 0 ? quote(column) : postgres.member(quote(column), members, type).expression;
    return postgres.order(members.length === 0 ? expression : `(${expression})`, descending);
  });
  const text = `create ${unique ? 'unique ' : ''}index ${quote(name)} on ${quote(table.name)} (${terms.join(', ')})`;
  return [text, ...namedBy('index', name)];
}

/** The statement that adds a foreign key. It reads all rows of the table. */
export function addForeignKey(table: string, { columns, table: target, keys, cascade }: ForeignKey): string {
  const references = `references ${quote(target)} (${list(keys)})${cascade ? ' on delete cascade' : ''}`;
  return `alter table ${quote(table)} add foreign key (${list(columns)}) ${references}`;
}

const itemsOf = (array: string): string => `json_array_elements_text(${array}::json) as item(value)`;

function defaultSql({ type, default: value }: TableColumn): string {
  return postgres.literal(value === null ? null : (postgres.encode(type)(value) ?? null));
}

/** An alias: no resource name has a space. */
const PARENT = quote('parent row');

/** The values of a new column that rows get from their parents. */
function parentSql(table: TableSchema, { from, by }: ColumnSource): string {
  const of = `${quote(from.table)} as ${PARENT} where ${PARENT}.${quote('id')} = ${quote(table.name)}.${quote(by)}`;
  return `(select ${PARENT}.${quote(from.column)} from ${of})`;
}

/** The statements that drop the constraints of a table: `f`, its foreign keys; `p`, its primary key, with the foreign keys that refer to it. */
function dropConstraints(table: string, kind: 'f' | 'p'): string {
  const name = quote(table);
  return `do $$ declare found record; begin
  for found in select conname from pg_constraint where conrelid = ${quoteText(name)}::regclass and contype = '${kind}' loop
    execute format('alter table ${name.replaceAll("'", "''")} drop constraint %I cascade', found.conname);
  end loop;
end $$`;
}

/** Whether the foreign keys of a table are dropped, and added again when all tables are altered. */
export function renewsKeys({ foreignKeys, primaryKey, converted, retyped }: Alteration): boolean {
  return foreignKeys || primaryKey || converted.length + retyped.length > 0;
}

/** The statements that alter a table. A new column with a default rewrites no row. */
export function alterTable(alteration: Alteration): readonly string[] {
  const { after, added, converted, retyped, dropped, primaryKey } = alteration;
  const table = `alter table ${quote(after.name)}`;
  return [
    ...(renewsKeys(alteration) ? [dropConstraints(after.name, 'f')] : []),
    ...(primaryKey ? [dropConstraints(after.name, 'p')] : []),
    ...added.flatMap((column) => addColumn(after, column)),
    ...converted.map((column) => retype(table, column, castSql(column))),
    ...retyped.map((column) => retype(table, column, defaultSql(column))),
    ...dropped.map(({ name }) => `${table} drop column ${quote(name)} cascade`),
    ...nullability(alteration),
    ...(primaryKey ? [`${table} add primary key (${list(after.primaryKey)})`] : []),
  ];
}

function addColumn(table: TableSchema, column: TableColumn): readonly string[] {
  const [name, type] = [quote(column.name), postgres.columnType(column.type)];
  const source = table.sources.find((each) => each.column === column.name);
  const add = `alter table ${quote(table.name)} add column ${name} ${type}`;
  if (source !== undefined) return [add, `update ${quote(table.name)} set ${name} = ${parentSql(table, source)}`];
  if (column.default === null) return [add];
  return [`${add} default ${defaultSql(column)}`, `alter table ${quote(table.name)} alter column ${name} drop default`];
}

function castSql(column: TableColumn): string {
  return `${quote(column.name)}::${postgres.columnType(column.type).replace(' collate "C"', '')}`;
}

function retype(table: string, { name, type, nullable, default: value }: TableColumn, source: string): string {
  const given =
    nullable || value === null
      ? source
      : `coalesce(${source}, ${postgres.literal(postgres.encode(type)(value) ?? null)})`;
  const columnType = postgres.columnType(type);
  return `${table} alter column ${quote(name)} type ${columnType} using (${given})::${columnType.replace(' collate "C"', '')}`;
}

function nullability({ before, after, added, retyped }: Alteration): readonly string[] {
  const previous = new Map(before.columns.map((column) => [column.name, column.nullable]));
  const table = `alter table ${quote(after.name)}`;
  return after.columns.flatMap((column) => {
    const wasNullable = added.includes(column) || (previous.get(column.name) ?? true);
    const name = quote(column.name);
    if (column.nullable) return wasNullable ? [] : [`${table} alter column ${name} drop not null`];
    if (!wasNullable && !retyped.includes(column)) return [];
    const filled = added.includes(column) || column.default === null;
    return [
      ...(filled ? [] : [`update ${quote(after.name)} set ${name} = ${defaultSql(column)} where ${name} is null`]),
      `${table} alter column ${name} set not null`,
    ];
  });
}

/** The table that a change alters or creates with foreign keys; null for another one. */
export function tableWithKeys(change: SchemaChange): TableSchema | null {
  if (change.kind === 'create-table') return change.table;
  return change.kind === 'alter-table' && renewsKeys(change.alteration) ? change.alteration.after : null;
}
