import type { CursorSeal } from '../conventions/pagination/cursor.ts';
import { encodeCursor } from '../conventions/pagination/cursor.ts';
import type { QueryPairs, Pagination } from '../conventions/pagination/pagination.ts';
import { type QueryParameter, writeQuery } from '../conventions/query.ts';
import { isJsonObject, type Json } from '../conventions/json.ts';
import type { Limits, Model, Resource, SortKey } from '../model/model.ts';
import type { ResourceValidator } from '../model/values/resource-validator.ts';
import { effortOf } from './effort.ts';
import { isFilterOf } from './filter.ts';
import { admitParameters, COLLECTION_PARAMETERS, type ParameterRule } from './parameters.ts';
import {
  type ParameterMap,
  type PagePosition,
  readCount,
  readLimit,
  readPagePosition,
  resolvePosition,
  totalParameters,
} from './page-position.ts';
import type { Ancestor, ListPlan, Row } from './plan.ts';
import {
  linkParameter,
  continueSelection,
  impliedSort,
  openCursor,
  type Selection,
  readSelection,
} from './selection.ts';
import { columnsFor, readView, type View } from './view.ts';

/** A collection as a caller asked for it: what to read, and what the answer says about its place. */
export interface ListQuery {
  readonly plan: ListPlan;
  readonly position: Pagination;
  readonly view: View;
  /** Everything asked for but the place, as a query string: what every link of the answer carries (PAGE-2). */
  readonly linkQuery: string;
  /** Of it, what a cursor does not hold by itself. */
  readonly nonCursorParameters: QueryPairs;
  /** The token of a place before or after a row, in this order and under these filters. */
  cursorAt(row: Row | null, backward: boolean): string;
}

/** What reading a collection's parameters takes from the model, compiled once for each resource. */
export interface ListRule {
  readonly resource: Resource;
  readonly model: Pick<Model, 'resources'>;
  readonly validator: ResourceValidator;
  readonly limits: Limits['page'];
  readonly seal: CursorSeal;
  readonly parameters: ParameterRule;
  /** Whether a parameter is a filter on a property. */
  readonly isFilter: (name: string) => boolean;
}

/** The rule of a resource's collections. */
export function listRule(
  model: Pick<Model, 'resources' | 'limits'>,
  resource: Resource,
  validator: ResourceValidator,
  seal: CursorSeal,
): ListRule {
  const suggestions = [...resource.properties.values()].filter(({ filterable }) => filterable).map(({ path }) => path);
  const searched = resource.search.length > 0;
  const known = new Set(COLLECTION_PARAMETERS.filter((name) => searched || name !== 'q'));
  const isProperty = isFilterOf(resource);
  const isFilter = (name: string): boolean => !known.has(name) && isProperty(name);
  const parameters = { known, isFilter, suggestions };
  return { resource, model, validator, limits: model.limits.page, seal, parameters, isFilter };
}

/**
 * Reads a collection's query (sections 5 and 6 of the contract).
 *
 * @param within the rows above the collection, nearest first
 * @throws {ApiError} REQUEST_PARAMETER_*, PAGINATION_*, QUERY_*
 */
export function readListQuery(
  rule: ListRule,
  within: readonly Ancestor[],
  parameters: readonly QueryParameter[],
  lenient: boolean,
): ListQuery {
  const { resource, limits } = rule;
  const admitted = admitParameters(parameters, rule.parameters, lenient);
  const given: ParameterMap = new Map(admitted.map((parameter) => [parameter.name, parameter]));
  const limit = readLimit(given, limits);
  const place = readPagePosition(given);
  const collection = [resource.name, ...within.flatMap((ancestor) => [ancestor.resource, ancestor.id])].join('\n');
  const found = select(rule, place, admitted, collection);
  const { cursor, selection } = found;
  const view = readView(given, resource, rule.model);
  const bound = { collection, fingerprint: selection.cursorFingerprint, query: selection.parameters };
  const cursorAt = (row: Row | null, backward: boolean): string =>
    encodeCursor({ ...bound, backward, after: row === null ? null : placeOf(row, selection.order) }, rule.seal);
  const position = resolvePosition(place, {
    cursor,
    time: found.byTime ? selection.timeWindow : null,
    timeField: resource.timeField,
    limit,
    maxOffset: limits.maxOffset,
    end: () => cursorAt(null, true),
  });
  const nonCursorParameters: QueryPairs = [
    ...view.parameters.map(linkParameter),
    ['limit', String(limit)],
    ...totalParameters(given),
  ];
  const linkQuery = writeQuery([...found.linkParameters, ...nonCursorParameters]);
  const plan = planOf(rule, within, selection, position, view, given);
  return { plan, position, view, linkQuery, nonCursorParameters, cursorAt };
}

function planOf(
  { resource, limits }: ListRule,
  within: readonly Ancestor[],
  { filter, order }: Selection,
  { window, countsByDefault }: Pagination,
  view: View,
  given: ParameterMap,
): ListPlan {
  const count = readCount(given, countsByDefault, filter.length === 0 && within.length === 0, limits);
  const columns = columnsFor(resource, view, order);
  return {
    kind: 'list',
    resource: resource.name,
    within,
    filter,
    order,
    window,
    count,
    effort: effortOf(resource, { within, filter, order, window, count }),
    ...(columns === null ? {} : { columns }),
  };
}

interface ResolvedSelection {
  readonly cursor: ReturnType<typeof openCursor> | null;
  readonly selection: Selection;
  /** What links carry of the selection. */
  readonly linkParameters: QueryPairs;
  /** Whether the collection is walked by its time window (PAGE-4). */
  readonly byTime: boolean;
}

function select(
  rule: ListRule,
  place: PagePosition,
  admitted: readonly QueryParameter[],
  collection: string,
): ResolvedSelection {
  if (place.name === 'after') {
    const cursor = openCursor(place.value, collection, rule);
    const selection = continueSelection(rule, admitted, cursor);
    return { cursor, selection, linkParameters: selection.parameters, byTime: false };
  }
  const implied = impliedSort(place, admitted, rule.resource);
  const selection = readSelection(rule, implied === null ? admitted : [...admitted, implied]);
  const byTime = place.name === 'start' && implied !== null;
  // The window says by itself that it goes by time; the order of other techniques is told, so that the first page has it too.
  const carried = byTime ? selection.parameters.filter(([name]) => name !== 'sort') : selection.parameters;
  return { cursor: null, selection, linkParameters: carried, byTime };
}

function placeOf(row: Row, order: readonly SortKey[]): readonly Json[] {
  return order.map(({ path }) => valueAt(row, path));
}

/** The value at a dotted path; null where a part of it is unset. */
export function valueAt(row: Row, path: string): Json {
  let value: Json | undefined = row;
  for (const name of path.split('.')) {
    value = isJsonObject(value) ? value[name] : null;
  }
  return value ?? null;
}
