import type { Bookmark } from './bookmark.ts';
import type { DeliveryPlan } from './delivery-plan.ts';
import type { CreatePlan, DetachPlan, ExpectedStamp, Row, UpdatePlan, WritePlan } from './plan.ts';

/** Rows of tables of another program as the database has completed them, by the indexes of their plans. */
export type WrittenRows = ReadonlyMap<number, Row>;

/** The rows of a unit that writes own tables alone. */
export const NO_ROWS: WrittenRows = new Map();

/**
 * The outcome of a request, committed together with its writes, so that its response can be replayed (MET-12, MET-13).
 * It holds data, not bytes. The store adds the revisions that the unit was assigned.
 */
export interface IdempotencyRecord {
  /** The lookup key. A record that has not expired is never replaced. */
  readonly name: string;
  /** Digest of the request. */
  readonly request: string;
  /** JSON, or how it is made of the rows that the database has completed. */
  readonly outcome: string | ((rows: WrittenRows) => string);
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** A committed record. */
export interface StoredIdempotencyRecord extends Omit<IdempotencyRecord, 'name' | 'outcome'> {
  /** JSON. */
  readonly outcome: string;
  /** The assigned revisions of the unit's plans, in order. */
  readonly revisions: readonly number[];
}

/** A plan after which the row exists. */
export type RowPlan = CreatePlan | UpdatePlan | DetachPlan;

/** A caller whose rights the database judges, as its policies know it. */
export interface DatabaseCaller {
  /** The name of its role; null where it has none, and may neither read nor write. */
  readonly role: string | null;
  /** JSON: the claims of its token, which policies read as `request.jwt.claims`. */
  readonly claims: string;
  /** True for a caller without credentials. */
  readonly isAnonymous: boolean;
}

/** Plans that commit atomically, in order. A single write is a unit of one. */
export interface WriteUnit {
  readonly plans: readonly WritePlan[];
  /**
   * Resources that must not have changed since the plans were made of what they held. Changes of the unit itself do not
   * count.
   */
  readonly expectStamps?: readonly ExpectedStamp[];
  readonly bookmark?: Bookmark;
  /** Names of bookmarks that are removed. */
  readonly removedBookmarks?: readonly string[];
  readonly records?: readonly IdempotencyRecord[];
  readonly delivery?: DeliveryPlan;
  /** Milliseconds that the unit may wait for other units, to share their transaction. Default: 0. */
  readonly maxDelay?: number;
  /** The caller as whom rows of tables of another program are written. Default: the server. */
  readonly as?: DatabaseCaller;
  /** Rolled back after the outcome is known (MET-14). */
  readonly dry?: boolean;
}

/**
 * The reason why a unit was not written; `plan` is the index of the first plan that failed. The whole unit was rolled
 * back.
 */
export type Refusal =
  /** The id already exists. */
  | { readonly kind: 'exists'; readonly plan: number }
  /**
   * The row has another revision, a resource another stamp, or another process the lease (`plan` is 0 for one of the
   * unit).
   */
  | { readonly kind: 'stale'; readonly plan: number }
  | { readonly kind: 'unique'; readonly plan: number; readonly fields: readonly string[] }
  /** Fields that refer to rows that do not exist: `supplier_id`, `related_ids[2]`. */
  | { readonly kind: 'reference'; readonly plan: number; readonly fields: readonly string[] }
  /** Dotted paths of values that are too long for an index (LIM-1). */
  | { readonly kind: 'too-long'; readonly plan: number; readonly fields: readonly string[] }
  /** An ancestor does not exist. */
  | { readonly kind: 'ancestor'; readonly plan: number; readonly resource: string; readonly id: string }
  /** Other rows still refer to the deleted one. */
  | { readonly kind: 'dependents'; readonly plan: number }
  /** A rule of a table of another program, which the model may not have. */
  | {
      readonly kind: 'rule';
      readonly plan: number;
      readonly reason: RuleReason;
      /** The field that it names; null for the row as a whole. */
      readonly field: string | null;
      /** The comment of the rule, for people; null without one. */
      readonly message: string | null;
    }
  /** A record of this name already exists. */
  | { readonly kind: 'recorded'; readonly name: string }
  /** The deadline passed before the unit was started. */
  | { readonly kind: 'expired' };

/** The cause of a refusal by a rule of the database: the values themselves, other rows, or the caller's rights. */
export type RuleReason = 'invalid' | 'conflict' | 'forbidden';

/** The end of a unit. */
export type WriteOutcome = CommittedUnit | Refusal;

/** A unit that is durable, unless it was a dry run. */
export interface CommittedUnit {
  readonly kind: 'committed';
  /** The new revision of each plan's row, in order; 0 for a deleted row. */
  readonly revisions: readonly number[];
  /** Default: none. */
  readonly rows?: WrittenRows;
}
