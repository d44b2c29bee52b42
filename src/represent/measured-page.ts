import { apiError } from '../conventions/errors.ts';
import { abandonedRequestError } from '../conventions/receive-errors.ts';
import { jsonPieces } from '../formats/json.ts';
import { endAfter, fittingCount, isBackward } from '../plan/list/page-end.ts';
import type { Page } from '../plan/plan.ts';
import type { Steps } from '../platform/time-slices.ts';
import { isRefused } from '../operations/read/list.ts';
import type { CachedPage } from '../operations/read/page-cache.ts';
import { joinBody, MAX_BODY, joinText } from './divided-body.ts';
import { pageFormat, type PageFormat, writeJsonPage } from './encode.ts';
import { linkTargets, type PageDescription } from './page-metadata.ts';
import { describePage, fitsSurely, metadataHeaders, type PageToWrite } from './page-to-write.ts';

/** The items that were read first, as many as fit, in the order of reading. */
interface MeasuredItems {
  /** In the format of the page. */
  readonly texts: readonly string[];
  /** Bytes of the items and commas as JSON; the last may be of an item that does not fit. 0 if they fit in any case. */
  readonly sizes: readonly number[];
}

/**
 * Writes a page item by item, with as many as fit.
 *
 * @throws {ApiError} PAGINATION_LIMIT_INVALID; REQUEST_NOT_ACCEPTABLE; REQUEST_MALFORMED: the client has gone
 */
export function* measuredPage(toWrite: PageToWrite): Steps<CachedPage> {
  try {
    return yield* writeMeasured(toWrite);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw tooLarge(cause);
  }
}

function* writeMeasured(toWrite: PageToWrite): Steps<CachedPage> {
  const { reply, list, types } = toWrite;
  const format = pageFormat(reply.offer.format, types);
  const { texts, sizes } = yield* measuredItems(toWrite, format);
  const end = endOfPage(toWrite, sizes, texts.length);
  if (isRefused(list, end.page)) throw limitTooLarge(toWrite, Math.floor(end.left / Math.max(...sizes)));
  const shown = texts.slice(0, end.page.rows.length);
  if (isBackward(list.query.plan.window)) shown.reverse();
  const { metadata, links } = end.description;
  const ending = format.end({ page: metadata, links: linkTargets(links) });
  const body = yield* joinBody(writePieces(format, shown, ending));
  return { body, links, metadata: metadataHeaders(reply.offer.format, metadata) };
}

/** Writes items one by one until the page is full. */
function* measuredItems(toWrite: PageToWrite, format: PageFormat): Steps<MeasuredItems> {
  const { reply, list, page, item, expandedItem, types, maxBytes } = toWrite;
  const backward = isBackward(list.query.plan.window);
  const isJson = reply.offer.format === 'json';
  const measures = isJson || isRefused(list, page) || !fitsSurely(toWrite);
  const texts: string[] = [];
  const sizes: number[] = [];
  let left = maxBytes;
  let length = 0;
  for (let read = 0; read < page.rows.length; read += 1) {
    yield;
    if (reply.exchange.request.client?.destroyed === true) throw abandonedRequestError();
    const data = (expandedItem ?? item)(backward ? page.rows.length - 1 - read : read);
    const json = measures ? yield* joinText(jsonPieces(data, types.responseType)) : '';
    const size = measures ? Buffer.byteLength(json) + 1 : 0;
    sizes.push(size);
    left -= size;
    if (left < 0 && read > 0) break;
    if (!isJson) yield;
    const text = isJson ? json : yield* joinText(format.pieces(data));
    length += text.length;
    if (length > MAX_BODY) throw new RangeError('The items of the page are too long');
    texts.push(text);
  }
  return { texts, sizes };
}

/** Writes a page from its start to its end. */
function* writePieces({ start, separator }: PageFormat, items: readonly string[], end: string): Generator<string> {
  yield start;
  for (const [index, item] of items.entries()) yield index === 0 ? item : separator + item;
  yield end;
}

/** The end of a page, and the bytes that its metadata and links leave to its items. */
interface PageEnd {
  readonly page: Page;
  readonly description: PageDescription;
  readonly left: number;
}

/**
 * Finds the end of a page. Metadata and links count too, and depend on the last item.
 *
 * @param most the number of items that fit without them
 */
function endOfPage(toWrite: PageToWrite, sizes: readonly number[], most: number): PageEnd {
  const { list, page, maxBytes } = toWrite;
  for (let count = most; ; count -= 1) {
    const shown = endAfter(page, count, list.query.plan.window);
    const description = describePage(toWrite, shown);
    const { metadata, links } = description;
    const left = maxBytes - Buffer.byteLength(writeJsonPage('[]', metadata, linkTargets(links)));
    if (count <= 1 || fittingCount(sizes.slice(0, count), left) === count) return { page: shown, description, left };
  }
}

/** @param fitting the number of items of the largest size that fit */
function limitTooLarge({ list, maxBytes }: PageToWrite, fitting: number): Error {
  const { limit } = list.query.plan.window;
  const most = Math.max(1, Math.min(fitting, limit - 1));
  const message = `A page of ${limit} of these items has more than ${maxBytes} bytes; send limit=${most}, or follow a cursor instead of page numbers.`;
  return apiError('PAGINATION_LIMIT_INVALID', message, {
    details: [{ field: 'limit', message: `must be at most ${most} for items of this size` }],
  });
}

/** The page is larger than any body may be. */
function tooLarge(cause: RangeError): Error {
  const message = 'The items of this page are too large for one response; send a smaller limit, or fewer fields.';
  return apiError('PAGINATION_LIMIT_INVALID', message, {
    details: [{ field: 'limit', message: 'is too large for items of this size' }],
    cause,
  });
}
