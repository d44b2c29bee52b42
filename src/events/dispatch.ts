import type { Observe } from '../observe/observation.ts';
import type { Clock } from '../platform/clock.ts';
import { settlesWithin } from '../platform/timeout.ts';
import type { ClaimedDelivery, Store } from '../stores/store.ts';
import { AFTER_HOOK_PREFIX } from './after-hooks.ts';
import type { Subscriber } from './subscriber.ts';
import { Relay } from './relay.ts';
import { HOOK_SCHEDULE, nextDelay } from './retry-schedule.ts';

/** Deliveries under way at once. */
const MAX_CONCURRENT = 64;
/** How long one may take, and how long it is held for others, in milliseconds: a delivery that is not done by then failed. */
const TIMEOUT = 30_000;
const LEASE = 45_000;
/** How often work that another process left, or that is due again, is looked for, in milliseconds. */
const POLL_INTERVAL = 100;

export interface DispatchOptions {
  readonly store: Store;
  readonly subscribers: readonly Subscriber[];
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly observe: Observe;
}

/** Brings events to where they go, in the background. */
export interface Dispatch {
  /** Something was committed: there may be events. It costs nothing to say so often. */
  wake(): void;
  /**
   * Begins no more deliveries and waits for those under way. What is not done then is delivered again once it is free, by whoever looks.
   *
   * @param patience milliseconds at most; default: as long as a delivery may take
   */
  stop(patience?: number): Promise<void>;
}

/** Starts to bring events to outlets: at least once each, tried again where an outlet fails, none waiting for another (EVT-3, EVT-6). */
export function startDispatch(options: DispatchOptions): Dispatch {
  const dispatcher = new Dispatcher(options);
  const timer = setInterval(() => dispatcher.wake(), POLL_INTERVAL).unref();
  dispatcher.wake();
  return {
    wake: () => dispatcher.wake(),
    stop(patience = TIMEOUT) {
      clearInterval(timer);
      return dispatcher.stop(patience);
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
  /** Whether the store may be closed. */
  #abandoned = false;

  constructor(options: DispatchOptions) {
    this.#options = options;
    this.#relay = new Relay(options.store, options.subscribers, options.clock);
    this.#subscribers = new Map(options.subscribers.map((outlet) => [outlet.name, outlet]));
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

  async stop(patience: number): Promise<void> {
    this.#stopped = true;
    const done = await settlesWithin(this.#end(), patience);
    if (done || this.#abandoned) return;
    this.#abandoned = true;
    this.#options.observe({ kind: 'deliveries-pending', count: this.#inFlight.size });
  }

  async #end(): Promise<void> {
    await this.#running;
    await Promise.all(this.#inFlight);
  }

  /** Never rejects: what fails now is found again by the next turn. */
  async #run(): Promise<void> {
    const { store, clock, observe } = this.#options;
    try {
      await this.#relay.run();
      const free = MAX_CONCURRENT - this.#inFlight.size;
      if (free === 0 || this.#stopped) return;
      const now = clock.now();
      for (const delivery of await store.deliveries.claim(now, now + LEASE, free)) this.#start(delivery);
    } catch (error) {
      if (!this.#abandoned) observe({ kind: 'error', correlationId: null, error });
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
    try {
      await this.#attempt(delivery);
      if (this.#abandoned) return;
      await store.deliveries.settle(endpoint, sequence, { kind: 'succeeded' });
    } catch (error) {
      if (this.#abandoned) return;
      observe({ kind: 'error', correlationId, error });
      await this.#reschedule(delivery).catch((cause: unknown) =>
        observe({ kind: 'error', correlationId, error: cause }),
      );
    }
  }

  async #attempt({ endpoint, event }: ClaimedDelivery): Promise<void> {
    const outlet = this.#subscribers.get(endpoint);
    if (outlet === undefined) throw new Error(`the model has no ${endpoint} any more`);
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error(`${endpoint} took more than ${TIMEOUT / 1_000} s`)), TIMEOUT);
    try {
      await Promise.race([outlet.deliver(event), promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** What no hook takes any more is given up; anything else is tried again as long as the schedule has it. */
  async #reschedule({ endpoint, sequence, attempts }: ClaimedDelivery): Promise<void> {
    const { store, clock, random } = this.#options;
    const isGone = endpoint.startsWith(AFTER_HOOK_PREFIX) && !this.#subscribers.has(endpoint);
    const delay = isGone ? null : nextDelay(HOOK_SCHEDULE, attempts + 1, random());
    await store.deliveries.settle(
      endpoint,
      sequence,
      delay === null ? { kind: 'dead' } : { kind: 'retry', at: clock.now() + delay },
    );
  }
}
