import type { EventEnvelope } from '../conventions/event.ts';
import type {
  Ancestor,
  Bookmark,
  IdempotencyRecord,
  ItemPlan,
  ListPlan,
  LocatedRow,
  LookupPlan,
  Page,
  RelatedPlan,
  RelatedRows,
  Row,
  StoredIdempotencyRecord,
  WriteOutcome,
  VisibleAncestor,
  VisibleReference,
  WriteUnit,
} from '../plan/plan.ts';
import type {
  DeliveryAttempt,
  DeliveryChange,
  DeliveryState,
  ReaderLease,
  SubscriptionPosition,
} from '../plan/delivery-plan.ts';
import type { Partition } from '../plan/partitions.ts';
import type { MaybePromise } from '../platform/maybe-promise.ts';

/** A read ran past the statement timeout and was stopped. Nothing was changed. */
export class StatementTimeout extends Error {
  override readonly name = 'StatementTimeout';
}

/** The queue of slow reads is full, or a read waited in it for too long. The read did not begin. */
export class StoreOverloaded extends Error {
  override readonly name = 'StoreOverloaded';
}

/** The rows of a read have more characters than the `maxSize` of its plan. */
export class RowsTooLarge extends Error {
  override readonly name = 'RowsTooLarge';
}

/**
 * Why a database is unavailable: another process has locked it for too long; its disk is full, or fails; it can only be read; it is corrupt; its
 * files are not where they were when it was opened.
 */
export type UnavailableReason = 'locked' | 'full' | 'io' | 'read-only' | 'corrupt' | 'lost';

/** The database is unavailable. Nothing was changed, other than by a write to files that were `lost` meanwhile. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
  /** null for any other reason. */
  readonly reason: UnavailableReason | null;

  constructor(message: string, options: ErrorOptions & { readonly reason?: UnavailableReason | null } = {}) {
    super(message, options);
    this.reason = options.reason ?? null;
  }
}

/** Reads the rows of the declared resources. */
export interface RowReader {
  /** One row; null where it does not exist or is not below the ancestors of the plan. */
  item(plan: ItemPlan): MaybePromise<Row | null>;

  /** One page of rows. @throws {StatementTimeout} after the model's `statementTimeout` @throws {StoreOverloaded} before it begins */
  list(plan: ListPlan): MaybePromise<Page>;

  /** The rows with the given keys, in one query. @throws {StoreOverloaded} before it begins @throws {RowsTooLarge} */
  lookup(plan: LookupPlan): MaybePromise<readonly LocatedRow[]>;

  /**
   * The first rows that refer to each of the owners, in the order of the owners, in one query.
   *
   * @throws {StatementTimeout} {StoreOverloaded} as `list` does
   * @throws {RowsTooLarge}
   */
  related(plan: RelatedPlan): MaybePromise<readonly RelatedRows[]>;

  /**
   * The outermost ancestor that does not exist or is not below the next one; null where all exist.
   *
   * @param within nearest first, as in a plan
   */
  missingAncestor(within: readonly VisibleAncestor[]): MaybePromise<Ancestor | null>;

  /**
   * The references whose row does not exist. It lets a response report all invalid references of a body together;
   * the transaction that writes checks them again.
   */
  missingReferences(references: readonly VisibleReference[]): MaybePromise<readonly VisibleReference[]>;
}

/** Writes units: rows, their events, a bookmark and idempotency records in one transaction. */
export interface Writer {
  /**
   * Commits a unit. The statement that changes a row compares it with what the plan expects. A committed outcome is on disk. Concurrent units
   * share a transaction and its fsync; a refused unit changes nothing and affects no other unit.
   *
   * @param deadline milliseconds since the epoch after which the unit must not begin
   */
  commit(unit: WriteUnit, deadline?: number): Promise<WriteOutcome>;

  /** The number of units that wait for their commit, by which overload is measured (LIM-3). */
  readonly pending: number;
}

/** Values that were committed under a name together with rows. */
export interface Bookmarks {
  /** The value last committed under a name; null where there is none. */
  get(name: Bookmark['name']): MaybePromise<string | null>;
}

/** The results of writes that a client may repeat with the same idempotency key (MET-12). */
export interface IdempotencyRecords {
  /** The record of a name; null where there is none or it has expired. @param now milliseconds since the epoch */
  find(name: IdempotencyRecord['name'], now: number): MaybePromise<StoredIdempotencyRecord | null>;
}

/** Numbers that change when rows change. Caches compare them to know whether an entry is still valid. */
export interface ChangeStamps {
  /**
   * A number that changes whenever the row may have changed, and never returns to an earlier value. A row that is read after its stamp is valid
   * for as long as the stamp stays the same. null where the store cannot know without reading the database.
   */
  rowStamp(resource: string, id: string): number | null;

  /** For each resource a number that changes with each commit that changes any of its rows, and never returns to an earlier value. */
  resourceStamps(resources: readonly string[]): MaybePromise<readonly number[]>;

  /** The same of the rows of a partition: it changes with each commit that changes one of them, moves one into it, or out of it. */
  partitionStamp(resource: string, partition: Partition): MaybePromise<number>;
}

/** An event with its number in the log. */
export interface LoggedEvent {
  readonly sequence: number;
  readonly event: EventEnvelope;
}

/** Which events to read, in the order of their sequence. */
export interface EventQuery {
  /** Only those with a greater sequence. */
  readonly after: number;
  readonly limit: number;
}

/** The events of all committed writes, in commit order. */
export interface EventLog {
  /** At most `limit` envelopes with a greater sequence, in order. A smaller sequence never appears after a greater one was read (EVT-3). */
  after(sequence: number, limit: number): MaybePromise<readonly EventEnvelope[]>;

  /** The events of a query. */
  list(query: EventQuery): MaybePromise<readonly LoggedEvent[]>;

  /** The events of sequences, in order, without those that are no longer in the log. */
  lookup(sequences: readonly number[]): MaybePromise<readonly LoggedEvent[]>;

  /** The last sequence that was assigned; 0 before the first. */
  lastSequence(): MaybePromise<number>;
}

/** The state of the reader of a group of subscriptions. */
export interface StoredReader {
  readonly lease: ReaderLease;
  /** The sequence up to which it has delivered events to all subscriptions without a position of their own. */
  readonly sequence: number;
}

/** A delivery that was stored because an attempt failed, because it is recorded, or on request. */
export interface StoredDelivery extends DeliveryChange {
  readonly attemptsMade: readonly DeliveryAttempt[];
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

/** How far subscriptions have come in the event log, and the deliveries that could not be made yet. They change by write units only. */
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

  /** The subscriptions of a reader that have waiting deliveries, and when the first of each is due. */
  waiting(reader: string): MaybePromise<readonly WaitingEndpoint[]>;

  /** The waiting deliveries of a subscription that are due, the longest due first. */
  due(query: DueQuery): MaybePromise<readonly DeliveryChange[]>;

  /** The resources of which an ordered subscription has waiting or held deliveries. */
  openResources(reader: string): MaybePromise<readonly OpenResource[]>;

  /** The stored deliveries of a query, with their attempts. */
  list(query: DeliveryQuery): MaybePromise<readonly StoredDelivery[]>;
}

/** A period in which the representation of an unchanged row stays the same. Cached representations are valid within one epoch. */
export interface CacheEpoch {
  /** Unique, across databases too. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** Everything that one database stores for one API. */
export interface Store {
  readonly rows: RowReader;
  readonly writes: Writer;
  readonly bookmarks: Bookmarks;
  readonly idempotencyRecords: IdempotencyRecords;
  readonly stamps: ChangeStamps;
  readonly events: EventLog;
  /** Positions of subscriptions in the log, and deliveries. */
  readonly deliveries: Deliveries;
  /** The key that seals cursors: 32 bytes, generated with the database and stored in it. */
  secret(): MaybePromise<Uint8Array>;
  /**
   * The cache epoch of the database, stored in it. A name that differs from the stored one begins a new epoch, even if an earlier epoch had
   * that name: rows may have been rewritten in between.
   *
   * @param name identifies everything other than rows that representations depend on
   * @param now milliseconds since the epoch
   */
  cacheEpoch(name: string, now: number): MaybePromise<CacheEpoch>;
  /**
   * The newest time that is stored, among `created_at` of all rows and the last events: for a clock that does not go back over restarts.
   *
   * @param until later times are ignored
   * @returns milliseconds since the epoch; null where there is none
   */
  newestTime(until: number): MaybePromise<number | null>;
  /** For `/readyz`. @throws {StoreUnavailable} where the database cannot be read, or writes fail */
  ping(): MaybePromise<void>;
  /** Waits for the writes that were accepted, then closes the database. */
  close(): Promise<void>;
}
