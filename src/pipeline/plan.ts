import { apiError } from '../conventions/errors.ts';
import type { QueryParameter } from '../conventions/url/query.ts';
import { OPEN_API_EDITIONS, type OpenApiEdition } from '../describe/described-contract.ts';
import { type EventListQuery, readEventListQuery, readFeedQuery } from '../plan/events/event-query.ts';
import { relatedResources } from '../plan/condition.ts';
import { readListQuery } from '../plan/list/list-query.ts';
import {
  admitParameters,
  commonParameterRule,
  isDryRun,
  type ParameterRule,
  writeParameterRule,
} from '../plan/parameters.ts';
import type { Ancestor } from '../plan/plan.ts';
import { readItemView } from '../plan/list/view.ts';
import type { MaybePromise } from '../platform/maybe-promise.ts';
import { requireAccess } from './authorize.ts';
import type { CompiledResource } from './contract.ts';
import { limitForm } from './limit.ts';
import type { Negotiated } from './negotiate.ts';
import { type FeedPlan, readLastEventId } from './read/feed.ts';
import type { ItemRequest } from './read/item.ts';
import type { DescriptionForm } from './read/descriptions.ts';
import type { ListRequest } from './read/list.ts';
import { queryParameters } from './read/query-body.ts';
import type { Route } from './route.ts';
import { requestedWrite, type RequestedWrite } from './write/requested-write.ts';

/** What a request does, with its parameters read. Nothing of it depends on a row. */
export type Plan =
  | { readonly kind: 'root' }
  | { readonly kind: 'description'; readonly form: DescriptionForm }
  | ItemRequest
  | ListRequest
  | ({ readonly kind: 'write' } & RequestedWrite)
  /** One resource per line of the body (MET-13). */
  | ({ readonly kind: 'ndjson' } & RequestedWrite)
  | { readonly kind: 'batch'; readonly dry: boolean }
  | { readonly kind: 'batch-record'; readonly id: string }
  | { readonly kind: 'events'; readonly query: EventListQuery }
  | FeedPlan
  | { readonly kind: 'event'; readonly id: string };

/** A request with its plan (step 12). */
export interface Planned {
  readonly request: Negotiated;
  readonly plan: Plan;
}

/**
 * Step 12: parameters → plan. Only the form of a QUERY has to be waited for.
 *
 * @throws {ApiError} REQUEST_PARAMETER_*, QUERY_*, PAGINATION_*
 */
export function plan(request: Negotiated): MaybePromise<Planned> {
  const { route } = request;
  if (route.kind === 'collection' && request.method === 'QUERY' && request.body !== null) {
    const { compiled, within } = route;
    return queryParameters(request).then(async (parameters) => {
      await limitForm(request, parameters);
      return { request, plan: listRequest({ ...request, parameters }, compiled, within) };
    });
  }
  return { request, plan: planOf(request) };
}

function planOf(request: Negotiated): Plan {
  const { route, parameters, preferences } = request;
  const lenient = preferences.handling === 'lenient';
  switch (route.kind) {
    case 'collection':
      return isRead(request) ? listRequest(request, route.compiled, route.within) : writePlan(request);
    case 'item':
      return isRead(request) ? itemRequest(request, route) : writePlan(request);
    case 'home':
    case 'root':
      admitParameters(parameters, commonParameterRule, lenient);
      return { kind: 'root' };
    case 'docs':
    case 'openapi':
    case 'asyncapi':
      return { kind: 'description', form: descriptionForm(request, lenient) };
    case 'batches':
      return { kind: 'batch', dry: isDryRun(admitParameters(parameters, writeParameterRule, lenient)) };
    case 'batch':
      admitParameters(parameters, commonParameterRule, lenient);
      return { kind: 'batch-record', id: route.id };
    case 'events':
      return eventsPlan(request, lenient);
    case 'event':
      admitParameters(parameters, commonParameterRule, lenient);
      return { kind: 'event', id: route.id };
    case 'server':
    case 'live':
    case 'ready':
    case 'metrics':
    case 'metadata':
      throw new Error(`${route.kind} is answered before negotiation`);
  }
}

/** A page of the event log, or the live feed of it, by the media type (EVT-8). */
function eventsPlan({ offer, contract, parameters, exchange }: Negotiated, lenient: boolean): Plan {
  if (offer.format !== 'event-stream')
    return { kind: 'events', query: readEventListQuery(contract.eventList, parameters, lenient) };
  const selection = readFeedQuery(contract.eventList, parameters, lenient);
  return { kind: 'feed', selection, after: readLastEventId(exchange.fields.get('last-event-id')) };
}

const DESCRIPTION_PARAMETERS: ParameterRule = {
  ...commonParameterRule,
  known: new Set([...commonParameterRule.known, 'openapi']),
};

/** A browser sends no token with a navigation: a page that is for callers with one says so, and its script sends it. */
function descriptionForm({ route, parameters, contract, principal }: Negotiated, lenient: boolean): DescriptionForm {
  if (route.kind === 'openapi') return readEdition(admitParameters(parameters, DESCRIPTION_PARAMETERS, lenient));
  admitParameters(parameters, commonParameterRule, lenient);
  if (route.kind === 'asyncapi') return 'asyncapi';
  const isLocked = contract.model.descriptions === 'authenticated' && principal.scopes === null;
  return isLocked ? 'locked-docs' : 'docs';
}

/** In which OpenAPI to describe the API. @throws {ApiError} REQUEST_PARAMETER_INVALID */
function readEdition(parameters: readonly QueryParameter[]): OpenApiEdition {
  const given = parameters.find(({ name }) => name === 'openapi');
  if (given === undefined) return OPEN_API_EDITIONS[0];
  const edition = OPEN_API_EDITIONS.find((each) => each === given.value);
  if (edition !== undefined) return edition;
  const message = `must be ${OPEN_API_EDITIONS.join(' or ')}`;
  throw apiError('REQUEST_PARAMETER_INVALID', `Invalid openapi: ${message}.`, {
    details: [{ field: 'openapi', message }],
  });
}

function isRead({ method }: Negotiated): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'QUERY';
}

function writePlan(request: Negotiated): Plan {
  return { kind: request.bodyType?.kind === 'ndjson' ? 'ndjson' : 'write', ...requestedWrite(request) };
}

function itemRequest(request: Negotiated, { compiled, within, id }: Extract<Route, { kind: 'item' }>): ItemRequest {
  const { parameters, preferences, contract } = request;
  const view = readItemView(parameters, compiled.resource, contract.model, preferences.handling === 'lenient');
  requireAccess(
    request,
    view.expanded.map(({ access }) => access.read),
  );
  return { kind: 'item', compiled, within, id, view };
}

function listRequest(request: Negotiated, compiled: CompiledResource, within: readonly Ancestor[]): ListRequest {
  const { parameters, preferences, offer, contract } = request;
  const query = readListQuery(compiled.list, within, parameters, preferences.handling === 'lenient');
  const filtered = relatedResources(query.plan.filter).map((name) => contract.resourceOf(name).resource);
  requireAccess(
    request,
    [...query.view.expanded, ...filtered].map(({ access }) => access.read),
  );
  if (offer.format === 'csv' && query.view.expansions.length > 0) {
    // A line of CSV is one resource.
    const message =
      'CSV has one line per resource and cannot hold related ones; accept another type, or leave out expand.';
    throw apiError('QUERY_EXPAND_INVALID', message, {
      details: [{ field: 'expand', message: 'is not possible in CSV' }],
    });
  }
  return { kind: 'list', compiled, query };
}
