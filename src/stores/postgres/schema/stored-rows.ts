import type { FoundRows, KeyPart, StoredRows } from '../../sql/schema/stored-rows.ts';
import { postgres } from '../dialect.ts';
import type { PostgresConnection } from '../driver/pg.ts';

const { quote } = postgres;

/** The number of ids that a plan shows. */
const SHOWN = 3;

const NOTHING: FoundRows = { rows: 0, ids: [] };

/** Rows of a table that fulfill a condition. */
interface Question {
  readonly table: string;
  readonly condition: string;
  /** Whether ids of them are shown. */
  readonly shown: boolean;
}

/** The answers to questions, by the questions. */
type Answers = Map<string, FoundRows>;

/**
 * Makes a plan that depends on stored rows. A plan is pure: it is made again with what it asked, until it asks nothing new.
 *
 * @param plan called with rows that count as absent while they are not known
 */
export async function planWithRows<T>(session: PostgresConnection, plan: (rows: StoredRows) => T): Promise<T> {
  const answers: Answers = new Map();
  for (;;) {
    const rows = new AnsweredRows(answers);
    const result = plan(rows);
    if (rows.open.size === 0) return result;
    for (const [key, question] of rows.open) answers.set(key, await find(session, question));
  }
}

async function find(session: PostgresConnection, { table, condition, shown }: Question): Promise<FoundRows> {
  const from = `from ${quote(table)} where ${condition}`;
  const counted = await session.query(`select count(*) as number ${from}`);
  const rows = Number(counted.rows[0]?.['number']);
  if (rows === 0 || !shown) return { rows, ids: [] };
  const ids = await session.query(`select ${quote('id')} as id ${from} order by created_at, id limit ${SHOWN}`);
  return { rows, ids: ids.rows.map(({ id }) => String(id)) };
}

/** Answers what is known, and collects what is not. */
class AnsweredRows implements StoredRows {
  readonly open = new Map<string, Question>();
  readonly #answers: Answers;

  constructor(answers: Answers) {
    this.#answers = answers;
  }

  count(table: string): number {
    return this.#answer({ table, condition: 'true', shown: false }).rows;
  }

  all(table: string): FoundRows {
    return this.#answer({ table, condition: 'true', shown: true });
  }

  countValues(table: string, column: string): number {
    return this.#answer({ table, condition: `${quote(column)} is not null`, shown: false }).rows;
  }

  withNull(table: string, column: string): FoundRows {
    return this.#answer({ table, condition: `${quote(column)} is null`, shown: true });
  }

  duplicates(table: string, key: readonly KeyPart[]): FoundRows {
    const parts = key.map(({ column, members, type }) =>
      members.length === 0 ? quote(column) : postgres.member(quote(column), members, type).expression,
    );
    const known = parts.map((part) => `${part} is not null`).join(' and ');
    const list = parts.join(', ');
    const repeated = `select ${list} from ${quote(table)} where ${known} group by ${list} having count(*) > 1`;
    return this.#answer({ table, condition: `(${list}) in (${repeated})`, shown: true });
  }

  dangling(table: string, column: string, target: string | null): FoundRows {
    const missing = target === null ? '' : ` and ${quote(column)} not in (select ${quote('id')} from ${quote(target)})`;
    return this.#answer({ table, condition: `${quote(column)} is not null${missing}`, shown: true });
  }

  #answer(question: Question): FoundRows {
    const key = JSON.stringify(question);
    const known = this.#answers.get(key);
    if (known === undefined) this.open.set(key, question);
    return known ?? NOTHING;
  }
}
