import type { Observe } from '../../../observe/observation.ts';
import type { DeadlineChecks, SqlRow, Statement } from '../../sql/dialect.ts';
import type { BatchRead, BatchRows, SqlClient, StatementBatch } from '../../sql/sql-client.ts';
import { EXCLUDE_WRITES } from '../commit/write-locks.ts';
import type { SharedWrites } from '../commit/unit-transaction.ts';
import type { Session } from '../connection/sessions.ts';
import { allAnswers } from '../driver/answers.ts';
import type { PostgresConnection } from '../driver/pg.ts';
import { storeError } from '../driver/postgres-errors.ts';
import type { ReportFailure } from './shared-table.ts';
import type { SharedTables } from './shared-tables.ts';

/** The reads of one request that may find rows of the other model, before one waits for the lock of writes. */
const MAX_ATTEMPTS = 4;

/** Makes the report of rows that cannot be converted, which is a line of the log for each. */
export function reportFailures(observe: Observe): ReportFailure {
  return ({ table, id, message }) => observe({ kind: 'conversion-failed', table, id, message });
}

/** The reads and writes of a store. */
interface SharedWork {
  readonly reader: SqlClient;
  /** Null where no older model has rows of another form. */
  readonly writes: SharedWrites | null;
}

/** Makes the reads and writes of a store. @param shared null where no older model has rows of another form */
export function serveShared({
  shared,
  ...options
}: Omit<MarkedClientOptions, 'shared'> & { readonly shared: SharedTables | null }): SharedWork {
  if (shared === null) return { reader: options.client, writes: null };
  return { reader: new MarkedClient({ ...options, shared }), writes: sharedWrites(shared, options.observe) };
}

interface MarkedClientOptions {
  readonly client: SqlClient;
  /** Converts rows, in transactions of its own. */
  readonly session: Session;
  readonly shared: SharedTables;
  readonly observe: Observe;
}

/**
 * Reads the rows of two models that are served side by side. Each read looks, in its snapshot, for rows that instances
 * of the older model have written. Where there are some, they are converted, and it reads again: no reader sees a row
 * that is not converted.
 */
class MarkedClient implements SqlClient {
  readonly #client: SqlClient;
  readonly #session: Session;
  readonly #shared: SharedTables;
  readonly #report: ReportFailure;
  /** The transaction that converts; all reads that have found rows before it began wait for it. */
  #converting: Promise<unknown> = Promise.resolve();

  constructor({ client, session, shared, observe }: MarkedClientOptions) {
    this.#client = client;
    this.#session = session;
    this.#shared = shared;
    this.#report = reportFailures(observe);
  }

  async get(statement: Statement): Promise<SqlRow | null> {
    return (await this.all(statement))[0] ?? null;
  }

  async all(statement: Statement): Promise<readonly SqlRow[]> {
    const statements = (): StatementBatch => [statement];
    const [rows = []] = await this.batch({ resource: '', effort: 'light', statements });
    return rows;
  }

  async batch({ resource, effort, statements }: BatchRead): Promise<BatchRows> {
    const checked = (checks: DeadlineChecks): StatementBatch => [
      { text: this.#shared.check, values: [] },
      ...statements(checks),
    ];
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const [marked, ...rows] = await this.#client.batch({ resource, effort, statements: checked });
      if (marked?.length === 0) return rows;
      await this.#exclusively(async () => []);
    }
    return this.#exclusively(async (session) => {
      const answers = await allAnswers(statements('never').map(({ text, values }) => session.query(text, values)));
      return answers.map(({ rows }) => rows);
    });
  }

  execute(statement: Statement): Promise<readonly SqlRow[]> {
    return this.#client.execute(statement);
  }

  /** Converts all marked rows, then reads while no one writes. One transaction after the other. */
  #exclusively(read: (session: PostgresConnection) => Promise<BatchRows>): Promise<BatchRows> {
    const running = this.#converting.then(() => this.#convert(read));
    this.#converting = running.catch(() => []);
    return running;
  }

  async #convert(read: (session: PostgresConnection) => Promise<BatchRows>): Promise<BatchRows> {
    const session = await this.#session.open();
    try {
      await allAnswers([session.query('begin'), session.query(EXCLUDE_WRITES)]);
      await convertAll(session, this.#shared, this.#report);
      const rows = await read(session);
      await session.query('commit');
      return rows;
    } catch (error) {
      // It may be in a transaction.
      this.#session.discard();
      throw storeError(error);
    }
  }
}

/** Converts the rows that instances of both models have left, in a transaction that holds the lock of all writes. */
export async function convertAll(
  session: PostgresConnection,
  shared: SharedTables,
  report: ReportFailure,
): Promise<void> {
  if (!(await shared.isMarked(session))) return;
  await shared.unmarked(session, shared.names.id, async () => {
    await shared.convertMarked(session, 'old', report);
    await shared.convertMarked(session, 'new', report);
  });
}

/** The work of transactions of the newer model: they read all rows as its own, and write theirs for both models. */
function sharedWrites(shared: SharedTables, observe: Observe): SharedWrites {
  const report = reportFailures(observe);
  return {
    begin: (session) => convertAll(session, shared, report),
    end: async (session) => {
      if (!(await shared.isMarked(session))) return;
      await shared.unmarked(session, shared.names.id, () => shared.convertMarked(session, 'new', report));
    },
  };
}
