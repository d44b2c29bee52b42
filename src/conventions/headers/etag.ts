import { apiError } from '../errors.ts';

/** An entity tag (RFC 9110 8.8.3). */
export interface ETag {
  readonly weak: boolean;
  /** The opaque tag, without its quotes. */
  readonly opaque: string;
}

/**
 * The strong ETags of a representation whose length is not known. A body that is too short to be compressed has the
 * same bytes and the same ETag in every coding. A longer one has an ETag for each coding (NEG-7, CACHE-1).
 */
export interface ETagsByLength {
  readonly short: string;
  readonly long: string;
}

/** The value of `If-Match` or `If-None-Match`: `*` matches any existing representation. */
export type ETagList = '*' | readonly ETag[];

/**
 * A list element with its comma; empty elements are allowed (RFC 9110 5.6.1.2). ETags have no escapes. Whitespace
 * matches in exactly one way: two ways would make a long run of it before a syntax error take quadratic time.
 */
const ELEMENT = /[\t ]*(?:(W\/)?"([!#-~\x80-\xff]*)"[\t ]*)?(,|$)/y;

const REVISION = /^([1-9][0-9]{0,15}|0)(?:\.|$)/;

/**
 * The strong ETag of a representation, with its quotes (CACHE-1): `"1042.k3f9"`.
 *
 * @param revision the revision of the resource, or the validator of a collection; without dots and quotes
 * @param variant distinguishes the representations of one revision
 */
export function strongETag(revision: number | string, variant: string): string {
  return `"${revision}.${variant}"`;
}

/**
 * Reads the value of `If-Match` or `If-None-Match`.
 *
 * @param field name of the field, for the message
 * @throws {ApiError} REQUEST_HEADER_INVALID: not a list of ETags, or an empty one
 */
export function parseETagList(text: string, field: string): ETagList {
  if (text.trim() === '*') return '*';
  const etags: ETag[] = [];
  ELEMENT.lastIndex = 0;
  for (;;) {
    const element = ELEMENT.exec(text);
    if (element === null) break;
    const [, weak, opaque, separator] = element;
    if (opaque !== undefined) etags.push({ weak: weak !== undefined, opaque });
    if (separator === ',') continue;
    if (etags.length === 0) break;
    return etags;
  }
  const message = `${field} is not a valid list of ETags: send *, or ETags in double quotes separated by commas, such as "1042".`;
  throw apiError('REQUEST_HEADER_INVALID', message, {
    details: [{ field, message: 'must be * or a list of ETags' }],
  });
}

/** Strong comparison (RFC 9110 8.8.3.2). @param etag with its quotes */
export function matchesStrongly(list: ETagList, etag: string): boolean {
  return list === '*' || (!etag.startsWith('W/') && list.some(({ weak, opaque }) => !weak && `"${opaque}"` === etag));
}

/** Weak comparison (RFC 9110 8.8.3.2). @param etag with its quotes */
export function matchesWeakly(list: ETagList, etag: string): boolean {
  const strong = etag.startsWith('W/') ? etag.slice(2) : etag;
  return list === '*' || list.some(({ opaque }) => `"${opaque}"` === strong);
}

/** The revision at the start of an item's ETag, `1042` in `"1042"` and `"1042.k3f9"`; null for any other ETag. */
export function parseRevision({ opaque }: ETag): number | null {
  const [, digits] = REVISION.exec(opaque) ?? [];
  const revision = Number(digits);
  return Number.isSafeInteger(revision) ? revision : null;
}
