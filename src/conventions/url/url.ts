import { apiError } from '../errors.ts';
import { isHost } from './host.ts';
import { checkRawPath, checkRawQuery, percentDecode } from './percent-encoding.ts';

/** A request target, independent of its form (RFC 9112 3.2). */
export interface RequestTarget {
  /** The raw path; it begins with `/`. */
  readonly path: string;
  /** The non-empty segments, each decoded once. Dot segments are kept: they are ids that cannot exist (URL-6). */
  readonly segments: readonly string[];
  /** The raw query without `?`; null if absent. */
  readonly query: string | null;
  /**
   * The canonical target with the raw query, if trailing or doubled slashes or needless escapes make this another URL
   * (URL-1); else null. It never begins with `//`.
   */
  readonly redirect: string | null;
}

const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)(.*)$/is;
const ESCAPE = /%([0-9A-Fa-f]{2})/g;
const UNRESERVED_ONLY = /^[A-Za-z0-9._~-]*$/;
/** Reserved characters that `encodeURIComponent` does not encode. */
const UNENCODED_RESERVED = /[!'()*]/g;

/** True if a target is `*`, which only OPTIONS may have (RFC 9112 3.2.4). */
export function isAsteriskForm(target: string): boolean {
  return target === '*';
}

/**
 * Parses a request target in origin-form or absolute-form. The authority of an absolute-form is validated and ignored:
 * a target never changes the host (URL-8). The path is split on `/` before its segments are decoded (URL-3). The query
 * is only checked for unencoded characters; `parseQuery` decodes it.
 *
 * @param target as received, one character per byte
 * @param limit maximum bytes
 * @throws {ApiError} REQUEST_URI_TOO_LONG; REQUEST_URI_INVALID with the fix (URL-4)
 */
export function parseTarget(target: string, limit: number): RequestTarget {
  if (target.length > limit) {
    throw apiError('REQUEST_URI_TOO_LONG', `The request target is longer than ${limit} bytes; send a shorter one.`);
  }
  const origin = originForm(target);
  const mark = origin.indexOf('?');
  const path = mark === -1 ? origin : origin.slice(0, mark);
  const query = mark === -1 ? null : origin.slice(mark + 1);
  checkRawPath(path);
  if (query !== null) checkRawQuery(query);
  const parts = path.slice(1).split('/');
  const raw = parts.includes('') ? parts.filter((segment) => segment !== '') : parts;
  const canonical = path.includes('%') ? raw.map(withoutNeedlessEscapes) : raw;
  const isCanonical = path === '/' || (raw === parts && canonical.every((segment, index) => segment === raw[index]));
  const redirect = isCanonical ? null : `/${canonical.join('/')}${query === null ? '' : `?${query}`}`;
  return { path, segments: path.includes('%') ? raw.map(percentDecode) : raw, query, redirect };
}

/**
 * Percent-encodes a path segment or a part of a query: every UTF-8 byte outside `A-Za-z0-9-_.~` as upper-case `%XX`
 * (URL-9).
 *
 * @throws {URIError} for a lone surrogate, which input validation excludes (REP-7)
 */
export function encodeSegment(text: string): string {
  if (UNRESERVED_ONLY.test(text)) return text;
  return encodeURIComponent(text).replace(
    UNENCODED_RESERVED,
    (reserved) => `%${reserved.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/**
 * The path of a target, for logs. The query, the fragment and the user information of an absolute-form or
 * authority-form (RFC 9112 3.2) may contain secrets. Accepts any text, because invalid targets are logged too.
 */
export function pathOfTarget(target: string): string {
  const withoutOrigin = target.startsWith('/') ? target : target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  const path =
    withoutOrigin.includes('?') || withoutOrigin.includes('#') ? withoutOrigin.replace(/[?#].*$/s, '') : withoutOrigin;
  return path.startsWith('/') ? path : path.slice(path.lastIndexOf('@') + 1);
}

/**
 * The decoded path segments of a target that may be invalid, to decide which API a request belongs to before it is
 * parsed. Segments that cannot be decoded are returned as sent.
 */
export function segmentsOfTarget(target: string): readonly string[] {
  const segments = pathOfTarget(target).split('/');
  return segments.filter((segment) => segment !== '').map(decodedIfValid);
}

/** The segments of a path below a base path, both decoded; null if the path is not below it. */
export function segmentsBelow(segments: readonly string[], base: readonly string[]): readonly string[] | null {
  return base.every((segment, index) => segments[index] === segment) ? segments.slice(base.length) : null;
}

/** The path of a name next to a base path: `/shop/docs` for `/shop/api`. */
export function pathNextToBase(basePath: string, name: string): string {
  return [basePath.replace(/\/[^/]*$/, ''), name].join('/');
}

/**
 * A raw segment with its escapes of unreserved characters decoded: `%78` is `x` (RFC 3986 6.2.2.2). An escaped dot
 * segment is an id that cannot exist (URL-6), and clients would resolve a plain one, so it stays.
 */
function withoutNeedlessEscapes(segment: string): string {
  const decoded = segment.replace(ESCAPE, (escape, hex: string) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return UNRESERVED_ONLY.test(character) ? character : escape;
  });
  return decoded === '.' || decoded === '..' ? segment : decoded;
}

function decodedIfValid(segment: string): string {
  try {
    return percentDecode(segment);
  } catch {
    return segment;
  }
}

function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const [, authority, rest] = ABSOLUTE_FORM.exec(target) ?? [];
  if (authority === undefined || rest === undefined) {
    const reason = isAsteriskForm(target) ? '* is allowed for OPTIONS only' : 'Its form is not supported';
    throw apiError(
      'REQUEST_URI_INVALID',
      `The request target is not valid. ${reason}; send a path that begins with /, or an absolute http or https URL.`,
    );
  }
  if (!isHost(authority)) {
    throw apiError(
      'REQUEST_URI_INVALID',
      'The request target is not valid. Its authority is not a valid host with an optional port; send a path that begins with /.',
    );
  }
  return rest.startsWith('/') ? rest : `/${rest}`;
}
