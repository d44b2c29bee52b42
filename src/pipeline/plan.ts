import type { CompiledResource } from '../contract/contract.ts';
import { apiError } from '../conventions/errors.ts';
import { parseCredentials } from '../conventions/headers/credentials.ts';
import { parseQuery, type QueryParameter } from '../conventions/url/query.ts';
import { OPEN_API_EDITIONS, OPEN_API_PROFILES } from '../describe/described-contract.ts';
import { inflate } from '../formats/gzip.ts';
import type { BatchPlan } from '../operations/batch/batch.ts';
import { type Caller, requireAccess } from '../operations/caller.ts';
import type { DescriptionForm } from '../operations/read/descriptions.ts';
import { type FeedPlan, readLastEventId } from '../operations/read/feed.ts';
import type { ItemRequest } from '../operations/read/item.ts';
import type { ListRequest } from '../operations/read/list.ts';
import type { RootRequest } from '../operations/read/root.ts';
import type { RequestedWrite } from '../operations/write/write-request.ts';
import { limitForm } from './limit.ts';
import type { NegotiatedTarget } from './negotiate.ts';
import { planWrite, readIdentity, readKey } from './plan-write.ts';
import type { Route } from './route.ts';
import { receiveOperation } from './sub-request.ts';
import { relatedResources } from '../plan/condition.ts';
import { type EventListQuery, readEventListQuery, readFeedQuery } from '../plan/events/event-query.ts';
import { readListQuery } from '../plan/list/list-query.ts';
import {
  admitParameters,
  commonParameterRule,
  isDryRun,
  type ParameterRule,
  writeParameterRule,
} from '../plan/parameters.ts';
import { readItemView, WHOLE_VIEW } from '../plan/list/view.ts';
import type { Ancestor } from '../plan/plan.ts';
import type { MaybePromise } from '../platform/maybe-promise.ts';

/** The operation of a request, with its parameters read. Nothing in it depends on a row. */
export type Plan =
  | RootRequest
  | { readonly kind: 'description'; readonly form: DescriptionForm }
  | ItemRequest
  | ListRequest
  | { readonly kind: 'write'; readonly write: RequestedWrite }
  /** One resource per line of the body (MET-13). */
  | { readonly kind: 'ndjson'; readonly write: RequestedWrite }
  | BatchPlan
  | { readonly kind: 'batch-record'; readonly id: string }
  | { readonly kind: 'events'; readonly query: EventListQuery }
  | FeedPlan
  | { readonly kind: 'event'; readonly id: string };

/**
 * Plans the operation of a request (step 12). Header fields that determine it become members of the plan.
 *
 * @throws {ApiError} REQUEST_PARAMETER_*, QUERY_*, PAGINATION_*, IDEMPOTENCY_KEY_INVALID
 */
export function plan(caller: Caller, target: NegotiatedTarget, parameters: readonly QueryParameter[]): Plan {
  const { route, reply } = target;
  const lenient = reply.preferences.handling === 'lenient';
  switch (route.kind) {
    case 'collection':
      if (!isRead(target)) return writePlan(caller, target, parameters);
      return listPlan(caller, target, route, parameters);
    case 'item':
      if (!isRead(target)) return writePlan(caller, target, parameters);
      return itemPlan(caller, target, route, parameters);
    case 'home':
    case 'root':
      admitParameters(parameters, commonParameterRule, lenient);
      return rootPlan(caller, target);
    case 'docs':
    case 'openapi':
    case 'asyncapi':
    case 'llms':
      return { kind: 'description', form: descriptionForm(route.kind, caller, parameters, lenient) };
    case 'batches':
      return batchPlan(target, parameters, lenient);
    case 'batch':
      admitParameters(parameters, commonParameterRule, lenient);
      return { kind: 'batch-record', id: route.id };
    case 'events':
      return eventsPlan(caller, target, parameters, lenient);
    case 'event':
      admitParameters(parameters, commonParameterRule, lenient);
      return { kind: 'event', id: route.id };
    case 'server':
    case 'live':
    case 'ready':
    case 'metrics':
    case 'metadata':
    case 'mcp':
    case 'console':
      throw new Error(`${route.kind} is answered before negotiation`);
  }
}

/** Plans a read of the root. `/` needs no credentials, so that its page has no counts where the root needs some. */
function rootPlan({ contract: { model } }: Caller, { route, reply }: NegotiatedTarget): RootRequest {
  const isHome = route.kind === 'home';
  const counts = reply.offer.format === 'html' && (!isHome || model.auth === null);
  return { kind: 'root', isHome, counts };
}

function isRead({ method }: NegotiatedTarget): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'QUERY';
}

function writePlan(caller: Caller, target: NegotiatedTarget, parameters: readonly QueryParameter[]): Plan {
  const kind = target.body.type?.kind === 'ndjson' ? 'ndjson' : 'write';
  return { kind, write: planWrite(caller, target, parameters) };
}

function batchPlan(target: NegotiatedTarget, parameters: readonly QueryParameter[], lenient: boolean): BatchPlan {
  const dry = isDryRun(admitParameters(parameters, writeParameterRule, lenient));
  return {
    kind: 'batch',
    body: target.body,
    key: readKey(target),
    identity: readIdentity(target),
    dry,
    lenient,
    receive: (operation) => receiveOperation(operation, target),
  };
}

/** Plans a page of the event log or its live feed, by the media type (EVT-8). */
function eventsPlan(
  { contract, principal }: Caller,
  { received, method, reply }: NegotiatedTarget,
  parameters: readonly QueryParameter[],
  lenient: boolean,
): Plan {
  if (reply.offer.format !== 'event-stream')
    return { kind: 'events', query: readEventListQuery(contract.eventList, parameters, lenient) };
  const selection = readFeedQuery(contract.eventList, parameters, lenient);
  const { fields } = reply.exchange;
  const after = readLastEventId(fields.get('last-event-id'));
  const credentials = principal.source === 'bearer' ? parseCredentials(fields.get('authorization')) : null;
  const token = credentials?.kind === 'bearer' ? credentials.token : null;
  const { address } = received.client;
  const { client } = received.request;
  return { kind: 'feed', selection, after, token, address, client, staysOpen: method !== 'HEAD' };
}

const DESCRIPTION_PARAMETERS: ParameterRule = {
  ...commonParameterRule,
  known: new Set([...commonParameterRule.known, 'openapi', 'profile']),
};

/**
 * Selects a description. Browsers send no token with a navigation, so the page for callers with a token has a script
 * that sends it.
 */
function descriptionForm(
  kind: 'docs' | 'openapi' | 'asyncapi' | 'llms',
  { contract, principal }: Caller,
  parameters: readonly QueryParameter[],
  lenient: boolean,
): DescriptionForm {
  if (kind === 'openapi') return readOpenApiForm(admitParameters(parameters, DESCRIPTION_PARAMETERS, lenient));
  admitParameters(parameters, commonParameterRule, lenient);
  if (kind !== 'docs') return kind;
  const isLocked = contract.model.descriptions === 'authenticated' && principal.scopes === null;
  return isLocked ? 'locked-docs' : 'docs';
}

/** Reads the edition of OpenAPI and the profile. @throws {ApiError} REQUEST_PARAMETER_INVALID */
function readOpenApiForm(parameters: readonly QueryParameter[]): DescriptionForm {
  const edition = chooseValue('openapi', OPEN_API_EDITIONS, parameters);
  const profile = chooseValue('profile', OPEN_API_PROFILES, parameters);
  return profile === 'full' ? edition : `${edition} ${profile}`;
}

/** Reads a parameter with one of some values, the default first. @throws {ApiError} REQUEST_PARAMETER_INVALID */
function chooseValue<Value extends string>(
  field: string,
  values: readonly [Value, ...Value[]],
  parameters: readonly QueryParameter[],
): Value {
  const given = parameters.find(({ name }) => name === field);
  if (given === undefined) return values[0];
  const value = values.find((each) => each === given.value);
  if (value !== undefined) return value;
  const message = `must be ${values.join(' or ')}`;
  throw apiError('REQUEST_PARAMETER_INVALID', `Invalid ${field}: ${message}.`, { details: [{ field, message }] });
}

function itemPlan(
  caller: Caller,
  { reply }: NegotiatedTarget,
  { compiled, within, id }: Extract<Route, { kind: 'item' }>,
  parameters: readonly QueryParameter[],
): ItemRequest {
  const { preferences, variant } = reply;
  const view = readItemView(parameters, compiled.resource, caller.contract.model, preferences.handling === 'lenient');
  requireAccess(
    caller,
    view.expanded.map(({ access }) => access.read),
  );
  return { kind: 'item', compiled, within, id, view, variant };
}

function listPlan(
  caller: Caller,
  { reply }: NegotiatedTarget,
  { compiled, within }: { readonly compiled: CompiledResource; readonly within: readonly Ancestor[] },
  parameters: readonly QueryParameter[],
): ListRequest {
  const { preferences, offer, variant, preconditions } = reply;
  const query = readListQuery(compiled.list, within, parameters, preferences.handling === 'lenient');
  const filtered = relatedResources(query.plan.filter).map((name) => caller.contract.resourceOf(name).resource);
  requireAccess(
    caller,
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
  const joinsItems = offer.format === 'json' && query.view === WHOLE_VIEW;
  return { kind: 'list', compiled, query, variant, preconditions, joinsItems };
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true });
/** Characters that a form may hold raw and a URL may not. */
const RAW = /[^\x21-\x7e]|["<>\\^`{|}#]/gu;

/**
 * Reads the parameters of a request. Those of the URL of a QUERY and those of its form are one set (MET-9). Only a form
 * has to be waited for.
 *
 * @throws {ApiError} 400, 408, 413, 429
 */
export function readParameters(caller: Caller, target: NegotiatedTarget): MaybePromise<readonly QueryParameter[]> {
  const { received, route, method, body } = target;
  const { parameters } = received;
  const hasForm = route.kind === 'collection' && method === 'QUERY' && body.content !== null;
  return hasForm ? withForm(caller, parameters, body) : parameters;
}

async function withForm(
  { contract, quota }: Caller,
  sent: readonly QueryParameter[],
  { content, gzipped }: NegotiatedTarget['body'],
): Promise<readonly QueryParameter[]> {
  if (content === null) return sent;
  const { limits } = contract.model;
  const bytes = await content.read(limits.body);
  const plain = gzipped ? await inflate(bytes, limits.body) : bytes;
  const own = parseQuery(decode(plain).replace(RAW, encodeURIComponent));
  if (own.some(({ name }) => name === 'api_version')) {
    throw apiError(
      'REQUEST_PARAMETER_INVALID',
      'Send api_version in the URL: the version is known before the body is read.',
      {
        details: [{ field: 'api_version', message: 'belongs in the URL' }],
      },
    );
  }
  const parameters = [...sent, ...own];
  await limitForm(quota, sent, parameters);
  return parameters;
}

function decode(bytes: Uint8Array): string {
  try {
    return UTF_8.decode(bytes);
  } catch (cause) {
    throw apiError('REQUEST_BODY_MALFORMED', 'The form is not UTF-8: send it percent-encoded.', { cause });
  }
}
