import type { Model, ValueType } from '../../../model/model.ts';
import { type BatchConversion, planEvents } from '../../sql/conversion/event-return.ts';
import { planFilters } from '../../sql/conversion/filter-conversion.ts';
import { type ConversionCheck, WholeRows } from '../../sql/conversion/problem-rows.ts';
import type { ConvertedContract } from '../../sql/conversion/conversion-plan.ts';
import type { TableConversion } from '../../sql/conversion/table-conversion.ts';
import { planRecords } from '../../sql/conversion/record-conversion.ts';
import { planTombstones } from '../../sql/conversion/tombstone-conversion.ts';
import type { SqlRow, Statement } from '../../sql/dialect.ts';
import type { CurrentTable } from '../../sql/schema/alteration.ts';
import type { SchemaStep } from '../../sql/schema/schema-errors.ts';
import { arrayLiteral } from '../dialect/literals.ts';
import { postgres } from '../dialect/postgres-dialect.ts';
import { allAnswers } from '../driver/answers.ts';
import type { PostgresConnection } from '../driver/pg.ts';
import { exclusiveLock } from './schema-steps.ts';
import type { SearchState } from './search-schema.ts';

const { quote } = postgres;

/** The rows of one read. */
const BATCH = 1_000;

const KEY = { kind: 'text', format: null } as const;

function keyType({ columns }: CurrentTable, key: string): ValueType {
  return columns.some(({ name, storageType }) => name === key && storageType === 'uuid')
    ? { ...KEY, compact: true }
    : KEY;
}

/** Converts the rows of a table, in the transaction of the migration. @param words the columns with words of tables */
export async function convertRows(
  session: PostgresConnection,
  conversion: TableConversion,
  words: SearchState,
): Promise<void> {
  for (const statement of [...dropWords(conversion, words), ...conversion.before]) await session.script(statement);
  const update = updateText(conversion);
  await readRows(session, conversion, async (rows) => {
    const converted = rows.map((row) => conversion.convert(row));
    if (update === null) return;
    const cells = converted.map(({ values, key }) => [...values, ...key]);
    const width = conversion.columns.length + conversion.table.primaryKey.length;
    const columns = Array.from({ length: width }, (_, at) => arrayLiteral(cells.map((row) => row[at] ?? null)));
    await session.query(update, columns);
  });
  for (const statement of conversion.after) await session.script(statement);
}

/** Converts events that the model could not read alone, in the transaction of the migration. @param from or null */
export async function convertEvents(session: PostgresConnection, model: Model, from: string | null): Promise<void> {
  for (const each of planEvents(model, from, postgres)) await convertEach(session, each);
}

/** Converts tombstones, idempotency records and filters of webhooks. @param from the contract of the rows before */
export async function convertRecords(
  session: PostgresConnection,
  model: Model,
  from: ConvertedContract,
): Promise<void> {
  for (const plan of [planTombstones, planRecords, planFilters])
    for (const each of plan(model, from, postgres)) await convertEach(session, each);
}

async function convertEach(session: PostgresConnection, conversion: BatchConversion): Promise<void> {
  let read: Statement | null = conversion.first;
  while (read !== null) {
    const { rows } = await session.query(read.text, read.values);
    const { writes, next } = conversion.convert(rows);
    await allAnswers(writes.map(({ text, values }) => session.query(text, values)));
    read = next;
  }
}

/** Reads and converts the rows of a table without writing them. */
export async function checkConversion(
  session: PostgresConnection,
  conversion: TableConversion,
  { now, report }: ConversionCheck,
): Promise<void> {
  const { table } = conversion;
  const whole = report === null ? null : new WholeRows(conversion, postgres);
  const selection = whole === null ? conversion.selection : `${conversion.selection}, ${whole.selection}`;
  const start = now();
  await session.script('begin');
  await readRows(session, { table, selection }, async (rows) => {
    for (const row of rows) {
      const { problems } = conversion.convert(row);
      if (problems.length > 0 && whole !== null) report?.(whole.describe(row, problems));
    }
  });
  await session.script('rollback');
  conversion.measure(now() - start);
}

/** The step of a conversion, with what it has found. */
export function describeConversion(conversion: TableConversion, words: SearchState): SchemaStep {
  const update = updateText(conversion);
  const statements = [
    ...dropWords(conversion, words),
    ...conversion.before,
    ...(update === null ? [] : [update]),
    ...conversion.after,
  ];
  const lock = { ...exclusiveLock(conversion.table.name), momentary: false };
  return { ...conversion.step(statements), lock };
}

/** The columns with words of all tables whose rows are not converted. Those of the others are made again. */
export function keptWords(words: SearchState, conversions: readonly TableConversion[]): SearchState {
  const converted = new Set(conversions.map(({ table }) => table.name));
  return new Map([...words].filter(([table]) => !converted.has(table)));
}

function dropWords({ table: { name } }: TableConversion, words: SearchState): readonly string[] {
  return [...(words.get(name)?.keys() ?? [])].map(
    (column) => `alter table ${quote(name)} drop column ${quote(column)}`,
  );
}

/** Reads the rows as they were before the first of them is written. */
async function readRows(
  session: PostgresConnection,
  { table, selection }: Pick<TableConversion, 'table' | 'selection'>,
  work: (rows: readonly SqlRow[]) => Promise<void>,
): Promise<void> {
  await session.query(`declare converted no scroll cursor for select ${selection} from ${quote(table.name)}`);
  for (;;) {
    const { rows } = await session.query(`fetch ${BATCH} from converted`);
    await work(rows);
    if (rows.length < BATCH) break;
  }
  await session.script('close converted');
}

/** Parameters: the values of each new column, then those of the key, as arrays. */
function updateText({ table, columns }: TableConversion): string | null {
  const { rowArrays } = postgres;
  if (columns.length === 0 || rowArrays === null) return null;
  const name = quote(table.name);
  const assigned = columns.map((column, at) => `${quote(column.name)} = ${rowArrays.value(at + 1)}`);
  const same = table.primaryKey.map((key, at) => `${name}.${quote(key)} = ${rowArrays.value(columns.length + at + 1)}`);
  const types = [...columns.map(({ type }) => type), ...table.primaryKey.map((key) => keyType(table, key))];
  return `update ${name} set ${assigned.join(', ')} from ${rowArrays.source(types)} where ${same.join(' and ')}`;
}
