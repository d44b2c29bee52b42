import type { PageWindow } from '../../conventions/pagination/pagination.ts';
import type { Page } from '../plan.ts';

/** The order of a list in which its rows were read: that of the collection, or the reverse. */
export function isBackward(window: PageWindow): boolean {
  return window.kind === 'seek' && window.backward;
}

/** The part of a list, in the order of the collection, that was read first. */
export function readFirst<T>(list: readonly T[], count: number, window: PageWindow): readonly T[] {
  return isBackward(window) ? list.slice(Math.max(0, list.length - count)) : list.slice(0, count);
}

/** A page that ends after the rows that were read first (LIM-1). */
export function endAfter(page: Page, count: number, window: PageWindow): Page {
  if (count >= page.rows.length) return page;
  return { ...page, rows: readFirst(page.rows, count, window), more: true };
}

/** True if a page has fewer rows than its limit although more follow. */
export function endsEarly({ rows, more }: Page, { limit }: PageWindow): boolean {
  return more && rows.length < limit;
}

/** Counts the first sizes whose sum is within a bound. */
export function fittingCount(sizes: readonly number[], bound: number): number {
  let sum = 0;
  const over = sizes.findIndex((size) => (sum += size) > bound);
  return over === -1 ? sizes.length : over;
}
