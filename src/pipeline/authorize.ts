import { EVERYTHING } from '../plan/plan.ts';
import type { Limited } from './limit.ts';
import { type RowSource, VisibleRows } from './read/visible-rows.ts';

/**
 * Which operations and fields a caller may use: part of every representation, ETag and cache key, and of nothing that belongs to one caller.
 */
export interface Permission {
  /** Equal for two callers that may use the same. */
  readonly id: string;
}

/** A request that its caller may make, with the rows that the caller may see (step 9). */
export interface Authorized extends Limited {
  readonly permission: Permission;
  /** The only way to rows for this request. */
  readonly rows: VisibleRows;
}

/** What every caller may do where the model declares no access rules. */
const ALL: Permission = { id: 'all' };

/** Every permission that a caller may have, for variants are compiled for each. */
export const PERMISSIONS: readonly Permission[] = [ALL];

/**
 * Step 9. Without access rules each caller has every permission and sees every row.
 *
 * @param store its rows are reached from here on by `Authorized.rows` alone
 */
export function authorize(limited: Limited, store: RowSource): Authorized {
  return { ...limited, permission: ALL, rows: new VisibleRows(store, () => EVERYTHING) };
}
