import type {
  Ancestor,
  ItemPlan,
  ListPlan,
  LocatedRow,
  LookupPlan,
  Page,
  RelatedPlan,
  RelatedRows,
  Row,
  VisibleAncestor,
  VisibleReference,
} from '../plan/plan.ts';
import type {
  DatabaseCaller,
  IdempotencyRecord,
  StoredIdempotencyRecord,
  WriteOutcome,
  WriteUnit,
} from '../plan/write-unit.ts';
import type { PlanChanges } from '../plan/foreign-change.ts';
import type { Bookmark } from '../plan/bookmark.ts';
import type { CacheStatistics } from '../cache/cache.ts';
import type { Deliveries, EventLog } from './event-store.ts';
import type { Partition } from '../plan/list/partitions.ts';
import type { MaybePromise } from '../platform/maybe-promise.ts';

export {
  RoleForbidden,
  RowsTooLarge,
  StatementTimeout,
  StoreOverloaded,
  StoreUnavailable,
  type UnavailableReason,
  WriteOutcomeUnknown,
} from './store-errors.ts';
export type {
  EventAccess,
  LoggedEvent,
  OriginalValues,
  EventQuery,
  LogRange,
  ExpiryQuery,
  EventLog,
  StoredReader,
  DeliveryQuery,
  OpenResource,
  WaitingEndpoint,
  DueQuery,
  ExpiredDeliveries,
  Deliveries,
} from './event-store.ts';

/** The replicas of a database, and the reads that replicas may answer. */
export interface ReplicaUsage {
  readonly replicas: readonly {
    /** Host and port. */
    readonly name: string;
    /** True if reads go to it now. */
    readonly isRead: boolean;
    /** Seconds that it is behind the primary. */
    readonly lag: number;
  }[];
  /** The reads so far that a replica answered. */
  readonly onReplicas: number;
  /** The reads so far that the primary answered, because no replica could. */
  readonly onPrimary: number;
}

/** The transactions of a store that are not ended. */
export interface WriteUsage {
  /** Those of this process that write. */
  readonly commitsInFlight: number;
  /** Seconds for which readers of the log have waited for one of any process; 0 if they wait for none. */
  readonly horizonAge: number;
}

/** The counts of a store for metrics (OPS-2). */
export interface StoreUsage {
  /** Slow reads that wait for a thread. */
  readonly queuedReads: number;
  /** The statistics of the cache of prepared statements. */
  readonly statements: CacheStatistics;
}

/** Reads the rows of the declared resources. */
export interface RowReader {
  /** One row; null where it does not exist or is not below the ancestors of the plan. */
  item(plan: ItemPlan): MaybePromise<Row | null>;

  /**
   * True if the tombstone of a deleted row is still stored, and its values show that the row was visible (MET-4). The
   * rows above it are not judged: they exist.
   */
  wasVisible(plan: ItemPlan): MaybePromise<boolean>;

  /**
   * One page of rows.
   *
   * @throws {StatementTimeout} after the model's `statementTimeout`
   * @throws {StoreOverloaded} before it begins
   */
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
   * Commits a unit. The statement that changes a row compares it with what the plan expects. A committed outcome is on
   * disk. Concurrent units share a transaction and its fsync; a refused unit changes nothing and affects no other unit.
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

/** Changes that other programs have made to rows, as triggers of their tables have recorded them. */
export interface ForeignChanges {
  /**
   * Moves the first recorded changes to the log, in one transaction. If it fails, they stay where they are. Another
   * process may be moving them, and does it alone then.
   *
   * @param plan makes the plans of written rows, with their events
   * @returns true if more may be recorded
   * @throws {StoreUnavailable}
   */
  drain(plan: PlanChanges): Promise<boolean>;

  /** Reports tables whose changes are not recorded any more. @throws {StoreUnavailable} */
  check(): Promise<void>;
}

/** Numbers that change when rows change. Caches compare them to know whether an entry is still valid. */
export interface ChangeStamps {
  /**
   * A number that changes whenever the row may have changed, and never returns to an earlier value. A row that is read
   * after its stamp is valid for as long as the stamp stays the same. null where nothing is known.
   */
  rowStamp(resource: string, id: string): MaybePromise<number | null>;

  /** The stamp that the row has as far as this process knows without asking; null where it knows nothing. */
  knownRowStamp(resource: string, id: string): number | null;

  /**
   * The known stamp of a row that may be read without waiting for the answer to `rowStamp`, which was called
   * immediately before. It is null if the stamp is unknown, or if other reads wait for the same answer and can then be
   * sent together. The row is valid for this stamp if the answer is the same.
   */
  rowStampAhead(resource: string, id: string): number | null;

  /**
   * For each resource a number that changes with each commit that changes any of its rows, and never returns to an
   * earlier value.
   */
  resourceStamps(resources: readonly string[]): MaybePromise<readonly number[]>;

  /**
   * The same for the rows of a partition. It changes with each commit that changes one of them, or moves one into or
   * out of it.
   */
  partitionStamp(resource: string, partition: Partition): MaybePromise<number>;

  /**
   * The revision up to which no row appears any more. null where that holds for every one: they ascend in the order of
   * commits.
   */
  settledRevision(): MaybePromise<number | null>;

  /** The basis of the stamps of a resource. Default: `commits` for all. */
  readonly basis?: (resource: string) => StampBasis;

  /**
   * The last known stamp of a resource whose basis is `snapshots`. A page that is read now is valid for it. null where
   * none is known. Default: null for all.
   */
  readonly lastStamp?: (resource: string) => number | null;
}

/**
 * The basis of change stamps.
 *
 * - `commits`: they stay the same while no one changes the resource, and all processes have the same ones.
 * - `snapshots`: they stay the same while nothing is committed to the database. They cache responses of this process,
 *   and are not shown to clients.
 * - `nothing`: each is a new number.
 */
export type StampBasis = 'commits' | 'snapshots' | 'nothing';

/**
 * A period in which the representation of an unchanged row stays the same. Cached representations are valid within one
 * epoch.
 */
export interface CacheEpoch {
  /** Unique, across databases too. */
  readonly id: string;
  /**
   * Milliseconds since the epoch. Infinity where dates name no representation, because another model represents the
   * same rows, too (OPS-6).
   */
  readonly since: number;
}

/** Everything that one database stores for one API. */
export interface Store {
  readonly rows: RowReader;
  /**
   * The rows for a request that only reads, and arrives now. Replicas may answer, with everything that was acknowledged
   * before (OPS-5). After a read the stamps are of its snapshot, or later. Absent for a store without replicas.
   */
  readonly replicated?: () => Pick<Store, 'rows' | 'stamps'>;
  /**
   * The rows as the database shows them to a caller. Its reads reject with {@link RoleForbidden} where its role lacks a
   * right. Absent for a store in which all callers have the rights of the server.
   */
  readonly rowsAs?: (caller: DatabaseCaller) => RowReader;
  readonly writes: Writer;
  readonly bookmarks: Bookmarks;
  readonly idempotencyRecords: IdempotencyRecords;
  readonly stamps: ChangeStamps;
  readonly events: EventLog;
  /** Positions of subscriptions in the log, and deliveries. */
  readonly deliveries: Deliveries;
  /** Absent for a store in which no changes by other programs are recorded. */
  readonly foreignChanges?: ForeignChanges;
  /** The key that seals cursors: 32 bytes, generated with the database and stored in it. */
  secret(): MaybePromise<Uint8Array>;
  /**
   * The cache epoch of the database, stored in it. A name that differs from the stored one begins a new epoch, even if
   * an earlier epoch had that name. Rows may have been rewritten in between.
   *
   * @param name identifies everything other than rows that representations depend on
   * @param now milliseconds since the epoch
   */
  cacheEpoch(name: string, now: number): MaybePromise<CacheEpoch>;
  /**
   * The newest time that is stored, among `created_at` of all rows and the last events: for a clock that does not go
   * back over restarts.
   *
   * @param until later times are ignored
   * @returns milliseconds since the epoch; null where there is none
   */
  newestTime(until: number): MaybePromise<number | null>;
  /** For `/readyz`. @throws {StoreUnavailable} where the database cannot be read, or writes fail */
  ping(): MaybePromise<void>;
  /** The counts for metrics; absent for a store without a queue of reads and a cache of statements. */
  readonly usage?: () => StoreUsage;
  /** The counts of replicas for metrics; absent for a store without replicas. */
  readonly replicaUsage?: () => ReplicaUsage;
  /** The transactions that overlap, for metrics; absent for a store in which one writes at a time. */
  readonly writeUsage?: () => WriteUsage;
  /** Waits for the writes that were accepted, then closes the database. */
  close(): Promise<void>;
}
