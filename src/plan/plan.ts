import type { EventDraft } from '../conventions/events/event.ts';
import type { Json } from '../conventions/json/json.ts';
import type { PageWindow, Total } from '../conventions/pagination/pagination.ts';
import type { SortKey } from '../model/model.ts';

import type { FilterCondition } from './condition.ts';

import type { RelatedValues } from './related-values.ts';
import type { Condition, Visibility } from './visibility.ts';

export {
  type Condition,
  EVERYTHING,
  NOTHING,
  type RowVisibility,
  type Visibility,
  type VisibleRelatedCondition,
} from './visibility.ts';

/**
 * A row as the store returns it: `id`, the declared fields in declared order (write-only ones included), then
 * `created_at`, `updated_at` and `revision`. Hidden members follow (`model/row-key.ts`): ids above the row and above
 * the rows that it refers to. Values have their JSON form: timestamps, decimals and int64 are strings.
 */
export interface Row {
  readonly id: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly revision: number;
  readonly [field: string]: Json;
}

/** Fields to read besides `id`, timestamps and revision, which are always read. Default: every field (QRY-4). */
export type Columns = readonly string[];

/** A parent, grandparent, ... of a row, as the path names it. */
export interface Ancestor {
  /** Name of the resource. */
  readonly resource: string;
  readonly id: string;
}

/** An ancestor to be read: it counts as absent where it is not visible. */
export interface VisibleAncestor extends Ancestor {
  readonly visible: Visibility;
}

/**
 * A row of a known resource. Ids are unique below one parent only where clients choose them: `within` names at least
 * the ancestors that the row's key needs, nearest first. Further ones are ignored.
 */
export interface RowAddress {
  readonly id: string;
  readonly within: readonly Ancestor[];
}

/** A row that another row refers to. */
export interface ReferencedRow extends RowAddress {
  /** Name of the resource. */
  readonly resource: string;
}

/** A reference to be read: its row counts as absent where it is not visible. */
export interface VisibleReference extends ReferencedRow {
  readonly visible: Visibility;
}

/** The extent to which rows are counted: all of them (`exact`), or up to a limit (`capped`). */
export type Count =
  | { readonly kind: 'none' }
  | { readonly kind: 'exact' }
  | { readonly kind: 'capped'; readonly cap: number };

/** Reads one row by its id, below the ancestors in the path (nearest first). */
export interface ItemPlan {
  readonly kind: 'item';
  readonly resource: string;
  readonly id: string;
  readonly within: readonly VisibleAncestor[];
  readonly visible: Visibility;
  readonly columns?: Columns;
}

/** Reads one page of a collection. `order` ends with the id, which makes it total (PAGE-5). */
export interface ListPlan {
  readonly kind: 'list';
  readonly resource: string;
  readonly within: readonly VisibleAncestor[];
  readonly visible: Visibility;
  readonly filter: readonly Condition[];
  readonly order: readonly SortKey[];
  readonly window: PageWindow;
  readonly count: Count;
  readonly effort: Effort;
  readonly columns?: Columns;
  /**
   * Characters of text and bytes of binary values. The page ends before the row that exceeds them, other than the
   * first, and no later row is read (LIM-1). Default: it never ends early.
   */
  readonly maxSize?: number;
}

/** A list plan before the caller's visibility is added to it. */
export interface ListRead extends Omit<ListPlan, 'visible' | 'within' | 'filter'> {
  readonly within: readonly Ancestor[];
  readonly filter: readonly FilterCondition[];
}

/**
 * The cost class of a read. `light`: short. `bounded`: many entries of one index, up to a limit. `unbounded`: possibly
 * the whole collection, so the store sets a deadline. A store must not delay other work for the last two.
 */
export type Effort = 'light' | 'bounded' | 'unbounded';

/** Reads rows by their keys, in any order. Absent rows are left out. */
export interface LookupPlan {
  readonly resource: string;
  readonly rows: readonly RowAddress[];
  readonly visible: Visibility;
  /** Default: `bounded`. */
  readonly effort?: Effort;
  /** As in a list plan, but more is an error. */
  readonly maxSize?: number;
}

/** Reads the first related rows of each owner: its children, those that refer to it, or those it refers to. */
export interface RelatedPlan {
  readonly resource: string;
  /** The referring field: it holds the id of the other row, or an array of ids. */
  readonly field: string;
  /** Set if the owners refer to the rows by an array: the name of the resource of the owners. */
  readonly ownedBy?: string;
  readonly owners: readonly RowAddress[];
  readonly visible: Visibility;
  readonly order: readonly SortKey[];
  /** Maximum number of rows per owner. */
  readonly limit: number;
  /** Default: `unbounded`. */
  readonly effort?: Effort;
  /** As in a list plan, but more is an error. */
  readonly maxSize?: number;
}

/** A row with its ancestors, nearest first. */
export interface LocatedRow {
  readonly row: Row;
  readonly within: readonly Ancestor[];
}

/** The first rows that refer to one row, and whether more follow. */
export interface RelatedRows {
  readonly rows: readonly LocatedRow[];
  readonly more: boolean;
}

/** A page of rows in the plan's order, also when it was read backward. */
export interface Page {
  readonly rows: readonly Row[];
  /** True if more rows follow in the direction of reading. */
  readonly more: boolean;
  /** null if the plan does not count; if `exact` is false, there are at least this many rows. */
  readonly total: Total | null;
  /** Characters of text and bytes of binary values in its rows: their JSON has at least as many bytes. */
  readonly size: number;
}

/** Values of declared fields by name. */
export type FieldValues = Readonly<Record<string, Json>>;

interface PlannedChange {
  /** Name of the resource. */
  readonly resource: string;
  readonly id: string;
  /** The ancestors of the row, nearest first: with the id they identify it. */
  readonly within: readonly Ancestor[];
  /** Published when the change commits; null for no event. */
  readonly event: EventDraft | null;
  /** The values of referenced rows that the store records with the event and the tombstone. Default: nothing. */
  readonly related?: RelatedValues;
  /**
   * Makes the plan again of the row that the database has completed, with its event. Set for a row of a table of
   * another program that exists after the write: its defaults and triggers decide its values.
   */
  readonly settle?: (row: Row) => SettledPlan;
  /** The revision of the row, where the row is written already. Default: the store writes it. */
  readonly written?: number;
}

/** The part of a plan that follows from the row as the database has completed it. */
export type SettledPlan = Pick<PlannedChange, 'id' | 'event' | 'related'>;

/** The change stamp that a resource had when it was read. */
export interface ExpectedStamp {
  /** Name of the resource. */
  readonly resource: string;
  readonly stamp: number;
}

/** Inserts a row below its ancestors, which must exist. `values` has every field; `at` is its `created_at`. */
export interface CreatePlan extends PlannedChange {
  readonly kind: 'create';
  /** Resources that nothing, not even an earlier plan of the unit, may have changed since a precondition (CACHE-3). */
  readonly expectStamps?: readonly ExpectedStamp[];
  readonly values: FieldValues;
  readonly overlong?: OverlongPaths;
  readonly at: string;
  /** Its `updated_at`. Default: `at`. */
  readonly updatedAt?: string;
  /** Set if an imported file names the id, which a deleted row may have had. */
  readonly isRestored?: true;
  /** Set if neither the client nor the server has chosen the id: a table of another program makes one. */
  readonly hasDefaultId?: true;
}

/** Dotted paths of values that are too long for an index, for which the plan is refused. Default: none. */
type OverlongPaths = readonly string[];

/** The revision that a row must still have: one that was read, or one that an earlier plan assigns (by index). */
export type ExpectedRevision = number | { readonly plan: number };

/** Updates a row that still has this revision. `values` has the changed fields. */
export interface UpdatePlan extends PlannedChange {
  readonly kind: 'update';
  readonly values: FieldValues;
  readonly overlong?: OverlongPaths;
  readonly revision: ExpectedRevision;
  readonly at: string;
}

/** Deletes a row that still has this revision. */
export interface DeletePlan extends PlannedChange {
  readonly kind: 'delete';
  readonly revision: ExpectedRevision;
  /** The tombstone of the row: the values that decide who saw it, until a time (milliseconds since the epoch). */
  readonly tombstone?: { readonly values: FieldValues; readonly expiresAt: number };
}

/**
 * Nullifies references of a row that a later plan of the unit deletes, if the deleted rows refer to each other in a
 * cycle. The row keeps its revision, because this state is never visible.
 */
export interface DetachPlan extends Omit<UpdatePlan, 'kind' | 'event'> {
  readonly kind: 'detach';
  readonly event: null;
}

export type WritePlan = CreatePlan | UpdatePlan | DetachPlan | DeletePlan;
