import type { EventEnvelope } from '../conventions/event.ts';
import type { MaybePromise } from '../platform/maybe-promise.ts';
import type {
  Ancestor,
  Bookmark,
  ItemPlan,
  ListPlan,
  LocatedRow,
  LookupPlan,
  IdempotencyRecord,
  Page,
  RelatedPlan,
  RelatedRows,
  StoredIdempotencyRecord,
  Row,
  WriteOutcome,
  WriteUnit,
} from '../plan/plan.ts';

/** The statement ran past its deadline and was stopped; nothing was changed. */
export class StatementTimeout extends Error {
  override readonly name = 'StatementTimeout';
}

/** More reads that may take long wait already than can be done in time, or one waited for too long; it was not begun. */
export class StoreOverloaded extends Error {
  override readonly name = 'StoreOverloaded';
}

/** What can be in the way of using a database: another process that holds it for too long, a disk without room. */
export type UnavailableReason = 'locked' | 'full';

/** The database cannot be used just now; nothing was changed. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
  /** null where it is none that a caller could be told of. */
  readonly reason: UnavailableReason | null;

  constructor(message: string, options: ErrorOptions & { readonly reason?: UnavailableReason | null } = {}) {
    super(message, options);
    this.reason = options.reason ?? null;
  }
}

/** Rows of the declared resources. */
export interface RowReader {
  /** The row, or null where it is absent or not below the ancestors named. */
  item(plan: ItemPlan): MaybePromise<Row | null>;

  /**
   * A number for a row that is another one once the row may have changed, and never one that it was: what was read after it was asked for is
   * still so while it is the same. null where the store cannot tell without reading.
   */
  rowStamp(resource: string, id: string): number | null;

  /** One page. @throws {StatementTimeout} after the model's `statementTimeout` @throws {StoreOverloaded} before it is begun */
  list(plan: ListPlan): MaybePromise<Page>;

  /** Rows by their ids, in one query. @throws {StoreOverloaded} before it is begun */
  lookup(plan: LookupPlan): MaybePromise<readonly LocatedRow[]>;

  /**
   * The first rows that refer to each of the owners, in one query; an owner to which none does may be left out.
   *
   * @throws {StatementTimeout} {StoreOverloaded} as `list` does
   */
  related(plan: RelatedPlan): MaybePromise<ReadonlyMap<string, RelatedRows>>;

  /** A number for each of some resources that is another one after each commit that changes any of its rows, and never one that it was. */
  resourceStamps(resources: readonly string[]): MaybePromise<readonly number[]>;

  /**
   * The first of the ancestors, outermost first, that is absent or not below the one before it; null where all stand.
   *
   * @param within nearest first, as in a plan
   */
  missingAncestor(within: readonly Ancestor[]): MaybePromise<Ancestor | null>;

  /**
   * Those of the references, each a resource and an id, that refer to nothing.
   * For telling all faults of a body at once; what is written is checked again in its transaction.
   */
  missingReferences(references: readonly Ancestor[]): MaybePromise<readonly Ancestor[]>;

  /**
   * Writes the plans of a unit, their events, its bookmark and its memos in one transaction, each row compared with what its plan expects in
   * the statement that changes it. A committed outcome is on disk. Concurrent units share a transaction and its sync; one that is
   * refused leaves nothing behind and disturbs no other.
   *
   * @param deadline milliseconds since the epoch after which the unit must not begin
   */
  commit(unit: WriteUnit, deadline?: number): Promise<WriteOutcome>;

  /** The value last committed under a name; null where there is none. */
  bookmark(name: Bookmark['name']): MaybePromise<string | null>;

  /** The memo last committed under a name; null where there is none or it has expired. @param now milliseconds since the epoch */
  find(name: IdempotencyRecord['name'], now: number): MaybePromise<StoredIdempotencyRecord | null>;
}

/** The events of all committed writes, in commit order. */
export interface EventLog {
  /** Events with a greater sequence, in order, at most `limit`. Who has read n never misses a smaller one (EVT-3). */
  after(sequence: number, limit: number): MaybePromise<readonly EventEnvelope[]>;

  /** The greatest sequence; 0 where there is no event. */
  lastSequence(): MaybePromise<number>;
}

/** A delivery that a dispatcher holds until `leaseUntil`. */
export interface ClaimedDelivery {
  readonly endpoint: string;
  readonly sequence: number;
  /** How many attempts were made before this one. */
  readonly attempts: number;
  readonly event: EventEnvelope;
}

/** What became of an attempt: done, again at a time (milliseconds since the epoch), or given up. */
export type DeliveryResult =
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'retry'; readonly at: number }
  | { readonly kind: 'dead' };

/** Which event still has to reach which endpoint. */
export interface Deliveries {
  /** Records that an event must reach the endpoints; an event and endpoint that are recorded already stay as they are. */
  enqueue(sequence: number, endpoints: readonly string[], at: number): MaybePromise<void>;

  /** Takes deliveries that are due and that nobody holds, oldest first, in one statement. Times in milliseconds since the epoch. */
  claim(now: number, leaseUntil: number, limit: number): MaybePromise<readonly ClaimedDelivery[]>;

  /** Records the result of an attempt and ends the lease. */
  settle(endpoint: string, sequence: number, result: DeliveryResult): MaybePromise<void>;
}

/** A time during which a database is told in one way: what nobody writes is told otherwise in the next one. */
export interface CacheEpoch {
  /** Like that of no other one, of this database or of any. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** Everything that one database keeps for one API. */
export interface Store {
  readonly rows: RowReader;
  readonly events: EventLog;
  readonly deliveries: Deliveries;
  /** Writes that wait for their commit: what overload is judged by (LIM-3). */
  readonly pendingWrites: number;
  /** The key that seals cursors, 32 bytes, made once and kept in the database. */
  secret(): MaybePromise<Uint8Array>;
  /**
   * The edition of the database, kept in it. Where it was last told by another name, a new one begins: also by a name that it had before, for
   * rows may have been rewritten in between.
   *
   * @param name what stands for everything but the rows that what is told depends on
   * @param now milliseconds since the epoch
   */
  cacheEpoch(name: string, now: number): MaybePromise<CacheEpoch>;
  /** Fails where the database cannot be read: for `/readyz`. */
  ping(): MaybePromise<void>;
  /** Waits for the writes that were accepted, then lets go of the database. */
  close(): Promise<void>;
}
