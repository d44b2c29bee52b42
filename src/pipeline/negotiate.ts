import type { FormatOffer } from '../conventions/media/response-format.ts';
import { ACCEPT_QUERY } from '../conventions/media/body-type.ts';
import { bodyTooLargeError } from '../conventions/receive-errors.ts';
import {
  type BodyRule,
  type BodyType,
  bodyTypes,
  type BodyUse,
  readContentEncoding,
  readContentType,
} from '../conventions/media/body-type.ts';
import { negotiate as choose, notAcceptable } from '../conventions/media/negotiation.ts';
import { type Preconditions, readPreconditions } from '../conventions/headers/preconditions.ts';
import { ROUTES } from '../plan/routes/route-table.ts';
import type { HeaderList } from '../represent/response.ts';
import type { Authorized } from './authorize.ts';
import type { RequestBody } from '../exchange/handler.ts';
import type { Routed } from './route.ts';

/** A request with the media type of its response, that of its body, and its preconditions (steps 10 and 11). */
export interface Negotiated extends Authorized {
  /** The body, where the method takes one and the request has one. */
  readonly body: RequestBody | null;
  /** The format of the response. */
  readonly offer: FormatOffer;
  /** null where there is no body. */
  readonly bodyType: BodyType | null;
  readonly gzipped: boolean;
  /** Whether the caller waits for `100 Continue` before it sends the body. */
  readonly expectsContinue: boolean;
  readonly preconditions: Preconditions;
}

/**
 * Steps 10 and 11.
 *
 * @throws {ApiError} 400, 406, 413, 415
 */
export function negotiate(authorized: Authorized): Negotiated {
  const { contract, exchange, method, ranges, request, route } = authorized;
  const { fields } = exchange;
  const { limits } = contract.model;
  const use = ROUTES[route.kind].bodies[method] ?? null;
  const body = use !== null && request.body?.length !== 0 ? request.body : null;
  const contentType = fields.get('content-type');
  const isStreamed = use === 'create' && isNdjson(contentType);
  const available = contract.formats.of(route.kind, method, isStreamed);
  const offer = choose(ranges, available);
  // The response to DELETE has no body, so no format needs to fit.
  if (offer === null && method !== 'DELETE') throw notAcceptable(available);
  if (body !== null && !isStreamed && body.length !== null && body.length > limits.body) {
    throw bodyTooLargeError(limits.body);
  }
  const hasType = use !== null && (body !== null || use === 'query');
  return {
    ...authorized,
    body,
    offer: offer ?? defaultOffer(available),
    bodyType: hasType ? readContentType(contentType, { ...bodyRule(authorized), use }) : null,
    gzipped: body !== null && readContentEncoding(fields.get('content-encoding')) === 'gzip',
    expectsContinue: fields.get('expect') !== null,
    preconditions: readPreconditions((name) => fields.get(name), exchange.startedAt),
  };
}

/** The header fields by which OPTIONS lists the media types of bodies (MET-5). */
export function optionsHeaders(routed: Routed): HeaderList {
  const types = (use: BodyUse): string => bodyTypes({ ...bodyRule(routed), use });
  switch (routed.route.kind) {
    case 'collection':
      return ['Accept-Post', types('create'), 'Accept-Query', ACCEPT_QUERY];
    case 'item':
      return ['Accept-Patch', types('patch')];
    case 'batches':
      return ['Accept-Post', types('batch')];
    case 'server':
    case 'live':
    case 'ready':
    case 'metrics':
    case 'metadata':
    case 'openapi':
    case 'asyncapi':
    case 'docs':
    case 'home':
    case 'root':
    case 'batch':
    case 'events':
    case 'event':
      return [];
  }
}

/** Which bodies the method of a request accepts; null if it takes none. */
export function acceptedBodies(routed: Routed): BodyRule | null {
  const use = ROUTES[routed.route.kind].bodies[routed.method] ?? null;
  return use === null ? null : { ...bodyRule(routed), use };
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
