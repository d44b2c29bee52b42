import {
  type BodyRule,
  type BodyType,
  bodyTypes,
  readContentEncoding,
  readContentType,
} from '../conventions/body-type.ts';
import { refusal } from '../conventions/errors.ts';
import { essence } from '../conventions/media-type.ts';
import { negotiate as choose, notAcceptable, vendorOffers } from '../conventions/negotiation.ts';
import { type Preconditions, readPreconditions } from '../conventions/preconditions.ts';
import type { Model } from '../model/model.ts';
import type { Headers } from './answer.ts';
import type { Authenticated } from './authenticate.ts';
import { JSON_OFFER, type Routed } from './route.ts';
import type { RequestBody } from './exchange.ts';

/** A request whose answer has a media type and whose body can be read (steps 10 and 11), and its preconditions as it states them. */
export interface Negotiated extends Authenticated {
  /** The body, where the method takes one and the request has one. */
  readonly body: RequestBody | null;
  /** Media type of the answer. */
  readonly mediaType: string;
  /** What the body means; null where the method takes none. */
  readonly bodyType: BodyType | null;
  readonly gzipped: boolean;
  /** Whether the caller waits for `100 Continue` before it sends the body. */
  readonly expectsContinue: boolean;
  readonly preconditions: Preconditions;
}

const METHODS_WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/**
 * Steps 10 and 11.
 *
 * @param now milliseconds since the epoch
 * @throws {ApiError} 406, 413, 415
 */
export function negotiate(authenticated: Authenticated, model: Model, now: number): Negotiated {
  const { exchange, method, ranges, request, version } = authenticated;
  const { fields } = exchange;
  const offers = [JSON_OFFER, ...vendorOffers(model.name, version.version)];
  const offer = choose(ranges, offers);
  // The answer to DELETE has no body, so nothing needs to fit.
  if (offer === null && method !== 'DELETE') throw notAcceptable(offers);
  const body = METHODS_WITH_BODY.has(method) && request.body?.length !== 0 ? request.body : null;
  if (body !== null && body.length !== null && body.length > model.limits.body) throw tooLarge(model.limits.body);
  return {
    ...authenticated,
    body,
    mediaType: essence(offer ?? JSON_OFFER),
    bodyType: body === null ? null : readContentType(fields.get('content-type'), bodyRule(authenticated, model)),
    gzipped: body !== null && readContentEncoding(fields.get('content-encoding')) === 'gzip',
    expectsContinue: fields.get('expect') !== null,
    preconditions: readPreconditions((name) => fields.get(name), now),
  };
}

/** What OPTIONS says of the bodies that a route takes (MET-5). */
export function optionsHeaders({ route, version }: Routed, { name }: Model): Headers {
  const rule = { name, version: version.version };
  if (route.kind === 'collection') return ['Accept-Post', bodyTypes({ ...rule, patch: false })];
  return route.kind === 'item' ? ['Accept-Patch', bodyTypes({ ...rule, patch: true })] : [];
}

function bodyRule({ method, version }: Authenticated, { name }: Model): BodyRule {
  return { name, version: version.version, patch: method === 'PATCH' };
}

function tooLarge(limit: number): Error {
  return refusal('REQUEST_BODY_TOO_LARGE', `The body is larger than ${limit} bytes; send a smaller one.`);
}
