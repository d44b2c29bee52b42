import type { WriteOutcome, WritePlan, WriteUnit } from '../../../plan/plan.ts';
import type { Clock } from '../../../platform/clock.ts';
import { monotonicNow } from '../../../platform/clock.ts';
import { atEndOfTick } from '../../../platform/end-of-tick.ts';
import { type SqliteConnection, isBusy, isDatabaseFailure } from '../connection/sqlite-connection.ts';
import type { MainConnection } from '../connection/main-connection.ts';
import type { BusyRetry } from '../busy/busy-retry.ts';
import { unavailable } from '../busy/unavailable.ts';
import type { UnitWriter } from './unit-writer.ts';

/** Bounds of one transaction, so that a long queue does not keep the thread: units, and plans of all its units. */
const MAX_UNITS = 256;
const MAX_PLANS = 1_000;

/** Told of the plans of a unit that was kept. */
type OnCommit = (plans: readonly WritePlan[]) => void;

interface QueuedUnit {
  readonly unit: WriteUnit;
  readonly deadline: number | null;
  readonly resolve: (outcome: WriteOutcome) => void;
  readonly reject: (error: unknown) => void;
  /** Since when another process is in its way; null while none is. */
  lockedSince: number | null;
}

/** What became of a unit inside the transaction; told when the transaction is on disk. */
type UnitResult = { readonly outcome: WriteOutcome } | { readonly error: unknown };

/**
 * Commits all units that arrive within one turn of the event loop in one transaction and one sync, each under its own savepoint.
 * A unit that cannot be written is undone alone; where the transaction itself fails, all of its units are told.
 */
export class GroupCommit {
  readonly #main: MainConnection;
  readonly #writer: UnitWriter;
  readonly #clock: Clock;
  readonly #patience: BusyRetry;
  readonly #committed: OnCommit;
  #queue: QueuedUnit[] = [];
  #scheduled = false;
  /** How often another process was in the way since the last transaction. */
  #tries = 0;
  #closed: Promise<void> | null = null;
  #drained: (() => void) | null = null;

  /** @param committed told of the plans of each unit that was kept, before anybody else can read */
  constructor(
    main: MainConnection,
    writer: UnitWriter,
    clock: Clock,
    patience: BusyRetry,
    committed: OnCommit = () => undefined,
  ) {
    this.#patience = patience;
    this.#committed = committed;
    this.#main = main;
    this.#writer = writer;
    this.#clock = clock;
  }

  /** How many units wait for their commit. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** Queues a unit. Resolves once it is on disk or refused; rejects where the database fails. */
  commit(unit: WriteUnit, deadline: number | null): Promise<WriteOutcome> {
    if (this.#closed !== null) return Promise.reject(new Error('The store is closed'));
    const { promise, resolve, reject } = Promise.withResolvers<WriteOutcome>();
    this.#queue.push({ unit, deadline, resolve, reject, lockedSince: null });
    this.#schedule();
    return promise;
  }

  /** Takes no more units and resolves once those that it took are done. */
  close(): Promise<void> {
    this.#closed ??= new Promise((resolve) => {
      if (this.#queue.length === 0) resolve();
      else this.#drained = resolve;
    });
    return this.#closed;
  }

  get #connection(): SqliteConnection {
    return this.#main.writer();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    const turn = (): void => {
      this.#scheduled = false;
      this.#flush(this.#take());
      if (this.#queue.length > 0) this.#schedule();
      else this.#drained?.();
    };
    if (this.#tries === 0) atEndOfTick('work', turn);
    else setTimeout(turn, this.#patience.delay(this.#tries));
  }

  /** Units from the head of the queue: at least one, then as many as the bounds admit. */
  #take(): readonly QueuedUnit[] {
    let plans = 0;
    let units = 0;
    for (const { unit } of this.#queue) {
      plans += unit.plans.length;
      if (units === MAX_UNITS || (units > 0 && plans > MAX_PLANS)) break;
      units += 1;
    }
    const batch = this.#queue.slice(0, units);
    this.#queue = this.#queue.slice(units);
    return batch;
  }

  #flush(batch: readonly QueuedUnit[]): void {
    const now = this.#clock.now();
    const begun = batch.filter(({ deadline, resolve }) => {
      const expired = deadline !== null && now > deadline;
      if (expired) resolve({ kind: 'expired' });
      return !expired;
    });
    if (begun.length === 0) return;
    try {
      this.#connection.run('begin immediate');
      this.#tries = 0;
      for (const { waiting, result } of this.#transaction(begun)) {
        if ('outcome' in result) waiting.resolve(result.outcome);
        else waiting.reject(result.error);
      }
    } catch (error) {
      if (isBusy(error) && !this.#connection.inTransaction) this.#heldUp(begun, error);
      else this.#fail(begun, error);
    }
  }

  /** Another process is writing: units go back to the head of the queue, but for those that have waited long enough. */
  #heldUp(batch: readonly QueuedUnit[], error: unknown): void {
    const now = monotonicNow();
    this.#tries += 1;
    for (const waiting of batch) waiting.lockedSince ??= now;
    const { keep = [], fail = [] } = Object.groupBy(batch, ({ lockedSince }) =>
      now - (lockedSince ?? now) < this.#patience.timeout ? 'keep' : 'fail',
    );
    this.#queue = [...keep, ...this.#queue];
    this.#fail(fail, error);
  }

  #fail(batch: readonly QueuedUnit[], error: unknown): void {
    if (this.#connection.inTransaction) this.#connection.run('rollback');
    const failure = unavailable(error) ?? error;
    for (const { reject } of batch) reject(failure);
  }

  /** One transaction, which has begun, for all units of a batch. A batch of one needs no savepoint: the transaction itself is undone. */
  #transaction(batch: readonly QueuedUnit[]): readonly { readonly waiting: QueuedUnit; readonly result: UnitResult }[] {
    this.#writer.begin();
    const results = batch.map((waiting) => ({
      waiting,
      result: batch.length === 1 ? this.#attempt(waiting.unit) : this.#savepoint(waiting.unit),
    }));
    if (results.some(({ waiting, result }) => isKept(waiting.unit, result))) {
      this.#writer.end(this.#clock.now());
      this.#connection.run('commit');
      for (const { waiting, result } of results) {
        if (!isKept(waiting.unit, result) || !('outcome' in result) || result.outcome.kind !== 'committed') continue;
        this.#committed(waiting.unit.plans);
      }
    } else {
      this.#connection.run('rollback');
    }
    return results;
  }

  /** One unit, kept whole or undone whole. What it would draw is told before it is undone. */
  #savepoint(unit: WriteUnit): UnitResult {
    const position = this.#writer.position();
    this.#connection.run('savepoint unit');
    const result = this.#attempt(unit);
    if (!isKept(unit, result)) {
      this.#connection.run('rollback to unit');
      this.#writer.restore(position);
    }
    this.#connection.run('release unit');
    return result;
  }

  /** @throws where the database fails; a fault of the unit alone is its result */
  #attempt(unit: WriteUnit): UnitResult {
    try {
      return { outcome: this.#writer.write(unit, this.#clock.now()) };
    } catch (error) {
      if (isDatabaseFailure(error)) throw error;
      return { error };
    }
  }
}

/** Whether what a unit wrote stays: a dry run is always undone (MET-14). */
function isKept({ dry = false }: WriteUnit, result: UnitResult): boolean {
  return !dry && 'outcome' in result && result.outcome.kind === 'committed';
}
