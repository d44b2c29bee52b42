import { encodeSegment } from './url.ts';

/** One link of a `Link` field. Its `href` is built by {@link joinPath} and `writeQuery`, so it contains no `>`. */
export interface LinkValue {
  /** A registered relation type, in lower case: `next`, `canonical`. */
  readonly rel: string;
  readonly href: string;
}

/** Maximum bytes of a `Link` field (PAGE-2). */
export const MAX_LINK_FIELD = 4096;

/**
 * The value of a `Link` field (RFC 8288 3); empty, so that no field is sent, without links and beyond 4 KiB (PAGE-2).
 */
export function linkField(links: readonly LinkValue[]): string {
  const value = links.map(({ rel, href }) => `<${href}>; rel="${rel}"`).join(', ');
  return value.length > MAX_LINK_FIELD ? '' : value;
}

/**
 * A URL with segments below a base (URL-9). Each segment is percent-encoded. `join` builds a flat string, which
 * `JSON.stringify` writes faster than a concatenation (`+`); every row in a response has several links.
 *
 * @param base a path (`/api/v1`; `/` or empty for the origin) or an absolute URL without a query
 */
export function joinPath(base: string, ...segments: readonly string[]): string {
  if (segments.length === 0) return base;
  const parts = [base.endsWith('/') ? base.slice(0, -1) : base];
  for (const segment of segments) parts.push(encodeSegment(segment));
  return parts.join('/');
}
