import type { Refusal } from '../../../plan/write-unit.ts';
import type { ExistingRowPlan } from '../../sql/existing/row-writes.ts';
import { quoteName } from '../../sql/standard-dialect.ts';
import type { Tables } from '../../sql/tables.ts';
import { explainViolation, violationProbes } from '../../sql/write/refusals.ts';
import { StoreUnavailable } from '../../store.ts';
import type { SqliteConnection } from '../connection/sqlite-connection.ts';
import { sqliteCode } from '../driver/sqlite-errors.ts';

/** A plan whose statement failed, with its place in the unit. */
interface FailedStatement {
  readonly plan: ExistingRowPlan;
  readonly index: number;
}

interface ExplainContext {
  readonly connection: SqliteConnection;
  readonly tables: Tables;
}

const UNIQUE = /^SQLITE_CONSTRAINT_(?:UNIQUE|PRIMARYKEY|ROWID)$/;

/** Codes of rules that refuse the values themselves: a constraint, or a type that a column does not hold. */
const INVALID = /^SQLITE_(?:CONSTRAINT|MISMATCH|TOOBIG)/;

/** The message of a statement that sets a column which the database computes. */
const GENERATED = /^cannot (?:INSERT into|UPDATE) generated column "(.*)"$/s;

/** The messages of constraints, and of strict tables, that name one column with its table. */
const NAMED = /^(?:NOT NULL constraint failed:|cannot store \w+ value in \w+ column) (.*)$/s;

/**
 * Finds the reason for which the database refused to write a row.
 *
 * @throws the error, where no rule of the table explains it. One of the statement alone is none of the database
 */
export function explainRule(context: ExplainContext, failed: FailedStatement, error: unknown): Refusal {
  const code = sqliteCode(error);
  const { plan, index } = failed;
  const message = error instanceof Error ? error.message : '';
  const rule = { kind: 'rule', plan: index, reason: 'invalid', message: null } as const;
  const generated = GENERATED.exec(message)?.[1];
  if (generated !== undefined) return { ...rule, field: findField(context, plan, generated) };
  if (code === 'SQLITE_CONSTRAINT_FOREIGNKEY' && plan.kind === 'delete') return { kind: 'dependents', plan: index };
  if (UNIQUE.test(code) || code === 'SQLITE_CONSTRAINT_FOREIGNKEY') {
    const explained = plan.kind === 'delete' ? null : probe(context, { plan, index });
    if (explained !== null) return explained;
    if (UNIQUE.test(code)) return { kind: 'unique', plan: index, fields: listUnique(context, plan, message) };
  }
  if (!INVALID.test(code)) throw explainStatement(error);
  const column = NAMED.exec(message)?.[1];
  const field = column === undefined ? null : findField(context, plan, withoutTable(context, plan, column));
  return { ...rule, field, message: code === 'SQLITE_CONSTRAINT_NOTNULL' && field !== null ? 'is required' : null };
}

/** The error of a statement alone, such as of a trigger that calls a function of its program: others are unharmed. */
function explainStatement(error: unknown): unknown {
  const explained = explainChange(error);
  if (explained !== error || sqliteCode(error) !== 'SQLITE_ERROR') return explained;
  return new Error('The database failed to write a row of a table that exists', { cause: error });
}

/** Finds a missing reference, or a row with the same unique values. */
function probe(
  { connection, tables }: ExplainContext,
  { plan, index }: { readonly plan: Exclude<ExistingRowPlan, { readonly kind: 'delete' }>; readonly index: number },
): Refusal | null {
  return explainViolation(violationProbes(tables, plan), index, ({ text, values }) => connection.all(text, values));
}

/** The fields of the columns that are unique together; none where one of them is not in the model. */
function listUnique(context: ExplainContext, plan: ExistingRowPlan, message: string): readonly string[] {
  const columns = message.replace(/^UNIQUE constraint failed: /, '').split(', ');
  const fields = columns.map((column) => findField(context, plan, withoutTable(context, plan, column)));
  return fields.includes(null) ? [] : fields.filter((field) => field !== null);
}

/** A column without the name of its table; empty for one of another table. */
function withoutTable({ tables }: ExplainContext, { resource }: ExistingRowPlan, column: string): string {
  const prefix = `${tables.of(resource).resource.table?.table}.`.toLowerCase();
  return column.toLowerCase().startsWith(prefix) ? column.slice(prefix.length) : '';
}

/** Finds the field of a column: `id` for that of the key. Null for a column that the model does not name. */
function findField({ tables }: ExplainContext, { resource }: ExistingRowPlan, column: string): string | null {
  const { columns = [], keys = [] } = tables.of(resource).existing?.target ?? {};
  const name = quoteName(column);
  const found = [...columns].find(([, each]) => each.name === name)?.[0];
  return found ?? (keys.length === 1 && keys[0]?.name === name ? 'id' : null);
}

/** The error to report for a statement that failed because the tables of another program have changed. */
export function explainChange(error: unknown): unknown {
  const isChanged = error instanceof Error && /no such (?:table|column|view)|has no column named/.test(error.message);
  if (!isChanged) return error;
  const message = `The tables of the database no longer match the model: ${error.message}`;
  return new StoreUnavailable(message, { cause: error, reason: 'migrated' });
}
