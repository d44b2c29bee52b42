import type { ETagsByLength } from '../../conventions/headers/etag.ts';
import { listedETag } from '../../conventions/headers/preconditions.ts';
import { relatedResources } from '../../plan/condition.ts';
import type { ListQuery } from '../../plan/list/list-query.ts';
import type { Count, ExpectedStamp, Page } from '../../plan/plan.ts';
import { type MaybePromise, chain } from '../../platform/maybe-promise.ts';
import type { CompiledResource } from '../../contract/contract.ts';
import type { Negotiated } from '../../pipeline/negotiate.ts';
import { stampedRows } from '../etags.ts';
import type { StampedRows } from '../visible-rows.ts';
import { isNotModified, selectedOf, type SelectedRepresentation } from '../../represent/conditional-response.ts';
import type { Services } from '../../pipeline/services.ts';
import { type ExpandedRow, expandPage } from './expand.ts';
import { requireAncestors } from './item.ts';
import type { CachedPage } from './page-cache.ts';

/** Reading a page of a collection. */
export interface ListRequest {
  readonly kind: 'list';
  readonly compiled: CompiledResource;
  readonly query: ListQuery;
}

/** A page of a collection, read or found in the cache. */
export interface FoundPage {
  readonly kind: 'page';
  readonly request: ListRequest;
  readonly selected: SelectedRepresentation;
  readonly source:
    | { readonly kind: 'cached'; readonly page: CachedPage }
    /** `isCurrent` says whether nothing was written to its resources while it was read: only then the ETag made before names it. */
    | {
        readonly kind: 'rows';
        readonly page: Page;
        readonly expanded: readonly ExpandedRow[] | null;
        readonly isCurrent: boolean;
      };
}

/** The caller's page is current. */
interface UnmodifiedPage {
  readonly kind: 'not-modified';
  readonly selected: SelectedRepresentation;
  readonly etag: string;
}

type ListServices = Pick<Services, 'etags' | 'pages'>;

/** The stamps of all resources that a page is made of, and the ETag that they make. */
interface PageState {
  readonly parts: readonly StampedRows[];
  readonly stamps: readonly number[];
  readonly selected: SelectedRepresentation;
}

/**
 * Reads one page of a collection (section 5 of the contract), for GET, HEAD and QUERY: a 304 or a page from the cache without reading a row.
 *
 * @throws {ApiError} 404 of an absent ancestor; 412
 */
export function readList(
  request: Negotiated,
  list: ListRequest,
  services: ListServices,
): MaybePromise<FoundPage | UnmodifiedPage> {
  const { within } = list.query.plan;
  const page = (): MaybePromise<FoundPage | UnmodifiedPage> =>
    chain(pageState(request, list, services), (state) => findPage(request, list, state, services));
  return within.length === 0 ? page() : requireAncestors(request, within).then(page);
}

function pageState(
  request: Negotiated,
  { compiled, query }: ListRequest,
  { etags }: ListServices,
): MaybePromise<PageState> {
  const parts = stampedRows(query, request);
  return chain(request.rows.stampsOf(parts), (stamps) => {
    const filtered = relatedResources(query.plan.filter).map((name) => request.contract.resourceOf(name).resource);
    const others = [...query.view.expanded, ...filtered];
    const selected = selectedOf(compiled.resource, others, etags.collection(request, query, stamps));
    return { parts, stamps, selected };
  });
}

function findPage(
  request: Negotiated,
  list: ListRequest,
  state: PageState,
  { pages }: ListServices,
): MaybePromise<FoundPage | UnmodifiedPage> {
  const { selected } = state;
  // A client that names this ETag has been sent the page. Without it the page may turn out to be too large, which is judged before conditions.
  const etag = listedETag(request.preconditions, selected.etags);
  if (etag !== null && isNotModified(request, selected)) return { kind: 'not-modified', selected, etag };
  const cached = pages.get(selected.etags.short);
  if (cached !== undefined) return { kind: 'page', request: list, selected, source: { kind: 'cached', page: cached } };
  return readPage(request, list, state);
}

/** Synchronous where the store is and nothing is expanded: a response in the same tick needs no timeout and is sent with others. */
function readPage(request: Negotiated, list: ListRequest, state: PageState): MaybePromise<FoundPage> {
  const { plan, view } = list.query;
  return chain(request.rows.list({ ...plan, count: countOf(request, plan) }), (page) =>
    view.expansions.length === 0
      ? foundPage(request, list, state, { page, expanded: null })
      : expandPage(request, list.compiled, list.query, page).then((rows) => foundPage(request, list, state, rows)),
  );
}

/** Rows that policies restrict have no counter: they are counted up to the cap (PAGE-9). */
function countOf({ rows, contract }: Negotiated, { resource, count }: ListQuery['plan']): Count {
  if (count.kind !== 'exact' || rows.visibility(resource).kind === 'everything') return count;
  return { kind: 'capped', cap: contract.model.limits.page.countCap };
}

function foundPage(
  request: Negotiated,
  list: ListRequest,
  { parts, stamps, selected }: PageState,
  rows: Pick<Extract<FoundPage['source'], { kind: 'rows' }>, 'page' | 'expanded'>,
): MaybePromise<FoundPage> {
  return chain(request.rows.stampsOf(parts), (after) => {
    const isCurrent = after.every((stamp, index) => stamp === stamps[index]);
    return { kind: 'page', request: list, selected, source: { kind: 'rows', ...rows, isCurrent } };
  });
}

/** The ETags that a collection has for this caller now, which preconditions of a POST are compared with (CACHE-3), and the stamps it is made of. */
export async function collectionState(
  request: Negotiated,
  query: ListQuery,
  { etags }: Pick<Services, 'etags'>,
): Promise<{ readonly etags: ETagsByLength; readonly seen: readonly ExpectedStamp[] }> {
  const parts = stampedRows(query, request);
  const resources = [...new Set(parts.map(({ resource }) => resource))];
  // What no write may change meanwhile has stamps of whole resources. They are read first: what changes in between is refused.
  const whole = await request.rows.resourceStamps(resources);
  const stamps = await request.rows.stampsOf(parts);
  const seen = resources.map((resource, index) => ({ resource, stamp: whole[index] ?? 0 }));
  return { etags: etags.collection(request, query, stamps), seen };
}
