import { refusal } from '../conventions/errors.ts';
import { type CursorState, cursorPosition } from '../conventions/pagination/cursor.ts';
import { offsetPosition } from '../conventions/pagination/offset.ts';
import { pagePosition } from '../conventions/pagination/page.ts';
import type { Parameters, Position } from '../conventions/pagination/position.ts';
import type { Parameter } from '../conventions/query.ts';
import type { Limits } from '../model/model.ts';
import { readFlag } from './parameters.ts';
import type { Count } from './plan.ts';

/** Parameters by name, each given once. */
export type Given = ReadonlyMap<string, Parameter>;

/**
 * How many items a page has: `limit` or `per_page`, clamped to the maximum (PAGE-3).
 *
 * @throws {ApiError} PAGINATION_LIMIT_INVALID, PAGINATION_CONFLICT
 */
export function readLimit(given: Given, limits: Limits['page']): number {
  const [limit, perPage] = [given.get('limit'), given.get('per_page')];
  if (limit !== undefined && perPage !== undefined) throw conflict(['limit', 'per_page']);
  const parameter = limit ?? perPage;
  if (parameter === undefined) return limits.default;
  const value = readInteger(parameter.value);
  if (value === null || value === 0) {
    throw refusal('PAGINATION_LIMIT_INVALID', `Send ${parameter.name} as an integer from 1 to ${limits.max}.`, {
      details: [{ field: parameter.name, message: `must be an integer from 1 to ${limits.max}` }],
    });
  }
  return Math.min(value, limits.max);
}

/** A parameter that names a place, and its value. */
export interface Place {
  readonly name: 'page' | 'offset' | 'after';
  readonly value: string;
}

/**
 * The one parameter that names where the page lies; null for the start (PAGE-4).
 *
 * @throws {ApiError} PAGINATION_CONFLICT
 */
export function readPlace(given: Given): Place | null {
  const names = (['page', 'offset', 'after'] as const).filter((name) => given.has(name));
  if (names.length > 1) throw conflict(names);
  const [name] = names;
  return name === undefined ? null : { name, value: given.get(name)?.value ?? '' };
}

/**
 * The place in the technique that names it.
 *
 * @param end the token of the walk backward from the end
 * @throws {ApiError} PAGINATION_POSITION_INVALID, also beyond `max_offset` (PAGE-8)
 */
export function readPosition(
  place: Place | null,
  cursor: { readonly token: string; readonly state: CursorState } | null,
  limit: number,
  { maxOffset }: Limits['page'],
  end: () => string,
): Position {
  switch (place?.name) {
    case undefined:
    case 'after':
      return cursorPosition(cursor, limit, end);
    case 'offset':
      return offsetPosition(boundedOffset(place, readInteger(place.value), maxOffset), limit, maxOffset);
    case 'page': {
      const page = readInteger(place.value);
      boundedOffset(place, page === null || page === 0 ? null : (page - 1) * limit, maxOffset);
      return pagePosition(page ?? 1, limit, maxOffset);
    }
  }
}

function boundedOffset(place: Place, offset: number | null, maxOffset: number): number {
  const least = place.name === 'page' ? 1 : 0;
  if (offset === null) throw positionInvalid(place.name, `must be an integer of at least ${least}`);
  if (offset > maxOffset) {
    throw positionInvalid(place.name, `reaches beyond item ${maxOffset}; follow links.next (the cursor) instead`);
  }
  return offset;
}

/**
 * Whether and how far rows are counted (PAGE-9).
 *
 * @param whole whether nothing narrows the collection, so that its size is known without counting
 * @throws {ApiError} REQUEST_PARAMETER_INVALID
 */
export function readCount(given: Given, position: Position, whole: boolean, limits: Limits['page']): Count {
  const asked = readFlag(given.get('include_total'));
  if (asked === null ? !position.counts : !asked) return { kind: 'none' };
  return whole ? { kind: 'exact' } : { kind: 'capped', cap: limits.countCap };
}

/** Whether totals are counted, where the caller said so: it stays so along every link. */
export function totalAsked(given: Given): Parameters {
  const parameter = given.get('include_total');
  return parameter === undefined ? [] : [['include_total', parameter.value]];
}

function conflict(names: readonly string[]): Error {
  return refusal('PAGINATION_CONFLICT', `Send one of ${names.join(', ')}, not several.`, {
    details: names.map((field) => ({ field, message: 'excludes the others' })),
  });
}

function positionInvalid(field: string, message: string): Error {
  return refusal('PAGINATION_POSITION_INVALID', `The page cannot be found: ${field} ${message}.`, {
    details: [{ field, message }],
  });
}

/** A non-negative integer in plain digits; null for anything else. Beyond 2^53 it is no longer exact, which no bound reaches. */
function readInteger(text: string): number | null {
  return /^[0-9]+$/.test(text) ? Number(text) : null;
}
