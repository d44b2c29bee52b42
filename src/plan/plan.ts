import type { EventDraft } from '../conventions/event.ts';
import type { Json } from '../conventions/json.ts';
import type { Total, PageWindow } from '../conventions/pagination/pagination.ts';
import type { SortKey } from '../model/model.ts';

export type { PageWindow } from '../conventions/pagination/pagination.ts';

/**
 * A row as the store gives it: `id`, the declared fields in declared order (write-only ones included), then
 * `created_at`, `updated_at`, `revision`. Values are what JSON shows: timestamps, decimals and int64 as text.
 */
export interface Row {
  readonly id: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly revision: number;
  readonly [field: string]: Json;
}

/** Names of the fields that are read, beside `id`, the timestamps and the revision, which always are; where they are left out, all are (QRY-4). */
export type Columns = readonly string[];

/** A row above the one addressed, as the path names it. */
export interface Ancestor {
  /** Name of the resource. */
  readonly resource: string;
  readonly id: string;
}

/**
 * One comparison; a list of them holds when each does. Values have the form that JSON shows. An unset field is in no list, outside of every
 * one, and neither before nor after any value (QRY-7).
 */
export type Condition =
  | { readonly path: string; readonly operator: 'in' | 'nin'; readonly values: readonly Json[] }
  | { readonly path: string; readonly operator: Comparison; readonly value: Json }
  /** A literal part of a text; in an array field, one of its items. */
  | { readonly path: string; readonly operator: 'contains'; readonly value: Json }
  | { readonly path: string; readonly operator: 'starts_with'; readonly value: string }
  /** Whether the field is set; an array is where it is not empty. */
  | { readonly path: string; readonly operator: 'exists'; readonly value: boolean }
  /** Each word begins a word of a searched field (QRY-6). */
  | { readonly operator: 'search'; readonly words: readonly string[] };

export type Comparison = 'gt' | 'gte' | 'lt' | 'lte';

/** Whether rows are counted: `exact` at any number, `capped` up to a number. */
export type Count =
  | { readonly kind: 'none' }
  | { readonly kind: 'exact' }
  | { readonly kind: 'capped'; readonly cap: number };

/** Reads one row by its id, below the ancestors that the path names (nearest first). */
export interface ItemPlan {
  readonly kind: 'item';
  readonly resource: string;
  readonly id: string;
  readonly within: readonly Ancestor[];
  readonly columns?: Columns;
}

/** Reads one page of a collection. `order` ends with the id, so that it is total (PAGE-5). */
export interface ListPlan {
  readonly kind: 'list';
  readonly resource: string;
  readonly within: readonly Ancestor[];
  readonly filter: readonly Condition[];
  readonly order: readonly SortKey[];
  readonly window: PageWindow;
  readonly count: Count;
  readonly effort: Effort;
  readonly columns?: Columns;
}

/**
 * How much a read may cost: `light` ends at once; `bounded` reads many entries of one index, of which a limit keeps the number; `unbounded` may
 * read the whole collection, so that the store gives it a deadline. A store does no other work for the sake of the last two.
 */
export type Effort = 'light' | 'bounded' | 'unbounded';

/** Reads the rows of some ids, in any order; those that are absent are left out. */
export interface LookupPlan {
  readonly resource: string;
  readonly ids: readonly string[];
  /** Where it is left out, `bounded`. */
  readonly effort?: Effort;
}

/** Reads for each of some rows the first of those that refer to it: its children, or the rows of an inverse relation. */
export interface RelatedPlan {
  readonly resource: string;
  /** The field that holds the id of the row referred to, or ids where it is an array. */
  readonly field: string;
  readonly owners: readonly string[];
  readonly order: readonly SortKey[];
  /** Most rows for each of the owners. */
  readonly limit: number;
  /** Where it is left out, `unbounded`. */
  readonly effort?: Effort;
}

/** A row and the rows that it is below, nearest first. */
export interface LocatedRow {
  readonly row: Row;
  readonly within: readonly Ancestor[];
}

/** The first rows that refer to one row, and whether more follow. */
export interface RelatedRows {
  readonly rows: readonly LocatedRow[];
  readonly more: boolean;
}

/** A page of rows in the plan's order, whichever way it was walked. */
export interface Page {
  readonly rows: readonly Row[];
  /** Whether rows follow in the direction of the walk. */
  readonly more: boolean;
  /** null where the plan did not ask; `exact` false means that there are at least so many. */
  readonly total: Total | null;
}

/** Values of declared fields by name. */
export type FieldValues = Readonly<Record<string, Json>>;

interface PlannedChange {
  /** Name of the resource. */
  readonly resource: string;
  readonly id: string;
  /** What is published when the change commits; null where nothing is. */
  readonly event: EventDraft | null;
}

/** A resource, and the number that a store told of its last change. */
export interface ExpectedStamp {
  /** Name of the resource. */
  readonly resource: string;
  readonly stamp: number;
}

/** Adds a row below the ancestors, which must exist; `values` holds every field. `at` is its `created_at`. */
export interface CreatePlan extends PlannedChange {
  readonly kind: 'create';
  /** Resources of which no row may have changed since, nor by an earlier plan of the unit: what a precondition was judged by (CACHE-3). */
  readonly expectStamps?: readonly ExpectedStamp[];
  readonly values: FieldValues;
  readonly within: readonly Ancestor[];
  readonly at: string;
  /** Its `updated_at`; where it is left out, `at`. */
  readonly updatedAt?: string;
}

/** The revision that a row must still have: a number that was read, or the one that an earlier plan of the unit gives it (by its index). */
export type ExpectedRevision = number | { readonly plan: number };

/** Changes a row that still has this revision; `values` holds the fields that change. */
export interface UpdatePlan extends PlannedChange {
  readonly kind: 'update';
  readonly values: FieldValues;
  readonly revision: ExpectedRevision;
  readonly at: string;
}

/** Removes a row that still has this revision. */
export interface DeletePlan extends PlannedChange {
  readonly kind: 'delete';
  readonly revision: ExpectedRevision;
}

/**
 * Unsets references of a row that a later plan of the unit removes, where rows that go refer to each other in a circle. The row keeps its
 * revision: nobody sees it so.
 */
export interface DetachPlan extends Omit<UpdatePlan, 'kind' | 'event'> {
  readonly kind: 'detach';
  readonly event: null;
}

export type WritePlan = CreatePlan | UpdatePlan | DetachPlan | DeletePlan;

/** A fact that commits together with a unit, such as how far an import has come. */
export interface Bookmark {
  readonly name: string;
  readonly value: string;
}

/**
 * What is remembered for a while of what a unit did, so that its answer can be given again (MET-12, MET-13): data, not bytes. The revisions
 * that the unit draws are kept beside it.
 */
export interface IdempotencyRecord {
  /** What it is found by; one that has not expired is never replaced. */
  readonly name: string;
  /** Digest of the request that it answers. */
  readonly request: string;
  /** JSON text. */
  readonly outcome: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** A memo as it was committed. */
export interface StoredIdempotencyRecord extends Omit<IdempotencyRecord, 'name'> {
  /** Of the unit's plans, in order. */
  readonly revisions: readonly number[];
}

/** A plan that leaves a row behind. */
export type RowPlan = CreatePlan | UpdatePlan | DetachPlan;

/** Plans that commit together or not at all, in order. A single write is a unit of one. */
export interface WriteUnit {
  readonly plans: readonly WritePlan[];
  readonly bookmark?: Bookmark;
  readonly records?: readonly IdempotencyRecord[];
  /** Tried and undone: the outcome is the one that it would have, and nothing is kept (MET-14). */
  readonly dry?: boolean;
}

/** Why a unit was not written; `plan` is the index of the first plan that could not be. Nothing of the unit was kept. */
export type Refusal =
  /** The id is taken. */
  | { readonly kind: 'exists'; readonly plan: number }
  /** The row is gone or has another revision; or a resource has changed that was not to. */
  | { readonly kind: 'stale'; readonly plan: number }
  | { readonly kind: 'unique'; readonly plan: number; readonly fields: readonly string[] }
  /** References to nothing, as dotted paths: `supplier_id`, `related_ids[2]`. */
  | { readonly kind: 'reference'; readonly plan: number; readonly fields: readonly string[] }
  /** The ancestor that is absent. */
  | { readonly kind: 'ancestor'; readonly plan: number; readonly resource: string; readonly id: string }
  /** Other rows still refer to the one to be removed. */
  | { readonly kind: 'dependents'; readonly plan: number }
  /** A memo of this name stands already. */
  | { readonly kind: 'recorded'; readonly name: string }
  /** The deadline passed before the unit began. */
  | { readonly kind: 'expired' };

export type WriteOutcome =
  /** On disk, where it was not a dry run. The new revision of each plan's row, in order; 0 for a removed one. */
  { readonly kind: 'committed'; readonly revisions: readonly number[] } | Refusal;
