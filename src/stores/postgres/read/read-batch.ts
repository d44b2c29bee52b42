import type { DatabaseCaller } from '../../../plan/write-unit.ts';
import type { Statement } from '../../sql/dialect.ts';
import { deadlineChecksFor } from '../../sql/read/read-statements.ts';
import type { BatchRead, BatchRows, StatementBatch } from '../../sql/sql-client.ts';
import { quote } from '../dialect/literals.ts';
import { allAnswers } from '../driver/answers.ts';
import type { PostgresConnection } from '../driver/pg.ts';
import { storeError } from '../driver/postgres-errors.ts';
import { becomeCaller, callerError } from '../existing/caller-role.ts';

const BEGIN = 'begin isolation level repeatable read read only';

/**
 * Reads the statements of a batch in one snapshot. All are sent together: nothing that others send on the session falls
 * between. If any of them fails, so does the batch: nothing is returned that was read under another role.
 *
 * @param caller as whom they run; null for the server
 * @throws {StatementTimeout} {StoreUnavailable} {RoleForbidden}
 */
export async function readBatch(
  session: PostgresConnection,
  batch: StatementBatch,
  caller: DatabaseCaller | null = null,
): Promise<BatchRows> {
  const opening = caller === null ? [] : [becomeCaller(caller)];
  const isAlone = caller === null && batch.length === 1;
  const statements = isAlone ? batch : [command(BEGIN), ...opening, ...batch, command('commit')];
  try {
    const answers = await allAnswers(statements.map(({ text, values }) => session.query(text, values)));
    const rows = answers.map((answer) => answer.rows);
    return isAlone ? rows : rows.slice(1 + opening.length, -1);
  } catch (error) {
    throw caller === null ? storeError(error) : callerError(storeError(error), caller);
  }
}

/** The statements of a batch, with checks of the deadline and bounds of rows as its effort needs them. */
export function boundedBatch({ effort, statements }: BatchRead): StatementBatch {
  return statements(deadlineChecksFor(effort)).map(boundedStatement);
}

function command(text: string): StatementBatch[number] {
  return { text, values: [] };
}

/**
 * A statement whose rows end at its bound (LIM-1): with the first that exceeds it, or the second where the first alone
 * does. The database counts code points and bytes, of which there are at most as many as characters: no row of a page
 * is missing. The order of the rows stays.
 */
function boundedStatement(statement: Statement): Statement {
  const { text, values, bound } = statement;
  if (bound === undefined || bound.columns.length === 0 || !Number.isFinite(bound.size)) return statement;
  const size = bound.columns.map((name) => `coalesce(length(found.${quote(name)}), 0)`).join(' + ');
  const before = `sum(${size}) over (rows between unbounded preceding and 1 preceding)`;
  const sized = `select found, row_number() over () as place, ${before} as before from (${text}) as found`;
  return {
    text: `select (sized.found).* from (${sized}) as sized where place <= 2 or before <= $${values.length + 1}`,
    values: [...values, bound.size],
  };
}
