import { type ApiError, apiError } from './errors.ts';
import { essence, type MediaType, parseMediaType, vendorType } from './media-type.ts';
import { type ServedVersion, versionsAgree } from './versioning.ts';

/** What the bytes of a body are (NEG-2, MET-3, MET-13). */
export type BodyType =
  | { readonly kind: 'json' | 'merge-patch' | 'json-patch' | 'xml' | 'form' | 'ndjson' }
  | { readonly kind: 'multipart'; readonly boundary: string };

/** What a request does with its body: each takes other types. */
export type BodyUse = 'create' | 'replace' | 'patch' | 'query' | 'batch';

/** Which bodies a request may have. */
export interface BodyRule {
  /** The API's name, which its media types carry: `shop` in `application/vnd.shop.v1+json`. */
  readonly name: string;
  /** The contract that the request speaks; a body in another is not taken. */
  readonly version: ServedVersion;
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

/** In the order in which they are listed to callers. */
const ACCEPTED: Readonly<Record<BodyUse, readonly BodyKind[]>> = {
  create: ['json', 'xml', 'form', 'multipart', 'ndjson'],
  replace: ['json', 'xml', 'form', 'multipart'],
  patch: ['merge-patch', 'json-patch', 'json', 'xml', 'form', 'multipart'],
  query: ['form'],
  batch: ['json'],
};

/** RFC 2046 5.1.1. */
const BOUNDARY = /^[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]$/;

/** The media types that a body may have, as `Accept`, `Accept-Post` and `Accept-Patch` list them (RFC 5789 3.1). */
export function bodyTypes({ name, version, use }: BodyRule): string {
  const names = new Map([...TYPES].map(([type, kind]) => [kind, type]));
  return ACCEPTED[use]
    .flatMap((kind) => {
      const type = names.get(kind) ?? '';
      return kind === 'json' || kind === 'xml' ? [type, `application/vnd.${name}.v${version.major}+${kind}`] : [type];
    })
    .join(', ');
}

/**
 * What a body is, by its `Content-Type` (NEG-2). A vendor type in the version of the request is what its suffix says. A parameter other than
 * `charset` and `boundary` has no meaning for these types and is ignored.
 *
 * @param text value of the field; null where it is absent
 * @throws {ApiError} REQUEST_MEDIA_TYPE_UNSUPPORTED, with the types that are taken in `Accept`, for PATCH also `Accept-Patch`;
 *   REQUEST_HEADER_INVALID: a QUERY without a type (RFC 10008 2)
 */
export function readContentType(text: string | null, rule: BodyRule): BodyType {
  if (text === 'application/json' && rule.use !== 'query') return JSON_BODY;
  if (text === null)
    throw rule.use === 'query' ? missingContentType() : unsupported('The body has no Content-Type', rule);
  const mediaType = parseMediaType(text);
  if (mediaType === null) throw unsupported('Content-Type is not a media type', rule);
  const charset = mediaType.parameters.get('charset') ?? 'utf-8';
  if (charset.toLowerCase() !== 'utf-8') throw unsupported('The charset of the body is not UTF-8', rule);
  const kind = kindOf(mediaType, rule);
  if (kind === undefined || !ACCEPTED[rule.use].includes(kind)) {
    throw unsupported('The media type of the body is not taken here', rule);
  }
  if (kind !== 'multipart') return { kind };
  const boundary = mediaType.parameters.get('boundary') ?? '';
  if (!BOUNDARY.test(boundary)) throw unsupported('Content-Type names no boundary as RFC 2046 has it', rule);
  return { kind, boundary };
}

function kindOf(mediaType: MediaType, rule: BodyRule): BodyKind | undefined {
  const vendor = vendorType(mediaType, rule.name);
  if (vendor === null || (vendor.suffix !== 'json' && vendor.suffix !== 'xml')) return TYPES.get(essence(mediaType));
  if (versionsAgree(vendor.version, rule.version)) return vendor.suffix;
  throw unsupported('Content-Type names another version than the request asks for', rule);
}

function unsupported(cause: string, rule: BodyRule): ApiError {
  const types = bodyTypes(rule);
  const headers = rule.use === 'patch' ? { Accept: types, 'Accept-Patch': types } : { Accept: types };
  return apiError('REQUEST_MEDIA_TYPE_UNSUPPORTED', `${cause}: send one of ${types}, in UTF-8.`, { headers });
}

function missingContentType(): ApiError {
  return apiError(
    'REQUEST_HEADER_INVALID',
    'A QUERY says what its body is: send Content-Type: application/x-www-form-urlencoded.',
    {
      details: [{ field: 'Content-Type', message: 'is required' }],
    },
  );
}

/** The codings that a body may come in, as `Accept-Encoding` lists them (RFC 9110 12.5.3). */
const BODY_CODINGS = 'gzip, identity';

/**
 * The coding of a body, by its `Content-Encoding` (NEG-2); `x-gzip` is gzip (RFC 9110 8.4.1.3).
 *
 * @param text value of the field; null where it is absent
 * @throws {ApiError} REQUEST_ENCODING_UNSUPPORTED, with the codings that are taken in `Accept-Encoding`; two codings one over the
 *   other are not
 */
export function readContentEncoding(text: string | null): 'identity' | 'gzip' {
  const codings = (text ?? '')
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
  const [coding] = codings;
  if (coding === undefined) return 'identity';
  if (codings.length === 1 && (coding === 'gzip' || coding === 'x-gzip')) return 'gzip';
  throw apiError('REQUEST_ENCODING_UNSUPPORTED', 'The Content-Encoding of the body is not taken: send gzip, or none.', {
    headers: { 'Accept-Encoding': BODY_CODINGS },
  });
}
