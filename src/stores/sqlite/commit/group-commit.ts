import type { WritePlan } from '../../../plan/plan.ts';
import type { WriteOutcome, WriteUnit } from '../../../plan/write-unit.ts';
import type { Observe } from '../../../observe/observation.ts';
import type { Clock } from '../../../platform/clock.ts';
import { atEndOfTick } from '../../../platform/end-of-tick.ts';
import { isKept, type QueuedUnit, UnitQueue, type UnitResult, withoutExpired } from '../../sql/write/unit-queue.ts';
import type { Writer } from '../../store.ts';
import type { BusyRetry } from '../busy/busy-retry.ts';
import type { MainConnection } from '../connection/main-connection.ts';
import type { SqliteConnection } from '../connection/sqlite-connection.ts';
import { isBusy, sqliteCode } from '../driver/sqlite-errors.ts';
import type { FileGuard } from '../health/file-guard.ts';
import type { ModelGuard } from '../../sql/schema/model-guard.ts';
import type { WriteHealth } from '../../sql/write-health.ts';
import { TransactionEnded, UnitAttempts } from './unit-attempts.ts';
import type { UnitWriter } from './unit-writer.ts';

/** Each unit has a timeout of its own. */
const NO_TIMEOUT = { timeout: Number.POSITIVE_INFINITY };

/** True for an error of one unit: a trigger ended the transaction, or a deferred foreign key leads to no row. */
function isOfOneUnit(error: unknown): boolean {
  return error instanceof TransactionEnded || sqliteCode(error) === 'SQLITE_CONSTRAINT_FOREIGNKEY';
}

interface GroupCommitOptions {
  readonly main: MainConnection;
  readonly writer: UnitWriter;
  readonly clock: Clock;
  readonly retry: BusyRetry;
  readonly guard: FileGuard;
  readonly health: WriteHealth;
  readonly match: ModelGuard;
  readonly observe: Observe;
  /** Called with the plans of each committed unit, before anything else can read. */
  readonly onCommit: (plans: readonly WritePlan[]) => void;
}

/**
 * Commits all units that arrive within one event-loop iteration in one transaction with one fsync. A unit that cannot
 * be written is rolled back alone; where the transaction itself fails, all of its units are rejected.
 */
export class GroupCommit implements Writer {
  readonly #options: GroupCommitOptions;
  readonly #queue = new UnitQueue(() => this.#schedule());
  readonly #attempts: UnitAttempts;
  #scheduled = false;

  constructor(options: GroupCommitOptions) {
    this.#options = options;
    this.#attempts = new UnitAttempts(options);
  }

  get pending(): number {
    return this.#queue.length;
  }

  /** Queues a unit. Resolves once it is on disk or refused; rejects where the database fails. */
  commit(unit: WriteUnit, deadline: number | null = null): Promise<WriteOutcome> {
    return this.#queue.add(unit, deadline);
  }

  /** Accepts no more units and resolves once the accepted ones are settled. */
  close(): Promise<void> {
    return this.#queue.close(true);
  }

  get #connection(): SqliteConnection {
    return this.#options.main.writer();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    atEndOfTick('work', () => void this.#options.retry.run(this.#commitNext, NO_TIMEOUT));
  }

  /**
   * Commits units from the head of the queue.
   *
   * @throws what `isBusy` recognises, while units wait for a locked database
   */
  readonly #commitNext = (): void => {
    this.#flush(this.#queue.take());
    this.#scheduled = false;
    if (this.#queue.settled()) this.#schedule();
  };

  #flush(group: readonly QueuedUnit[]): void {
    const live = withoutExpired(group, this.#options.clock.now());
    if (live.length === 0) return;
    try {
      this.#requireUsable();
      const { retry, observe } = this.#options;
      const begun = retry.now();
      this.#connection.run('begin immediate');
      for (const { queued, result } of this.#transaction(live)) {
        if ('outcome' in result) queued.resolve(result.outcome);
        else queued.reject(this.#options.health.writeFailed(result.error));
      }
      observe({ kind: 'commit', duration: retry.now() - begun, units: live.length });
    } catch (error) {
      this.#rollBack();
      // Without a write-ahead log a commit waits for the readers of other processes.
      if (isBusy(error)) this.#requeue(live, error);
      else if (isOfOneUnit(error)) this.#flushApart(live);
      else this.#fail(live, error);
    }
  }

  /** Commits units each on its own, to find the one for which the database refuses to commit them together. */
  #flushApart(group: readonly QueuedUnit[]): void {
    const refusal = { kind: 'rule', plan: 0, reason: 'invalid', field: null, message: null } as const;
    for (const [index, queued] of group.entries()) {
      try {
        if (group.length > 1) this.#flush([queued]);
        else queued.resolve(refusal);
      } catch (error) {
        this.#queue.putBack(group.slice(index + 1));
        throw error;
      }
    }
  }

  #rollBack(): void {
    if (this.#connection.inTransaction) this.#connection.run('rollback');
  }

  /** Returns units to the head of the queue, other than those that have waited for too long. */
  #requeue(group: readonly QueuedUnit[], error: unknown): void {
    const now = this.#options.retry.now();
    if (group.some(({ lockedSince }) => lockedSince === null)) {
      this.#options.observe({ kind: 'commit-blocked', units: group.length });
    }
    for (const queued of group) queued.lockedSince ??= now;
    const { retried = [], failed = [] } = Object.groupBy(group, ({ lockedSince }) =>
      now - (lockedSince ?? now) < this.#options.retry.timeout ? 'retried' : 'failed',
    );
    this.#queue.putBack(retried);
    this.#fail(failed, error);
    if (this.#queue.length > 0) throw error;
  }

  #fail(group: readonly QueuedUnit[], error: unknown): void {
    const failure = this.#options.health.writeFailed(error);
    for (const { reject } of group) reject(failure);
  }

  /** @throws {StoreUnavailable} where no commit may be attempted */
  #requireUsable(): void {
    this.#options.guard.requireIntact();
    this.#options.match.requireMatch();
    this.#options.health.requireWritable();
  }

  /** Runs all units of a group in the transaction, and commits those that are kept. */
  #transaction(group: readonly QueuedUnit[]): readonly { readonly queued: QueuedUnit; readonly result: UnitResult }[] {
    const { writer, clock, guard, onCommit } = this.#options;
    const attempted = this.#attempts.run(group.map(({ unit }) => unit));
    const results = group.flatMap((queued, index) => {
      const result = attempted[index];
      return result === undefined ? [] : [{ queued, result }];
    });
    const committed = results.filter(({ queued, result }) => isKept(queued.unit, result));
    if (committed.length === 0) {
      this.#rollBack();
      return results;
    }
    writer.end(clock.now());
    this.#connection.run('commit');
    writer.committed();
    // A commit to a file that no start finds is not acknowledged.
    guard.check();
    for (const { queued } of committed) onCommit(queued.unit.plans);
    return results;
  }
}
