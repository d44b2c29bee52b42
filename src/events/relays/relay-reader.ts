import { BURST_INTERVAL, DeliveryPace } from '../delivery-pace.ts';
import { type Held, HeldLease } from '../reader-lease.ts';
import { StoreReports } from '../store-reports.ts';
import { Wakeups } from '../wakeups.ts';
import type { WriteLoad } from '../write-load.ts';
import type { Observe } from '../../observe/observation.ts';
import type { Clock } from '../../platform/clock.ts';
import type { ProcessOwner } from '../../platform/process/process-owner.ts';
import { settlesWithin } from '../../platform/timeout.ts';
import type { LoggedEvent, Store } from '../../stores/store.ts';
import type { Broker, PublishResult, RelayMessage } from './broker.ts';
import type { Relay } from './relay.ts';
import { RelayProgress, type ReportRelay } from './relay-progress.ts';
import { RelayRetry } from './relay-retry.ts';

/** Milliseconds in which a broker acknowledges a block. */
export const PUBLISH_TIMEOUT = 5_000;
/** Events that are sent together. */
const BLOCK = 500;
/** Events that are read together while few may be sent. */
const BUSY_BLOCK = 10;
/** Events whose types alone are read at a time. */
const MAX_SKIPPED = 1_024;
/** Events per second while writes need all of the process's time. They then take less than a tenth of it. */
const BUSY_RATE = 200;
/** The result of a block of which no event is sent. */
const NOTHING_SENT: PublishResult = { acknowledged: 0, problem: null };
/** Milliseconds before work that failed because of the database is tried again. */
const RETRY_DELAY = 1_000;

export interface RelayReaderOptions {
  readonly relay: Relay;
  readonly broker: Broker;
  readonly store: Pick<Store, 'events' | 'deliveries' | 'writes'>;
  readonly owner: ProcessOwner;
  readonly load: WriteLoad;
  readonly clock: Clock;
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly observe: Observe;
  /** Stores the state of the relay for operators. */
  readonly report: ReportRelay;
}

/**
 * Sends the events of the log to a broker, in order (EVT-9). Its position moves after the broker has acknowledged. One
 * process at a time has the lease of a relay. The next one repeats at most what was in flight, with the same ids.
 */
export class RelayReader {
  readonly #options: RelayReaderOptions;
  readonly #lease: HeldLease;
  readonly #pace: DeliveryPace;
  readonly #progress: RelayProgress;
  readonly #retry: RelayRetry;
  readonly #wakeups: Wakeups;
  readonly #reports: StoreReports;
  #isRegistered = false;
  /** True if this process had the lease at the last check: the position in memory is then the newest one. */
  #isCurrent = false;
  #stopped = false;

  constructor(options: RelayReaderOptions) {
    this.#options = options;
    const { relay, store, clock, owner, elapsed } = options;
    const { deliveries } = store;
    this.#reports = new StoreReports(options.observe);
    this.#lease = new HeldLease({ reader: relay.reader, timeout: PUBLISH_TIMEOUT, deliveries, clock, owner });
    this.#pace = new DeliveryPace({ ...options, busyRate: BUSY_RATE });
    this.#progress = new RelayProgress({ ...options, lease: this.#lease });
    this.#retry = new RelayRetry(options);
    this.#wakeups = new Wakeups(() => this.#run(), elapsed);
  }

  /** Begins to send. A new relay sends the events that are written from now on. */
  start(): void {
    this.#wakeups.start();
  }

  /** Announces new events; cheap to call often. A broker that is away is not called earlier because of them. */
  wake(): void {
    if (this.#stopped) return;
    const { wait } = this.#retry;
    if (wait > 0) this.#wakeups.in(wait);
    else if (this.#options.load.last.isWriting) this.#wakeups.in(BURST_INTERVAL);
    else this.#wakeups.now();
  }

  /** Sends no more, and waits for what is in flight. @returns the number of blocks that did not end in time */
  async stop(timeout: number): Promise<number> {
    this.#stopped = true;
    return (await settlesWithin(this.#end(), timeout)) ? 0 : 1;
  }

  async #end(): Promise<void> {
    await this.#wakeups.stop();
    try {
      if (this.#isCurrent) await this.#progress.release();
    } catch (error) {
      this.#reports.failed(error);
    }
    await this.#options.broker.close();
  }

  /** Never rejects: work that fails here is done by the next run. */
  async #run(): Promise<void> {
    try {
      await this.#register();
      if (this.#retry.wait > 0) return this.#wakeups.in(this.#retry.wait);
      await this.#work();
      const next = this.#isCurrent ? await this.#progress.report() : null;
      if (next !== null) this.#wakeups.in(next);
      this.#reports.succeeded();
    } catch (error) {
      this.#isCurrent = false;
      this.#reports.failed(error);
      this.#wakeups.in(RETRY_DELAY);
    }
  }

  /** Every process does, even without the lease: a relay sends the events since the first process with it started. */
  async #register(): Promise<void> {
    if (this.#isRegistered) return;
    await this.#options.store.deliveries.register(this.#options.relay.reader, []);
    this.#isRegistered = true;
  }

  async #work(): Promise<void> {
    const last = await this.#options.store.events.lastSequence();
    if (this.#isCurrent && last <= this.#progress.sequence) return;
    const held = await this.#lease.hold();
    this.#isCurrent = held.kind !== 'elsewhere';
    if (held.kind === 'elsewhere') return this.#wakeups.in(held.recheck);
    this.#begin(held);
    while (!this.#stopped && this.#progress.sequence < last) {
      const wait = (await this.#skip(last)) ? 0 : await this.#sendBlock(last);
      if (wait > 0) return this.#wakeups.in(wait);
      if (!this.#isCurrent) return this.#lose();
    }
  }

  /** Reads the lease again: another process may have it. */
  #lose(): void {
    this.#lease.lost();
    this.wake();
  }

  #begin(held: Exclude<Held, { kind: 'elsewhere' }>): void {
    if (held.kind === 'taken') this.#progress.reset(held.reader.sequence);
  }

  /** Passes events of types that the relay does not send: their types alone are read. @returns false for none */
  async #skip(last: number): Promise<boolean> {
    const { relay, store } = this.#options;
    const { sequence } = this.#progress;
    if (relay.patterns.includes('*')) return false;
    const until = Math.min(last, sequence + MAX_SKIPPED);
    const types = await store.events.types(sequence, until);
    if (types.some(relay.sends)) return false;
    this.#isCurrent = await this.#progress.skip(until);
    return true;
  }

  /** Sends the next events. @returns milliseconds until more may be sent; 0 for now */
  async #sendBlock(last: number): Promise<number> {
    const { store, relay, broker } = this.#options;
    const { sequence } = this.#progress;
    const limit = this.#pace.isLimited ? BUSY_BLOCK : BLOCK;
    const page = await store.events.list({ after: sequence, until: last, limit });
    const allowed = this.#takeAllowed(page);
    if (allowed.length === 0 && page.length > 0) return this.#pace.wait;
    const messages = allowed.flatMap((event) => relay.compose(event) ?? []);
    const result = messages.length === 0 ? NOTHING_SENT : await broker.publish(messages);
    const isWhole = allowed.length === page.length && page.length < limit;
    const through = isWhole ? last : (allowed.at(-1)?.sequence ?? last);
    const reached = reachedSequence(messages, result, through);
    if (reached > sequence) this.#isCurrent = await this.#progress.advance(reached);
    if (result.acknowledged > 0) this.#progress.sent();
    return this.#judge(result);
  }

  /** Takes the events that may be sent now: while writes need the time of the process, a few of them. */
  #takeAllowed(page: readonly LoggedEvent[]): readonly LoggedEvent[] {
    let count = 0;
    while (count < page.length && this.#pace.wait === 0) {
      this.#pace.started();
      count += 1;
    }
    return page.slice(0, count);
  }

  /** @returns milliseconds until the rest is sent again; 0 if all was acknowledged */
  #judge({ problem }: PublishResult): number {
    if (problem === null) {
      this.#retry.succeeded();
      this.#progress.setProblem(null);
      return 0;
    }
    this.#progress.setProblem(problem);
    return this.#retry.failed(problem);
  }
}

/** The last sequence up to which all events of a block are done. @param through the last one of the block */
function reachedSequence(
  messages: readonly RelayMessage[],
  { acknowledged, problem }: PublishResult,
  through: number,
): number {
  const next = messages[acknowledged];
  return problem === null || next === undefined ? through : next.sequence - 1;
}
