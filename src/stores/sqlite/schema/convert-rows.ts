import type { Model } from '../../../model/model.ts';
import { type BatchConversion, planEvents } from '../../sql/conversion/event-return.ts';
import { planFilters } from '../../sql/conversion/filter-conversion.ts';
import { type ConversionCheck, WholeRows } from '../../sql/conversion/problem-rows.ts';
import type { ConvertedContract } from '../../sql/conversion/conversion-plan.ts';
import type { TableConversion } from '../../sql/conversion/table-conversion.ts';
import { planRecords } from '../../sql/conversion/record-conversion.ts';
import { planTombstones } from '../../sql/conversion/tombstone-conversion.ts';
import type { Statement } from '../../sql/dialect.ts';
import type { SchemaStep } from '../../sql/schema/schema-errors.ts';
import type { SqliteConnection } from '../connection/sqlite-connection.ts';
import { sqlite } from '../dialect/sqlite-dialect.ts';
import { readBatches, ROW } from './read-batches.ts';
import { writeLock } from './schema-sql.ts';

const { quote } = sqlite;

/** Converts the rows of a table, in the transaction of the migration. @returns the step, with what it found */
export function convertRows(connection: SqliteConnection, conversion: TableConversion): SchemaStep {
  for (const statement of conversion.before) connection.script(statement);
  const update = updateText(conversion);
  for (const rows of readBatches(connection, conversion.table.name, conversion.selection)) {
    for (const row of rows) {
      const { values } = conversion.convert(row);
      if (update !== null) connection.run(update, [...values, row[ROW] ?? null]);
    }
  }
  for (const statement of conversion.after) connection.script(statement);
  return describeStep(conversion);
}

/** Converts events that the model could not read alone, in the transaction of the migration. @param from or null */
export function convertEvents(connection: SqliteConnection, model: Model, from: string | null): void {
  for (const each of planEvents(model, from, sqlite)) convertEach(connection, each);
}

/** Converts tombstones, idempotency records and filters of webhooks. @param from the contract of the rows before */
export function convertRecords(connection: SqliteConnection, model: Model, from: ConvertedContract): void {
  for (const plan of [planTombstones, planRecords, planFilters])
    for (const each of plan(model, from, sqlite)) convertEach(connection, each);
}

function convertEach(connection: SqliteConnection, conversion: BatchConversion): void {
  let read: Statement | null = conversion.first;
  while (read !== null) {
    const { writes, next } = conversion.convert(connection.all(read.text, read.values));
    for (const { text, values } of writes) connection.run(text, values);
    read = next;
  }
}

/** Reads and converts the rows of a table without writing them. @returns the step, with what it found */
export function checkConversion(
  connection: SqliteConnection,
  conversion: TableConversion,
  { now, report }: ConversionCheck,
): SchemaStep {
  const whole = report === null ? null : new WholeRows(conversion, sqlite);
  const selection = whole === null ? conversion.selection : `${conversion.selection}, ${whole.selection}`;
  const start = now();
  for (const rows of readBatches(connection, conversion.table.name, selection)) {
    for (const row of rows) {
      const { problems } = conversion.convert(row);
      if (problems.length > 0 && whole !== null) report?.(whole.describe(row, problems));
    }
  }
  conversion.measure(now() - start);
  return describeStep(conversion);
}

/** The statements of a conversion. */
export function conversionStatements(conversion: TableConversion): readonly string[] {
  const update = updateText(conversion);
  return [...conversion.before, ...(update === null ? [] : [update]), ...conversion.after];
}

function describeStep(conversion: TableConversion): SchemaStep {
  const step = conversion.step(conversionStatements(conversion));
  return { ...step, lock: writeLock(step.cost) };
}

/** null where nothing is made of what the older contract has. */
function updateText({ table, columns }: TableConversion): string | null {
  if (columns.length === 0) return null;
  const assigned = columns.map(({ name }) => `${quote(name)} = ?`).join(', ');
  return `update ${quote(table.name)} set ${assigned} where _rowid_ = ?`;
}
