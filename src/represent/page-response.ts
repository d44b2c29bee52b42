import type { BufferedResponse } from '../exchange/handler.ts';
import { type ETags, type SelectedRepresentation, selfQuery } from '../operations/etags.ts';
import type { FoundPage, ReadPage } from '../operations/read/list.ts';
import type { CachedPage, PageCache } from '../operations/read/page-cache.ts';
import { chain, type MaybePromise } from '../platform/maybe-promise.ts';
import { canonicalLink, conditionalResponse } from './conditional-response.ts';
import { writeFoundPage } from './page-text.ts';
import type { Reply } from './reply.ts';

/** Services that represent pages. */
interface PageServices {
  readonly etags: ETags;
  readonly pages: PageCache;
}

/**
 * Responds with one page of a collection.
 *
 * @throws {ApiError} 412; PAGINATION_LIMIT_INVALID: its items are too large for one page
 */
export function pageResponse(reply: Reply, found: FoundPage, services: PageServices): MaybePromise<BufferedResponse> {
  const { source, selected } = found;
  if (source.kind === 'cached') return respondWith(reply, found, nameByBytes(source.page, selected));
  return chain(writeFoundPage(reply, found.request, source), (page) =>
    respondWith(reply, found, cachePage(reply, page, { ...source, selected }, services)),
  );
}

/** A page with the ETag that names it. */
interface SelectedPage {
  readonly page: CachedPage;
  readonly selected: SelectedRepresentation;
}

/** Caches a page under its ETag. Writes while a page is represented are not on it; only the time of reading counts. */
function cachePage(
  reply: Reply,
  page: CachedPage,
  { selected, isCurrent, isCounted }: Pick<SelectedPage, 'selected'> & Pick<ReadPage, 'isCurrent' | 'isCounted'>,
  { etags, pages }: PageServices,
): SelectedPage {
  // Writes while the page was read may or may not be on it, so its ETag depends on its bytes.
  const named = isCurrent && isCounted ? page : { ...page, etag: etags.content(reply.variant, page.body) };
  if (isCurrent) pages.set(selected.etags.short, named);
  return nameByBytes(named, selected);
}

/** Selects the ETag of the bytes of a page, if that is the one by which clients know it. */
function nameByBytes(page: CachedPage, selected: SelectedRepresentation): SelectedPage {
  const { etag } = page;
  return { page, selected: etag === undefined ? selected : { ...selected, etags: { short: etag, long: etag } } };
}

function respondWith(reply: Reply, found: FoundPage, { page, selected }: SelectedPage): BufferedResponse {
  const { compiled, query } = found.request;
  const { urls } = reply.contract;
  const canonical = canonicalLink(reply, (base) =>
    urls.collection(base, compiled.resource, query.plan.within, selfQuery(query)),
  );
  const self = page.links.find(({ rel }) => rel === 'self');
  const isQuery = reply.exchange.request.method === 'QUERY';
  const location = isQuery && self !== undefined ? ['Location', self.href] : [];
  return conditionalResponse(reply, selected, {
    links: [...page.links, ...canonical],
    headers: [...page.metadata, ...location],
    body: () => page.body,
  });
}
