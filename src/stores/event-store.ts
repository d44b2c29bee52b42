import type { ContractVersion } from '../model/contract-version.ts';
import type { JsonObject } from '../conventions/json/json.ts';
import type { EventAccess, EventEnvelope } from '../conventions/events/event.ts';
import type {
  DeliveryChange,
  DeliveryKey,
  DeliveryState,
  ReaderLease,
  SubscriptionPosition,
} from '../plan/delivery-plan.ts';
import type { EventSelection } from '../plan/events/event-query.ts';
import type { MaybePromise } from '../platform/maybe-promise.ts';

export type { EventAccess } from '../conventions/events/event.ts';

/** The values of an event as the contract has them under which it was written. */
export interface OriginalValues {
  readonly version: ContractVersion;
  readonly changed: readonly string[];
  /** null without data. */
  readonly data: JsonObject | null;
}

/** An event in the log. Its members are read when they are needed: most events are skipped because of their type. */
export interface LoggedEvent {
  readonly sequence: number;
  /** `product.created`. */
  readonly type: string;
  readonly event: EventEnvelope;
  /** The envelope as JSON: the same bytes in every delivery and replay (EVT-1). */
  readonly json: string;
  /**
   * The values that decide who may see the event; null if the event is of a version that did not store them. Only
   * callers who may see all events see such an event.
   */
  readonly access: EventAccess | null;
  /** The values of an event of an older contract, as that contract has them; null or absent for the newest one. */
  readonly original?: OriginalValues | null;
}

/** Which events to read, in the order of their sequence. All conditions hold. */
export interface EventQuery extends EventSelection {
  /** Only those with a greater sequence. */
  readonly after: number;
  /** Only those with at most this sequence. */
  readonly until?: number;
  readonly limit: number;
  /** `product`. */
  readonly resourceType?: string;
}

/** Which events are in the log. */
export interface LogRange {
  /** Every event with a greater sequence is in the log: a reader whose position is smaller has missed some (EVT-8). */
  readonly removed: number;
  /** The last sequence that was assigned; 0 before the first. */
  readonly last: number;
  /** A time before which no event of the log was written: milliseconds since the epoch. null where the log is empty. */
  readonly since: number | null;
}

/** Which events may be removed: either condition suffices. */
export interface ExpiryQuery {
  /** Those that were written before this time: milliseconds since the epoch. */
  readonly before: number;
  /**
   * Milliseconds since the epoch. Events with a later time are from a clock that was wrong: they are as old as the
   * events after them.
   */
  readonly now: number;
  /** Those that this many later events follow; null for none. */
  readonly maxRows: number | null;
}

/** The events of all committed writes, those of each resource in the order of commits. */
export interface EventLog {
  /**
   * At most `limit` envelopes with a greater sequence, in order. A smaller sequence never appears after a greater one
   * was read (EVT-3).
   */
  after(sequence: number, limit: number): MaybePromise<readonly EventEnvelope[]>;

  /** The events of a query. */
  list(query: EventQuery): MaybePromise<readonly LoggedEvent[]>;

  /**
   * The types of the events with a sequence after one and up to another, each once: it costs much less than the events.
   */
  types(after: number, until: number): MaybePromise<readonly string[]>;

  /** The events of sequences, in order, without those that are no longer in the log. */
  lookup(sequences: readonly number[]): MaybePromise<readonly LoggedEvent[]>;

  /** The event of an id; null where it is not in the log. */
  find(id: string): MaybePromise<LoggedEvent | null>;

  /** The last sequence that was assigned; 0 before the first. */
  lastSequence(): MaybePromise<number>;

  range(): MaybePromise<LogRange>;

  /**
   * The end of the next step in which events are removed: a sequence. A step is a part of the log that one transaction
   * can remove without delaying others. null where no event may be removed.
   */
  nextExpired(query: ExpiryQuery): MaybePromise<number | null>;
}

/** The state of the reader of a group of subscriptions. */
export interface StoredReader {
  readonly lease: ReaderLease;
  /** The sequence up to which it has delivered events to all subscriptions without a position of their own. */
  readonly sequence: number;
}

/** Which deliveries of a subscription to read, the newest event first. */
export interface DeliveryQuery {
  readonly endpoint: string;
  readonly states?: readonly DeliveryState[];
  /** Only that of one event. */
  readonly sequence?: number;
  /** Only those of events with a smaller sequence. */
  readonly before?: number;
  readonly limit: number;
}

/** The number of open deliveries of one resource's events to an ordered subscription. */
export interface OpenResource {
  readonly endpoint: string;
  readonly resource: string;
  readonly count: number;
}

/** A subscription with waiting deliveries. */
export interface WaitingEndpoint {
  readonly endpoint: string;
  /** When the first of them is due: milliseconds since the epoch. */
  readonly due: number;
}

/** Which waiting deliveries to read. */
export interface DueQuery {
  readonly reader: string;
  readonly endpoint: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Deliveries that are due after this time are due, too: only a clock that was wrong can have set it. */
  readonly latest: number;
  readonly limit: number;
}

/** Which stored deliveries may be removed: either condition suffices. */
export interface ExpiredDeliveries {
  /**
   * Readers that run. Those of their deliveries for which later events of a resource wait are left to them: they give
   * them up when they are due.
   */
  readonly readers: readonly string[];
  /** Those of events up to this sequence. */
  readonly through: number;
  /** Those that succeeded before this time: milliseconds since the epoch. */
  readonly succeededBefore: number;
  readonly limit: number;
}

/**
 * The positions of subscriptions in the event log, and the deliveries that could not be made yet. Only write units
 * change them.
 */
export interface Deliveries {
  /** Starts those of the subscriptions that are new, and their reader, at the end of the log. */
  register(reader: string, names: readonly string[]): Promise<void>;

  /** null where it was never registered. */
  reader(name: string): MaybePromise<StoredReader | null>;

  /**
   * Takes the lease of a reader, if it still is as it was read.
   *
   * @returns whether it did
   */
  lease(found: ReaderLease, taken: ReaderLease): Promise<boolean>;

  /** The positions of those subscriptions that have one of their own. */
  positions(names: readonly string[]): MaybePromise<readonly SubscriptionPosition[]>;

  /** Sequences of the stored deliveries of a subscription, of whatever state, that are greater than its position. */
  storedAfter(endpoint: string, position: number): MaybePromise<readonly number[]>;

  /** The subscriptions of a reader that have waiting deliveries, and when the first of each is due. */
  waiting(reader: string): MaybePromise<readonly WaitingEndpoint[]>;

  /** The waiting deliveries of a subscription that are due, the longest due first. */
  due(query: DueQuery): MaybePromise<readonly DeliveryChange[]>;

  /** The resources of which the ordered ones among the subscriptions have waiting or held deliveries. */
  openResources(reader: string, names: readonly string[]): MaybePromise<readonly OpenResource[]>;

  /** The stored deliveries of a query. */
  list(query: DeliveryQuery): MaybePromise<readonly DeliveryChange[]>;

  /** True if a reader or a subscription, even one that no longer exists, has not come to a sequence. */
  isBehind(sequence: number): MaybePromise<boolean>;

  /** Deliveries that may be removed. */
  expired(query: ExpiredDeliveries): MaybePromise<readonly DeliveryKey[]>;
}
