import type { ResponseFormat } from '../../conventions/response-format.ts';
import { apiError } from '../../conventions/errors.ts';
import { matchesWeakly, type ETagList } from '../../conventions/etag.ts';
import type { JsonObject } from '../../conventions/json.ts';
import type { ListQuery } from '../../plan/list-query.ts';
import type { ListPlan, Page, ExpectedStamp } from '../../plan/plan.ts';
import { after, type MaybePromise } from '../../platform/maybe-promise.ts';
import { WHOLE_VIEW } from '../../plan/view.ts';
import type { HeaderList } from '../represent/response.ts';
import type { CompiledResource } from '../contract.ts';
import { type PageDocument, writeJsonPage, writePage } from '../represent/encode.ts';
import type { ApiResponse } from '../exchange.ts';
import { representRows } from './expand.ts';
import type { Negotiated } from '../negotiate.ts';
import { selfQuery, linkTargets, pageMetadata } from '../represent/page-metadata.ts';
import { requireAncestors } from './item.ts';
import {
  canonicalLink,
  conditionalResponse,
  type SelectedRepresentation,
  readTarget,
  notModified,
} from '../represent/conditional-response.ts';
import type { Surroundings } from '../surroundings.ts';
import { variantKey, resourcesOf, collectionETag, contentETag } from '../represent/etags.ts';
import type { CachedPage } from './page-cache.ts';
import { checkRoom, viewTypes } from '../represent/view-types.ts';

/** Reads one page of a collection (section 5 of the contract), for GET, HEAD and QUERY. */
export function readCollection(
  request: Negotiated,
  compiled: CompiledResource,
  query: ListQuery,
  surroundings: Surroundings,
): MaybePromise<ApiResponse> {
  checkRoom(request.offer.format, query.view);
  const sources = resourcesOf(query);
  return after(requireAncestors(query.plan.within, surroundings), () =>
    after(surroundings.stamps.resourceStamps(sources), (changes): MaybePromise<ApiResponse> => {
      const target = readTarget(compiled.resource, query.view, collectionETag(request, query, changes, surroundings));
      // Whoever names its tag was shown the page. Whoever names none may ask for one that cannot be told, and that comes before any condition.
      const isKnown = listsTag(request.preconditions.ifNoneMatch, target.etag);
      const known = isKnown ? notModified(request, target, surroundings) : null;
      if (known !== null) return known;
      const kept = surroundings.pageCache.get(target.etag);
      if (kept !== undefined) return answerPage(request, compiled, query, { page: kept, target }, surroundings);
      return readPage(request, compiled, query, { sources, changes, target }, surroundings);
    }),
  );
}

interface PageState {
  readonly sources: readonly string[];
  readonly changes: readonly number[];
  readonly target: SelectedRepresentation;
}

/** @param state the resources that the page is made of, their last changes, and the tag that these make */
function readPage(
  request: Negotiated,
  compiled: CompiledResource,
  query: ListQuery,
  { sources, changes, target }: PageState,
  surroundings: Surroundings,
): MaybePromise<ApiResponse> {
  return after(pageText(request, compiled, query, surroundings), (page) =>
    after(surroundings.stamps.resourceStamps(sources), (still) => {
      const isOf = still.every((change, index) => change === changes[index]);
      if (isOf) surroundings.pageCache.set(target.etag, page);
      // What was written while the page was read may be on it or not: then its bytes alone say what it is.
      const told = isOf ? target : { ...target, etag: contentETag(request, page.text, surroundings) };
      return answerPage(request, compiled, query, { page, target: told }, surroundings);
    }),
  );
}

function answerPage(
  request: Negotiated,
  { resource }: CompiledResource,
  query: ListQuery,
  { page, target }: { readonly page: CachedPage; readonly target: SelectedRepresentation },
  surroundings: Surroundings,
): ApiResponse {
  const { within } = query.plan;
  const { text, links, metadata } = page;
  const canonical = canonicalLink(request, surroundings, (base) =>
    surroundings.compiled.addresses.collection(base, resource, within, selfQuery(query)),
  );
  const self = links.find(({ rel }) => rel === 'self');
  const location = request.method === 'QUERY' && self !== undefined ? ['Location', self.href] : [];
  return conditionalResponse(request, target, surroundings, {
    links: [...links, ...canonical],
    facts: [...metadata, ...location],
    body: () => text,
  });
}

function listsTag(list: ETagList | null, tag: string): boolean {
  return list !== null && list !== '*' && matchesWeakly(list, tag);
}

/** The tag that a collection has for this caller now, what preconditions of a POST are compared with (CACHE-3), and what it is made of. */
export async function collectionState(
  request: Negotiated,
  query: ListQuery,
  surroundings: Surroundings,
): Promise<{ readonly etag: string; readonly seen: readonly ExpectedStamp[] }> {
  const sources = resourcesOf(query);
  const changes = await surroundings.stamps.resourceStamps(sources);
  const seen = sources.map((resource, index) => ({ resource, stamp: changes[index] ?? 0 }));
  return { etag: collectionETag(request, query, changes, surroundings), seen };
}

function pageText(
  request: Negotiated,
  compiled: CompiledResource,
  query: ListQuery,
  surroundings: Surroundings,
): MaybePromise<CachedPage> {
  return after(surroundings.rows.list(query.plan), (page) => tellText(request, compiled, query, page, surroundings));
}

function tellText(
  request: Negotiated,
  compiled: CompiledResource,
  query: ListQuery,
  page: Page,
  surroundings: Surroundings,
): MaybePromise<CachedPage> {
  const { plan, view } = query;
  const { format } = request.offer;
  const { facts, links } = pageMetadata(compiled, query, page, request.base, surroundings);
  const items = format === 'json' && view === WHOLE_VIEW ? toldItems(request, plan, page, surroundings) : null;
  if (items !== null) {
    return {
      text: inOneText(() => writeJsonPage(`[${items.join(',')}]`, facts, linkTargets(links))),
      links,
      metadata: [],
    };
  }
  const located = page.rows.map((row) => ({ row, within: plan.within }));
  return after(representRows(compiled, located, view, request.base, surroundings), (data) => {
    const shown: PageDocument = { data, page: facts, links: linkTargets(links) };
    const text = inOneText(() => writePage(format, viewTypes(compiled, view, surroundings), shown));
    return { text, links, metadata: pageFacts(format, facts) };
  });
}

/** The items of a page of which each was told before; null where one was not: such a page is told faster in one piece. */
function toldItems(
  request: Negotiated,
  { resource, within }: ListPlan,
  { rows }: Page,
  surroundings: Surroundings,
): readonly string[] | null {
  if (within.length > 0) return null;
  const form = variantKey(request, surroundings);
  const items: string[] = [];
  for (const { id, revision } of rows) {
    const change = surroundings.stamps.rowStamp(resource, id);
    const told = change === null ? null : surroundings.itemCache.of({ resource, id, form, change }).get();
    if (told?.revision !== revision) return null;
    items.push(told.text);
  }
  return items;
}

/** @throws {ApiError} PAGINATION_LIMIT_INVALID where the rows are so large that no text could hold them all */
function inOneText(write: () => string): string {
  try {
    return write();
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    const message = 'These items are too large to be told on one page; send a smaller limit, or fewer fields.';
    throw apiError('PAGINATION_LIMIT_INVALID', message, {
      details: [{ field: 'limit', message: 'is too large for items of this size' }],
      cause,
    });
  }
}

/** What a format without room for it tells of a page in header fields (NEG-1). */
function pageFacts(format: ResponseFormat, { next_cursor: cursor, total_count: total }: JsonObject): HeaderList {
  if (format === 'json' || format === 'xml') return [];
  return [
    ...(typeof cursor === 'string' ? ['X-Next-Cursor', cursor] : []),
    ...(typeof total === 'number' ? ['X-Total-Count', String(total)] : []),
  ];
}
