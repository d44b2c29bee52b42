import {
  askRows,
  type FoundRows,
  questionStatements,
  type RowQuestion,
  type StoredRows,
} from '../../sql/schema/stored-rows.ts';
import { postgres } from '../dialect/postgres-dialect.ts';
import { allAnswers } from '../driver/answers.ts';
import type { PostgresConnection } from '../driver/pg.ts';

const NOTHING: FoundRows = { rows: 0, ids: [] };

/**
 * Makes a plan that depends on stored rows. A plan is pure: it is made again with what it asked, until it asks nothing
 * new.
 *
 * @param plan called with rows that count as absent while they are not known
 */
export async function planWithRows<T>(session: PostgresConnection, plan: (rows: StoredRows) => T): Promise<T> {
  const answers = new Map<string, FoundRows>();
  for (;;) {
    const open = new Map<string, RowQuestion>();
    const result = plan(
      askRows(postgres, (question) => {
        const key = JSON.stringify(question);
        const known = answers.get(key);
        if (known === undefined) open.set(key, question);
        return known ?? NOTHING;
      }),
    );
    if (open.size === 0) return result;
    const found = [...open].map(async ([key, question]) => [key, await find(session, question)] as const);
    for (const [key, rows] of await allAnswers(found)) answers.set(key, rows);
  }
}

async function find(session: PostgresConnection, question: RowQuestion): Promise<FoundRows> {
  const statements = questionStatements(postgres, question, 'created_at, id');
  const counted = await session.query(statements.count);
  const rows = Number(counted.rows[0]?.['number']);
  if (rows === 0 || !question.shown) return { rows, ids: [] };
  const ids = await session.query(statements.ids);
  return { rows, ids: ids.rows.map(({ id }) => String(id)) };
}
