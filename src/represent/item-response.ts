import { abandonedRequestError } from '../conventions/receive-errors.ts';
import { WHOLE_VIEW } from '../plan/list/view.ts';
import { chain, type MaybePromise } from '../platform/maybe-promise.ts';
import { runSteps, type Steps } from '../platform/time-slices.ts';
import type { BufferedResponse } from '../exchange/handler.ts';
import type { Negotiated } from '../pipeline/negotiate.ts';
import { tooLarge } from '../operations/read/related-size.ts';
import type { ExpandedRow } from '../operations/read/expand.ts';
import { CachedItem, type Modified } from '../operations/read/item-cache.ts';
import { judgedValues } from '../operations/read/judged-item.ts';
import type { FoundItem } from '../operations/read/item.ts';
import type { Services } from '../pipeline/services.ts';
import { canonicalLink, conditionalResponse, selectedOf } from './conditional-response.ts';
import { bodyOf } from './divided-body.ts';
import { itemPieces, writeItem } from './encode.ts';
import type { ETags } from '../operations/etags.ts';
import { expandedWriter } from './expanded.ts';
import { viewTypes } from './view-types.ts';

/** A change of this age in milliseconds has another date in whole seconds than any later one (CACHE-4, RFC 9110 8.8.2.2). */
const DISTINCT_AGE = 1_000;

/** One resource (S 4.1 GET). @throws {ApiError} 412 */
export function itemResponse(
  request: Negotiated,
  found: FoundItem,
  { etags }: Pick<Services, 'etags'>,
): MaybePromise<BufferedResponse> {
  const { compiled, within, id, view } = found.request;
  const { urls } = request.contract;
  const links = canonicalLink(request, (base) => urls.item(base, compiled.resource, within, id));
  const { source } = found;
  if (source.kind === 'expanded') {
    return chain(runSteps(expandedBody(request, found.request, source.row)), (body) => {
      // Related rows change without this row's revision and time.
      const tagged = etags.item(request, source.row.row, etags.digest(body));
      return conditionalResponse(request, selectedOf(compiled.resource, view.expanded, tagged), {
        links,
        body: () => body,
      });
    });
  }
  const item = source.kind === 'cached' ? source.item : writtenItem(request, found.request, source);
  const tagged = etags.item(request, item, view.key);
  const selected = selectedOf(compiled.resource, view.expanded, tagged, () => lastModified(item, request, etags));
  return conditionalResponse(request, selected, { links, body: () => item.text });
}

/**
 * Written piece by piece where related rows are large.
 *
 * @throws {ApiError} REQUEST_NOT_ACCEPTABLE; QUERY_EXPAND_INVALID where the body would be too large; REQUEST_MALFORMED where the client has gone
 */
function* expandedBody(
  request: Negotiated,
  { compiled, view }: FoundItem['request'],
  row: ExpandedRow,
): Steps<string | Uint8Array> {
  const item = expandedWriter(request, view.projection)(row);
  const steps = bodyOf(itemPieces(request.offer.format, viewTypes(compiled, view, request.contract), item));
  try {
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      yield;
      if (request.request.client?.destroyed === true) throw abandonedRequestError();
    }
  } catch (cause) {
    throw cause instanceof RangeError ? tooLarge(request) : cause;
  }
}

/** The item of a row that was read, offered to the cache. Its text is made when it is first needed: a 304 needs none. */
function writtenItem(
  request: Negotiated,
  { compiled, within, view }: FoundItem['request'],
  { row, slot }: Extract<FoundItem['source'], { kind: 'row' }>,
): CachedItem {
  const judged = slot === null ? '' : judgedValues(slot.judged, row);
  const item = new CachedItem({ revision: row.revision, at: Date.parse(row.updated_at), judged }, () =>
    writeItem(
      request.offer.format,
      view === WHOLE_VIEW ? compiled : viewTypes(compiled, view, request.contract),
      compiled.representStored(row, within, request.base, view),
    ),
  );
  slot?.set(item);
  return item;
}

/**
 * When a representation last changed: with its row, or with the cache epoch, which changes how rows are represented. null as long as a later
 * change could have the same date.
 */
function lastModified(item: Modified, { exchange }: Negotiated, { epoch }: ETags): Modified | null {
  const last = item.at < epoch.at ? epoch : item;
  return exchange.startedAt - last.at > DISTINCT_AGE ? last : null;
}
