import { closestMatch } from '../../conventions/text/closest-match.ts';
import { ApiError, apiError, type ErrorDetail } from '../../conventions/errors.ts';
import { type CursorSeal, decodeCursor, encodeCursor } from '../../conventions/pagination/cursor.ts';
import { decodeParameters, type QueryPairs, type QueryParameter, writeQuery } from '../../conventions/url/query.ts';
import { quoted } from '../../conventions/text/quoted.ts';
import type { IdRule, Limits, Model } from '../../model/model.ts';
import { storedId } from '../../model/values/formats.ts';
import { listEventTypes } from '../../model/event-types.ts';
import { type ParameterMap, readLimit, readTimeRange } from '../list/page-position.ts';
import { admitParameters, commonParameterRule, type ParameterRule } from '../parameters.ts';
import { cursorInvalid, cursorOfVersion } from '../list/selection.ts';

/** Which events of the log. All conditions hold. */
export interface EventSelection {
  /** As they are logged: `product.created`. */
  readonly types?: readonly string[];
  readonly resourceId?: string;
  /** Events of another id, and of these types, match too. They are of rows whose ids are compared in another way. */
  readonly orResource?: { readonly id: string; readonly types: readonly string[] };
  /** Only those of writes at or after this time: milliseconds since the epoch. */
  readonly from?: number;
  /** Only those of writes before this time. */
  readonly to?: number;
}

/** A type of events. */
interface EventType {
  /** As it is logged. */
  readonly logged: string;
  /** The path segment of the collection whose items it is about. */
  readonly collection: string;
  readonly id: IdRule;
}

/** The rule for reading the query of the event log, compiled once per contract. */
export interface EventListRule {
  /** The types of events in the names of the contract. */
  readonly types: ReadonlyMap<string, EventType>;
  readonly limits: Limits['page'];
  readonly seal: CursorSeal;
  /** Names the contract that its cursors belong to; empty for the newest one. */
  readonly scope: string;
}

/** The query of a page of the event log. */
export interface EventListQuery {
  readonly selection: EventSelection;
  readonly limit: number;
  /** The cursor of the page, and the sequence after which it begins; null for the first page. */
  readonly position: { readonly token: string; readonly sequence: number } | null;
  /** All parameters except the position: every link carries them (PAGE-2). */
  readonly linkParameters: QueryPairs;
  /** The cursor of the page after a sequence. */
  readonly cursorAfter: (sequence: number) => string;
}

/** No resource has this name. */
const COLLECTION = 'system\nevents';

const FILTERS = ['type', 'collection', 'resource_type', 'resource_id'] as const;
const WINDOW = ['start_time', 'before'] as const;
const SELECTING: ReadonlySet<string> = new Set([...FILTERS, ...WINDOW]);

const FILTER_RULE: Omit<ParameterRule, 'known'> = {
  // They may be repeated.
  isFilter: (name) => name === 'type' || name === 'collection' || name === 'resource_type',
  suggestions: FILTERS,
};

const PAGE_RULE: ParameterRule = {
  ...FILTER_RULE,
  known: new Set([...commonParameterRule.known, 'resource_id', ...WINDOW, 'limit', 'per_page', 'after']),
};

const PAGE_PARAMETERS: ReadonlySet<string> = new Set([...WINDOW, 'limit', 'per_page', 'after']);

const FEED_RULE: ParameterRule = {
  ...FILTER_RULE,
  known: new Set([...commonParameterRule.known, 'resource_id']),
  hint: (name) =>
    PAGE_PARAMETERS.has(name) ? ' of a feed, which has no pages: it begins after Last-Event-ID, or now' : null,
};

/** Compiles the rule of a contract. @param stored the newest model, in whose names events are logged */
export function eventListRule(
  model: Pick<Model, 'resources' | 'limits'>,
  stored: Pick<Model, 'resources'>,
  { seal, scope }: Pick<EventListRule, 'seal' | 'scope'>,
): EventListRule {
  const types = [...model.resources.values()].flatMap(({ name, singular, collection, id }) => {
    const logged = stored.resources.get(name);
    return logged === undefined
      ? []
      : listEventTypes(logged).map(
          (type) => [`${singular}${type.slice(logged.singular.length)}`, { logged: type, collection, id }] as const,
        );
  });
  return { types: new Map(types), limits: model.limits.page, seal, scope };
}

/**
 * Reads the query of a page of the event log (EVT-8).
 *
 * @throws {ApiError} REQUEST_PARAMETER_*, QUERY_FILTER_INVALID, PAGINATION_*
 */
export function readEventListQuery(
  rule: EventListRule,
  parameters: readonly QueryParameter[],
  lenient: boolean,
): EventListQuery {
  const admitted = admitParameters(parameters, PAGE_RULE, lenient);
  const given: ParameterMap = new Map(admitted.map((parameter) => [parameter.name, parameter]));
  const limit = readLimit(given, rule.limits);
  const after = given.get('after')?.value;
  const cursor = after === undefined ? null : openCursor(after, rule);
  const { selection, pairs } = selectionAt(rule, admitted, cursor?.own ?? null);
  return {
    selection,
    limit,
    position: cursor === null ? null : { token: cursor.token, sequence: cursor.sequence },
    linkParameters: [...pairs, ['limit', String(limit)]],
    cursorAfter: (sequence) =>
      encodeCursor(
        {
          collection: COLLECTION,
          scope: rule.scope,
          fingerprint: '',
          query: pairs,
          backward: false,
          after: [sequence],
        },
        rule.seal,
      ),
  };
}

/** Reads the query of a feed: filters alone. @throws {ApiError} REQUEST_PARAMETER_*, QUERY_FILTER_INVALID */
export function readFeedQuery(
  rule: EventListRule,
  parameters: readonly QueryParameter[],
  lenient: boolean,
): EventSelection {
  return readSelection(rule, admitParameters(parameters, FEED_RULE, lenient)).selection;
}

interface ReadSelection {
  readonly selection: EventSelection;
  /** The same as parameters, in one order. */
  readonly pairs: QueryPairs;
}

/**
 * The filters of a query, or those of its cursor where it sends none.
 *
 * @throws {ApiError} PAGINATION_CURSOR_MISMATCH where they differ (PAGE-6)
 */
function selectionAt(rule: EventListRule, given: readonly QueryParameter[], own: ReadSelection | null): ReadSelection {
  const selecting = given.filter(({ name }) => SELECTING.has(name));
  if (own === null) return readSelection(rule, selecting);
  if (selecting.length === 0) return own;
  const { pairs } = readSelection(rule, selecting);
  if (writeQuery(pairs) === writeQuery(own.pairs)) return own;
  throw apiError('PAGINATION_CURSOR_MISMATCH', 'Filters differ from those of the cursor; omit them.', {
    details: [...new Set(pairs.map(([name]) => name))].map((field) => ({
      field,
      message: 'must be omitted, or be the same as in the cursor',
    })),
  });
}

/** @throws {ApiError} PAGINATION_CURSOR_INVALID, PAGINATION_CURSOR_MISMATCH */
function openCursor(
  token: string,
  rule: EventListRule,
): { readonly token: string; readonly sequence: number; readonly own: ReadSelection } {
  const state = decodeCursor(token, rule.seal);
  const sequence = state?.after?.[0];
  if (state === null || state.collection !== COLLECTION || typeof sequence !== 'number') throw cursorInvalid();
  if (state.scope !== rule.scope) throw cursorOfVersion();
  return { token, sequence, own: ownSelection(rule, decodeParameters(state.query)) };
}

/** @throws {ApiError} PAGINATION_CURSOR_INVALID where the model no longer has a type that the cursor selects */
function ownSelection(rule: EventListRule, own: readonly QueryParameter[]): ReadSelection {
  try {
    return readSelection(rule, own);
  } catch (error) {
    throw error instanceof ApiError ? cursorInvalid() : error;
  }
}

/** @throws {ApiError} QUERY_FILTER_INVALID, PAGINATION_POSITION_INVALID */
function readSelection(rule: EventListRule, parameters: readonly QueryParameter[]): ReadSelection {
  const readValues = (name: string): readonly string[] => {
    const given = parameters.filter((each) => each.name === name);
    return [...new Set(given.map(({ value }) => value))].toSorted();
  };
  const [types, resources, collections] = [readValues('type'), readValues('resource_type'), readValues('collection')];
  const [resourceId] = readValues('resource_id');
  const isOfTypes = types.length + resources.length + collections.length > 0;
  const wanted = selectTypes(rule, { types, resources, collections });
  const range = readTimeRange(parameters, { table: null });
  const { start = null, before = null } = range ?? {};
  return {
    selection: {
      ...(isOfTypes ? { types: listLogged(wanted) } : {}),
      ...(resourceId === undefined ? {} : selectResource(resourceId, wanted)),
      ...(start === null ? {} : { from: Date.parse(start) }),
      ...(before === null ? {} : { to: Date.parse(before) }),
    },
    pairs: [
      ...types.map((type) => ['type', type] as const),
      ...collections.map((name) => ['collection', name] as const),
      ...resources.map((type) => ['resource_type', type] as const),
      ...(resourceId === undefined ? [] : [['resource_id', resourceId] as const]),
      ...(start === null ? [] : [['start_time', start] as const]),
      ...(before === null ? [] : [['before', before] as const]),
    ],
  };
}

/** Selects the types of events; all of them where no name is given. @throws {ApiError} QUERY_FILTER_INVALID */
function selectTypes(
  rule: EventListRule,
  { types, resources, collections }: Readonly<Record<'types' | 'resources' | 'collections', readonly string[]>>,
): readonly EventType[] {
  const known = [...rule.types.keys()];
  check([
    ...unknown('type', types, known),
    ...unknown('resource_type', resources, [...new Set(known.map(readResourceType))]),
    ...unknown('collection', collections, [...new Set([...rule.types.values()].map(({ collection }) => collection))]),
  ]);
  const wanted = [...rule.types].filter(
    ([type, { collection }]) =>
      isAmong(type, types) && isAmong(readResourceType(type), resources) && isAmong(collection, collections),
  );
  return wanted.map(([, type]) => type);
}

function listLogged(types: readonly EventType[]): readonly string[] {
  return types.map(({ logged }) => logged);
}

/** Selects the events of a row. An id that the server made is a UUID in any case, that of a client is bytes (REP-2). */
function selectResource(id: string, wanted: readonly EventType[]): EventSelection {
  const isOther = (type: EventType): boolean => storedId(type.id, id) !== id;
  const [byValue, byBytes] = [wanted.filter(isOther), wanted.filter((type) => !isOther(type))];
  const [first] = byValue;
  if (first === undefined) return { resourceId: id };
  const own = { id: storedId(first.id, id), types: listLogged(byValue) };
  if (byBytes.length === 0) return { resourceId: own.id };
  return { resourceId: id, types: listLogged(byBytes), orResource: own };
}

/** True if a value is one of some, or there are none to choose from. */
function isAmong(value: string, chosen: readonly string[]): boolean {
  return chosen.length === 0 || chosen.includes(value);
}

function readResourceType(type: string): string {
  return type.slice(0, type.lastIndexOf('.'));
}

/** The most unknown values of one parameter for which a known one is suggested. */
const MAX_HINTS = 3;

function unknown(field: string, values: readonly string[], known: readonly string[]): readonly ErrorDetail[] {
  const names = new Set(known);
  return values
    .filter((value) => !names.has(value))
    .map((value, index) => {
      // A large model has thousands of names, and a query hundreds of values.
      const near = index < MAX_HINTS ? closestMatch(value, known) : null;
      const hint = near === null ? '' : `; did you mean "${near}"?`;
      return { field, message: `${quoted(value)} is not one of the ${field}s of events${hint}` };
    });
}

function check(details: readonly ErrorDetail[]): void {
  if (details.length > 0) throw apiError('QUERY_FILTER_INVALID', 'Invalid filter; see details.', { details });
}
