import type { Observe } from '../../../observe/observation.ts';
import type { WriteOutcome, WriteUnit } from '../../../plan/write-unit.ts';
import { type Clock, monotonicNow } from '../../../platform/clock.ts';
import { atEndOfTick } from '../../../platform/end-of-tick.ts';
import type { Tables } from '../../sql/tables.ts';
import type { WriteHealth } from '../../sql/write-health.ts';
import { isKept, type QueuedUnit, UnitQueue, type UnitResult, withoutExpired } from '../../sql/write/unit-queue.ts';
import type { Writer } from '../../store.ts';
import type { PostgresChangeStamps } from './change-stamps.ts';
import type { Session } from '../connection/sessions.ts';
import type { PostgresClient } from '../read/postgres-client.ts';
import { isTransient, storeError } from '../driver/postgres-errors.ts';
import { limitCommit, MAX_ATTEMPTS, mayRunAlone } from './commit-limits.ts';
import type { GroupRuns, RunUnits } from './group-runs.ts';
import { KnownShapes } from './known-shapes.ts';
import { type SharedWrites, UnitTransaction } from './unit-transaction.ts';

/**
 * The most units of a transaction that runs them one by one: more than 64 subtransactions of one slow every session
 * down.
 */
const MAX_SAVEPOINTS = 50;

/**
 * Units that are enough for a transaction next to others, and the most milliseconds that fewer ones wait for more.
 * Those of a transaction share its statements: several small ones cost more processor time than one.
 */
const ENOUGH_UNITS = 16;
const GATHER = 4;

interface PostgresCommitOptions {
  /** Each runs one transaction at a time. */
  readonly sessions: readonly Session[];
  readonly tables: Tables;
  /** Milliseconds that a request may take. */
  readonly handlerTimeout: number;
  readonly clock: Clock;
  readonly observe: Observe;
  readonly stamps: Pick<PostgresChangeStamps, 'committed'>;
  readonly health: Pick<WriteHealth, 'writeFailed'>;
  readonly client: Pick<PostgresClient, 'requireMatch' | 'explain'>;
  /** Null where no older model is served next to the model, with other rows. Default: null. */
  readonly shared?: SharedWrites | null;
  /** Null where units are of own rows. Default: null. */
  readonly runs?: GroupRuns | null;
}

/** Units that were taken together, on the session that commits them. */
interface TakenGroup {
  readonly session: Session;
  /** Those that cannot share its transaction leave it. */
  units: readonly QueuedUnit[];
  /** The number of units that are not settled. */
  left: number;
}

/**
 * Commits all waiting units in one transaction with one sync, while the next ones gather. Those begin once its commit
 * is sent, and there are enough of them, or some milliseconds have passed. Several transactions wait for the disk, and
 * one runs statements. The statements of units are sent together.
 * A statement refuses by changing no row. If one refuses or fails, the transaction is rolled back and its units run one
 * by one.
 */
export class PostgresGroupCommit implements Writer {
  readonly #options: PostgresCommitOptions;
  readonly #queue = new UnitQueue(() => this.#schedule());
  readonly #shapes = new KnownShapes();
  readonly #free: Session[];
  readonly #groups = new Set<TakenGroup>();
  /** The group whose statements run; null while all groups wait for their commits. */
  #writing: TakenGroup | null = null;
  #isScheduled = false;
  /** Runs while units wait for more of them. */
  #gathering: NodeJS.Timeout | null = null;

  constructor(options: PostgresCommitOptions) {
    this.#options = options;
    this.#free = [...options.sessions];
  }

  get pending(): number {
    return [...this.#groups].reduce((sum, { left }) => sum + left, this.#queue.length);
  }

  /** The number of transactions that are not ended. */
  get inFlight(): number {
    return this.#groups.size;
  }

  commit(unit: WriteUnit, deadline: number | null = null): Promise<WriteOutcome> {
    return this.#queue.add(unit, deadline);
  }

  /** Accepts no more units and resolves once the accepted ones are settled. */
  close(): Promise<void> {
    return this.#queue.close(!this.#isScheduled && this.#groups.size === 0);
  }

  #schedule(): void {
    if (this.#isScheduled || this.#writing !== null || this.#free.length === 0) return;
    if (this.#groups.size > 0 && this.#queue.length < ENOUGH_UNITS) return this.#gather();
    this.#takeSoon();
  }

  /** Waits for more units, until those in flight are settled. */
  #gather(): void {
    this.#gathering ??= setTimeout(() => {
      this.#gathering = null;
      if (!this.#isScheduled && this.#writing === null && this.#free.length > 0) this.#takeSoon();
    }, GATHER);
  }

  #takeSoon(): void {
    if (this.#gathering !== null) clearTimeout(this.#gathering);
    this.#gathering = null;
    this.#isScheduled = true;
    atEndOfTick('work', () => {
      this.#isScheduled = false;
      this.#take();
    });
  }

  /** Begins to commit what waits, on a free session. */
  #take(): void {
    const units = withoutExpired(this.#queue.take(), this.#options.clock.now());
    const session = units.length === 0 ? undefined : this.#free.pop();
    if (session === undefined) return this.#settle();
    const group = { session, units, left: units.length };
    this.#groups.add(group);
    this.#writing = group;
    void this.#commitGroup(group).finally(() => {
      this.#groups.delete(group);
      this.#free.push(session);
      this.#sent(group);
      this.#settle();
    });
  }

  /** Lets the next group begin: the statements of this one are answered, and its commit is sent. */
  #sent(group: TakenGroup): void {
    if (this.#writing !== group) return;
    this.#writing = null;
    if (this.#queue.length > 0) this.#schedule();
  }

  #settle(): void {
    if (this.#groups.size > 0) return;
    if (this.#queue.settled()) this.#schedule();
  }

  async #commitGroup(group: TakenGroup): Promise<void> {
    const { runs = null, observe, client } = this.#options;
    const begun = monotonicNow();
    const timer = this.#limit(group.units);
    try {
      client.requireMatch();
      if (runs !== null) await this.#divided(group, runs);
      else if (!(await this.#shared(group))) await this.#oneByOne(group);
      const units = group.units.length;
      if (units > 0) observe({ kind: 'commit', duration: monotonicNow() - begun, units });
    } catch (error) {
      const failure = await this.#reported(storeError(error));
      group.left = 0;
      for (const { reject } of group.units) reject(failure);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Settles the units of a group that takes too long. */
  #limit(group: readonly QueuedUnit[]): NodeJS.Timeout | undefined {
    const limited = group.filter(({ deadline }) => deadline !== null);
    if (limited.length === 0) return undefined;
    const first = Math.min(...limited.map(({ deadline }) => deadline ?? Number.POSITIVE_INFINITY));
    return limitCommit(this.#options, first, (error) => {
      for (const { reject } of limited) reject(error);
    });
  }

  /** @returns whether they are committed in one transaction */
  async #shared(group: TakenGroup): Promise<boolean> {
    const mayShare = group.units.every(({ unit }) => unit.dry !== true);
    return mayShare && (await this.#retried(group, () => this.#together(group)));
  }

  /** @returns whether they are committed */
  async #together(group: TakenGroup): Promise<boolean> {
    const transaction = await this.#begin(group, group.units);
    const results = await transaction.runTogether(group.units.map(({ unit }) => unit));
    if (results === null) await transaction.rollBack();
    else await this.#end(group, { transaction, units: group.units, results });
    return results !== null;
  }

  /** Commits units that can share a transaction. The other ones leave the group. */
  async #divided(group: TakenGroup, { runTogether, runAlone }: GroupRuns): Promise<void> {
    const { session, units } = group;
    const leave = (alone: readonly QueuedUnit[]): void => {
      group.units = group.units.filter((each) => !alone.includes(each));
      group.left = group.units.length;
      for (const each of alone) runAlone(each);
    };
    try {
      const { run, alone } = await runTogether({ session: await session.open(), units, shapes: this.#shapes });
      leave(alone);
      if (run !== null) await this.#end(group, run);
    } catch (error) {
      session.discard();
      this.#shapes.clear();
      if (!mayRunAlone(error)) throw error;
      leave(group.units);
    }
  }

  async #oneByOne(group: TakenGroup): Promise<void> {
    for (let from = 0; from < group.units.length; from += MAX_SAVEPOINTS) {
      const units = group.units.slice(from, from + MAX_SAVEPOINTS);
      await this.#retried(group, async () => {
        const transaction = await this.#begin(group, units);
        const results: UnitResult[] = [];
        for (const { unit } of units) results.push(await transaction.runAlone(unit));
        await this.#end(group, { transaction, units, results });
      });
    }
  }

  async #begin({ session }: TakenGroup, units: readonly QueuedUnit[]): Promise<UnitTransaction> {
    const { tables, clock, shared = null } = this.#options;
    const opened = await session.open();
    return UnitTransaction.begin({
      session: opened,
      tables,
      units: units.map(({ unit }) => unit),
      now: clock.now(),
      shapes: this.#shapes,
      shared,
    });
  }

  /** Commits, and settles the units. */
  async #end(group: TakenGroup, { transaction, units, results }: RunUnits): Promise<void> {
    const kept = units.filter(({ unit }, index) => isKept(unit, results[index]));
    if (kept.length === 0) await transaction.rollBack();
    else await this.#commitKept(group, transaction, kept);
    group.left -= units.length;
    for (const [index, { resolve, reject }] of units.entries()) {
      const result = results[index];
      if (result !== undefined && 'outcome' in result) resolve(result.outcome);
      else reject(await this.#reported(result?.error));
    }
  }

  #reported(error: unknown): Promise<unknown> {
    return this.#options.client.explain(this.#options.health.writeFailed(error));
  }

  async #commitKept(group: TakenGroup, transaction: UnitTransaction, kept: readonly QueuedUnit[]): Promise<void> {
    const committed = transaction.commit();
    this.#sent(group);
    await committed;
    this.#options.stamps.committed({ ...transaction.states, plans: kept.flatMap(({ unit }) => unit.plans) });
  }

  /**
   * Runs a transaction again that the database ended in favour of another one. After any other error the session is
   * given up: it may be in a transaction.
   */
  async #retried<T>({ session }: TakenGroup, run: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await run();
      } catch (error) {
        session.discard();
        this.#shapes.clear();
        if (!isTransient(error) || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }
}
