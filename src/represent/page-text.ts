import { isRefused, type ListRequest, type ReadPage } from '../operations/read/list.ts';
import type { CachedPage } from '../operations/read/page-cache.ts';
import type { MaybePromise } from '../platform/maybe-promise.ts';
import { runSteps } from '../platform/time-slices.ts';
import { writeJsonPage, writePage } from './encode.ts';
import { measuredPage } from './measured-page.ts';
import { linkTargets } from './page-metadata.ts';
import {
  describePage,
  fitsSurely,
  MAX_ESCAPED,
  metadataHeaders,
  pageToWrite,
  type PageToWrite,
} from './page-to-write.ts';
import type { Reply } from './reply.ts';

/** Characters of rows up to which a page is written in one piece: it takes a few milliseconds in any format. */
const ONE_PIECE = 262_144;

/**
 * Writes a page that was read. It has at most `limits.page.bytes` as JSON, whatever its format, and ends early if not
 * all of its items fit (LIM-1). The first item always fits. A large page is written item by item, in time slices.
 *
 * @throws {ApiError} PAGINATION_LIMIT_INVALID: a page with a number cannot have all its items, or its body would be too
 *   large; REQUEST_NOT_ACCEPTABLE
 */
export function writeFoundPage(reply: Reply, list: ListRequest, read: ReadPage): MaybePromise<CachedPage> {
  const toWrite = pageToWrite(reply, list, read);
  const joined = read.cachedItems === null ? null : joinedPage(toWrite, read.cachedItems);
  return joined ?? wholePage(toWrite) ?? runSteps(measuredPage(toWrite));
}

/** True if a string has at most so many bytes. Most are so short that they need not be counted. */
function fits(text: string, maxBytes: number): boolean {
  return text.length * MAX_ESCAPED <= maxBytes || Buffer.byteLength(text) <= maxBytes;
}

/** Joins the cached JSON of all items; null if the page would be too large. */
function joinedPage(toWrite: PageToWrite, items: readonly string[]): CachedPage | null {
  const { metadata, links } = describePage(toWrite, toWrite.page);
  const body = writeJsonPage(`[${items.join(',')}]`, metadata, linkTargets(links));
  return fits(body, toWrite.maxBytes) ? { body, links, metadata: [] } : null;
}

/** Writes the page in one piece; null if it is large, or may be. */
function wholePage(toWrite: PageToWrite): CachedPage | null {
  const { reply, list, page, item, types, maxBytes } = toWrite;
  const { format } = reply.offer;
  const isSmall = page.size <= ONE_PIECE && fitsSurely(toWrite, format === 'json' ? 0 : undefined);
  if (!isSmall || isRefused(list, page)) return null;
  const { metadata, links } = describePage(toWrite, page);
  const data = page.rows.map((_row, index) => item(index));
  const body = writePage(format, types, { data, page: metadata, links: linkTargets(links) });
  if (format === 'json' && !fits(body, maxBytes)) return null;
  return { body, links, metadata: metadataHeaders(format, metadata) };
}
