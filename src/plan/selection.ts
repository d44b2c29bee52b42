import { ApiError, apiError } from '../conventions/errors.ts';
import { type CursorSeal, type CursorState, decodeCursor } from '../conventions/pagination/cursor.ts';
import type { QueryPairs } from '../conventions/pagination/pagination.ts';
import type { TimeRange } from '../conventions/pagination/time.ts';
import { type QueryParameter, parametersOf, type QueryPair, splitList } from '../conventions/query.ts';
import type { Json } from '../conventions/json.ts';
import type { Resource, SortKey } from '../model/model.ts';
import type { ResourceValidator } from '../model/values/resource-validator.ts';
import { readFilter } from './filter.ts';
import { type PagePosition, readTimeWindow } from './page-position.ts';
import type { Condition } from './plan.ts';
import { searchCondition } from './search.ts';
import { readSort, writeSort } from './sort.ts';

/** What a query selects and in which order: what a cursor is bound to, and restores (PAGE-6). */
export interface Selection {
  readonly filter: readonly Condition[];
  readonly order: readonly SortKey[];
  /** What they compare, with the types of it. */
  readonly cursorFingerprint: string;
  /** The parameters that say it all again, the order too. */
  readonly parameters: QueryPairs;
  readonly timeWindow: TimeRange | null;
}

/** What reading a selection takes from the model. */
export interface SelectionRule {
  readonly resource: Resource;
  readonly validator: ResourceValidator;
  /** Whether a parameter is a filter on a property. */
  readonly isFilter: (name: string) => boolean;
  readonly seal: CursorSeal;
}

/** What selects beside filters on properties. */
const SELECTING: ReadonlySet<string> = new Set(['q', 'start_time', 'before']);

/**
 * Reads filters, text search, time window and sort.
 *
 * @throws {ApiError} QUERY_FILTER_INVALID, QUERY_SORT_INVALID, PAGINATION_POSITION_INVALID
 */
export function readSelection(rule: SelectionRule, parameters: readonly QueryParameter[]): Selection {
  const { resource, validator } = rule;
  const filters = parameters.filter(({ name }) => rule.isFilter(name) && !SELECTING.has(name));
  const selecting = parameters.filter(({ name }) => SELECTING.has(name));
  const sort = parameters.find(({ name }) => name === 'sort');
  const window = readTimeWindow(selecting);
  const search = selecting.find(({ name }) => name === 'q');
  const filter = [
    ...readFilter(filters, resource, validator),
    ...timeConditions(window, resource.timeField),
    ...(search === undefined ? [] : [searchCondition(search.value)]),
  ];
  const order = sort === undefined ? resource.sort : readSort(sort.raw, resource);
  return {
    filter,
    order,
    cursorFingerprint: fingerprintOf(filter, order, resource),
    parameters: [...filters, ...selecting, ...(sort === undefined ? [] : [sort])].map(linkParameter),
    timeWindow: window,
  };
}

function timeConditions(window: TimeRange | null, path: string): readonly Condition[] {
  const { start, before } = window ?? { start: null, before: null };
  return [
    ...(start === null ? [] : [{ path, operator: 'gte', value: start } as const]),
    ...(before === null ? [] : [{ path, operator: 'lt', value: before } as const]),
  ];
}

/**
 * The order that a technique brings along: by id, by time (PAGE-7). null where it has none, or where the caller's own says the same.
 *
 * @throws {ApiError} PAGINATION_CONFLICT where the caller's own says another
 */
export function impliedSort(
  place: PagePosition,
  parameters: readonly QueryParameter[],
  resource: Resource,
): QueryParameter | null {
  const path = impliedPath(place, parameters, resource);
  if (path === null) return null;
  const sort = parameters.find(({ name }) => name === 'sort');
  if (sort === undefined) return { name: 'sort', raw: path, value: path };
  if (place.name === 'start') return null;
  const [key, next, another] = readSort(sort.raw, resource);
  const tied = path === 'id' ? next === undefined : next?.path === 'id' && next.descending === key?.descending;
  if (key?.path === path && tied && another === undefined) return null;
  throw orderConflict(place.name, path);
}

function orderConflict(place: string, path: string): Error {
  const message = `${place} goes by ${path}; leave sort out, or send ${path} or -${path}.`;
  return apiError('PAGINATION_CONFLICT', message, {
    details: [place, 'sort'].map((field) => ({ field, message: `does not go with a sort other than ${path}` })),
  });
}

function impliedPath(
  place: PagePosition,
  parameters: readonly QueryParameter[],
  { timeField }: Resource,
): string | null {
  switch (place.name) {
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

/** A parameter as links carry it: a list keeps its commas, data keeps its own (URL-5). */
export function linkParameter({ name, raw, value }: QueryParameter): QueryPair {
  const isList = name === 'sort' || name === 'fields' || name === 'expand' || /\[n?in\]$/.test(name);
  return [name, isList ? splitList(raw) : value];
}

/** Conditions in one spelling, however a query spelt them. */
function writeFilter(filter: readonly Condition[]): string {
  const lines = filter.map((condition) => {
    if (condition.operator === 'search') return JSON.stringify(['search', condition.words.toSorted()]);
    const values: readonly Json[] = 'values' in condition ? condition.values : [condition.value];
    const distinct = [...new Set(values.map((value) => JSON.stringify(value)))].sort();
    return JSON.stringify([condition.path, condition.operator, distinct]);
  });
  return [...new Set(lines)].sort().join('\n');
}

/** What a selection compares: the keys of its order one by one, then the paths of its filter, each with its type. */
function fingerprintOf(filter: readonly Condition[], order: readonly SortKey[], { properties }: Resource): string {
  const typed = (path: string): string => `${path}:${properties.get(path)?.type.kind ?? ''}`;
  const filtered = filter.map((condition) => (condition.operator === 'search' ? 'q' : typed(condition.path)));
  const ordered = order.map(({ path, descending }) => `${descending ? '-' : ''}${typed(path)}`);
  return [...ordered, '', ...new Set(filtered.sort())].join(' ');
}

/** A cursor, with the filters and sort that it continues as parameters. */
export interface OpenCursor {
  readonly token: string;
  readonly state: CursorState;
  readonly parameters: readonly QueryParameter[];
  /** What they select. */
  readonly selection: Selection;
}

/**
 * @param collection the one that the cursor must be of
 * @throws {ApiError} PAGINATION_CURSOR_INVALID, also where the model no longer has what the cursor sorts or filters by
 */
export function openCursor(token: string, collection: string, rule: SelectionRule): OpenCursor {
  const state = decodeCursor(token, rule.seal);
  if (state === null || state.collection !== collection) throw cursorInvalid();
  const own = parametersOf(state.query);
  const known = own.every(({ name }) => name === 'sort' || selects(name, rule));
  const selection = known ? ownSelection(rule, own) : null;
  if (selection === null || !isPlaceIn(state, selection, rule.resource)) throw cursorInvalid();
  return { token, state, parameters: own, selection };
}

/** Whether a cursor's place is one in the order that it continues, as the model has it by now. */
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
 * What a query with a cursor selects: its own filters and sort, or, where it sends none, the cursor's (hybrid).
 *
 * @throws {ApiError} PAGINATION_CURSOR_MISMATCH where they are not the cursor's (PAGE-6)
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
    filter: writeFilter(cursor.selection.filter) === writeFilter(selection.filter),
    sort: writeSort(cursor.selection.order) === writeSort(selection.order),
  };
  if (same.filter && same.sort) return selection;
  const differing = selection.parameters.filter(([name]) => (name === 'sort' ? !same.sort : !same.filter));
  const message = 'must be left out or equal what the cursor was made with';
  throw apiError('PAGINATION_CURSOR_MISMATCH', 'Sort or filters differ from those of the cursor; leave them out.', {
    details: [...new Set(differing.map(([name]) => name))].map((field) => ({ field, message })),
  });
}

function cursorInvalid(): Error {
  return apiError('PAGINATION_CURSOR_INVALID', 'The cursor is not one of this collection; start again without after.', {
    details: [{ field: 'after', message: 'is not a cursor of this collection' }],
  });
}
