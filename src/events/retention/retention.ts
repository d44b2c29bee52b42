import { setTimeout as sleep } from 'node:timers/promises';
import type { EventSettings } from '../../model/event-settings.ts';
import type { Observe } from '../../observe/observation.ts';
import { type DeliveryKey, type DeliveryPlan, RETENTION_READER } from '../../plan/delivery-plan.ts';
import { type Clock, monotonicNow } from '../../platform/clock.ts';
import { createOwner, type ProcessOwner } from '../../platform/process/process-owner.ts';
import type { Random } from '../../platform/random.ts';
import { settlesWithin } from '../../platform/timeout.ts';
import type { Store } from '../../stores/store.ts';
import { HeldLease } from '../reader-lease.ts';
import { StoreReports } from '../store-reports.ts';
import { type MissedEvents, type Subscriptions, UndeliveredEvents } from './undelivered-events.ts';
import { Wakeups } from '../wakeups.ts';

const DAY = 24 * 60 * 60_000;
/** Milliseconds for which a successful delivery is stored. */
const SUCCEEDED_RETENTION = 7 * DAY;
/** Deliveries that are removed in one transaction. */
const MAX_CLEARED = 200;
/** Milliseconds between two checks for old events. Each reads a few rows. */
const CHECK_INTERVAL = 10_000;
/** Milliseconds between two steps, so that other writes go on. */
const PAUSE = 20;
/** Milliseconds that a step may take. */
const STEP_TIMEOUT = 10_000;
/** Milliseconds that `stop` waits by default. */
const STOP_TIMEOUT = 30_000;

/** The part that one transaction removes: deliveries, or events after one sequence up to another. */
interface RemovalStep {
  /** The last sequence that was removed before. */
  readonly removed: number;
  readonly cleared?: readonly DeliveryKey[];
  readonly through?: number;
}

/** The limits of the log. */
export type RetentionSettings = Omit<EventSettings, 'relays'>;

export interface EventRetentionOptions {
  readonly store: Pick<Store, 'events' | 'deliveries' | 'writes'>;
  readonly settings: RetentionSettings;
  readonly subscribers: readonly Subscriptions[];
  /** The readers of relays, whose events are held until they are sent (EVT-9e). Default: none. */
  readonly relays?: readonly Subscriptions[];
  readonly clock: Clock;
  /** Monotonic milliseconds. Default: `performance.now`. */
  readonly elapsed?: () => number;
  readonly random: Random;
  readonly observe: Observe;
}

/** Starts to remove old events in the background (EVT-8c). */
export function startRetention(options: EventRetentionOptions): Pick<EventRetention, 'stop'> {
  const retention = new EventRetention(options);
  retention.start();
  return retention;
}

/**
 * Removes old events with their deliveries, in small steps that share transactions with other writes (EVT-8c). One
 * process at a time does it. The transaction that removes events also stores the new start of the log. Events that a
 * subscription misses are reported before.
 */
export class EventRetention {
  readonly #options: EventRetentionOptions;
  readonly #undelivered: UndeliveredEvents;
  readonly #owner: ProcessOwner;
  readonly #lease: HeldLease;
  readonly #wakeups: Wakeups;
  readonly #reports: StoreReports;
  #stopped = false;

  constructor(options: EventRetentionOptions) {
    this.#options = options;
    const { store, clock, random, elapsed = monotonicNow } = options;
    const { deliveries } = store;
    this.#reports = new StoreReports(options.observe);
    const { subscribers, relays = [] } = options;
    this.#undelivered = new UndeliveredEvents({ store, subscribers: [...subscribers, ...relays] });
    this.#owner = createOwner(random);
    const lease = { reader: RETENTION_READER, timeout: STEP_TIMEOUT, deliveries, clock, owner: this.#owner };
    this.#lease = new HeldLease(lease);
    this.#wakeups = new Wakeups(() => this.#runObserved(), elapsed);
  }

  /** Checks for old events now, and regularly from now on. */
  start(): void {
    this.#wakeups.now();
  }

  /** Starts no more steps, and waits for the one that runs. @param timeout milliseconds at most */
  async stop(timeout = STOP_TIMEOUT): Promise<void> {
    this.#stopped = true;
    if (await settlesWithin(this.#wakeups.stop(), timeout)) this.#owner.end();
  }

  /** Removes everything that is too old. @throws {StoreUnavailable} */
  async run(): Promise<void> {
    if ((await this.#nextStep()) === null || (await this.#lease.hold()).kind === 'elsewhere') return;
    for (;;) {
      const step = this.#stopped ? null : await this.#nextStep();
      if (step === null) break;
      if (!(await this.#apply(step))) return this.#lease.lost();
      await sleep(PAUSE);
    }
    const { removed } = await this.#options.store.events.range();
    await this.#commit({ progress: { ...this.#lease.released(), sequence: removed, positions: [] } });
  }

  /** Returns the next step, deliveries before their events; null if nothing is too old. */
  async #nextStep(): Promise<RemovalStep | null> {
    const { store, subscribers, clock } = this.#options;
    const now = clock.now();
    const { removed } = await store.events.range();
    const through = await this.#findExpired(now);
    const succeededBefore = now - SUCCEEDED_RETENTION;
    const cleared = await store.deliveries.expired({
      readers: subscribers.map(({ name }) => name),
      through: through ?? removed,
      succeededBefore,
      limit: MAX_CLEARED,
    });
    if (cleared.length > 0) return { removed, cleared };
    return through === null ? null : { removed, through };
  }

  /**
   * Finds the end of the next events that are too old, or too many. What a relay has not sent is held: its age alone
   * counts, and `hold` is its limit.
   *
   * @param now milliseconds since the epoch
   */
  async #findExpired(now: number): Promise<number | null> {
    const { store, settings, relays = [] } = this.#options;
    const { retention, maxRows, hold } = settings;
    const through = await store.events.nextExpired({ before: now - retention, now, maxRows });
    if (through === null || relays.length === 0) return through;
    const readers = await Promise.all(relays.map(async ({ name }) => store.deliveries.reader(name)));
    if (readers.every((reader) => reader === null || reader.sequence >= through)) return through;
    return store.events.nextExpired({ before: now - hold, now, maxRows: null });
  }

  /** Applies a step. @returns true if this process still had the lease */
  async #apply(step: RemovalStep): Promise<boolean> {
    const { observe } = this.#options;
    const { removed, through = removed, cleared = [] } = step;
    this.#report(await this.#undelivered.ofDeliveries(cleared));
    if (through > removed) this.#report(await this.#undelivered.ofLog(removed, through));
    const isCommitted = await this.#commit({
      progress: { ...this.#lease.extended(), sequence: through, positions: [] },
      cleared,
      ...(through > removed ? { removeThrough: through } : {}),
    });
    if (isCommitted && through > removed) observe({ kind: 'events-removed', count: through - removed });
    return isCommitted;
  }

  async #commit(delivery: DeliveryPlan): Promise<boolean> {
    const { kind } = await this.#options.store.writes.commit({ plans: [], delivery });
    return kind === 'committed';
  }

  #report(missed: MissedEvents): void {
    if (missed.size === 0) return;
    const count = [...missed.values()].reduce((sum, each) => sum + each, 0);
    this.#options.observe({ kind: 'events-undelivered', count, subscriptions: [...missed.keys()] });
  }

  /** Never rejects. */
  async #runObserved(): Promise<void> {
    try {
      await this.run();
      this.#reports.succeeded();
    } catch (error) {
      this.#reports.failed(error);
    }
    this.#wakeups.in(CHECK_INTERVAL);
  }
}
