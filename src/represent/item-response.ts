import { abandonedRequestError } from '../conventions/receive-errors.ts';
import { WHOLE_VIEW } from '../plan/list/view.ts';
import type { MaybePromise } from '../platform/maybe-promise.ts';
import { runSteps, type Steps } from '../platform/time-slices.ts';
import type { BufferedResponse } from '../exchange/handler.ts';
import { tooLarge } from '../operations/read/related-size.ts';
import type { ExpandedRow } from '../operations/read/expand.ts';
import { type ETags, type Modified, selectResource } from '../operations/etags.ts';
import { CachedItem, judgedValues } from '../operations/read/item-cache.ts';
import type { FoundItem } from '../operations/read/item.ts';
import { canonicalLink, conditionalResponse } from './conditional-response.ts';
import { joinBody } from './divided-body.ts';
import { itemPieces, writeItem } from './encode.ts';
import { expandedWriter } from './expanded.ts';
import type { Reply } from './reply.ts';
import { viewTypes } from './view-types.ts';

/**
 * Age in milliseconds from which the date of a change, in whole seconds, differs from that of any later one (CACHE-4,
 * RFC 9110 8.8.2.2).
 */
const DISTINCT_AGE = 1_000;

/** Responds with one resource (S 4.1 GET). @throws {ApiError} 412 */
export function itemResponse(
  reply: Reply,
  found: FoundItem,
  { etags }: { readonly etags: ETags },
): MaybePromise<BufferedResponse> {
  const { request, source } = found;
  if (source.kind === 'expanded') return expandedResponse(reply, request, source.row, etags);
  const { compiled, view } = request;
  const links = itemLinks(reply, request);
  const item = source.kind === 'cached' ? source.item : writtenItem(reply, request, source);
  const tagged = etags.item(reply.variant, item, view.key);
  const selected = selectResource(compiled.resource, view.expanded, tagged, () => lastModified(item, reply, etags));
  return conditionalResponse(reply, selected, { links, body: () => item.text });
}

async function expandedResponse(
  reply: Reply,
  request: FoundItem['request'],
  row: ExpandedRow,
  etags: ETags,
): Promise<BufferedResponse> {
  const body = await runSteps(expandedBody(reply, request, row));
  // Related rows change without this row's revision and time.
  const tagged = etags.item(reply.variant, row.row, etags.digest(body));
  const selected = selectResource(request.compiled.resource, request.view.expanded, tagged);
  return conditionalResponse(reply, selected, { links: itemLinks(reply, request), body: () => body });
}

function itemLinks(reply: Reply, { compiled, within, id }: FoundItem['request']): ReturnType<typeof canonicalLink> {
  return canonicalLink(reply, (base) => reply.contract.urls.item(base, compiled.resource, within, id));
}

/**
 * Writes an item with its related rows, piece by piece if they are large.
 *
 * @throws {ApiError} REQUEST_NOT_ACCEPTABLE; QUERY_EXPAND_INVALID: the body would be too large; REQUEST_MALFORMED: the
 *   client has gone
 */
function* expandedBody(
  reply: Reply,
  { compiled, view }: FoundItem['request'],
  row: ExpandedRow,
): Steps<string | Uint8Array> {
  const item = expandedWriter(reply, view.projection)(row);
  const steps = joinBody(itemPieces(reply.offer.format, viewTypes(compiled, view, reply.contract), item));
  try {
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      yield;
      if (reply.exchange.request.client?.destroyed === true) throw abandonedRequestError();
    }
  } catch (cause) {
    throw cause instanceof RangeError ? tooLarge(reply) : cause;
  }
}

/** Offers the item of a row that was read to the cache. Its text is made when it is first needed: a 304 needs none. */
function writtenItem(
  reply: Reply,
  { compiled, within, view }: FoundItem['request'],
  { row, slot }: Extract<FoundItem['source'], { kind: 'row' }>,
): CachedItem {
  const judged = slot === null ? '' : judgedValues(slot.judged, row);
  const item = new CachedItem({ revision: row.revision, at: Date.parse(row.updated_at), judged }, () =>
    writeItem(
      reply.offer.format,
      view === WHOLE_VIEW ? compiled : viewTypes(compiled, view, reply.contract),
      compiled.representStored(row, within, reply.base, view),
    ),
  );
  slot?.set(item);
  return item;
}

/**
 * Finds the last change of a representation: of its row, or of the cache epoch, which changes the form of all rows. The
 * result is null as long as a later change could have the same date.
 */
function lastModified(item: Modified, { exchange }: Reply, { epoch }: ETags): Modified | null {
  const last = item.at < epoch.at ? epoch : item;
  return exchange.startedAt - last.at > DISTINCT_AGE ? last : null;
}
