import { apiError } from '../../conventions/errors.ts';
import { type CursorState, cursorPagination } from '../../conventions/pagination/cursor.ts';
import { keysetPagination } from '../../conventions/pagination/keyset.ts';
import { offsetPagination } from '../../conventions/pagination/offset.ts';
import { pageNumberPagination } from '../../conventions/pagination/page-number.ts';
import type { Pagination } from '../../conventions/pagination/pagination.ts';
import { type SeekKey, seekPagination } from '../../conventions/pagination/seek.ts';
import { type TimeRange, timePagination } from '../../conventions/pagination/time.ts';
import { compareTimes } from '../../conventions/text/timestamp.ts';
import type { QueryParameter, QueryPairs } from '../../conventions/url/query.ts';
import { coerceDateTime } from '../../model/values/coercion.ts';
import type { Limits, Resource } from '../../model/model.ts';
import { timeType } from '../../model/table-source.ts';
import { readFlag } from '../parameters.ts';
import type { Count } from '../plan.ts';

/** A resource, as far as the precision of its times is concerned. */
type TimedResource = Pick<Resource, 'table'>;

/** Query parameters by name, without duplicates. */
export type ParameterMap = ReadonlyMap<string, QueryParameter>;

/**
 * The page size: `limit` or `per_page`, clamped to the maximum (PAGE-3).
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
    const message = `must be an integer from 1 to ${limits.max}`;
    throw apiError('PAGINATION_LIMIT_INVALID', `Invalid ${parameter.name}: ${message}.`, {
      details: [{ field: parameter.name, message }],
    });
  }
  return Math.min(value, limits.max);
}

/**
 * The position of a page as the query gives it. `name` is the parameter that selects the pagination technique (PAGE-4).
 */
export type PagePosition =
  | { readonly name: 'start' }
  | { readonly name: 'page' | 'offset' | 'after' | 'last_id'; readonly value: string }
  | { readonly name: 'after_timestamp'; readonly pair: SeekKey };

/** Position parameters. Only one group may be sent. */
const POSITION_GROUPS = [['page'], ['offset'], ['after'], ['last_id'], ['after_timestamp', 'after_id']] as const;

/**
 * The position that the query gives (PAGE-4).
 *
 * @param resource whose times have the precision that a time of the position has
 * @throws {ApiError} PAGINATION_CONFLICT, PAGINATION_POSITION_INVALID
 */
export function readPagePosition(given: ParameterMap, resource: TimedResource): PagePosition {
  const groups = POSITION_GROUPS.filter((names) => names.some((name) => given.has(name)));
  if (groups.length > 1) throw conflict(groups.flat().filter((name) => given.has(name)));
  const [[name] = []] = groups;
  if (name === undefined) return { name: 'start' };
  if (name === 'after_timestamp') return { name, pair: readSeekKey(given, resource) };
  return { name, value: given.get(name)?.value ?? '' };
}

/** Both parts of a seek position (PAGE-7). */
function readSeekKey(given: ParameterMap, resource: TimedResource): SeekKey {
  const [timestamp, id] = [given.get('after_timestamp'), given.get('after_id')];
  if (timestamp === undefined) throw positionInvalid('after_timestamp', 'is required with after_id');
  if (id === undefined) throw positionInvalid('after_id', 'is required with after_timestamp');
  return { timestamp: readTimestamp(timestamp, resource), id: id.value };
}

/**
 * The time range of `start_time` and `before`; null if neither is sent (PAGE-7).
 *
 * @param resource whose times have the precision of the range
 * @throws {ApiError} PAGINATION_POSITION_INVALID
 */
export function readTimeRange(parameters: readonly QueryParameter[], resource: TimedResource): TimeRange | null {
  const [start, before] = ['start_time', 'before'].map((name) => {
    const parameter = parameters.find((each) => each.name === name);
    return parameter === undefined ? null : readTimestamp(parameter, resource);
  });
  if (start === null && before === null) return null;
  if (typeof start === 'string' && typeof before === 'string' && compareTimes(start, before) >= 0) {
    throw positionInvalid('start_time', 'must be earlier than before');
  }
  return { start: start ?? null, before: before ?? null };
}

function readTimestamp({ name, value }: QueryParameter, resource: TimedResource): string {
  const coerced = coerceDateTime(value, timeType(resource));
  if (coerced.kind === 'invalid') throw positionInvalid(name, coerced.message);
  return coerced.value;
}

/** The context of a pagination technique besides its position. */
interface PaginationContext {
  readonly cursor: { readonly token: string; readonly state: CursorState } | null;
  /** The time range, if the technique is pagination by time. */
  readonly time: TimeRange | null;
  /** null if the collection has none: then no parameter names a time. */
  readonly timeField: string | null;
  readonly limit: number;
  readonly maxOffset: number;
  /** Makes the cursor of the last page. */
  readonly end: () => string;
}

/**
 * The pagination technique at a position.
 *
 * @throws {ApiError} PAGINATION_POSITION_INVALID, also for an offset greater than `max_offset` (PAGE-8)
 */
export function paginationAt(position: PagePosition, context: PaginationContext): Pagination {
  const { limit, maxOffset, end, time } = context;
  switch (position.name) {
    case 'start':
      return time === null ? cursorPagination(null, limit, end) : timePagination(time, limit, end);
    case 'after':
      return cursorPagination(context.cursor, limit, end);
    case 'last_id':
      return keysetPagination(position.value, limit, end);
    case 'after_timestamp':
      return seekPagination(position.pair, context.timeField ?? '', limit, end);
    case 'offset':
      return offsetPagination(boundedOffset(position.name, readInteger(position.value), maxOffset), limit, maxOffset);
    case 'page': {
      const page = readInteger(position.value);
      boundedOffset(position.name, page === null || page === 0 ? null : (page - 1) * limit, maxOffset);
      return pageNumberPagination(page ?? 1, limit, maxOffset);
    }
  }
}

function boundedOffset(name: 'page' | 'offset', offset: number | null, maxOffset: number): number {
  const least = name === 'page' ? 1 : 0;
  if (offset === null) throw positionInvalid(name, `must be an integer of at least ${least}`);
  if (offset > maxOffset) {
    throw positionInvalid(name, `exceeds the maximum offset of ${maxOffset}; follow links.next (a cursor) instead`);
  }
  return offset;
}

/**
 * Decides if rows are counted, and up to which number (PAGE-9).
 *
 * @param byDefault whether the technique counts without `include_total`
 * @param whole whether the collection has neither filters nor a parent, so that its size is known without counting
 * @throws {ApiError} REQUEST_PARAMETER_INVALID
 */
export function readCount(given: ParameterMap, byDefault: boolean, whole: boolean, limits: Limits['page']): Count {
  const includeTotal = readFlag(given.get('include_total')) ?? byDefault;
  if (!includeTotal) return { kind: 'none' };
  return whole ? { kind: 'exact' } : { kind: 'capped', cap: limits.countCap };
}

/** `include_total` as sent: every link carries it. */
export function totalParameters(given: ParameterMap): QueryPairs {
  const parameter = given.get('include_total');
  return parameter === undefined ? [] : [['include_total', parameter.value]];
}

function conflict(names: readonly string[]): Error {
  return apiError('PAGINATION_CONFLICT', `Conflicting parameters: send only one of ${names.join(', ')}.`, {
    details: names.map((field) => ({ field, message: 'conflicts with the other parameters' })),
  });
}

function positionInvalid(field: string, message: string): Error {
  return apiError('PAGINATION_POSITION_INVALID', `Invalid ${field}: ${message}.`, {
    details: [{ field, message }],
  });
}

/** A non-negative integer in decimal digits, else null. Inexact above 2^53, which every limit excludes. */
function readInteger(text: string): number | null {
  return /^[0-9]+$/.test(text) ? Number(text) : null;
}
