import type { MaybePromise } from '../platform/maybe-promise.ts';
import { runSteps } from '../platform/time-slices.ts';
import { WHOLE_VIEW } from '../plan/list/view.ts';
import type { Negotiated } from '../pipeline/negotiate.ts';
import type { FoundPage } from '../operations/read/list.ts';
import type { CachedPage } from '../operations/read/page-cache.ts';
import type { Services } from '../pipeline/services.ts';
import { writeJsonPage, writePage } from './encode.ts';
import { measuredPage } from './measured-page.ts';
import { linkTargets } from './page-metadata.ts';
import {
  describePage,
  fitsSurely,
  isRefused,
  MAX_ESCAPED,
  metadataHeaders,
  pageToWrite,
  type PageToWrite,
} from './page-to-write.ts';

/** Characters of rows up to which a page is written in one piece: it takes a few milliseconds in any format. */
const ONE_PIECE = 262_144;

/**
 * Writes a page that was read. It has at most `limits.page.bytes` as JSON, whatever its format, and ends early where not all of its items fit (LIM-1). The
 * first item always fits. A large page is written item by item, in time slices.
 *
 * @throws {ApiError} PAGINATION_LIMIT_INVALID where a page with a number cannot have all its items, or its body would be too large; REQUEST_NOT_ACCEPTABLE
 */
export function writeFoundPage(
  request: Negotiated,
  list: FoundPage['request'],
  source: Extract<FoundPage['source'], { kind: 'rows' }>,
  services: Pick<Services, 'etags' | 'items'>,
): MaybePromise<CachedPage> {
  const toWrite = pageToWrite(request, list, source);
  return cachedPage(toWrite, services) ?? wholePage(toWrite) ?? runSteps(measuredPage(toWrite));
}

/** Whether the text has at most so many bytes. Most texts are so short that they need not be counted. */
function fits(text: string, maxBytes: number): boolean {
  return text.length * MAX_ESCAPED <= maxBytes || Buffer.byteLength(text) <= maxBytes;
}

/** The page of items that are all in the cache; null elsewhere, and where it would be too large. */
function cachedPage(toWrite: PageToWrite, services: Pick<Services, 'etags' | 'items'>): CachedPage | null {
  const { request, list, page, maxBytes } = toWrite;
  if (request.offer.format !== 'json' || list.query.view !== WHOLE_VIEW || isRefused(toWrite, page)) return null;
  const items = cachedItems(toWrite, services);
  if (items === null) return null;
  const { metadata, links } = describePage(toWrite, page);
  const body = writeJsonPage(`[${items.join(',')}]`, metadata, linkTargets(links));
  return fits(body, maxBytes) ? { body, links, metadata: [] } : null;
}

/** The JSON of all items where each is cached; null where one is not: a page is written faster in one piece then. */
function cachedItems(
  { request, list, page }: PageToWrite,
  { etags, items }: Pick<Services, 'etags' | 'items'>,
): readonly string[] | null {
  const { resource, within } = list.query.plan;
  const { judged } = list.compiled;
  if (within.length > 0) return null;
  const variant = etags.variantKey(request);
  const texts: string[] = [];
  for (const { id, revision } of page.rows) {
    // The revision is that of the row now: a change of it that is not known yet has another one.
    const stamp = request.rows.knownRowStamp(resource, id);
    const cached = stamp === null ? null : items.of({ resource, id, variant, stamp, judged }).get();
    if (cached?.revision !== revision) return null;
    texts.push(cached.text);
  }
  return texts;
}

/** The page in one piece; null where it is large, or may be. */
function wholePage(toWrite: PageToWrite): CachedPage | null {
  const { request, page, item, types, maxBytes } = toWrite;
  const { format } = request.offer;
  const isSmall = page.size <= ONE_PIECE && fitsSurely(toWrite, format === 'json' ? 0 : undefined);
  if (!isSmall || isRefused(toWrite, page)) return null;
  const { metadata, links } = describePage(toWrite, page);
  const data = page.rows.map((_row, index) => item(index));
  const body = writePage(format, types, { data, page: metadata, links: linkTargets(links) });
  if (format === 'json' && !fits(body, maxBytes)) return null;
  return { body, links, metadata: metadataHeaders(format, metadata) };
}
