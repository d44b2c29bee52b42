import { type ApiError, apiError } from '../../conventions/errors.ts';
import type { LocatedRow } from '../../plan/plan.ts';
import type { Steps } from '../../platform/time-slices.ts';
import type { Caller } from '../caller.ts';

/** Most related rows in one response (QRY-4). */
const MAX_EXPANDED = 1_000;

/** The number of related rows, nested ones included, and their characters as JSON. */
export interface Size {
  readonly rows: number;
  readonly length: number;
}

export const NOTHING: Size = { rows: 0, length: 0 };

/** Measures the size of each row as JSON, each in a step. */
export function* measureRows(rows: readonly LocatedRow[]): Steps<readonly Size[]> {
  const sizes: Size[] = [];
  for (const { row } of rows) {
    sizes.push({ rows: 1, length: JSON.stringify(row).length });
    yield;
  }
  return sizes;
}

export function sum(sizes: readonly Size[]): Size {
  return sizes.reduce((all, { rows, length }) => ({ rows: all.rows + rows, length: all.length + length }), NOTHING);
}

/** Most characters of related rows in one response: as many as a page may have bytes. */
export function maxLength({ contract }: Pick<Caller, 'contract'>): number {
  return contract.model.limits.page.bytes;
}

/** @throws {ApiError} QUERY_EXPAND_INVALID */
export function checkCount(sizes: readonly Size[]): void {
  if (sum(sizes).rows > MAX_EXPANDED) throw invalidExpand(`${MAX_EXPANDED} related resources`);
}

/** @returns QUERY_EXPAND_INVALID */
export function tooLarge(caller: Pick<Caller, 'contract'>): ApiError {
  return invalidExpand(`${maxLength(caller)} characters of related resources`);
}

/** @param most what a response holds at most */
function invalidExpand(most: string): ApiError {
  const message = `The response would hold more than ${most}; send a smaller limit, or expand less.`;
  return apiError('QUERY_EXPAND_INVALID', message, {
    details: [{ field: 'expand', message: `leads to more than ${most}` }],
  });
}
