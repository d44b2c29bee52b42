import { type ApiError, apiError } from '../errors.ts';
import { essence, type MediaType, parseMediaType, vendorType } from './media-type.ts';
import { type SupportedVersion, versionsAgree } from '../versioning.ts';

/** The type of a request body (NEG-2, MET-3, MET-13). */
export type BodyType =
  | { readonly kind: 'json' | 'merge-patch' | 'json-patch' | 'xml' | 'form' | 'ndjson' }
  | { readonly kind: 'multipart'; readonly boundary: string };

/** The use of the body of a request. It decides which media types are accepted. */
export type BodyUse = 'create' | 'replace' | 'patch' | 'query' | 'batch';

/** Which bodies a request accepts. */
export interface BodyRule {
  /** The name of the API in its media types: `shop` in `application/vnd.shop.v1+json`. */
  readonly name: string;
  /** The version of the request. A body in another version is rejected. */
  readonly version: SupportedVersion;
  readonly use: BodyUse;
}

type BodyKind = BodyType['kind'];

const JSON_BODY: BodyType = { kind: 'json' };

const TYPES: ReadonlyMap<string, BodyKind> = new Map<string, BodyKind>([
  ['application/merge-patch+json', 'merge-patch'],
  ['application/json-patch+json', 'json-patch'],
  ['application/json', 'json'],
  ['application/xml', 'xml'],
  ['application/x-www-form-urlencoded', 'form'],
  ['multipart/form-data', 'multipart'],
  ['application/x-ndjson', 'ndjson'],
]);

/** In the order in which error messages and header fields list them. */
const ACCEPTED: Readonly<Record<BodyUse, readonly BodyKind[]>> = {
  create: ['json', 'xml', 'form', 'multipart', 'ndjson'],
  replace: ['json', 'xml', 'form', 'multipart'],
  patch: ['merge-patch', 'json-patch', 'json', 'xml', 'form', 'multipart'],
  query: ['form'],
  batch: ['json'],
};

/**
 * The value of `Accept-Query` (RFC 10008 3, MET-5): a list of media types as structured fields, whose tokens may
 * contain a slash (RFC 9651 3.3.4).
 */
export const ACCEPT_QUERY = 'application/x-www-form-urlencoded';

/** RFC 2046 5.1.1. */
const BOUNDARY = /^[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]$/;

/** A media type that a body may have. */
export interface AcceptedType {
  readonly kind: BodyKind;
  /** `application/json`. */
  readonly type: string;
}

/** The accepted media types in their order, with the vendor types of the major version. */
export function acceptedTypes({ name, version, use }: BodyRule): readonly AcceptedType[] {
  const names = new Map([...TYPES].map(([type, kind]) => [kind, type]));
  return ACCEPTED[use].flatMap((kind): readonly AcceptedType[] => {
    const plain = { kind, type: names.get(kind) ?? '' };
    const vendor = { kind, type: `application/vnd.${name}.v${version.major}+${kind}` };
    return kind === 'json' || kind === 'xml' ? [plain, vendor] : [plain];
  });
}

/** The accepted media types, as `Accept`, `Accept-Post` and `Accept-Patch` list them (RFC 5789 3.1). */
export function bodyTypes(rule: BodyRule): string {
  return acceptedTypes(rule)
    .map(({ type }) => type)
    .join(', ');
}

/**
 * Reads the type of a body from its `Content-Type` (NEG-2). A vendor type in the version of the request has the type of
 * its suffix. Parameters other than `charset` and `boundary` are ignored: these types define none.
 *
 * @param text value of the field; null if absent
 * @throws {ApiError} REQUEST_MEDIA_TYPE_UNSUPPORTED, with the accepted types in `Accept`, for PATCH also in
 *   `Accept-Patch`, for QUERY in `Accept-Query`; REQUEST_HEADER_INVALID: a QUERY without `Content-Type` (RFC 10008 2)
 */
export function readContentType(text: string | null, rule: BodyRule): BodyType {
  if (text === 'application/json' && rule.use !== 'query') return JSON_BODY;
  if (text === null)
    throw rule.use === 'query' ? missingContentType() : unsupported('The body has no Content-Type', rule);
  const mediaType = parseMediaType(text);
  if (mediaType === null) throw unsupported('Content-Type is not a valid media type', rule);
  const charset = mediaType.parameters.get('charset') ?? 'utf-8';
  if (charset.toLowerCase() !== 'utf-8') throw unsupported('The charset of the body is not UTF-8', rule);
  const kind = findKind(mediaType, rule);
  if (kind === undefined || !ACCEPTED[rule.use].includes(kind)) {
    throw unsupported('The media type of the body is not supported here', rule);
  }
  if (kind !== 'multipart') return { kind };
  const boundary = mediaType.parameters.get('boundary') ?? '';
  if (!BOUNDARY.test(boundary)) throw unsupported('Content-Type has no valid boundary parameter (RFC 2046)', rule);
  return { kind, boundary };
}

function findKind(mediaType: MediaType, rule: BodyRule): BodyKind | undefined {
  const vendor = vendorType(mediaType, rule.name);
  if (vendor === null || (vendor.suffix !== 'json' && vendor.suffix !== 'xml')) return TYPES.get(essence(mediaType));
  if (versionsAgree(vendor.version, rule.version)) return vendor.suffix;
  throw unsupported('Content-Type names another version than the request', rule);
}

/**
 * The error of a form that is JSON, as `curl -d` sends it without a `Content-Type` of its own (NEG-2).
 *
 * @returns REQUEST_MEDIA_TYPE_UNSUPPORTED, with the accepted types like {@link readContentType}
 */
export function jsonFormError(rule: BodyRule): ApiError {
  return apiError(
    'REQUEST_MEDIA_TYPE_UNSUPPORTED',
    'The body is JSON, but its Content-Type is that of a form: send Content-Type: application/json.',
    {
      headers: acceptFields(rule),
      details: [{ field: 'Content-Type', message: 'must be application/json for this body' }],
    },
  );
}

function unsupported(cause: string, rule: BodyRule): ApiError {
  const message = `${cause}: send one of ${bodyTypes(rule)}, in UTF-8.`;
  return apiError('REQUEST_MEDIA_TYPE_UNSUPPORTED', message, { headers: acceptFields(rule) });
}

function acceptFields(rule: BodyRule): Readonly<Record<string, string>> {
  const types = bodyTypes(rule);
  if (rule.use === 'query') return { Accept: types, 'Accept-Query': ACCEPT_QUERY };
  return rule.use === 'patch' ? { Accept: types, 'Accept-Patch': types } : { Accept: types };
}

function missingContentType(): ApiError {
  return apiError('REQUEST_HEADER_INVALID', 'QUERY requires a Content-Type: send application/x-www-form-urlencoded.', {
    details: [{ field: 'Content-Type', message: 'is required' }],
  });
}

/** The accepted content codings, as `Accept-Encoding` lists them (RFC 9110 12.5.3). */
const BODY_CODINGS = 'gzip, identity';

/**
 * Reads the content coding of a body from its `Content-Encoding` (NEG-2); `x-gzip` is gzip (RFC 9110 8.4.1.3).
 *
 * @param text value of the field; null if absent
 * @throws {ApiError} REQUEST_ENCODING_UNSUPPORTED, with the accepted codings in `Accept-Encoding`, also for more than
 *   one coding
 */
export function readContentEncoding(text: string | null): 'identity' | 'gzip' {
  const codings = (text ?? '')
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
  const [coding] = codings;
  if (coding === undefined) return 'identity';
  if (codings.length === 1 && (coding === 'gzip' || coding === 'x-gzip')) return 'gzip';
  throw apiError(
    'REQUEST_ENCODING_UNSUPPORTED',
    'The Content-Encoding of the body is not supported: send gzip, or no Content-Encoding.',
    {
      headers: { 'Accept-Encoding': BODY_CODINGS },
    },
  );
}
