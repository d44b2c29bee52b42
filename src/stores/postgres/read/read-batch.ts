import type { BatchRows, StatementBatch } from '../../sql/sql-client.ts';
import { allAnswers } from '../driver/answers.ts';
import type { PostgresConnection } from '../driver/pg.ts';
import { storeError } from '../driver/postgres-errors.ts';

const BEGIN = 'begin isolation level repeatable read read only';

/**
 * Reads the statements of a batch in one snapshot. All are sent together: nothing that others send on the session falls
 * between.
 *
 * @throws {StatementTimeout} {StoreUnavailable}
 */
export async function readBatch(session: PostgresConnection, batch: StatementBatch): Promise<BatchRows> {
  const statements = batch.length === 1 ? batch : [command(BEGIN), ...batch, command('commit')];
  try {
    const answers = await allAnswers(statements.map(({ text, values }) => session.query(text, values)));
    const rows = answers.map((answer) => answer.rows);
    return batch.length === 1 ? rows : rows.slice(1, -1);
  } catch (error) {
    throw storeError(error);
  }
}

function command(text: string): StatementBatch[number] {
  return { text, values: [] };
}
