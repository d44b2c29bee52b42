import { encodeSegment } from './url.ts';

/** One typed link. Its `href` is a URL as {@link joinPath} and `writeQuery` make it, so that no `>` stands raw. */
export interface LinkValue {
  /** A registered relation type, in lower case: `next`, `canonical`. */
  readonly rel: string;
  readonly href: string;
}

/** Most bytes of a `Link` field (PAGE-2). */
export const MAX_LINK_FIELD = 4096;

/** The value of a `Link` field (RFC 8288 3); empty where there are no links or it would pass 4 KiB, and then no field is sent (PAGE-2). */
export function linkField(links: readonly LinkValue[]): string {
  const value = links.map(({ rel, href }) => `<${href}>; rel="${rel}"`).join(', ');
  return value.length > MAX_LINK_FIELD ? '' : value;
}

/**
 * A URL with segments below a base (URL-9): each is one text, encoded whole. What is joined is one piece from the start, which
 * `JSON.stringify` writes faster than what is put together (`+`), with all that it stands in; each row that is told has several links.
 *
 * @param base a path (`/api/v1`, `/` or empty for the origin) or an absolute URL without a query
 */
export function joinPath(base: string, ...segments: readonly string[]): string {
  if (segments.length === 0) return base;
  const parts = [base.endsWith('/') ? base.slice(0, -1) : base];
  for (const segment of segments) parts.push(encodeSegment(segment));
  return parts.join('/');
}
