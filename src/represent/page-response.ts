import type { MaybePromise } from '../platform/maybe-promise.ts';
import type { BufferedResponse } from '../exchange/handler.ts';
import type { Negotiated } from '../pipeline/negotiate.ts';
import type { FoundPage } from '../operations/read/list.ts';
import type { CachedPage } from '../operations/read/page-cache.ts';
import type { Services } from '../pipeline/services.ts';
import { canonicalLink, conditionalResponse, type SelectedRepresentation } from './conditional-response.ts';
import { selfQuery } from './page-metadata.ts';
import { writeFoundPage } from './page-text.ts';

type PageServices = Pick<Services, 'etags' | 'items' | 'pages'>;

/** One page of a collection. @throws {ApiError} 412; PAGINATION_LIMIT_INVALID where its items are too large for one page */
export function pageResponse(
  request: Negotiated,
  found: FoundPage,
  services: PageServices,
): MaybePromise<BufferedResponse> {
  const page = pageOf(request, found, services);
  return page instanceof Promise ? page.then((each) => respond(request, found, each)) : respond(request, found, page);
}

function respond(request: Negotiated, found: FoundPage, { page, selected }: SelectedPage): BufferedResponse {
  const { compiled, query } = found.request;
  const { urls } = request.contract;
  const canonical = canonicalLink(request, (base) =>
    urls.collection(base, compiled.resource, query.plan.within, selfQuery(query)),
  );
  const self = page.links.find(({ rel }) => rel === 'self');
  const location = request.method === 'QUERY' && self !== undefined ? ['Location', self.href] : [];
  return conditionalResponse(request, selected, {
    links: [...page.links, ...canonical],
    headers: [...page.metadata, ...location],
    body: () => page.body,
  });
}

/** A page with the ETag that names it. */
interface SelectedPage {
  readonly page: CachedPage;
  readonly selected: SelectedRepresentation;
}

function pageOf(request: Negotiated, found: FoundPage, services: PageServices): MaybePromise<SelectedPage> {
  const { source, selected } = found;
  if (source.kind === 'cached') return { page: source.page, selected };
  const page = writeFoundPage(request, found.request, source, services);
  const { isCurrent } = source;
  return page instanceof Promise
    ? page.then((written) => selectedPage(request, written, { selected, isCurrent }, services))
    : selectedPage(request, page, { selected, isCurrent }, services);
}

/** The page with the ETag that names it. What is written while a page is represented is not on it: only the time of reading counts. */
function selectedPage(
  request: Negotiated,
  page: CachedPage,
  { selected, isCurrent }: { readonly selected: SelectedRepresentation; readonly isCurrent: boolean },
  { etags, pages }: PageServices,
): SelectedPage {
  if (isCurrent) {
    pages.set(selected.etags.short, page);
    return { page, selected };
  }
  // What was written while the page was read may be on it or not: only its bytes name it.
  const etag = etags.content(request, page.body);
  return { page, selected: { ...selected, etags: { short: etag, long: etag } } };
}
