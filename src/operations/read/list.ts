import type { ETagsByLength } from '../../conventions/headers/etag.ts';
import { listedETag, type Preconditions } from '../../conventions/headers/preconditions.ts';
import type { CompiledResource } from '../../contract/contract.ts';
import type { Variant } from '../../contract/variants.ts';
import { relatedResources } from '../../plan/condition.ts';
import type { ListQuery } from '../../plan/list/list-query.ts';
import { endsEarly } from '../../plan/list/page-end.ts';
import type { Count, ExpectedStamp, Page } from '../../plan/plan.ts';
import { type MaybePromise, chain } from '../../platform/maybe-promise.ts';
import type { Caller } from '../caller.ts';
import { type ETags, isNotModified, type SelectedRepresentation, selectResource, stampedRows } from '../etags.ts';
import type { StampedRows } from '../visible-rows.ts';
import { type ExpandedRow, expandPage } from './expand.ts';
import { requireAncestors } from './item.ts';
import type { ItemCache } from './item-cache.ts';
import type { CachedPage, PageCache } from './page-cache.ts';

/** A read of one page of a collection. */
export interface ListRequest {
  readonly kind: 'list';
  readonly compiled: CompiledResource;
  readonly query: ListQuery;
  /** The form in which it is represented, and cached. */
  readonly variant: Variant;
  readonly preconditions: Preconditions;
  /** True if the page is a JSON array of whole items, so that cached ones can be joined. */
  readonly joinsItems: boolean;
}

/** A page of a collection, read or found in the cache. */
export interface FoundPage {
  readonly kind: 'page';
  readonly request: ListRequest;
  readonly selected: SelectedRepresentation;
  readonly source: { readonly kind: 'cached'; readonly page: CachedPage } | ({ readonly kind: 'rows' } & ReadPage);
}

/** A page that was read. */
export interface ReadPage {
  readonly page: Page;
  /** null if nothing is expanded. */
  readonly expanded: readonly ExpandedRow[] | null;
  /** The cached JSON of all its items; null if one is not cached. */
  readonly cachedItems: readonly string[] | null;
  /** True if it is cached by the ETag made before: nothing was written to its resources while it was read. */
  readonly isCurrent: boolean;
  /** True if that ETag names it for clients, too. If false, its bytes do. */
  readonly isCounted: boolean;
}

/** A page of which the client has a current copy. */
export interface UnmodifiedPage {
  readonly kind: 'not-modified';
  readonly selected: SelectedRepresentation;
  readonly etag: string;
}

/** Services of {@link readList}. */
interface ListServices {
  readonly etags: ETags;
  readonly items: ItemCache;
  readonly pages: PageCache;
}

/** The stamps of all resources in a page, and the ETag made from them. */
interface PageState {
  readonly parts: readonly StampedRows[];
  readonly stamps: readonly number[];
  readonly selected: SelectedRepresentation;
}

/**
 * Reads one page of a collection (section 5 of the contract), for GET, HEAD and QUERY. An unmodified or cached page is
 * found without reading a row.
 *
 * @throws {ApiError} 404 of an absent ancestor; 412
 */
export function readList(
  caller: Caller,
  list: ListRequest,
  services: ListServices,
): MaybePromise<FoundPage | UnmodifiedPage> {
  const { within } = list.query.plan;
  if (within.length > 0) return requireAncestors(caller, within).then(() => readExisting(caller, list, services));
  return readExisting(caller, list, services);
}

function readExisting(
  caller: Caller,
  list: ListRequest,
  services: ListServices,
): MaybePromise<FoundPage | UnmodifiedPage> {
  const parts = stampedRows(list.query, caller);
  const select = (stamps: readonly number[]): PageState => {
    return { parts, stamps, selected: selectPage(caller, list, stamps, services) };
  };
  const last = parts.map(({ resource }) => caller.rows.lastStamp(resource)).filter((stamp) => stamp !== null);
  if (last.length === parts.length) {
    // A page that is read now is valid for the last stamps: only a cached one needs a question.
    const state = select(last);
    if (services.pages.get(state.selected.etags.short) === undefined)
      return readPage(caller, list, state, services.items);
  }
  return chain(caller.rows.stampsOf(parts), (stamps) => findPage(caller, list, select(stamps), services));
}

function selectPage(
  caller: Caller,
  { compiled, query, variant }: ListRequest,
  stamps: readonly number[],
  { etags }: ListServices,
): SelectedRepresentation {
  const filtered = relatedResources(query.plan.filter).map((name) => caller.contract.resourceOf(name).resource);
  const others = [...query.view.expanded, ...filtered];
  return selectResource(compiled.resource, others, etags.collection(variant, query, stamps, caller));
}

function findPage(
  caller: Caller,
  list: ListRequest,
  state: PageState,
  { items, pages }: ListServices,
): MaybePromise<FoundPage | UnmodifiedPage> {
  const { preconditions } = list;
  const { selected } = state;
  // A client that names this ETag has received the page. Otherwise the page may be too large, which is judged before
  // conditions.
  const etag = listedETag(preconditions, selected.etags);
  if (etag !== null && isNotModified(preconditions, selected)) return { kind: 'not-modified', selected, etag };
  const cached = pages.get(selected.etags.short);
  if (cached !== undefined) return { kind: 'page', request: list, selected, source: { kind: 'cached', page: cached } };
  return readPage(caller, list, state, items);
}

/**
 * Reads a page, synchronously if the store is synchronous and nothing is expanded. A response in the same tick needs no
 * timeout and is sent with others.
 */
function readPage(caller: Caller, list: ListRequest, state: PageState, items: ItemCache): MaybePromise<FoundPage> {
  const { plan, view } = list.query;
  return chain(caller.rows.list({ ...plan, count: pageCount(caller, plan) }), (page) =>
    view.expansions.length === 0
      ? finishPage(caller, list, state, { page, expanded: null, cachedItems: joinableItems(caller, list, page, items) })
      : expandPage(caller, list.compiled, list.query, page).then((rows) =>
          finishPage(caller, list, state, { ...rows, cachedItems: null }),
        ),
  );
}

/** Rows that policies restrict have no counter: they are counted up to the cap (PAGE-9). */
function pageCount({ rows, contract }: Caller, { resource, count }: ListQuery['plan']): Count {
  if (count.kind !== 'exact' || rows.visibility(resource).kind === 'everything') return count;
  return { kind: 'capped', cap: contract.model.limits.page.countCap };
}

function finishPage(
  { rows }: Caller,
  list: ListRequest,
  { parts, stamps, selected }: PageState,
  read: Omit<ReadPage, 'isCurrent' | 'isCounted'>,
): MaybePromise<FoundPage> {
  const found = { kind: 'page', request: list, selected } as const;
  const bases = new Set(parts.map(({ resource }) => rows.stampBasis(resource)));
  // If something was committed meanwhile, the stamps never return, and nothing finds the page by them.
  if (bases.has('snapshots') && !bases.has('nothing'))
    return { ...found, source: { kind: 'rows', ...read, isCurrent: true, isCounted: false } };
  return chain(rows.stampsOf(parts), (after) => {
    const isCurrent = after.every((stamp, index) => stamp === stamps[index]);
    return { ...found, source: { kind: 'rows', ...read, isCurrent, isCounted: true } };
  });
}

/** True if not all items of a page fit and it cannot end early, because the next page would begin elsewhere. */
export function isRefused({ query }: ListRequest, page: Page): boolean {
  return query.pagination.technique === 'page' && endsEarly(page, query.plan.window);
}

/**
 * Finds the cached JSON of all items; null if any is not cached, because a page is then written faster in one piece.
 */
function joinableItems({ rows }: Caller, list: ListRequest, page: Page, items: ItemCache): readonly string[] | null {
  const { resource, within } = list.query.plan;
  if (!list.joinsItems || within.length > 0 || isRefused(list, page)) return null;
  const { judged } = list.compiled;
  const variant = list.variant.id;
  const texts: string[] = [];
  for (const { id, revision } of page.rows) {
    // The revision is that of the row now: a change that is not yet known has another revision.
    const stamp = rows.knownRowStamp(resource, id);
    const cached = stamp === null ? null : items.slot({ resource, id, variant, stamp, judged }).get();
    if (cached?.revision !== revision) return null;
    texts.push(cached.text);
  }
  return texts;
}

/** A collection in the form of a response, as the preconditions of a POST name it. */
export interface CollectionForm {
  readonly query: ListQuery;
  readonly variant: Variant;
}

/** The ETags that a collection has for a caller, and the stamps that they are made of. */
interface CollectionState {
  readonly etags: ETagsByLength;
  readonly seen: readonly ExpectedStamp[];
  /** False if other programs write its rows, and no one counts their writes: no ETag names its state. */
  readonly isCounted: boolean;
}

/** Reads the state of a collection for this caller now (CACHE-3). */
export async function collectionState(
  caller: Caller,
  { query, variant }: CollectionForm,
  { etags }: { readonly etags: ETags },
): Promise<CollectionState> {
  const parts = stampedRows(query, caller);
  const resources = [...new Set(parts.map(({ resource }) => resource))];
  // Stamps that must not change are those of whole resources. They are read first: a change in between is refused.
  const whole = await caller.rows.resourceStamps(resources);
  const stamps = await caller.rows.stampsOf(parts);
  const seen = resources.map((resource, index) => ({ resource, stamp: whole[index] ?? 0 }));
  const isCounted = resources.every((resource) => caller.rows.stampBasis(resource) === 'commits');
  return { etags: etags.collection(variant, query, stamps, caller), seen, isCounted };
}
