import type { MaybePromise } from '../platform/maybe-promise.ts';
import type { LoggedEvent } from '../stores/store.ts';

/**
 * One consumer of events. Its name identifies its position and its deliveries in the database:
 * `after:products.created`, `webhook:0197…`. No other subscriber has subscriptions of that name.
 */
export interface Subscription {
  readonly name: string;
  /** Event types: `*`, `product.*` or `product.created`. */
  readonly patterns: readonly string[];
  /**
   * True if events of one resource are delivered one after another, the next one when the one before is done or dead
   * (EVT-3c).
   */
  readonly ordered: boolean;
  /** Names the caller to whom it belongs: owners share the places of a process. Default: it is its own owner. */
  readonly owner?: string;
  /**
   * The sequence after which the subscription started, if it can end and start again. Another value restarts it as if
   * it had been absent meanwhile. Default: it starts once.
   */
  readonly start?: number;
  /** The last event that it gets, for one that delivers a window of the log again. Default: it gets all. */
  readonly until?: number;
  /** Selects the events of the patterns that it gets; the others count as delivered. It never throws. Default: all. */
  readonly accepts?: (event: LoggedEvent) => boolean;
}

/** An attempt to deliver an event. */
export interface Delivery {
  readonly subscription: Subscription;
  readonly event: LoggedEvent;
  /** From 1. */
  readonly attempt: number;
  /**
   * True if the delivery was loaded from the store. A killed process may already have attempted it, even if `attempt`
   * is 1.
   */
  readonly isStored: boolean;
}

/** The result of an attempt. */
export interface AttemptResult {
  /**
   * `failed`: retried by the schedule, then dead. `refused`: dead without another attempt. A rejected promise is a
   * failure too, and is also observed as an error.
   */
  readonly kind: 'succeeded' | 'failed' | 'refused';
  /** Milliseconds to wait before the next attempt, if the schedule has a shorter delay. */
  readonly retryAfter?: number;
  /**
   * Records the attempt, before its result counts. Never rejects.
   *
   * @param due when the next attempt is due: milliseconds since the epoch; null if there is none
   */
  readonly record?: (due: number | null) => Promise<void>;
}

/**
 * Delivers events to subscriptions of one kind: the `after` hooks of a model, webhooks, a broker. It knows no database.
 */
export interface Subscriber {
  /** Names its reader in the database: `after`. One process at a time delivers events to its subscriptions. */
  readonly name: string;
  /** Milliseconds that an attempt may take. */
  readonly timeout: number;
  /** Delay before each attempt, in milliseconds; the first one is not delayed. */
  readonly schedule: readonly number[];
  /** Concurrent deliveries to one subscription, until it fails. */
  readonly concurrency: number;
  /** Deliveries per second to a subscription that was failing, until it has caught up; null for no limit. */
  readonly drainRate: number | null;
  /**
   * Maximum deliveries per second to all subscriptions while writes need all of the process's time; null for no limit.
   * There is then at most one delivery for twenty writes.
   */
  readonly busyRate: number | null;
  /** True if callers remove its subscriptions: waiting deliveries of a removed one are no error. Default: false. */
  readonly isRemovable?: boolean;
  /**
   * A value that changes when subscriptions change in any process. It is read before each read of events, so it must be
   * cheap.
   */
  stamp(): MaybePromise<number>;
  /**
   * The current subscriptions; an unchanged one is the same object as before. Absent ones get nothing, and their
   * waiting deliveries are abandoned when they are due.
   */
  subscriptions(): MaybePromise<readonly Subscription[]>;
  deliver(delivery: Delivery): Promise<AttemptResult>;
  /**
   * Hands its own records of deliveries to the store. Called before their results are stored, so that both share a
   * transaction. Never rejects: records that cannot be stored now are stored with the next call.
   *
   * @param maxDelay milliseconds that it may wait for another write
   */
  readonly flush?: (maxDelay: number) => Promise<void>;
}
