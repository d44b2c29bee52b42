import { apiError } from '../../conventions/errors.ts';
import type { JsonObject } from '../../conventions/json.ts';
import type { ResponseFormat } from '../../conventions/response-format.ts';
import type { ListRead, Page } from '../../plan/plan.ts';
import { WHOLE_VIEW } from '../../plan/view.ts';
import type { BufferedResponse } from '../exchange.ts';
import type { Negotiated } from '../negotiate.ts';
import type { FoundPage } from '../read/list.ts';
import type { CachedPage } from '../read/page-cache.ts';
import type { Services } from '../services.ts';
import { canonicalLink, conditionalResponse, type SelectedRepresentation } from './conditional-response.ts';
import { writeJsonPage, writePage } from './encode.ts';
import { representAllExpanded } from './expanded.ts';
import { linkTargets, pageMetadata, selfQuery } from './page-metadata.ts';
import type { HeaderList } from './response.ts';
import { viewTypes } from './view-types.ts';

type PageServices = Pick<Services, 'etags' | 'items' | 'pages'>;

/** One page of a collection. @throws {ApiError} 412; PAGINATION_LIMIT_INVALID where its items are too large for one body */
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
  const page = writtenPage(request, found, services);
  if (source.isCurrent) {
    services.pages.set(selected.etags.short, page);
    return { page, selected };
  }
  // What was written while the page was read may be on it or not: only its bytes name it.
  const etag = services.etags.content(request, page.text);
  return { page, selected: { ...selected, etags: { short: etag, long: etag } } };
}

function writtenPage(request: Negotiated, { request: list, source }: FoundPage, services: PageServices): CachedPage {
  if (source.kind === 'cached') return source.page;
  const { compiled, query } = list;
  const { plan, view } = query;
  const { format } = request.offer;
  const { metadata, links } = pageMetadata(request, compiled, query, source.page);
  const cached = format === 'json' && view === WHOLE_VIEW ? cachedItems(request, plan, source.page, services) : null;
  if (cached !== null) {
    const text = inOneString(() => writeJsonPage(`[${cached.join(',')}]`, metadata, linkTargets(links)));
    return { text, links, metadata: [] };
  }
  const data =
    source.expanded === null
      ? source.page.rows.map((row) => compiled.representStored(row, plan.within, request.base, view))
      : representAllExpanded(request, source.expanded, view.projection);
  const types = view === WHOLE_VIEW ? compiled : viewTypes(compiled, view, request.contract);
  const document = { data, page: metadata, links: linkTargets(links) };
  const text = inOneString(() => writePage(format, types, document));
  return { text, links, metadata: metadataHeaders(format, metadata) };
}

/** The JSON of all items where each is cached; null where one is not: a page is written faster in one piece then. */
function cachedItems(
  request: Negotiated,
  { resource, within }: ListRead,
  { rows }: Page,
  { etags, items }: PageServices,
): readonly string[] | null {
  if (within.length > 0) return null;
  const variant = etags.variantKey(request);
  const texts: string[] = [];
  for (const { id, revision } of rows) {
    const stamp = request.rows.rowStamp(resource, id);
    const cached = stamp === null ? null : items.of({ resource, id, variant, stamp }).get();
    if (cached?.revision !== revision) return null;
    texts.push(cached.text);
  }
  return texts;
}

/** @throws {ApiError} PAGINATION_LIMIT_INVALID where the rows are larger than a string can be */
function inOneString(write: () => string): string {
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
