import { apiError } from './errors.ts';
import { isHost } from './host.ts';
import { checkRawPath, checkRawQuery, percentDecode } from './percent-encoding.ts';

/** What a request target addresses, whichever of its forms it had (RFC 9112 3.2). */
export interface RequestTarget {
  /** The raw path; it begins with `/`. */
  readonly path: string;
  /** The segments that are not empty, each decoded once. Dot segments stand as they came: they are ids that cannot exist (URL-6). */
  readonly segments: readonly string[];
  /** The raw query without its `?`; null where the target has none. */
  readonly query: string | null;
  /** The canonical target, raw query included, where slashes make this another URL (URL-1): `/` and one segment or more, never `//`. */
  readonly redirect: string | null;
}

const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)(.*)$/is;
const UNRESERVED_ONLY = /^[A-Za-z0-9._~-]*$/;
/** Reserved characters that `encodeURIComponent` leaves. */
const LEFT_RESERVED = /[!'()*]/g;

/** Whether a target is `*`, which OPTIONS alone may have (RFC 9112 3.2.4). */
export function isAsteriskForm(target: string): boolean {
  return target === '*';
}

/**
 * Reads a request target in origin-form or absolute-form. The authority of an absolute-form is checked and never used: no
 * target changes the host (URL-8). The path is split on `/` before its segments are decoded (URL-3). The query is checked
 * for raw characters only; `parseQuery` decodes it.
 *
 * @param target as it came from the wire, one character for each byte
 * @param limit most bytes
 * @throws {ApiError} REQUEST_URI_TOO_LONG; REQUEST_URI_INVALID with a reason that says what to send (URL-4)
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
  const isCanonical = raw === parts || path === '/';
  const redirect = isCanonical ? null : `/${raw.join('/')}${query === null ? '' : `?${query}`}`;
  return { path, segments: path.includes('%') ? raw.map(percentDecode) : raw, query, redirect };
}

/**
 * One path segment or query part that stands for a text: every UTF-8 byte outside `A-Za-z0-9-_.~` as upper-case `%XX` (URL-9).
 *
 * @throws {URIError} for a lone surrogate, which no text from a caller holds (REP-7)
 */
export function encodeSegment(text: string): string {
  if (UNRESERVED_ONLY.test(text)) return text;
  return encodeURIComponent(text).replace(LEFT_RESERVED, (left) => `%${left.charCodeAt(0).toString(16).toUpperCase()}`);
}

/**
 * A target for logs: its path alone. A query, a fragment and the user of an absolute target or of an authority (RFC 9112 3.2) may hold
 * secrets. Any text is taken, for what cannot be read is logged as well.
 */
export function pathOfTarget(target: string): string {
  const own = target.startsWith('/') ? target : target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  const path = own.includes('?') || own.includes('#') ? own.replace(/[?#].*$/s, '') : own;
  return path.startsWith('/') ? path : path.slice(path.lastIndexOf('@') + 1);
}

/**
 * The decoded path segments of a target, for whoever has to know whose it is before it is read: of one that cannot be read, those that
 * cannot be decoded stand as they came.
 */
export function segmentsOfTarget(target: string): readonly string[] {
  const segments = pathOfTarget(target).split('/');
  return segments.filter((segment) => segment !== '').map(decodedIfValid);
}

/** What of a path lies below a base path, both as decoded segments; null where the path lies elsewhere. */
export function segmentsBelow(segments: readonly string[], base: readonly string[]): readonly string[] | null {
  return base.every((segment, index) => segments[index] === segment) ? segments.slice(base.length) : null;
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
    const reason = isAsteriskForm(target) ? '* is for OPTIONS alone' : 'It has no form that is served';
    throw apiError(
      'REQUEST_URI_INVALID',
      `The request target is not valid. ${reason}; send a path that begins with /, or an absolute http or https URL.`,
    );
  }
  if (!isHost(authority)) {
    throw apiError(
      'REQUEST_URI_INVALID',
      'The request target is not valid. Its authority is not a host with an optional port; send a path that begins with /.',
    );
  }
  return rest.startsWith('/') ? rest : `/${rest}`;
}
