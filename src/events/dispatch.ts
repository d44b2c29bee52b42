import type { Observe } from '../observe/observation.ts';
import { type Clock, monotonicNow } from '../platform/clock.ts';
import { createOwner } from '../platform/process/process-owner.ts';
import { loopUtilization } from '../platform/process/process-usage.ts';
import type { Random } from '../platform/random.ts';
import type { Store } from '../stores/store.ts';
import { DeliveryBudget } from './delivery-budget.ts';
import { EventReader } from './event-reader.ts';
import { RelayReader, type RelayReaderOptions } from './relays/relay-reader.ts';
import type { Subscriber } from './subscriber.ts';
import { WriteLoad } from './write-load.ts';

/**
 * Milliseconds between two checks of the end of the log, which other processes may have written to. A check reads one
 * row.
 */
const CHECK_INTERVAL = 50;
/**
 * Checks after which readers are woken in any case. Another process may have stored a delivery, or ended without
 * releasing its lease.
 */
const CHECKS_PER_WAKE = 20;
/** Milliseconds that `stop` waits by default. */
const STOP_TIMEOUT = 30_000;

export interface DispatchOptions {
  readonly store: Pick<Store, 'events' | 'deliveries' | 'writes'>;
  readonly subscribers: readonly Subscriber[];
  /** Relays of the log to brokers (EVT-9), with their connections, which end with the dispatch. Default: none. */
  readonly relays?: readonly OpenedRelay[];
  readonly clock: Clock;
  /** Monotonic milliseconds. Default: `performance.now`. */
  readonly elapsed?: () => number;
  readonly random: Random;
  readonly observe: Observe;
}

/** A relay and its broker. */
export type OpenedRelay = Pick<RelayReaderOptions, 'relay' | 'broker' | 'report'>;

/** Delivers events to subscriptions and brokers in the background. */
export interface Dispatch {
  /** Announces that there may be new events. Call it after each commit; it is cheap. */
  wake(): void;
  /**
   * Starts no more deliveries, waits for those in flight, and releases the leases. The next process completes the rest.
   *
   * @param timeout milliseconds at most; default: 30 s
   */
  stop(timeout?: number): Promise<void>;
}

/**
 * Starts to deliver events to subscriptions and to brokers: at least once, with retries, and without one subscription
 * delaying another (EVT-3, EVT-6).
 */
export function startDispatch({
  subscribers,
  relays = [],
  elapsed = monotonicNow,
  ...options
}: DispatchOptions): Dispatch {
  const { random, observe } = options;
  const owner = createOwner(random);
  const budget = new DeliveryBudget();
  const load = new WriteLoad({ elapsed, utilization: loopUtilization() });
  const fraction = (): number => Number.parseInt(random.hex(4), 16) / 2 ** 32;
  const shared = { ...options, elapsed, random: fraction, owner, load };
  const readers = [
    ...subscribers.map((subscriber) => new EventReader({ ...shared, budget, subscriber })),
    ...relays.map((relay) => new RelayReader({ ...shared, ...relay })),
  ];
  const wake = (): void => {
    for (const reader of readers) reader.wake();
  };
  const stopChecks = watchLog(options.store, wake);
  for (const reader of readers) reader.start();
  return {
    wake() {
      load.committed();
      wake();
    },
    async stop(timeout = STOP_TIMEOUT) {
      stopChecks();
      const pending = await Promise.all(readers.map((reader) => reader.stop(timeout)));
      const count = pending.reduce((sum, each) => sum + each, 0);
      // While attempts are in flight, no other process repeats them, unless this one ends.
      if (count === 0) owner.end();
      else observe({ kind: 'deliveries-pending', count });
    },
  };
}

/** Calls `wake` when another process may have added events. @returns stops it */
function watchLog({ events }: DispatchOptions['store'], wake: () => void): () => void {
  let seen = -1;
  let checks = 0;
  const check = async (): Promise<void> => {
    const last = await events.lastSequence();
    checks += 1;
    if (last === seen && checks % CHECKS_PER_WAKE > 0) return;
    seen = last;
    wake();
  };
  // A database that cannot be read is reported by the readers.
  const timer = setInterval(() => void check().catch(wake), CHECK_INTERVAL).unref();
  return () => clearInterval(timer);
}
