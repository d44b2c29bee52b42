import { apiError } from './errors.ts';

/** An entity tag (RFC 9110 8.8.3). */
export interface ETag {
  readonly weak: boolean;
  /** What stands between the quotes. */
  readonly opaque: string;
}

/** What `If-Match` and `If-None-Match` hold: anything that exists, or one of the tags. */
export type ETagList = '*' | readonly ETag[];

/**
 * An element of the list with its comma; empty elements are allowed (RFC 9110 5.6.1.2). Tags know no escapes. Blanks can be read in one way
 * alone: in two, a thousand of them before a fault would be tried a million times.
 */
const ELEMENT = /[\t ]*(?:(W\/)?"([!#-~\x80-\xff]*)"[\t ]*)?(,|$)/y;

const REVISION = /^([1-9][0-9]{0,15}|0)(?:\.|$)/;

/**
 * The strong tag of one representation, quotes included (CACHE-1): `"1042.k3f9"`.
 *
 * @param revision the revision of the resource, or what stands for it in a collection; no dot, no quote
 * @param variant what tells this representation from the others of the same revision
 */
export function strongETag(revision: number | string, variant: string): string {
  return `"${revision}.${variant}"`;
}

/**
 * The value of `If-Match` or `If-None-Match`.
 *
 * @param field name of the field, for the message
 * @throws {ApiError} REQUEST_HEADER_INVALID: not a list of tags, or a list of none
 */
export function parseETagList(text: string, field: string): ETagList {
  if (text.trim() === '*') return '*';
  const tags: ETag[] = [];
  ELEMENT.lastIndex = 0;
  for (;;) {
    const element = ELEMENT.exec(text);
    if (element === null) break;
    const [, weak, opaque, separator] = element;
    if (opaque !== undefined) tags.push({ weak: weak !== undefined, opaque });
    if (separator === ',') continue;
    if (tags.length === 0) break;
    return tags;
  }
  const message = `${field} is not a list of entity tags: send * or tags in double quotes, such as "1042", parted by commas.`;
  throw apiError('REQUEST_HEADER_INVALID', message, {
    details: [{ field, message: 'must be * or a list of entity tags' }],
  });
}

/** Whether one of the tags is this one, strong on both sides (RFC 9110 8.8.3.2). `tag` has its quotes. */
export function matchesStrongly(list: ETagList, tag: string): boolean {
  return list === '*' || (!tag.startsWith('W/') && list.some(({ weak, opaque }) => !weak && `"${opaque}"` === tag));
}

/** Whether one of the tags is this one, weak or strong (RFC 9110 8.8.3.2). `tag` has its quotes. */
export function matchesWeakly(list: ETagList, tag: string): boolean {
  const strong = tag.startsWith('W/') ? tag.slice(2) : tag;
  return list === '*' || list.some(({ opaque }) => `"${opaque}"` === strong);
}

/** The revision that a tag of ours begins with, `1042` in `"1042"` and `"1042.k3f9"`; null in any other tag. */
export function revisionOf(tag: ETag): number | null {
  const [, digits] = REVISION.exec(tag.opaque) ?? [];
  const revision = Number(digits);
  return Number.isSafeInteger(revision) ? revision : null;
}
