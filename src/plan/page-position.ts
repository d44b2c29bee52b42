import { apiError } from '../conventions/errors.ts';
import { type CursorState, cursorPagination } from '../conventions/pagination/cursor.ts';
import { keysetPagination } from '../conventions/pagination/keyset.ts';
import { offsetPagination } from '../conventions/pagination/offset.ts';
import { pageNumberPagination } from '../conventions/pagination/page-number.ts';
import type { QueryPairs, Pagination } from '../conventions/pagination/pagination.ts';
import { type SeekKey, seekPagination } from '../conventions/pagination/seek.ts';
import { type TimeRange, timePagination } from '../conventions/pagination/time.ts';
import type { QueryParameter } from '../conventions/query.ts';
import { coerceDateTime } from '../model/values/coercion.ts';
import type { Limits } from '../model/model.ts';
import { readFlag } from './parameters.ts';
import type { Count } from './plan.ts';

/** Parameters by name, each given once. */
export type ParameterMap = ReadonlyMap<string, QueryParameter>;

/**
 * How many items a page has: `limit` or `per_page`, clamped to the maximum (PAGE-3).
 *
 * @throws {ApiError} PAGINATION_LIMIT_INVALID, PAGINATION_CONFLICT
 */
export function readLimit(given: ParameterMap, limits: Limits['page']): number {
  const [limit, perPage] = [given.get('limit'), given.get('per_page')];
  if (limit !== undefined && perPage !== undefined) throw conflict(['limit', 'per_page']);
  const parameter = limit ?? perPage;
  if (parameter === undefined) return limits.default;
  const value = readInteger(parameter.value);
  if (value === null || value === 0) {
    throw apiError('PAGINATION_LIMIT_INVALID', `Send ${parameter.name} as an integer from 1 to ${limits.max}.`, {
      details: [{ field: parameter.name, message: `must be an integer from 1 to ${limits.max}` }],
    });
  }
  return Math.min(value, limits.max);
}

/** Where a page lies, as its parameters say it: the technique is the name of the first of them (PAGE-4). */
export type PagePosition =
  | { readonly name: 'start' }
  | { readonly name: 'page' | 'offset' | 'after' | 'last_id'; readonly value: string }
  | { readonly name: 'after_timestamp'; readonly pair: SeekKey };

/** Parameters that name a place. Those of different groups exclude each other. */
const POSITION_GROUPS = [['page'], ['offset'], ['after'], ['last_id'], ['after_timestamp', 'after_id']] as const;

/**
 * Where the page lies (PAGE-4).
 *
 * @throws {ApiError} PAGINATION_CONFLICT, PAGINATION_POSITION_INVALID
 */
export function readPagePosition(given: ParameterMap): PagePosition {
  const groups = POSITION_GROUPS.filter((names) => names.some((name) => given.has(name)));
  if (groups.length > 1) throw conflict(groups.flat().filter((name) => given.has(name)));
  const [[name] = []] = groups;
  if (name === undefined) return { name: 'start' };
  if (name === 'after_timestamp') return { name, pair: readPair(given) };
  return { name, value: given.get(name)?.value ?? '' };
}

/** Both halves of a seek position (PAGE-7). */
function readPair(given: ParameterMap): SeekKey {
  const [timestamp, id] = [given.get('after_timestamp'), given.get('after_id')];
  if (timestamp === undefined) throw positionInvalid('after_timestamp', 'is missing; send it beside after_id');
  if (id === undefined) throw positionInvalid('after_id', 'is missing; send it beside after_timestamp');
  return { timestamp: readMoment(timestamp), id: id.value };
}

/**
 * The stretch of time that a query asks for; null where it asks for none (PAGE-7).
 *
 * @throws {ApiError} PAGINATION_POSITION_INVALID
 */
export function readTimeWindow(parameters: readonly QueryParameter[]): TimeRange | null {
  const [start, before] = ['start_time', 'before'].map((name) => {
    const parameter = parameters.find((each) => each.name === name);
    return parameter === undefined ? null : readMoment(parameter);
  });
  if (start === null && before === null) return null;
  // In their one form timestamps of the years 0000 to 9999 compare as texts.
  if (typeof start === 'string' && typeof before === 'string' && start >= before) {
    throw positionInvalid('start_time', 'must be earlier than before');
  }
  return { start: start ?? null, before: before ?? null };
}

function readMoment({ name, value }: QueryParameter): string {
  const coerced = coerceDateTime(value);
  if (coerced.kind === 'invalid') throw positionInvalid(name, coerced.message);
  return coerced.value;
}

/** What a position is made of beside its place. */
export interface PositionContext {
  readonly cursor: { readonly token: string; readonly state: CursorState } | null;
  /** The stretch of time, where the collection is walked by it. */
  readonly time: TimeRange | null;
  readonly timeField: string;
  readonly limit: number;
  readonly maxOffset: number;
  /** The token of the walk backward from the end. */
  readonly end: () => string;
}

/**
 * The place in the technique that names it.
 *
 * @throws {ApiError} PAGINATION_POSITION_INVALID, also beyond `max_offset` (PAGE-8)
 */
export function resolvePosition(place: PagePosition, context: PositionContext): Pagination {
  const { limit, maxOffset, end, time } = context;
  switch (place.name) {
    case 'start':
      return time === null ? cursorPagination(null, limit, end) : timePagination(time, limit, end);
    case 'after':
      return cursorPagination(context.cursor, limit, end);
    case 'last_id':
      return keysetPagination(place.value, limit, end);
    case 'after_timestamp':
      return seekPagination(place.pair, context.timeField, limit, end);
    case 'offset':
      return offsetPagination(boundedOffset(place.name, readInteger(place.value), maxOffset), limit, maxOffset);
    case 'page': {
      const page = readInteger(place.value);
      boundedOffset(place.name, page === null || page === 0 ? null : (page - 1) * limit, maxOffset);
      return pageNumberPagination(page ?? 1, limit, maxOffset);
    }
  }
}

function boundedOffset(name: 'page' | 'offset', offset: number | null, maxOffset: number): number {
  const least = name === 'page' ? 1 : 0;
  if (offset === null) throw positionInvalid(name, `must be an integer of at least ${least}`);
  if (offset > maxOffset) {
    throw positionInvalid(name, `reaches beyond item ${maxOffset}; follow links.next (the cursor) instead`);
  }
  return offset;
}

/**
 * Whether and how far rows are counted (PAGE-9).
 *
 * @param counts whether the technique counts when nobody asks
 * @param whole whether nothing narrows the collection, so that its size is known without counting
 * @throws {ApiError} REQUEST_PARAMETER_INVALID
 */
export function readCount(given: ParameterMap, counts: boolean, whole: boolean, limits: Limits['page']): Count {
  const asked = readFlag(given.get('include_total'));
  if (asked === null ? !counts : !asked) return { kind: 'none' };
  return whole ? { kind: 'exact' } : { kind: 'capped', cap: limits.countCap };
}

/** Whether totals are counted, where the caller said so: it stays so along every link. */
export function totalParameters(given: ParameterMap): QueryPairs {
  const parameter = given.get('include_total');
  return parameter === undefined ? [] : [['include_total', parameter.value]];
}

function conflict(names: readonly string[]): Error {
  return apiError('PAGINATION_CONFLICT', `Send one of ${names.join(', ')}, not several.`, {
    details: names.map((field) => ({ field, message: 'excludes the others' })),
  });
}

function positionInvalid(field: string, message: string): Error {
  return apiError('PAGINATION_POSITION_INVALID', `The page cannot be found: ${field} ${message}.`, {
    details: [{ field, message }],
  });
}

/** A non-negative integer in plain digits; null for anything else. Beyond 2^53 it is no longer exact, which no bound reaches. */
function readInteger(text: string): number | null {
  return /^[0-9]+$/.test(text) ? Number(text) : null;
}
