import type { Observe } from '../observe/observation.ts';
import { type Clock, monotonicNow } from '../platform/clock.ts';
import { settlesWithin } from '../platform/timeout.ts';
import { type ClaimedDelivery, type Store, StoreUnavailable } from '../stores/store.ts';
import { AFTER_HOOK_PREFIX } from './after-hooks.ts';
import type { Subscriber } from './subscriber.ts';
import { Relay } from './relay.ts';
import { HOOK_SCHEDULE, nextDelay } from './retry-schedule.ts';

/** Maximum number of concurrent deliveries. */
const MAX_CONCURRENT = 64;
/** Timeout of a delivery, and its lease, during which other processes leave it alone, in milliseconds. */
const TIMEOUT = 30_000;
const LEASE = 45_000;
/** Interval at which due and abandoned deliveries are claimed, in milliseconds. */
const POLL_INTERVAL = 100;

export interface DispatchOptions {
  readonly store: Store;
  readonly subscribers: readonly Subscriber[];
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly observe: Observe;
}

/** Delivers events to subscribers in the background. */
export interface Dispatch {
  /** Call after each commit: there may be new events. Cheap to call often. */
  wake(): void;
  /**
   * Starts no more deliveries and waits for those in flight. Incomplete deliveries are retried when their lease expires, by any process.
   *
   * @param timeout milliseconds at most; default: as long as a delivery may take
   */
  stop(timeout?: number): Promise<void>;
}

/** Starts to deliver events to subscribers: at least once, with retries, and without one subscriber delaying another (EVT-3, EVT-6). */
export function startDispatch(options: DispatchOptions): Dispatch {
  const dispatcher = new Dispatcher(options);
  const timer = setInterval(() => dispatcher.wake(), POLL_INTERVAL).unref();
  dispatcher.wake();
  return {
    wake: () => dispatcher.wake(),
    stop(timeout = TIMEOUT) {
      clearInterval(timer);
      return dispatcher.stop(timeout);
    },
  };
}

class Dispatcher {
  readonly #options: DispatchOptions;
  readonly #relay: Relay;
  readonly #subscribers: ReadonlyMap<string, Subscriber>;
  readonly #inFlight = new Set<Promise<void>>();
  #running: Promise<void> | null = null;
  #runAgain = false;
  #stopped = false;
  /** Whether `stop` timed out: the store may be closed. */
  #abandoned = false;

  constructor(options: DispatchOptions) {
    this.#options = options;
    this.#relay = new Relay(options.store, options.subscribers, options.clock);
    this.#subscribers = new Map(options.subscribers.map((subscriber) => [subscriber.name, subscriber]));
  }

  wake(): void {
    if (this.#stopped) return;
    if (this.#running !== null) {
      this.#runAgain = true;
      return;
    }
    this.#runAgain = false;
    this.#running = this.#run().finally(() => {
      this.#running = null;
      if (this.#runAgain) this.wake();
    });
  }

  async stop(timeout: number): Promise<void> {
    this.#stopped = true;
    const done = await settlesWithin(this.#end(), timeout);
    if (done || this.#abandoned) return;
    this.#abandoned = true;
    this.#options.observe({ kind: 'deliveries-pending', count: this.#inFlight.size });
  }

  async #end(): Promise<void> {
    await this.#running;
    await Promise.all(this.#inFlight);
  }

  /** Never rejects: work that fails here is claimed again by the next run. */
  async #run(): Promise<void> {
    const { store, clock, observe } = this.#options;
    try {
      await this.#relay.run();
      const free = MAX_CONCURRENT - this.#inFlight.size;
      if (free === 0 || this.#stopped) return;
      const now = clock.now();
      for (const delivery of await store.deliveries.claim(now, now + LEASE, free)) this.#start(delivery);
    } catch (error) {
      if (this.#abandoned) return;
      // Every run reports it until the database is available again.
      if (error instanceof StoreUnavailable) observe({ kind: 'store-unavailable', error });
      else observe({ kind: 'error', correlationId: null, error });
    }
  }

  #start(delivery: ClaimedDelivery): void {
    const done = this.#deliver(delivery).finally(() => {
      this.#inFlight.delete(done);
      this.wake();
    });
    this.#inFlight.add(done);
  }

  async #deliver(delivery: ClaimedDelivery): Promise<void> {
    const { store, observe } = this.#options;
    const { endpoint, sequence, event } = delivery;
    const { correlation_id: correlationId } = event.metadata;
    const begun = monotonicNow();
    try {
      await this.#attempt(delivery);
      if (this.#abandoned) return;
      await store.deliveries.settle(endpoint, sequence, { kind: 'succeeded' });
      this.#report('succeeded', delivery, begun);
    } catch (error) {
      if (this.#abandoned) return;
      observe({ kind: 'error', correlationId, error });
      await this.#reschedule(delivery, begun).catch((cause: unknown) =>
        observe({ kind: 'error', correlationId, error: cause }),
      );
    }
  }

  async #attempt({ endpoint, event }: ClaimedDelivery): Promise<void> {
    const subscriber = this.#subscribers.get(endpoint);
    if (subscriber === undefined) throw new Error(`the model no longer has ${endpoint}`);
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error(`${endpoint} took more than ${TIMEOUT / 1_000} s`)), TIMEOUT);
    try {
      await Promise.race([subscriber.deliver(event), promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Gives up if the hook no longer exists or the schedule has no further attempt; else schedules the next attempt. */
  async #reschedule(delivery: ClaimedDelivery, begun: number): Promise<void> {
    const { endpoint, sequence, attempts } = delivery;
    const { store, clock, random } = this.#options;
    const isGone = endpoint.startsWith(AFTER_HOOK_PREFIX) && !this.#subscribers.has(endpoint);
    const delay = isGone ? null : nextDelay(HOOK_SCHEDULE, attempts + 1, random());
    await store.deliveries.settle(
      endpoint,
      sequence,
      delay === null ? { kind: 'dead' } : { kind: 'retry', at: clock.now() + delay },
    );
    this.#report(delay === null ? 'dead' : 'retry', delivery, begun);
  }

  #report(result: 'succeeded' | 'retry' | 'dead', { event }: ClaimedDelivery, begun: number): void {
    const { clock, observe } = this.#options;
    const lag = Math.max(0, clock.now() - Date.parse(event.payload.timestamp));
    observe({ kind: 'delivery', result, duration: monotonicNow() - begun, lag });
  }
}
