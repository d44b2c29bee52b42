import type { BufferedResponse } from '../exchange.ts';
import type { Negotiated } from '../negotiate.ts';
import type { FoundPage } from '../read/list.ts';
import type { CachedPage } from '../read/page-cache.ts';
import type { Services } from '../services.ts';
import { canonicalLink, conditionalResponse, type SelectedRepresentation } from './conditional-response.ts';
import { selfQuery } from './page-metadata.ts';
import { writeFoundPage } from './page-text.ts';

type PageServices = Pick<Services, 'etags' | 'items' | 'pages'>;

/** One page of a collection. @throws {ApiError} 412; PAGINATION_LIMIT_INVALID where its items are too large for one page */
export function pageResponse(request: Negotiated, found: FoundPage, services: PageServices): BufferedResponse {
  const { compiled, query } = found.request;
  const { page, selected } = pageOf(request, found, services);
  const { urls } = request.contract;
  const canonical = canonicalLink(request, (base) =>
    urls.collection(base, compiled.resource, query.plan.within, selfQuery(query)),
  );
  const self = page.links.find(({ rel }) => rel === 'self');
  const location = request.method === 'QUERY' && self !== undefined ? ['Location', self.href] : [];
  return conditionalResponse(request, selected, {
    links: [...page.links, ...canonical],
    headers: [...page.metadata, ...location],
    body: () => page.text,
  });
}

/** The page with the ETag that names it. */
function pageOf(
  request: Negotiated,
  found: FoundPage,
  services: PageServices,
): { readonly page: CachedPage; readonly selected: SelectedRepresentation } {
  const { source, selected } = found;
  if (source.kind === 'cached') return { page: source.page, selected };
  const page = writeFoundPage(request, found.request, source, services);
  if (source.isCurrent) {
    services.pages.set(selected.etags.short, page);
    return { page, selected };
  }
  // What was written while the page was read may be on it or not: only its bytes name it.
  const etag = services.etags.content(request, page.text);
  return { page, selected: { ...selected, etags: { short: etag, long: etag } } };
}
