import type { FormatOffer } from '../conventions/response-format.ts';
import { bodyTooLargeError } from '../conventions/receive-errors.ts';
import {
  ACCEPT_QUERY,
  bodyTypes,
  type BodyType,
  type BodyUse,
  readContentEncoding,
  readContentType,
} from '../conventions/body-type.ts';
import { negotiate as choose, notAcceptable } from '../conventions/negotiation.ts';
import { type Preconditions, readPreconditions } from '../conventions/preconditions.ts';
import type { ContractVersion, Model } from '../model/model.ts';
import type { HeaderList } from './represent/response.ts';
import type { Authenticated } from './authenticate.ts';
import type { RequestBody } from './exchange.ts';
import type { ResponseFormats } from './offers.ts';
import type { Routed } from './route.ts';

/** A request whose answer has a media type and whose body can be read (steps 10 and 11), and its preconditions as it states them. */
export interface Negotiated extends Authenticated {
  /** The body, where the method takes one and the request has one. */
  readonly body: RequestBody | null;
  /** The form of the answer. */
  readonly offer: FormatOffer;
  /** What the body is; null where there is none. */
  readonly bodyType: BodyType | null;
  readonly gzipped: boolean;
  /** Whether the caller waits for `100 Continue` before it sends the body. */
  readonly expectsContinue: boolean;
  readonly preconditions: Preconditions;
}

const BODIES: Readonly<Partial<Record<string, BodyUse>>> = {
  POST: 'create',
  PUT: 'replace',
  PATCH: 'patch',
  QUERY: 'query',
};

/**
 * Steps 10 and 11.
 *
 * @throws {ApiError} 400, 406, 413, 415
 */
export function negotiate(authenticated: Authenticated, model: Model, offers: ResponseFormats): Negotiated {
  const { exchange, method, ranges, request, route } = authenticated;
  const { fields } = exchange;
  const takes = takesBody(authenticated);
  const body = takes !== null && request.body?.length !== 0 ? request.body : null;
  const contentType = fields.get('content-type');
  const isStreamed = takes === 'create' && isNdjson(contentType);
  const available = offers.of(route.kind, method, isStreamed);
  const offer = choose(ranges, available);
  // The answer to DELETE has no body, so nothing needs to fit.
  if (offer === null && method !== 'DELETE') throw notAcceptable(available);
  if (body !== null && !isStreamed && body.length !== null && body.length > model.limits.body) {
    throw bodyTooLargeError(model.limits.body);
  }
  const bodyType = body === null && takes !== 'query' ? null : readType(authenticated, model, takes, contentType);
  return {
    ...authenticated,
    body,
    offer: offer ?? defaultOffer(available),
    bodyType,
    gzipped: body !== null && readContentEncoding(fields.get('content-encoding')) === 'gzip',
    expectsContinue: fields.get('expect') !== null,
    preconditions: readPreconditions((name) => fields.get(name), exchange.startedAt),
  };
}

/** What OPTIONS says of the bodies that a route takes (MET-5). */
export function optionsHeaders({ route, version }: Routed, { name }: Model): HeaderList {
  const types = (takes: BodyUse): string => bodyTypes({ name, version: version.version, use: takes });
  switch (route.kind) {
    case 'collection':
      return ['Accept-Post', types('create'), 'Accept-Query', ACCEPT_QUERY];
    case 'item':
      return ['Accept-Patch', types('patch')];
    case 'batches':
      return ['Accept-Post', types('batch')];
    case 'server':
    case 'live':
    case 'ready':
    case 'root':
    case 'batch':
      return [];
  }
}

function readType(
  { version }: { readonly version: { readonly version: ContractVersion } },
  { name }: Model,
  takes: BodyUse | null,
  contentType: string | null,
): BodyType | null {
  return takes === null ? null : readContentType(contentType, { name, version: version.version, use: takes });
}

/** Which bodies a request may have; null where its method takes none. */
function takesBody({ method, route }: Routed): BodyUse | null {
  const takes = BODIES[method] ?? null;
  return takes === 'create' && route.kind === 'batches' ? 'batch' : takes;
}

function isNdjson(contentType: string | null): boolean {
  return contentType !== null && /^[\t ]*application\/x-ndjson[\t ]*(?:;|$)/i.test(contentType);
}

function defaultOffer([first]: readonly FormatOffer[]): FormatOffer {
  if (first === undefined) throw new Error('a route answers in no format');
  return first;
}
