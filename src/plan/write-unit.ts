import type { Bookmark } from './bookmark.ts';
import type { DeliveryPlan } from './delivery-plan.ts';
import type { CreatePlan, DetachPlan, ExpectedStamp, UpdatePlan, WritePlan } from './plan.ts';

/**
 * The outcome of a request, committed together with its writes, so that its response can be replayed (MET-12, MET-13).
 * It holds data, not bytes. The store adds the revisions that the unit was assigned.
 */
export interface IdempotencyRecord {
  /** The lookup key. A record that has not expired is never replaced. */
  readonly name: string;
  /** Digest of the request. */
  readonly request: string;
  /** JSON. */
  readonly outcome: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** A committed record. */
export interface StoredIdempotencyRecord extends Omit<IdempotencyRecord, 'name'> {
  /** The assigned revisions of the unit's plans, in order. */
  readonly revisions: readonly number[];
}

/** A plan after which the row exists. */
export type RowPlan = CreatePlan | UpdatePlan | DetachPlan;

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
  /** A record of this name already exists. */
  | { readonly kind: 'recorded'; readonly name: string }
  /** The deadline passed before the unit was started. */
  | { readonly kind: 'expired' };

export type WriteOutcome =
  /** Durable, unless it was a dry run. The new revision of each plan's row, in order; 0 for a deleted row. */
  { readonly kind: 'committed'; readonly revisions: readonly number[] } | Refusal;
