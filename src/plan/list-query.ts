import { ApiError, refusal } from '../conventions/errors.ts';
import { type CursorSeal, type CursorState, readCursor, writeCursor } from '../conventions/pagination/cursor.ts';
import type { Parameters, Position } from '../conventions/pagination/position.ts';
import { type Parameter, type QueryPair, parseQuery, splitList, writeQuery } from '../conventions/query.ts';
import { isJsonObject, type Json } from '../conventions/json.ts';
import type { Limits, Resource, SortKey } from '../model/model.ts';
import type { ResourceValidator } from '../model/validation.ts';
import { isHeavy } from './cost.ts';
import { isFilterOf, readFilter } from './filter.ts';
import { admitParameters, type ParameterRule } from './parameters.ts';
import { readCount, readLimit, readPlace, readPosition, totalAsked } from './place.ts';
import type { Ancestor, Condition, ListPlan, Row } from './plan.ts';
import { readSort, writeSort } from './sort.ts';

/** A collection as a caller asked for it: what to read, and what the answer says about its place. */
export interface ListQuery {
  readonly plan: ListPlan;
  readonly position: Position;
  /** Filters, sort, limit and whether totals are counted, as parameters: what every link of the answer carries (PAGE-2). */
  readonly carried: Parameters;
  /** The token of a place before or after a row, in this order and under these filters. */
  cursorAt(row: Row | null, backward: boolean): string;
}

/** What reading a collection's parameters takes from the model, compiled once for each resource. */
export interface ListRule {
  readonly resource: Resource;
  readonly validator: ResourceValidator;
  readonly limits: Limits['page'];
  readonly seal: CursorSeal;
  readonly parameters: ParameterRule;
}

const PAGING = ['limit', 'per_page', 'page', 'offset', 'after', 'sort', 'include_total', 'api_version'];

/** The rule of a resource's collections. */
export function listRule(
  resource: Resource,
  validator: ResourceValidator,
  limits: Limits['page'],
  seal: CursorSeal,
): ListRule {
  const suggestions = [...resource.properties.values()].filter(({ filterable }) => filterable).map(({ path }) => path);
  const parameters = { known: new Set(PAGING), isFilter: isFilterOf(resource), suggestions };
  return { resource, validator, limits, seal, parameters };
}

/**
 * Reads a collection's query (sections 5 and 6 of the contract).
 *
 * @param within the rows above the collection, nearest first
 * @throws {ApiError} REQUEST_PARAMETER_*, PAGINATION_*, QUERY_FILTER_INVALID, QUERY_SORT_INVALID
 */
export function readListQuery(
  rule: ListRule,
  within: readonly Ancestor[],
  parameters: readonly Parameter[],
  lenient: boolean,
): ListQuery {
  const { resource } = rule;
  const admitted = admitParameters(parameters, rule.parameters, lenient);
  const given = new Map(admitted.map((parameter) => [parameter.name, parameter]));
  const limit = readLimit(given, rule.limits);
  const place = readPlace(given);
  const collection = [resource.name, ...within.flatMap((ancestor) => [ancestor.resource, ancestor.id])].join('\n');
  const cursor = place?.name === 'after' ? openCursor(place.value, collection, rule) : null;

  const selection = readSelection(rule, cursor === null ? admitted : besideCursor(admitted, cursor.own, rule));
  if (cursor !== null) checkSelection(cursor.state, selection);
  const { filter, order, carried } = selection;
  const state = { collection, sort: selection.sort, filter: selection.filterText, query: carried };
  const cursorAt = (row: Row | null, backward: boolean): string =>
    writeCursor({ ...state, backward, after: row === null ? null : placeOf(row, order) }, rule.seal);
  const position = readPosition(place, cursor, limit, rule.limits, () => cursorAt(null, true));
  const count = readCount(given, position, filter.length === 0 && within.length === 0, rule.limits);
  const heavy = isHeavy(resource, within.length > 0, filter, order);
  return {
    plan: { kind: 'list', resource: resource.name, within, filter, order, window: position.window, count, heavy },
    position,
    carried: [...carried, ['limit', String(limit)], ...totalAsked(given)],
    cursorAt,
  };
}

interface Selection {
  readonly filter: readonly Condition[];
  readonly filterText: string;
  readonly order: readonly SortKey[];
  readonly sort: string;
  readonly carried: Parameters;
}

function readSelection(rule: ListRule, parameters: readonly Parameter[]): Selection {
  const filters = parameters.filter(({ name }) => !rule.parameters.known.has(name));
  const sort = parameters.find(({ name }) => name === 'sort');
  const filter = readFilter(filters, rule.resource, rule.validator);
  const order = sort === undefined ? rule.resource.sort : readSort(sort.raw, rule.resource);
  const carried = [...filters, ...(sort === undefined ? [] : [sort])].map(asPair);
  return { filter, filterText: writeFilter(filter, rule), order, sort: writeOrder(order, rule), carried };
}

/** A parameter as links carry it: a list keeps its commas, data keeps its own (URL-5). */
function asPair({ name, raw, value }: Parameter): QueryPair {
  return [name, name === 'sort' || name.endsWith('[in]') ? splitList(raw) : value];
}

/** The filters and sort beside a cursor, or, where none are sent, the cursor's own (hybrid). */
function besideCursor(given: readonly Parameter[], own: readonly Parameter[], rule: ListRule): readonly Parameter[] {
  const filters = given.filter(({ name }) => !rule.parameters.known.has(name));
  const sort = given.filter(({ name }) => name === 'sort');
  return [
    ...(filters.length > 0 ? filters : own.filter(({ name }) => name !== 'sort')),
    ...(sort.length > 0 ? sort : own.filter(({ name }) => name === 'sort')),
  ];
}

/** Conditions in one spelling, however the query spelt them, with the types of what they compare: a cursor is bound to both. */
function writeFilter(filter: readonly Condition[], rule: ListRule): string {
  const lines = filter.map((condition) => {
    const values = condition.operator === 'in' ? condition.values : [condition.value];
    const distinct = [...new Set(values.map((value) => JSON.stringify(value)))].sort();
    return JSON.stringify([condition.path, kindOf(condition.path, rule), condition.operator, distinct]);
  });
  return [...new Set(lines)].sort().join('\n');
}

/** An order with the types of its keys: the values of a cursor's place are of them. */
function writeOrder(order: readonly SortKey[], rule: ListRule): string {
  return `${writeSort(order)}\n${order.map(({ path }) => kindOf(path, rule)).join()}`;
}

function kindOf(path: string, { resource }: ListRule): string {
  return resource.properties.get(path)?.type.kind ?? '';
}

function placeOf(row: Row, order: readonly SortKey[]): readonly Json[] {
  return order.map(({ path }) => valueAt(row, path));
}

/** The value at a dotted path; null where a part of it is unset. */
function valueAt(row: Row, path: string): Json {
  let value: Json | undefined = row;
  for (const name of path.split('.')) {
    value = isJsonObject(value) ? value[name] : null;
  }
  return value ?? null;
}

/** A cursor, with the filters and sort that it continues as parameters. */
interface OpenCursor {
  readonly token: string;
  readonly state: CursorState;
  readonly own: readonly Parameter[];
}

/** @throws {ApiError} PAGINATION_CURSOR_INVALID, also where the model no longer has what the cursor sorts or filters by */
function openCursor(token: string, collection: string, rule: ListRule): OpenCursor {
  const state = readCursor(token, rule.seal);
  if (state === null || state.collection !== collection) throw cursorInvalid();
  const own = parseQuery(writeQuery(state.query));
  const selection =
    own.every(({ name }) => name === 'sort' || rule.parameters.isFilter(name)) && ownSelection(rule, own);
  if (!selection || selection.sort !== state.sort || selection.filterText !== state.filter) throw cursorInvalid();
  return { token, state, own };
}

function ownSelection(rule: ListRule, own: readonly Parameter[]): Selection | null {
  try {
    return readSelection(rule, own);
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

/** Sort and filters beside a cursor must be its own (PAGE-6). */
function checkSelection(state: CursorState, selection: Selection): void {
  if (state.sort === selection.sort && state.filter === selection.filterText) return;
  const differing = selection.carried.filter(([name]) =>
    name === 'sort' ? state.sort !== selection.sort : state.filter !== selection.filterText,
  );
  const message = 'must be left out or equal what the cursor was made with';
  throw refusal('PAGINATION_CURSOR_MISMATCH', 'Sort or filters differ from those of the cursor; leave them out.', {
    details: [...new Set(differing.map(([name]) => name))].map((field) => ({ field, message })),
  });
}

function cursorInvalid(): Error {
  return refusal('PAGINATION_CURSOR_INVALID', 'The cursor is not one of this collection; start again without after.', {
    details: [{ field: 'after', message: 'is not a cursor of this collection' }],
  });
}
