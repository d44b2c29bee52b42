import { loopIteration } from '../../../platform/clock.ts';
import type { DatabaseCaller } from '../../../plan/write-unit.ts';
import type { SqlRow, Statement } from '../../sql/dialect.ts';
import type { BatchRead, BatchRows, SqlClient } from '../../sql/sql-client.ts';
import { StoreOverloaded, StoreUnavailable } from '../../store.ts';
import { isUnexplained } from '../../sql/schema/model-guard.ts';
import { type OpenSession, Session } from '../connection/sessions.ts';
import type { PostgresConnection } from '../driver/pg.ts';
import { storeError } from '../driver/postgres-errors.ts';
import { boundedBatch, readBatch } from './read-batch.ts';
import type { ReadGuard } from './read-guard.ts';
import type { SlowReads } from './slow-reads.ts';

/**
 * The most reads that are sent and not answered: 0.2 s of work for a database that answers quickly. Above it, more of
 * them would wait, in memory, for longer than their clients do (LIM-3).
 */
export const MAX_UNANSWERED = 5_000;

/** Sessions that all requests share: two, so that one answers while the other one is sent to. */
const SHARED_SESSIONS = 2;

interface PostgresClientOptions {
  /** Opens a session that reads. */
  readonly connect: OpenSession;
  /** Runs single statements that write, between transactions. */
  readonly writer: Session;
  readonly slow: SlowReads;
  readonly guard: ReadGuard;
}

/**
 * Runs statements on PostgreSQL. All reads of one event-loop iteration are sent on one session without waiting for
 * answers, so that they take one round trip together. A read whose connection was lost is tried again on another one.
 */
export class PostgresClient implements SqlClient {
  readonly #shared: readonly Session[];
  readonly #writer: Session;
  readonly #slow: SlowReads;
  readonly #guard: ReadGuard;
  #unanswered = 0;

  constructor({ connect, writer, slow, guard }: PostgresClientOptions) {
    this.#shared = Array.from({ length: SHARED_SESSIONS }, () => new Session(connect));
    this.#writer = writer;
    this.#slow = slow;
    this.#guard = guard;
  }

  async get(statement: Statement): Promise<SqlRow | null> {
    return (await this.all(statement))[0] ?? null;
  }

  async all({ text, values }: Statement): Promise<readonly SqlRow[]> {
    return (await this.#read((session) => session.query(text, values))).rows;
  }

  batch(read: BatchRead): Promise<BatchRows> {
    return this.#batch(read, null);
  }

  /** The client as which statements of a caller run: each read in a transaction of its own. It writes nothing. */
  as(caller: DatabaseCaller): SqlClient {
    const all = async (statement: Statement): Promise<readonly SqlRow[]> => {
      const [rows = []] = await this.#read((session) => readBatch(session, [statement], caller));
      return rows;
    };
    return {
      all,
      get: async (statement) => (await all(statement))[0] ?? null,
      batch: (read) => this.#batch(read, caller),
      execute: () => Promise.reject(new Error('A caller writes units alone')),
    };
  }

  async #batch(read: BatchRead, caller: DatabaseCaller | null): Promise<BatchRows> {
    const { effort } = read;
    const batch = boundedBatch(read);
    if (effort === 'light') return this.#read((session) => readBatch(session, batch, caller));
    this.#guard.requireMatch();
    try {
      return await this.#slow.read(batch, effort, caller);
    } catch (error) {
      throw await this.explain(error);
    }
  }

  async execute({ text, values }: Statement): Promise<readonly SqlRow[]> {
    this.#guard.requireMatch();
    const session = await this.#writer.open();
    return (await result(session.query(text, values))).rows;
  }

  /** @throws {StoreUnavailable} once the database is known to have another model */
  requireMatch(): void {
    this.#guard.requireMatch();
  }

  /** The error to report for one that a statement ended with: the database may have been changed meanwhile. */
  async explain(error: unknown): Promise<unknown> {
    if (!isUnexplained(error)) return error;
    try {
      return await this.#guard.explain(error, ({ text, values }) =>
        this.#readSoon((session) => session.query(text, values)),
      );
    } catch {
      // The database cannot be read at all: the first error says why.
      return error;
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#shared, this.#writer].map((session) => session.close()));
    await this.#slow.close();
  }

  /** @throws {StoreOverloaded} before it is sent @throws {StatementTimeout} {StoreUnavailable} */
  async #read<T>(run: (session: PostgresConnection) => Promise<T>): Promise<T> {
    this.#guard.requireMatch();
    if (this.#unanswered >= MAX_UNANSWERED)
      throw new StoreOverloaded(`${MAX_UNANSWERED} reads wait for the database already`);
    this.#unanswered += 1;
    try {
      return await this.#readSoon(run);
    } catch (error) {
      throw await this.explain(error);
    } finally {
      this.#unanswered -= 1;
    }
  }

  async #readSoon<T>(run: (session: PostgresConnection) => Promise<T>): Promise<T> {
    const session = this.#session();
    const opened = session.opened ?? (await session.open());
    try {
      return await run(opened);
    } catch (error) {
      const failure = storeError(error);
      if (opened.isOpen || !(failure instanceof StoreUnavailable)) throw failure;
    }
    const again = await session.open();
    return result(run(again));
  }

  /** That of the iteration. */
  #session(): Session {
    const session = this.#shared[loopIteration() % SHARED_SESSIONS];
    if (session === undefined) throw new RangeError('There is no session');
    return session;
  }
}

/** @throws {StatementTimeout} {StoreUnavailable} */
async function result<T>(query: Promise<T>): Promise<T> {
  try {
    return await query;
  } catch (error) {
    throw storeError(error);
  }
}
