import {
  ACCEPT_QUERY,
  type BodyRule,
  bodyTypes,
  readContentEncoding,
  readContentType,
} from '../conventions/media/body-type.ts';
import { negotiate as choose, notAcceptable } from '../conventions/media/negotiation.ts';
import type { FormatOffer } from '../conventions/media/response-format.ts';
import type { Method } from '../conventions/methods.ts';
import { readPreconditions } from '../conventions/headers/preconditions.ts';
import { bodyTooLargeError } from '../conventions/receive-errors.ts';
import { EVERY_PERMISSION } from '../contract/permission.ts';
import { type FindVariants, selectVariant } from '../contract/variants.ts';
import type { HeaderList } from '../exchange/handler.ts';
import type { Caller } from '../operations/caller.ts';
import type { SentBody } from '../operations/write/parsed-body.ts';
import { ROUTES } from '../plan/routes/route-table.ts';
import { listTargetMethods } from './found-route.ts';
import type { Reply } from '../represent/reply.ts';
import type { Authorized } from './authorize.ts';
import type { Received } from './receive.ts';
import type { Route, Routed } from './route.ts';

/** A request in two halves (steps 10 and 11): its caller, and the form of its response. */
export interface Negotiated {
  readonly caller: Caller;
  readonly target: NegotiatedTarget;
  readonly reply: Reply;
}

/** The object of a request: its route, its method, and its body if it has one. */
export interface NegotiatedTarget {
  readonly received: Received;
  readonly route: Route;
  readonly method: Method;
  readonly body: SentBody;
  /** The form of the response, which names the representations that are cached and compared. */
  readonly reply: Reply;
  /** Finds the variants of the operations of a batch. */
  readonly findVariants: FindVariants;
}

/**
 * Negotiates the format of the response (step 10), and reads the header fields of the body (step 11).
 *
 * @throws {ApiError} 400, 406, 413, 415
 */
export function negotiate(authorized: Authorized, findVariants: FindVariants): Negotiated {
  const { routed, caller } = authorized;
  const { received, route, method } = routed;
  const { fields } = received.exchange;
  const use = ROUTES[route.kind].bodies[method] ?? null;
  const contentType = fields.get('content-type');
  const isStreamed = use === 'create' && isNdjson(contentType);
  const offer = negotiateFormat(routed, isStreamed);
  const content = use !== null && received.request.body?.length !== 0 ? received.request.body : null;
  const { limits } = routed.contract.model;
  if (content !== null && !isStreamed && content.length !== null && content.length > limits.body) {
    throw bodyTooLargeError(limits.body);
  }
  const hasType = use !== null && (content !== null || use === 'query');
  const rule = hasType ? { ...bodyRule(routed), use } : null;
  const body = {
    content,
    type: rule === null ? null : readContentType(contentType, rule),
    gzipped: content !== null && readContentEncoding(fields.get('content-encoding')) === 'gzip',
    rule,
  };
  const reply = makeReply(authorized, offer, findVariants);
  return { caller, target: { received, route, method, body, reply, findVariants }, reply };
}

/** @throws {ApiError} 406 */
function negotiateFormat({ contract, route, method, ranges }: Routed, isStreamed: boolean): FormatOffer {
  const available = contract.formats.of(route.kind, method, isStreamed);
  const offer = choose(ranges, available);
  // The response to DELETE has no body, so no format needs to fit.
  if (offer === null && method !== 'DELETE') throw notAcceptable(available);
  return offer ?? defaultOffer(available);
}

/** True if a client prefers a page to every other format of its target, as browsers do (NEG-1). */
export function isPageRequest({ contract, route, method, ranges }: Routed): boolean {
  return choose(ranges, contract.formats.of(route.kind, method, false))?.format === 'html';
}

/** @throws {ApiError} REQUEST_HEADER_INVALID: an invalid list of ETags */
function makeReply({ routed, caller, credentials }: Authorized, offer: FormatOffer, findVariants: FindVariants): Reply {
  const { exchange, received, contract, base, version, route } = routed;
  // If no permission hides a part, all callers share the variants, and through them the responses that public caches
  // store.
  const variants = findVariants(base, isSameForEveryCaller(route) ? EVERY_PERMISSION.id : caller.permission.id);
  return {
    exchange,
    contract,
    offer,
    base,
    canonicalBase: version.carrier === 'path' ? null : contract.linkBases.canonical,
    preferences: received.preferences,
    preconditions: readPreconditions((name) => exchange.fields.get(name), exchange.startedAt),
    credentials,
    variants,
    variant: selectVariant(variants, offer.contentType, exchange.coding),
  };
}

/** True if no permission hides a part of any representation of a route. */
function isSameForEveryCaller(route: Route): boolean {
  return (route.kind === 'collection' || route.kind === 'item') && route.compiled.resource.sameForEveryCaller;
}

/** The header fields of OPTIONS for the bodies of methods. */
const ACCEPT_FIELDS: Readonly<Partial<Record<Method, string>>> = {
  POST: 'Accept-Post',
  QUERY: 'Accept-Query',
  PATCH: 'Accept-Patch',
};

/** Lists the media types of bodies in header fields of OPTIONS (MET-5). */
export function optionsHeaders(routed: Routed): HeaderList {
  const { bodies } = ROUTES[routed.route.kind];
  return listTargetMethods(routed.route).flatMap((method) => {
    const use = bodies[method];
    const field = ACCEPT_FIELDS[method];
    if (use === undefined || field === undefined) return [];
    return [field, use === 'query' ? ACCEPT_QUERY : bodyTypes({ ...bodyRule(routed), use })];
  });
}

function bodyRule({ contract, version }: Routed): Omit<BodyRule, 'use'> {
  return { name: contract.model.name, version: version.version };
}

function isNdjson(contentType: string | null): boolean {
  return contentType !== null && /^[\t ]*application\/x-ndjson[\t ]*(?:;|$)/i.test(contentType);
}

function defaultOffer([first]: readonly FormatOffer[]): FormatOffer {
  if (first === undefined) throw new Error('a route has no response format');
  return first;
}
