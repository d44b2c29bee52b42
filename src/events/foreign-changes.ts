import type { Model } from '../model/model.ts';
import type { Observe } from '../observe/observation.ts';
import type { EventContext, EventOrigin } from '../plan/events/change-event.ts';
import { type FindAuthor, planForeignChanges } from '../plan/write/foreign-plans.ts';
import { monotonicNow } from '../platform/clock.ts';
import type { Random } from '../platform/random.ts';
import { settlesWithin } from '../platform/timeout.ts';
import type { Store } from '../stores/store.ts';
import { StoreReports } from './store-reports.ts';
import { Wakeups } from './wakeups.ts';

/** The recorded changes of other programs, for the program that dispatches events. */
export interface RecordedChanges {
  /** Moves the first of them to the log, and announces them. @returns true if more may be recorded */
  drain(): Promise<boolean>;
  /** Reports tables whose changes are not recorded any more. */
  check(): Promise<void>;
}

/** The common part of the events of a transaction. Nothing is known of who made it. */
type TransactionOrigin = Omit<EventOrigin, 'at'>;

interface RecordedChangesOptions {
  readonly model: Model;
  readonly store: Pick<Store, 'foreignChanges'>;
  readonly events: EventContext;
  readonly random: Random;
  /** Called after events were logged. */
  readonly onCommit: () => void;
}

/** Gives recorded changes their events; null where the store records none. */
export function composeRecordedChanges(options: RecordedChangesOptions): RecordedChanges | null {
  const { model, store, events, random, onCommit } = options;
  const { foreignChanges } = store;
  if (foreignChanges === undefined) return null;
  return {
    check: () => foreignChanges.check(),
    async drain() {
      const origins = new Map<string, TransactionOrigin>();
      const findOrigin = (transaction: string): TransactionOrigin => {
        const origin = origins.get(transaction) ?? { correlationId: events.id(), traceId: random.hex(16), actor: null };
        origins.set(transaction, origin);
        return origin;
      };
      let moved = 0;
      const isMore = await foreignChanges.drain((changes) => {
        moved = changes.length;
        const findAuthor: FindAuthor = (transaction, at) => ({ events, origin: { ...findOrigin(transaction), at } });
        return planForeignChanges(model, changes, findAuthor);
      });
      if (moved > 0) onCommit();
      return isMore;
    },
  };
}

/** Milliseconds between two looks at what is recorded, and after one that failed. */
const POLL_INTERVAL = 100;
const RETRY_DELAY = 1_000;
/** Milliseconds between two checks that changes are recorded. */
const CHECK_INTERVAL = 60_000;
/** Milliseconds that `stop` waits by default. */
const STOP_TIMEOUT = 30_000;

/** Moves recorded changes to the log soon after they are committed, and checks that they are recorded. */
export class ForeignChangeLoop {
  readonly #changes: RecordedChanges;
  readonly #reports: StoreReports;
  readonly #elapsed: () => number;
  readonly #wakeups: Wakeups;
  #nextCheck = Number.NEGATIVE_INFINITY;

  /** @param elapsed monotonic milliseconds */
  constructor(changes: RecordedChanges, observe: Observe, elapsed: () => number = monotonicNow) {
    this.#changes = changes;
    this.#reports = new StoreReports(observe);
    this.#elapsed = elapsed;
    this.#wakeups = new Wakeups(() => this.#run(), elapsed);
  }

  /** Looks at what is recorded now, and regularly from now on. */
  start(): void {
    this.#wakeups.now();
  }

  /** Moves no more changes, and waits for those that it moves. @param timeout milliseconds at most */
  async stop(timeout = STOP_TIMEOUT): Promise<void> {
    await settlesWithin(this.#wakeups.stop(), timeout);
  }

  /** Never rejects: what fails is done by a later run. */
  async #run(): Promise<void> {
    try {
      if (this.#elapsed() >= this.#nextCheck) {
        await this.#changes.check();
        this.#nextCheck = this.#elapsed() + CHECK_INTERVAL;
      }
      const isMore = await this.#changes.drain();
      this.#reports.succeeded();
      if (isMore) this.#wakeups.now();
      else this.#wakeups.in(POLL_INTERVAL);
    } catch (error) {
      this.#reports.failed(error);
      this.#wakeups.in(RETRY_DELAY);
    }
  }
}
