import { ApiError, apiError } from '../../conventions/errors.ts';
import { weakMemoize } from '../../cache/memoize.ts';
import { type CursorSeal, type CursorState, decodeCursor } from '../../conventions/pagination/cursor.ts';
import type { TimeRange } from '../../conventions/pagination/time.ts';
import { type QueryParameter, decodeParameters, type QueryPairs } from '../../conventions/url/query.ts';
import type { Resource, SortKey } from '../../model/model.ts';
import type { FilterCondition, PathCondition } from '../condition.ts';
import { readFilter } from '../filter/filter.ts';
import { filterKey } from '../filter-key.ts';
import { type PagePosition, readTimeRange } from './page-position.ts';
import { searchCondition } from '../filter/search.ts';
import { linkParameters, SELECTING, type SelectionShapes, typedPath } from './selection-shape.ts';
import { readSort, writeSort } from './sort.ts';

/** Filter and order of a query. A cursor is bound to them and restores them (PAGE-6). */
export interface Selection {
  readonly filter: readonly FilterCondition[];
  readonly order: readonly SortKey[];
  /** The compared paths with their types: a cursor is invalid once it changes. */
  readonly cursorFingerprint: string;
  /** The query parameters of this selection, `sort` included. */
  readonly parameters: QueryPairs;
  readonly timeRange: TimeRange | null;
}

/** The part of a resource that reading a selection needs. */
interface SelectionRule {
  readonly resource: Resource;
  /** True if a parameter is a filter on a property. */
  readonly isFilter: (name: string) => boolean;
  readonly shapeOf: SelectionShapes;
  readonly seal: CursorSeal;
  /** Names the contract that cursors belong to. */
  readonly scope: string;
}

/**
 * Reads filters, full-text search, time range and sort.
 *
 * @throws {ApiError} QUERY_FILTER_INVALID, QUERY_SORT_INVALID, PAGINATION_POSITION_INVALID
 */
export function readSelection({ resource, shapeOf }: SelectionRule, parameters: readonly QueryParameter[]): Selection {
  const shape = shapeOf(parameters);
  const timeRange = shape.isTimed ? readTimeRange(parameters, resource) : null;
  const search = parameters[shape.search];
  const sort = parameters[shape.sort];
  const filter = [
    ...readFilter(parameters, shape.filters),
    ...timeConditions(timeRange, resource.timeField),
    ...(search === undefined ? [] : [searchCondition(search.value)]),
  ];
  const order = sort === undefined ? resource.sort : readSort(sort.value, resource);
  return {
    filter,
    order,
    cursorFingerprint: `${orderFingerprint(resource)(order)} ${shape.comparedPaths}`,
    parameters: linkParameters(shape, parameters),
    timeRange,
  };
}

/** The keys of an order, each with its type. */
const orderFingerprint = weakMemoize((resource: Resource) =>
  weakMemoize((order: readonly SortKey[]) =>
    order.map(({ path, descending }) => `${descending ? '-' : ''}${typedPath(resource, path)}`).join(' '),
  ),
);

function timeConditions(range: TimeRange | null, path: string | null): readonly PathCondition[] {
  if (path === null) return [];
  const { start, before } = range ?? { start: null, before: null };
  return [
    ...(start === null ? [] : [{ path, operator: 'gte', value: start } as const]),
    ...(before === null ? [] : [{ path, operator: 'lt', value: before } as const]),
  ];
}

/**
 * Finds the `sort` that a pagination technique implies: by id or by time (PAGE-7). It is null if the technique implies
 * none, or the query already has that order.
 *
 * @throws {ApiError} PAGINATION_CONFLICT if the query sorts in another way
 */
export function impliedSort(
  position: PagePosition,
  parameters: readonly QueryParameter[],
  resource: Resource,
): QueryParameter | null {
  const path = impliedPath(position, parameters, resource);
  if (path === null) return null;
  const sort = parameters.find(({ name }) => name === 'sort');
  if (sort === undefined) return { name: 'sort', raw: path, value: path };
  if (position.name === 'start') return null;
  const [key, next, another] = readSort(sort.value, resource);
  const tied = path === 'id' ? next === undefined : next?.path === 'id' && next.descending === key?.descending;
  if (key?.path === path && tied && another === undefined) return null;
  throw orderConflict(position.name, path);
}

function orderConflict(parameter: string, path: string): Error {
  const message = `Conflicting sort: ${parameter} requires sort=${path} or sort=-${path}; omit sort, or send one of them.`;
  return apiError('PAGINATION_CONFLICT', message, {
    details: [parameter, 'sort'].map((field) => ({
      field,
      message: `conflicts: ${parameter} requires sort=${path} or sort=-${path}`,
    })),
  });
}

function impliedPath(
  position: PagePosition,
  parameters: readonly QueryParameter[],
  { timeField }: Resource,
): string | null {
  switch (position.name) {
    case 'last_id':
      return 'id';
    case 'after_timestamp':
      return timeField;
    case 'start':
      return parameters.some(({ name }) => name === 'start_time' || name === 'before') ? timeField : null;
    case 'page':
    case 'offset':
    case 'after':
      return null;
  }
}

/** A decoded cursor with the filters and sort that it continues. */
interface OpenCursor {
  readonly token: string;
  readonly state: CursorState;
  readonly parameters: readonly QueryParameter[];
  /** The selection of these parameters. */
  readonly selection: Selection;
}

/**
 * Decodes a cursor.
 *
 * @param collection the collection that the cursor must belong to
 * @throws {ApiError} PAGINATION_CURSOR_MISMATCH if it belongs to another version; PAGINATION_CURSOR_INVALID, also if
 *   the model no longer has a field that the cursor sorts or filters by
 */
export function openCursor(token: string, collection: string, rule: SelectionRule): OpenCursor {
  const state = decodeCursor(token, rule.seal);
  if (state === null || state.collection !== collection) throw cursorInvalid();
  if (state.scope !== rule.scope) throw cursorOfVersion();
  const own = decodeParameters(state.query);
  const known = own.every(({ name }) => name === 'sort' || selects(name, rule));
  const selection = known ? ownSelection(rule, own) : null;
  if (selection === null || !isPlaceIn(state, selection, rule.resource)) throw cursorInvalid();
  return { token, state, parameters: own, selection };
}

/** True if a cursor's position is valid in its order, given the current model. */
function isPlaceIn({ fingerprint, after }: CursorState, selection: Selection, { properties }: Resource): boolean {
  if (fingerprint !== selection.cursorFingerprint) return false;
  return selection.order.every(({ path }, key) => after?.[key] !== null || properties.get(path)?.nullable === true);
}

function selects(name: string, { isFilter, resource }: SelectionRule): boolean {
  return name === 'q' ? resource.search.length > 0 : SELECTING.has(name) || isFilter(name);
}

function ownSelection(rule: SelectionRule, own: readonly QueryParameter[]): Selection | null {
  try {
    return readSelection(rule, own);
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

/**
 * The selection of a query with a cursor: its own filters and sort (hybrid), or those of the cursor if it sends none.
 *
 * @throws {ApiError} PAGINATION_CURSOR_MISMATCH if they differ from those of the cursor (PAGE-6)
 */
export function continueSelection(
  rule: SelectionRule,
  given: readonly QueryParameter[],
  cursor: OpenCursor,
): Selection {
  const { parameters } = cursor;
  if (!given.some(({ name }) => name === 'sort' || selects(name, rule))) return cursor.selection;
  const isSort = ({ name }: QueryParameter): boolean => name === 'sort';
  const isFilter = ({ name }: QueryParameter): boolean => selects(name, rule);
  const filters = given.some(isFilter) ? given.filter(isFilter) : parameters.filter(isFilter);
  const sort = given.some(isSort) ? given.filter(isSort) : parameters.filter(isSort);
  const selection = readSelection(rule, [...filters, ...sort]);
  const same = {
    filter: filterKey(cursor.selection.filter) === filterKey(selection.filter),
    sort: writeSort(cursor.selection.order) === writeSort(selection.order),
  };
  if (same.filter && same.sort) return selection;
  const differing = selection.parameters.filter(([name]) => (name === 'sort' ? !same.sort : !same.filter));
  const message = 'must be omitted, or be the same as in the cursor';
  throw apiError('PAGINATION_CURSOR_MISMATCH', 'Sort or filters differ from those of the cursor; omit them.', {
    details: [...new Set(differing.map(([name]) => name))].map((field) => ({ field, message })),
  });
}

/** The error for a cursor of another version. */
export function cursorOfVersion(): Error {
  return apiError(
    'PAGINATION_CURSOR_MISMATCH',
    'The cursor belongs to another version of the API; start again without after.',
    {
      details: [{ field: 'after', message: 'belongs to another version of the API' }],
    },
  );
}

/** The error for what is no cursor of the collection. */
export function cursorInvalid(): Error {
  return apiError('PAGINATION_CURSOR_INVALID', 'Invalid cursor for this collection; start again without after.', {
    details: [{ field: 'after', message: 'is not a valid cursor for this collection' }],
  });
}
