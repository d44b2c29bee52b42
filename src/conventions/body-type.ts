import { type ApiError, refusal } from './errors.ts';
import { essence, parseMediaType, vendorType } from './media-type.ts';
import { type ServedVersion, versionsAgree } from './versioning.ts';

/** What the bytes of a body are (NEG-2, MET-3). */
export type BodyType = 'json' | 'merge-patch' | 'json-patch';

/** Which bodies a request may have. */
export interface BodyRule {
  /** The API's name, which its media types carry: `shop` in `application/vnd.shop.v1+json`. */
  readonly name: string;
  /** The contract that the request speaks; a body in another is not taken. */
  readonly version: ServedVersion;
  /** Whether the request is a PATCH, which also takes the two patch types. */
  readonly patch: boolean;
}

const TYPES: ReadonlyMap<string, BodyType> = new Map([
  ['application/json', 'json'],
  ['application/merge-patch+json', 'merge-patch'],
  ['application/json-patch+json', 'json-patch'],
]);

const PATCH_TYPES = ['application/merge-patch+json', 'application/json-patch+json'];

/** The media types that a body may have, as `Accept`, `Accept-Post` and `Accept-Patch` list them (RFC 5789 3.1). */
export function bodyTypes({ name, version, patch }: BodyRule): string {
  const types = ['application/json', `application/vnd.${name}.v${version.major}+json`];
  return (patch ? [...PATCH_TYPES, ...types] : types).join(', ');
}

/**
 * What a body is, by its `Content-Type` (NEG-2). Vendor JSON in the version of the request is JSON. A parameter other than
 * `charset` has no meaning for these types and is ignored.
 *
 * @param text value of the field; null where it is absent
 * @throws {ApiError} REQUEST_MEDIA_TYPE_UNSUPPORTED, with the types that are taken in `Accept`, for PATCH also `Accept-Patch`
 */
export function readContentType(text: string | null, rule: BodyRule): BodyType {
  if (text === 'application/json') return 'json';
  if (text === null) throw unsupported('The body has no Content-Type', rule);
  const mediaType = parseMediaType(text);
  if (mediaType === null) throw unsupported('Content-Type is not a media type', rule);
  const charset = mediaType.parameters.get('charset') ?? 'utf-8';
  if (charset.toLowerCase() !== 'utf-8') throw unsupported('The charset of the body is not UTF-8', rule);

  const vendor = vendorType(mediaType, rule.name);
  if (vendor !== null && vendor.suffix === 'json') {
    if (versionsAgree(vendor.version, rule.version)) return 'json';
    throw unsupported('Content-Type names another version than the request asks for', rule);
  }
  const type = TYPES.get(essence(mediaType));
  if (type === undefined || (type !== 'json' && !rule.patch)) {
    throw unsupported('The media type of the body is not taken here', rule);
  }
  return type;
}

function unsupported(cause: string, rule: BodyRule): ApiError {
  const types = bodyTypes(rule);
  const headers = rule.patch ? { Accept: types, 'Accept-Patch': types } : { Accept: types };
  return refusal('REQUEST_MEDIA_TYPE_UNSUPPORTED', `${cause}: send one of ${types}, in UTF-8.`, { headers });
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
  throw refusal('REQUEST_ENCODING_UNSUPPORTED', 'The Content-Encoding of the body is not taken: send gzip, or none.', {
    headers: { 'Accept-Encoding': BODY_CODINGS },
  });
}
