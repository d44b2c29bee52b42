import { brokenReference, violatedStep } from '../../sql/schema/migration.ts';
import { quoteText } from '../../sql/standard-dialect.ts';
import { postgres } from '../dialect/postgres-dialect.ts';
import { allAnswers } from '../driver/answers.ts';
import type { PostgresConnection } from '../driver/pg.ts';
import { isConstraintFailure, isOverIndexLimit } from '../driver/postgres-errors.ts';
import type { PlannedStep } from './schema-steps.ts';

/** The blocks of a table whose rows are written in one transaction: half a megabyte. */
const BLOCKS = 64;

/**
 * Milliseconds that an index which is created concurrently waits for transactions that began before it. Nothing waits
 * for it meanwhile.
 */
const INDEX_TIMEOUT = 60_000;

/**
 * Sends all steps of a transaction together. The first error is that of the step that failed: later ones only say that
 * the transaction has failed.
 */
export async function runTogether(session: PostgresConnection, steps: readonly PlannedStep[]): Promise<void> {
  const sent = steps.map(async (planned) => {
    try {
      await session.script(planned.step.statements.join(';\n'));
    } catch (error) {
      throw explainFailedStep(planned, error, false);
    }
  });
  await allAnswers(sent);
}

/** Runs a step outside a transaction. @throws {SchemaViolation} where rows prevent it */
export async function runApart(session: PostgresConnection, planned: PlannedStep): Promise<void> {
  const { step, table, run } = planned;
  try {
    for (const statement of step.statements) {
      await (run === 'blocks' ? inBlocks(session, table, statement) : runStatement(session, statement));
    }
  } catch (error) {
    throw explainFailedStep(planned, error, true);
  }
}

/** Runs a statement in a transaction of its own. */
export async function runStatement(session: PostgresConnection, statement: string): Promise<void> {
  if (!/ index concurrently /.test(statement)) {
    await session.script(statement);
    return;
  }
  // Not `reset`: behind a pooler that sets the limit of the server in place of that of the session.
  const [row] = await session.script(`select current_setting('lock_timeout') as before`);
  await session.script(`set lock_timeout = ${INDEX_TIMEOUT}`);
  await session.script(statement);
  await session.script(`set lock_timeout = ${quoteText(String(row?.['before']))}`);
}

/**
 * Runs a statement for all rows, some blocks at a time. Rows that others insert meanwhile have been checked already.
 */
async function inBlocks(session: PostgresConnection, table: string, statement: string): Promise<void> {
  const size = `select pg_relation_size(${quoteText(postgres.quote(table))}::regclass) / current_setting('block_size')::bigint as blocks`;
  const blocks = Number((await session.query(size)).rows[0]?.['blocks']);
  for (let first = 0; first <= blocks; first += BLOCKS) await session.query(statement, [first, first + BLOCKS]);
}

/** The error for one of a step: rows that violate a rule, or do not fit into an index (LIM-1). */
function explainFailedStep({ step, table, key }: PlannedStep, error: unknown, isInterrupted: boolean): unknown {
  if (isOverIndexLimit(error))
    return violatedStep(step, isInterrupted, 'rows have values that are too long for an index');
  if (!isConstraintFailure(error)) return error;
  if (key === null) return violatedStep(step, isInterrupted);
  return brokenReference(table, key.table, key.columns.length > 1, isInterrupted);
}
