import type { Clock } from '../../../platform/clock.ts';
import type { MaybePromise } from '../../../platform/maybe-promise.ts';
import { deadlineChecksFor } from '../../sql/read/read-statements.ts';
import type { BatchRead, BatchRows, StatementBatch } from '../../sql/sql-client.ts';
import type { SystemStatements } from '../../sql/system-statements.ts';
import { StatementTimeout } from '../../store.ts';
import type { MainConnection } from '../connection/main-connection.ts';
import type { ReadPool } from './read-pool.ts';
import type { StatementDeadline } from './statement-deadline.ts';
import { readBatch } from './statement-batch.ts';

/**
 * Milliseconds after which a slow read of a small collection moves from the main thread to the pool: rows can be of any
 * size. A row of ten thousand items takes 2.5 ms.
 */
const MAIN_THREAD_TIMEOUT = 5;

/**
 * Milliseconds for which a collection that took longer is read by the pool. A retry costs 0.1 ms of each second then.
 */
const POOL_PERIOD = 60_000;

interface ReadSchedulerOptions {
  /** The connection of the main thread. */
  readonly main: MainConnection;
  /** The deadline of that connection. */
  readonly deadline: StatementDeadline;
  readonly clock: Clock;
  /** null for an in-memory database, which only one connection can open. */
  readonly pool: ReadPool | null;
  readonly system: SystemStatements;
  /** Slow reads of collections with at most so many rows are tried on the main thread first. */
  readonly maxRowsOnMainThread: number;
}

/** Decides where a batch is read: on the main thread if it is fast, else by the pool. */
export class ReadScheduler {
  readonly #options: ReadSchedulerOptions;
  /** Until when small collections are read by the pool, by resource, in milliseconds since the epoch. */
  readonly #pooledUntil = new Map<string, number>();

  constructor(options: ReadSchedulerOptions) {
    this.#options = options;
  }

  /** @throws {StatementTimeout} {StoreOverloaded} {StoreUnavailable} as `ReadPool` does */
  read({ resource, effort, statements }: BatchRead): MaybePromise<BatchRows> {
    const { main, deadline, pool } = this.#options;
    if (effort === 'light') return readBatch(main.reader(), statements('never'));
    if (pool === null) {
      deadline.start();
      return readBatch(main.reader(), statements(deadlineChecksFor(effort)));
    }
    const rows = this.#isSmall(resource) ? this.#tryOnMainThread(resource, statements('always')) : null;
    return rows ?? pool.read(statements(deadlineChecksFor(effort)), effort);
  }

  #isSmall(resource: string): boolean {
    const { main, clock, system, maxRowsOnMainThread } = this.#options;
    if (clock.now() < (this.#pooledUntil.get(resource) ?? 0)) return false;
    const { text, values } = system.rowCount(resource);
    return Number(main.reader().get(text, values)?.['count'] ?? 0) <= maxRowsOnMainThread;
  }

  /** The rows, or null where the read took too long for the main thread. */
  #tryOnMainThread(resource: string, batch: StatementBatch): BatchRows | null {
    const { main, deadline, clock } = this.#options;
    deadline.start(MAIN_THREAD_TIMEOUT);
    try {
      return readBatch(main.reader(), batch);
    } catch (error) {
      if (!(error instanceof StatementTimeout)) throw error;
      this.#pooledUntil.set(resource, clock.now() + POOL_PERIOD);
      return null;
    }
  }
}
