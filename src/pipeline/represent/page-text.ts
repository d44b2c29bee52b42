import { apiError } from '../../conventions/errors.ts';
import type { JsonObject } from '../../conventions/json.ts';
import type { ResponseFormat } from '../../conventions/response-format.ts';
import { jsonWriter } from '../../formats/json.ts';
import { endAfter, endsEarly, fittingCount, isBackward } from '../../plan/page-end.ts';
import type { Page } from '../../plan/plan.ts';
import { WHOLE_VIEW } from '../../plan/view.ts';
import type { DocumentTypes } from '../contract.ts';
import type { Negotiated } from '../negotiate.ts';
import type { FoundPage } from '../read/list.ts';
import type { CachedPage } from '../read/page-cache.ts';
import type { Services } from '../services.ts';
import { writeJsonPage, writePage } from './encode.ts';
import { expandedWriter } from './expanded.ts';
import { linkTargets, pageMetadata, type PageDescription } from './page-metadata.ts';
import type { HeaderList } from './response.ts';
import { viewTypes } from './view-types.ts';

/** A page that was read, to be written in the format of its request. */
interface PageToWrite {
  readonly request: Negotiated;
  readonly list: FoundPage['request'];
  readonly page: Page;
  /** Represents the row at an index. */
  readonly item: (index: number) => JsonObject;
  readonly types: DocumentTypes;
  /** Of the page as JSON (LIM-1). */
  readonly maxBytes: number;
}

/** The most bytes that a character has in a JSON string (`\u0001`), and the most of a UTF-16 code unit in UTF-8. */
const MAX_ESCAPED = 6;
const MAX_ENCODED = 3;
/** More bytes than the names and links of an item have. */
const ITEM_FRAME = 4_096;

/**
 * Writes a page that was read. It has at most `limits.page.bytes` as JSON, whatever its format, and ends early where not all of its items fit (LIM-1). The
 * first item always fits.
 *
 * @throws {ApiError} PAGINATION_LIMIT_INVALID where a page with a number cannot have all its items, or one item is larger than a string can be
 */
export function writeFoundPage(
  request: Negotiated,
  list: FoundPage['request'],
  source: Extract<FoundPage['source'], { kind: 'rows' }>,
  services: Pick<Services, 'etags' | 'items'>,
): CachedPage {
  const toWrite = pageToWrite(request, list, source);
  return inOneString(
    () => cachedPage(toWrite, services) ?? wholePage(toWrite, source.expanded !== null) ?? measuredPage(toWrite),
  );
}

function pageToWrite(
  request: Negotiated,
  list: FoundPage['request'],
  { page, expanded }: Extract<FoundPage['source'], { kind: 'rows' }>,
): PageToWrite {
  const { compiled, query } = list;
  const { plan, view } = query;
  const { contract, base } = request;
  const at = <T>(all: readonly T[], index: number): T => {
    const found = all[index];
    if (found === undefined) throw new RangeError(`the page has no row ${index}`);
    return found;
  };
  const write = expanded === null ? null : expandedWriter(request, view.projection);
  return {
    request,
    list,
    page,
    item:
      write === null || expanded === null
        ? (index) => compiled.representStored(at(page.rows, index), plan.within, base, view)
        : (index) => write(at(expanded, index)),
    types: view === WHOLE_VIEW ? compiled : viewTypes(compiled, view, contract),
    maxBytes: contract.model.limits.page.bytes,
  };
}

/** Whether the text has at most so many bytes. Most texts are so short that they need not be counted. */
function fits(text: string, maxBytes: number): boolean {
  return text.length * MAX_ENCODED <= maxBytes || Buffer.byteLength(text) <= maxBytes;
}

function describe({ request, list }: PageToWrite, page: Page): PageDescription {
  return pageMetadata(request, list.compiled, list.query, page);
}

function isRefused({ list }: PageToWrite, page: Page): boolean {
  const { pagination, plan } = list.query;
  return pagination.technique === 'page' && endsEarly(page, plan.window);
}

/** The page of items that are all in the cache; null elsewhere, and where it would be too large. */
function cachedPage(toWrite: PageToWrite, services: Pick<Services, 'etags' | 'items'>): CachedPage | null {
  const { request, list, page, maxBytes } = toWrite;
  if (request.offer.format !== 'json' || list.query.view !== WHOLE_VIEW || isRefused(toWrite, page)) return null;
  const items = cachedItems(toWrite, services);
  if (items === null) return null;
  const { metadata, links } = describe(toWrite, page);
  const text = writeJsonPage(`[${items.join(',')}]`, metadata, linkTargets(links));
  return fits(text, maxBytes) ? { text, links, metadata: [] } : null;
}

/** The JSON of all items where each is cached; null where one is not: a page is written faster in one piece then. */
function cachedItems(
  { request, list, page }: PageToWrite,
  { etags, items }: Pick<Services, 'etags' | 'items'>,
): readonly string[] | null {
  const { resource, within } = list.query.plan;
  if (within.length > 0) return null;
  const variant = etags.variantKey(request);
  const texts: string[] = [];
  for (const { id, revision } of page.rows) {
    const stamp = request.rows.rowStamp(resource, id);
    const cached = stamp === null ? null : items.of({ resource, id, variant, stamp }).get();
    if (cached?.revision !== revision) return null;
    texts.push(cached.text);
  }
  return texts;
}

/** The page in one piece; null where it is too large, or may be. @param hasRelated whether it has items whose size is not known */
function wholePage(toWrite: PageToWrite, hasRelated: boolean): CachedPage | null {
  const { request, list, page, item, types, maxBytes } = toWrite;
  const { format } = request.offer;
  const { resource } = list.compiled;
  const frames = format === 'json' ? 0 : page.rows.length * ITEM_FRAME;
  const isSmall = page.size * MAX_ESCAPED + frames <= maxBytes && resource.computed.length === 0 && !hasRelated;
  if (!isSmall || isRefused(toWrite, page)) return null;
  const description = describe(toWrite, page);
  const data = page.rows.map((_row, index) => item(index));
  const written = documentOf(format, types, data, description);
  return format !== 'json' || fits(written.text, maxBytes) ? written : null;
}

function documentOf(
  format: ResponseFormat,
  types: DocumentTypes,
  data: readonly JsonObject[],
  { metadata, links }: PageDescription,
): CachedPage {
  const text = writePage(format, types, { data, page: metadata, links: linkTargets(links) });
  return { text, links, metadata: metadataHeaders(format, metadata) };
}

/** The items that were read first, as many as fit, in the order of reading. */
interface MeasuredItems {
  readonly data: readonly JsonObject[];
  readonly texts: readonly string[];
  /** Bytes of the items and commas; the last may be of an item that does not fit. */
  readonly sizes: readonly number[];
}

/** Writes items one by one until the page is full. */
function measuredItems({ list, page, item, types, maxBytes }: PageToWrite): MeasuredItems {
  const backward = isBackward(list.query.plan.window);
  const data: JsonObject[] = [];
  const texts: string[] = [];
  const sizes: number[] = [];
  let left = maxBytes;
  for (let read = 0; read < page.rows.length; read += 1) {
    const json = item(backward ? page.rows.length - 1 - read : read);
    const text = jsonWriter(types.responseType)(json);
    const size = Buffer.byteLength(text) + 1;
    sizes.push(size);
    left -= size;
    if (left < 0 && read > 0) break;
    data.push(json);
    texts.push(text);
  }
  return { data, texts, sizes };
}

/** The page with as many items as fit. @throws {ApiError} PAGINATION_LIMIT_INVALID */
function measuredPage(toWrite: PageToWrite): CachedPage {
  const { request, list, types } = toWrite;
  const { window } = list.query.plan;
  const { data, texts, sizes } = measuredItems(toWrite);
  const end = endOfPage(toWrite, sizes, data.length);
  if (isRefused(toWrite, end.page)) throw limitTooLarge(toWrite, Math.floor(end.left / Math.max(...sizes)));
  const inOrder = <T>(items: readonly T[]): readonly T[] => {
    const shown = items.slice(0, end.page.rows.length);
    return isBackward(window) ? shown.reverse() : shown;
  };
  const { description } = end;
  if (request.offer.format !== 'json') {
    return documentOf(request.offer.format, types, inOrder(data), description);
  }
  const { metadata, links } = description;
  const text = writeJsonPage(`[${inOrder(texts).join(',')}]`, metadata, linkTargets(links));
  return { text, links, metadata: [] };
}

/** Where a page ends, and the bytes that its metadata and links leave to its items. */
interface PageEnd {
  readonly page: Page;
  readonly description: PageDescription;
  readonly left: number;
}

/** Metadata and links count too, and depend on the last item. @param most how many items fit without them */
function endOfPage(toWrite: PageToWrite, sizes: readonly number[], most: number): PageEnd {
  const { list, page, maxBytes } = toWrite;
  for (let count = most; ; count -= 1) {
    const shown = endAfter(page, count, list.query.plan.window);
    const description = describe(toWrite, shown);
    const { metadata, links } = description;
    const left = maxBytes - Buffer.byteLength(writeJsonPage('[]', metadata, linkTargets(links)));
    if (count <= 1 || fittingCount(sizes.slice(0, count), left) === count) return { page: shown, description, left };
  }
}

/** @param fitting how many items of the largest size fit */
function limitTooLarge({ list, maxBytes }: PageToWrite, fitting: number): Error {
  const { limit } = list.query.plan.window;
  const most = Math.max(1, Math.min(fitting, limit - 1));
  const message = `A page of ${limit} of these items has more than ${maxBytes} bytes; send limit=${most}, or follow a cursor instead of page numbers.`;
  return apiError('PAGINATION_LIMIT_INVALID', message, {
    details: [{ field: 'limit', message: `must be at most ${most} for items of this size` }],
  });
}

/** @throws {ApiError} PAGINATION_LIMIT_INVALID where an item is larger than a string can be */
function inOneString<T>(write: () => T): T {
  try {
    return write();
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    const message = 'The items of this page are too large for one response; send a smaller limit, or fewer fields.';
    throw apiError('PAGINATION_LIMIT_INVALID', message, {
      details: [{ field: 'limit', message: 'is too large for items of this size' }],
      cause,
    });
  }
}

/** Page metadata as header fields, for formats without room for it (NEG-1). */
function metadataHeaders(format: ResponseFormat, { next_cursor: cursor, total_count: total }: JsonObject): HeaderList {
  if (format === 'json' || format === 'xml') return [];
  return [
    ...(typeof cursor === 'string' ? ['X-Next-Cursor', cursor] : []),
    ...(typeof total === 'number' ? ['X-Total-Count', String(total)] : []),
  ];
}
