/** The position of a subscription in the event log. */
export interface SubscriptionPosition {
  /** Name of the subscription. */
  readonly name: string;
  /**
   * Every event up to this sequence was delivered or has a delivery of its own; null: as far as the reader of the
   * subscription.
   */
  readonly sequence: number | null;
}

/**
 * A subscription that starts with a unit: it gets the events after a sequence, or those after the unit (`end`). One
 * that exists starts again there.
 */
export interface SubscriptionStart {
  readonly name: string;
  readonly after: number | 'end';
}

/**
 * The state of the delivery of one event to one subscription. `waiting` for its next attempt; `held` until an
 * earlier event of its resource is done; `succeeded`; or `dead`, which is given up.
 */
export type DeliveryState = 'waiting' | 'held' | 'succeeded' | 'dead';

/**
 * The new state of the delivery of an event to a subscription. It is stored once an attempt has failed, or on request.
 */
export interface DeliveryChange {
  /** Name of the reader of the subscription. */
  readonly reader: string;
  /** Name of the subscription. */
  readonly endpoint: string;
  /** The sequence of the event. */
  readonly sequence: number;
  readonly state: DeliveryState;
  /** The number of attempts that were made or have begun. */
  readonly attempts: number;
  /** When the next attempt is due, or when the last one ended: milliseconds since the epoch. */
  readonly due: number;
  /** Names the resource whose later events wait for this one; null where none does. */
  readonly resource: string | null;
}

/** Ends the wait of the first held delivery of a resource. */
export interface DeliveryRelease {
  readonly endpoint: string;
  readonly resource: string;
  /** When its attempt is due. */
  readonly due: number;
}

/** The reader that removes old events. Its position is the last sequence that it has removed. */
export const RETENTION_READER = 'retention';

/** The lease of a reader: one process at a time delivers events to its subscriptions. */
export interface ReaderLease {
  /** Name of the reader. */
  readonly reader: string;
  /** Names the process. */
  readonly owner: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/**
 * The progress of the reader of a group of subscriptions. It is refused as `stale` where another process has its lease.
 */
export interface ReaderProgress extends ReaderLease {
  /** The sequence up to which events are delivered to all its subscriptions that have no position of their own. */
  readonly sequence: number;
  readonly positions: readonly SubscriptionPosition[];
}

/** Names a stored delivery, as it was read. */
export type DeliveryKey = Pick<DeliveryChange, 'endpoint' | 'sequence' | 'state'>;

/** The changes of a unit to subscriptions, deliveries and the log, in this order. */
export interface DeliveryPlan {
  readonly progress?: ReaderProgress;
  readonly starts?: readonly SubscriptionStart[];
  /** Names of subscriptions that end: their deliveries are removed. */
  readonly ends?: readonly string[];
  readonly deliveries?: readonly DeliveryChange[];
  readonly releases?: readonly DeliveryRelease[];
  /** Deliveries that are removed, unless their state has changed. */
  readonly cleared?: readonly DeliveryKey[];
  /**
   * The sequence up to which events are removed, where all before its block already are. `progress` of
   * {@link RETENTION_READER} says so.
   */
  readonly removeThrough?: number;
}
