import type { Json } from '../../../conventions/json/json.ts';
import type { Model, Resource, ValueType } from '../../../model/model.ts';
import type { DerivedColumn, Dialect, SqlRow, SqlValue } from '../dialect.ts';
import { deriveSchema, type TableSchema } from '../schema/schema.ts';
import { findPlaces } from '../events/event-statements.ts';
import { sumStamps } from '../log-numbers.ts';
import { systemTables } from '../schema/system-upgrades.ts';

/** A column that a copy writes. */
export interface CopiedColumn {
  readonly name: string;
  /** The value of the column for what is bound, given its placeholder; null where that is the bound value. */
  readonly expression: ((placeholder: string) => string) | null;
}

/** A table of a copy. */
export interface CopiedTable {
  /** The name of the table in the target. */
  readonly name: string;
  /** The query that reads its rows in the source. */
  readonly select: string;
  /** The condition of the rows of a new database that those of the source replace. */
  readonly where: string;
  readonly columns: readonly CopiedColumn[];
  /** The bound values for a row of the source, in the order of the columns. */
  readonly values: (row: SqlRow) => readonly SqlValue[];
}

/** The two databases of a copy. */
export interface CopyDialects {
  readonly from: Dialect;
  readonly to: Dialect;
}

/** The tables that a new database has with rows of its own, and those of totals. */
const NOT_COPIED = ['restwright_meta', 'restwright_counts', 'restwright_totals', 'restwright_slots'];

/**
 * The names of the system tables whose rows are copied: all of this version, so that those of later formats are, too.
 */
export function copiedSystemTables(dialect: Dialect): readonly string[] {
  const names = systemTables(dialect).flatMap((text) => /^create table (\w+)/.exec(text)?.[1] ?? []);
  return names.filter((name) => !NOT_COPIED.includes(name));
}

/** The condition that holds for each row. */
const ALL = '1 = 1';

/** The query of rows that slots have parts of, as rows of a log without slots. */
const MERGED = new Map<string, (dialect: Dialect) => string>([
  [
    'restwright_partitions',
    () =>
      `select resource, field, value, ${sumStamps('sum(change)')} as change from restwright_partitions group by 1, 2, 3`,
  ],
  ['restwright_block_shapes', () => 'select distinct block, shape from restwright_block_shapes'],
  // The times of the last block are copied with the numbers of the log.
  [
    'restwright_event_blocks',
    (
      dialect,
    ) => `select block, min(first_at) as first_at, max(last_at) as last_at, min(first_id) as first_id, max(last_id) as last_id
from ${findPlaces(dialect)} where block is distinct from (select max(block) from restwright_slots) group by block`,
  ],
]);

/** A system table. Its values have the same form in all databases. */
export function systemTable(name: string, all: readonly string[], dialect: Dialect): CopiedTable {
  const { quote, numbers } = dialect;
  const merged = numbers === 'counted' ? undefined : MERGED.get(name);
  const columns = merged === undefined ? all : all.filter((column) => column !== 'slot');
  return {
    name,
    select: merged?.(dialect) ?? `select ${columns.map(quote).join(', ')} from ${quote(name)}`,
    where: ALL,
    ...copiedColumns(columns),
  };
}

/** The counts and stamps of resources. */
export function totalsTable({ from, to }: CopyDialects): CopiedTable {
  const isCounted = to.numbers === 'counted';
  return {
    name: isCounted ? 'restwright_counts' : 'restwright_totals',
    select:
      from.numbers === 'counted'
        ? "select resource, count, change from restwright_counts where resource <> ''"
        : `select resource, sum(count)::bigint as count, ${sumStamps('sum(change)')} as change from restwright_totals group by resource`,
    where: isCounted ? "resource <> ''" : ALL,
    ...copiedColumns(['resource', 'count', 'change']),
  };
}

function copiedColumns(columns: readonly string[]): Pick<CopiedTable, 'columns' | 'values'> {
  return {
    columns: columns.map((column) => ({ name: column, expression: null })),
    values: (row) => columns.map((column) => row[column] ?? null),
  };
}

/** The tables of a model: of rows, and of links. */
export function modelTables(model: Model, dialects: CopyDialects): readonly CopiedTable[] {
  return deriveSchema(model).map((table) => modelTable(table, model.resources.get(table.name), dialects));
}

function modelTable(table: TableSchema, resource: Resource | undefined, { from, to }: CopyDialects): CopiedTable {
  const own = table.columns.map(({ name, type }) => ({ name, convert: converter(type, { from, to }) }));
  const derived = (resource === undefined ? [] : to.derivedColumns(resource)).map((column) => ({
    column,
    read: columnDecoder(table, column, from),
  }));
  const selected = table.columns.map(
    ({ name, type }) => `${from.selection(from.quote(name), type)} as ${from.quote(name)}`,
  );
  return {
    name: table.name,
    select: `select ${selected.join(', ')} from ${from.quote(table.name)}`,
    where: ALL,
    columns: [
      ...own.map(({ name }) => ({ name, expression: null })),
      ...derived.map(({ column: { name, expression } }) => ({ name, expression })),
    ],
    values: (row) => [
      ...own.map(({ name, convert }) => convert(row[name] ?? null)),
      ...derived.map(({ column: { field, encode }, read }) => encode(read(row[field] ?? null))),
    ],
  };
}

/** Reads the JSON value from which the values of a derived column follow. */
function columnDecoder(table: TableSchema, { field }: DerivedColumn, from: Dialect): (value: SqlValue) => Json {
  const type = table.columns.find(({ name }) => name === field)?.type;
  if (type === undefined) throw new Error(`${table.name} has no column ${field}`);
  return jsonDecoder(type, from);
}

/** Bytes are no JSON value before they are decoded. */
function jsonDecoder(type: ValueType, from: Dialect): (value: SqlValue) => Json {
  const decode = from.decode(type);
  return (value) => {
    if (value === null) return null;
    if (decode !== null) return decode(value);
    return typeof value === 'bigint' || value instanceof Uint8Array ? String(value) : value;
  };
}

function isUuids(type: ValueType): boolean {
  return type.kind === 'text' && type.compact === true;
}

/**
 * Converts what each database stores in its own form: UUIDs, and numbers with more digits than those of JavaScript. All
 * other values have the same form and stay as they are.
 */
function converter(type: ValueType, { from, to }: CopyDialects): (value: SqlValue) => SqlValue {
  if (type.kind !== 'decimal' && type.kind !== 'int64' && !isUuids(type)) return (value) => value;
  const [read, encode] = [jsonDecoder(type, from), to.encode(type)];
  return (value) => {
    if (value === null) return null;
    const encoded = encode(read(value));
    if (encoded === undefined) throw new RangeError(`${String(value)} cannot be stored`);
    return encoded;
  };
}
