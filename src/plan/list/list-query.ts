import { type CursorSeal, type CursorState, encodeCursor } from '../../conventions/pagination/cursor.ts';
import type { Pagination } from '../../conventions/pagination/pagination.ts';
import { type QueryParameter, writeQuery, type QueryPairs } from '../../conventions/url/query.ts';
import { isJsonObject, type Json } from '../../conventions/json/json.ts';
import type { Limits, Model, Resource } from '../../model/model.ts';
import { storedMember } from '../../model/row-key.ts';
import { estimateEffort } from './effort.ts';
import {
  filterablePaths,
  type FilterRule,
  filterRule,
  compileFilterTest,
  type Validators,
} from '../filter/filter-rule.ts';
import { relationHint } from '../filter/relation-hint.ts';
import { admitParameters, COLLECTION_PARAMETERS, type ParameterRule, TIME_PARAMETERS } from '../parameters.ts';
import {
  type ParameterMap,
  type PagePosition,
  readCount,
  readLimit,
  readPagePosition,
  paginationAt,
  totalParameters,
} from './page-position.ts';
import type { Ancestor, FieldValues, ListRead, Row } from '../plan.ts';
import { continueSelection, impliedSort, openCursor, type Selection, readSelection } from './selection.ts';
import { plainList, selectionShapes, type SelectionShapes } from './selection-shape.ts';
import { columnsFor, readView, type View } from './view.ts';

/** The query of a collection: what to read, and how the response links to other pages. */
export interface ListQuery {
  readonly plan: ListRead;
  readonly pagination: Pagination;
  readonly view: View;
  /** All parameters except the position, as a query string: every link carries them (PAGE-2). */
  readonly linkQuery: string;
  /** Those of them that a cursor does not contain. */
  readonly nonCursorParameters: QueryPairs;
  /** A cursor that starts after (or before) a row, bound to this filter and order. */
  cursorAt(row: Row | null, backward: boolean): string;
}

/** The rule for reading the query of a collection, compiled once per resource. */
export interface ListRule {
  readonly resource: Resource;
  readonly model: Pick<Model, 'resources'>;
  readonly filters: FilterRule;
  readonly limits: Limits['page'];
  readonly seal: CursorSeal;
  /** Names the contract that its cursors belong to; empty for the newest one. */
  readonly scope: string;
  readonly parameters: ParameterRule;
  /** True if a parameter is a filter on a property. */
  readonly isFilter: (name: string) => boolean;
  readonly shapeOf: SelectionShapes;
}

/** The context in which rules are compiled. */
interface ListRuleOptions extends Pick<ListRule, 'seal' | 'scope'> {
  /** The resources of the model. */
  readonly validators: Validators;
}

/** Compiles the rule of a resource. */
export function listRule(
  model: Pick<Model, 'resources' | 'limits'>,
  resource: Resource,
  { validators, seal, scope }: ListRuleOptions,
): ListRule {
  const filters = filterRule(model, resource, validators);
  const searched = resource.search.length > 0;
  const timed = resource.timeField !== null;
  const known = new Set(
    COLLECTION_PARAMETERS.filter((name) => (searched || name !== 'q') && (timed || !TIME_PARAMETERS.has(name))),
  );
  const isProperty = compileFilterTest(filters);
  const isFilter = (name: string): boolean => !known.has(name) && isProperty(name);
  const parameters = { known, isFilter, suggestions: filterablePaths(resource), hint: relationHint(filters, model) };
  const shapeOf = selectionShapes({ resource, filters, isFilter });
  return { resource, model, filters, limits: model.limits.page, seal, scope, parameters, isFilter, shapeOf };
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
  const position = readPagePosition(given, resource);
  const collection = [resource.name, ...within.flatMap((ancestor) => [ancestor.resource, ancestor.id])].join('\n');
  const resolved = select(rule, position, admitted, collection);
  const { cursor, selection } = resolved;
  const view = readView(given, resource, rule.model);
  const cursorAt = (row: Row | null, backward: boolean): string =>
    encodeCursor(cursorState({ collection, scope: rule.scope }, selection, row, backward), rule.seal);
  const pagination = paginationAt(position, {
    cursor,
    time: resolved.byTime ? selection.timeRange : null,
    timeField: resource.timeField,
    limit,
    maxOffset: limits.maxOffset,
    end: () => cursorAt(null, true),
  });
  const nonCursorParameters: QueryPairs = [
    ...view.parameters.map(plainList),
    ['limit', String(limit)],
    ...totalParameters(given),
  ];
  const linkQuery = writeQuery([...resolved.linkParameters, ...nonCursorParameters]);
  const plan = makePlan(rule, within, given, { selection, pagination, view });
  return { plan, pagination, view, linkQuery, nonCursorParameters, cursorAt };
}

function makePlan(
  { resource, limits }: ListRule,
  within: readonly Ancestor[],
  given: ParameterMap,
  { selection, pagination, view }: Pick<ListQuery, 'pagination' | 'view'> & { readonly selection: Selection },
): ListRead {
  const { filter, order } = selection;
  const { window, countsByDefault } = pagination;
  // The rows of a table that exists are counted for each request.
  const isWhole = resource.table === null && filter.length === 0 && within.length === 0;
  const count = readCount(given, countsByDefault, isWhole, limits);
  const columns = columnsFor(resource, view, order);
  return {
    kind: 'list',
    resource: resource.name,
    within,
    filter,
    order,
    window,
    count,
    effort: estimateEffort(resource, { within, filter, order, window, count }),
    maxSize: limits.bytes,
    ...(columns === null ? {} : { columns }),
  };
}

interface ResolvedSelection {
  readonly cursor: ReturnType<typeof openCursor> | null;
  readonly selection: Selection;
  /** The parameters of the selection that links carry. */
  readonly linkParameters: QueryPairs;
  /** True if the technique is pagination by time (PAGE-4). */
  readonly byTime: boolean;
}

function select(
  rule: ListRule,
  position: PagePosition,
  admitted: readonly QueryParameter[],
  collection: string,
): ResolvedSelection {
  if (position.name === 'after') {
    const cursor = openCursor(position.value, collection, rule);
    const selection = continueSelection(rule, admitted, cursor);
    return { cursor, selection, linkParameters: selection.parameters, byTime: false };
  }
  const implied = impliedSort(position, admitted, rule.resource);
  const selection = readSelection(rule, implied === null ? admitted : [...admitted, implied]);
  const byTime = position.name === 'start' && implied !== null;
  // start_time and before imply their order. Links of other techniques carry it, because the first page has no position
  // to imply it.
  const linkParameters = byTime ? selection.parameters.filter(([name]) => name !== 'sort') : selection.parameters;
  return { cursor: null, selection, linkParameters, byTime };
}

function cursorState(
  owner: Pick<CursorState, 'collection' | 'scope'>,
  selection: Selection,
  row: Row | null,
  backward: boolean,
): CursorState {
  const { cursorFingerprint: fingerprint, parameters: query, order } = selection;
  const after = row === null ? null : order.map(({ path }) => row[storedMember(path)] ?? valueAt(row, path));
  return { ...owner, fingerprint, query, backward, after };
}

/** The value at a dotted path; null if a part of the path is unset. */
export function valueAt(row: FieldValues, path: string): Json {
  let value: Json | undefined = row;
  for (const name of path.split('.')) {
    value = isJsonObject(value) ? value[name] : null;
  }
  return value ?? null;
}
