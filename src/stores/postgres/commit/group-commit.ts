import type { Observe } from '../../../observe/observation.ts';
import type { WriteOutcome, WriteUnit } from '../../../plan/write-unit.ts';
import { type Clock, monotonicNow } from '../../../platform/clock.ts';
import { atEndOfTick } from '../../../platform/end-of-tick.ts';
import type { Tables } from '../../sql/tables.ts';
import type { WriteHealth } from '../../sql/write-health.ts';
import { isKept, type QueuedUnit, UnitQueue, type UnitResult, withoutExpired } from '../../sql/write/unit-queue.ts';
import { type Writer, WriteOutcomeUnknown } from '../../store.ts';
import type { PostgresChangeStamps } from './change-stamps.ts';
import type { Session } from '../connection/sessions.ts';
import type { PostgresClient } from '../read/postgres-client.ts';
import { isTransient, storeError } from '../driver/postgres-errors.ts';
import { type SharedWrites, UnitTransaction } from './unit-transaction.ts';

/**
 * The most units of a transaction that runs them one by one: more than 64 subtransactions of one slow every session
 * down.
 */
const MAX_SAVEPOINTS = 50;

/**
 * Share of the time of a request, after the last moment at which its write may begin, within which the transaction has
 * to end.
 */
const LAST_SHARE = 0.05;

/** The most milliseconds that a timer of Node.js can wait. */
const LONGEST_TIMER = 2_147_483_647;

/** The most times that a transaction is tried which the database ends in favour of another one. */
const MAX_ATTEMPTS = 5;

interface PostgresCommitOptions {
  readonly session: Session;
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
}

/**
 * Commits all waiting units in one transaction with one sync, while the next ones gather. Their statements are sent
 * together. A statement refuses by changing no row. If one refuses or fails, the transaction is rolled back and its
 * units run one by one.
 */
export class PostgresGroupCommit implements Writer {
  readonly #options: PostgresCommitOptions;
  readonly #queue = new UnitQueue(() => this.#schedule());
  #isScheduled = false;
  /** The number of units that are being committed. */
  #taken = 0;

  constructor(options: PostgresCommitOptions) {
    this.#options = options;
  }

  get pending(): number {
    return this.#queue.length + this.#taken;
  }

  commit(unit: WriteUnit, deadline: number | null = null): Promise<WriteOutcome> {
    return this.#queue.add(unit, deadline);
  }

  /** Accepts no more units and resolves once the accepted ones are settled. */
  close(): Promise<void> {
    return this.#queue.close(!this.#isScheduled);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    atEndOfTick('work', () => void this.#commitAll());
  }

  async #commitAll(): Promise<void> {
    do {
      const group = withoutExpired(this.#queue.take(), this.#options.clock.now());
      this.#taken = group.length;
      if (group.length > 0) await this.#commitGroup(group);
    } while (this.#queue.settled());
    this.#isScheduled = false;
  }

  async #commitGroup(group: readonly QueuedUnit[]): Promise<void> {
    const begun = monotonicNow();
    const timer = this.#limit(group);
    try {
      this.#options.client.requireMatch();
      const isTogether =
        group.every(({ unit }) => unit.dry !== true) && (await this.#retried(() => this.#together(group)));
      if (!isTogether) await this.#oneByOne(group);
      this.#options.observe({ kind: 'commit', duration: monotonicNow() - begun, units: group.length });
    } catch (error) {
      const failure = await this.#reported(storeError(error));
      this.#taken = 0;
      for (const { reject } of group) reject(failure);
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Settles the units of a group that takes too long, shortly before their requests would be answered as if nothing had
   * been written (ERR-7).
   */
  #limit(group: readonly QueuedUnit[]): NodeJS.Timeout | undefined {
    const { clock, handlerTimeout } = this.#options;
    const limited = group.filter(({ deadline }) => deadline !== null);
    if (limited.length === 0) return undefined;
    const first = Math.min(...limited.map(({ deadline }) => deadline ?? Number.POSITIVE_INFINITY));
    return setTimeout(
      () => {
        const failure = new WriteOutcomeUnknown('The database did not answer a transaction in time');
        for (const { reject } of limited) reject(failure);
      },
      Math.min(first - clock.now() + handlerTimeout * LAST_SHARE, LONGEST_TIMER),
    );
  }

  /** @returns whether they are committed */
  async #together(group: readonly QueuedUnit[]): Promise<boolean> {
    const transaction = await this.#begin();
    const results = await transaction.runTogether(group.map(({ unit }) => unit));
    if (results === null) await transaction.rollBack();
    else await this.#end(transaction, group, results);
    return results !== null;
  }

  async #oneByOne(group: readonly QueuedUnit[]): Promise<void> {
    for (let from = 0; from < group.length; from += MAX_SAVEPOINTS) {
      const some = group.slice(from, from + MAX_SAVEPOINTS);
      await this.#retried(async () => {
        const transaction = await this.#begin();
        const results: UnitResult[] = [];
        for (const { unit } of some) results.push(await transaction.runAlone(unit));
        await this.#end(transaction, some, results);
      });
    }
  }

  async #begin(): Promise<UnitTransaction> {
    const { session, tables, clock, shared = null } = this.#options;
    return UnitTransaction.begin({ session: await session.open(), tables, now: clock.now(), shared });
  }

  /** Commits, and settles the units. */
  async #end(
    transaction: UnitTransaction,
    group: readonly QueuedUnit[],
    results: readonly UnitResult[],
  ): Promise<void> {
    const kept = group.filter(({ unit }, index) => isKept(unit, results[index]));
    if (kept.length === 0) await transaction.rollBack();
    else await this.#commitKept(transaction, kept);
    this.#taken -= group.length;
    for (const [index, { resolve, reject }] of group.entries()) {
      const result = results[index];
      if (result !== undefined && 'outcome' in result) resolve(result.outcome);
      else reject(await this.#reported(result?.error));
    }
  }

  #reported(error: unknown): Promise<unknown> {
    return this.#options.client.explain(this.#options.health.writeFailed(error));
  }

  async #commitKept(transaction: UnitTransaction, kept: readonly QueuedUnit[]): Promise<void> {
    await transaction.commit();
    this.#options.stamps.committed({ ...transaction.states, plans: kept.flatMap(({ unit }) => unit.plans) });
  }

  /**
   * Runs a transaction again that the database ended in favour of another one. After any other error the session is
   * given up: it may be in a transaction.
   */
  async #retried<T>(run: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await run();
      } catch (error) {
        this.#options.session.discard();
        if (!isTransient(error) || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }
}
