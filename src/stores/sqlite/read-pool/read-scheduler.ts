import type { Clock } from '../../../platform/clock.ts';
import type { Effort } from '../../../plan/plan.ts';
import type { DeadlineChecks } from '../../sql/dialect.ts';
import { deadlineChecksFor } from '../../sql/read/read-statements.ts';
import type { MaybePromise } from '../../../platform/maybe-promise.ts';
import { StatementTimeout } from '../../store.ts';
import type { StatementDeadline } from './statement-deadline.ts';
import type { ReadPool } from './read-pool.ts';
import type { MainConnection } from '../connection/main-connection.ts';
import { type StatementBatch, readBatch, type BatchRows } from './statement-batch.ts';

/**
 * Milliseconds after which a heavy reading of a small collection leaves the caller's thread: rows can be of any size, and one of ten thousand
 * items takes 2.5 ms.
 */
const MAIN_THREAD_TIMEOUT = 5;

/** Milliseconds for which a collection that took longer is read apart: trying costs 0.1 ms of each second then, if anybody reads it. */
const POOL_PERIOD = 60_000;

/** The number of all rows of a resource, which every commit keeps (PAGE-9). */
export const STORED_COUNT = 'select count from restwright_counts where resource = ?';

/** A reading, and what decides where it is done. */
export interface ScheduledRead {
  /** The resource of which rows are read. */
  readonly resource: string;
  readonly effort: Effort;
  /** Its statements, looking at their deadline so. */
  readonly statements: (looks: DeadlineChecks) => StatementBatch;
}

/** Where readings can be done. */
export interface ReadSchedulerOptions {
  /** On the caller's thread. */
  readonly main: MainConnection;
  /** Of its connection. */
  readonly deadline: StatementDeadline;
  readonly clock: Clock;
  /** null for a database that only one connection can see. */
  readonly pool: ReadPool | null;
  /** Rows of a collection up to which heavy readings are tried on the caller's thread. */
  readonly maxRowsOnMainThread: number;
}

/** Reads on the caller's thread what ends soon, and apart from it what may take long. */
export class ReadScheduler {
  readonly #where: ReadSchedulerOptions;
  /** Until when small collections are read apart, by resource, in milliseconds since the epoch. */
  readonly #apart = new Map<string, number>();

  constructor(where: ReadSchedulerOptions) {
    this.#where = where;
  }

  /** @throws {StatementTimeout} {StoreOverloaded} {StoreUnavailable} as `HeavyReads` does */
  read({ resource, effort, statements }: ScheduledRead): MaybePromise<BatchRows> {
    const { main, deadline, pool } = this.#where;
    if (effort === 'light') return readBatch(main.reader(), statements('never'));
    if (pool === null) {
      deadline.start();
      return readBatch(main.reader(), statements(deadlineChecksFor(effort)));
    }
    const inPlace = this.#isSmall(resource) ? this.#tried(resource, statements('always')) : null;
    return inPlace ?? pool.read(statements(deadlineChecksFor(effort)), effort);
  }

  #isSmall(resource: string): boolean {
    const { main, clock, maxRowsOnMainThread } = this.#where;
    if (clock.now() < (this.#apart.get(resource) ?? 0)) return false;
    return Number(main.reader().get(STORED_COUNT, [resource])?.['count'] ?? 0) <= maxRowsOnMainThread;
  }

  /** What was read, or null where it took too long for this thread. */
  #tried(resource: string, reading: StatementBatch): BatchRows | null {
    const { main, deadline, clock } = this.#where;
    deadline.start(MAIN_THREAD_TIMEOUT);
    try {
      return readBatch(main.reader(), reading);
    } catch (error) {
      if (!(error instanceof StatementTimeout)) throw error;
      this.#apart.set(resource, clock.now() + POOL_PERIOD);
      return null;
    }
  }
}
