import { resourceError } from '../../conventions/errors.ts';
import type { Resource } from '../../model/model.ts';
import { after, type MaybePromise } from '../../platform/maybe-promise.ts';
import type { Ancestor, Columns, Row } from '../../plan/plan.ts';
import { columnsFor, type View, WHOLE_VIEW } from '../../plan/view.ts';
import type { CompiledResource } from '../contract.ts';
import { writeDocument, writeItem } from '../represent/encode.ts';
import type { ApiResponse } from '../exchange.ts';
import { representRows } from './expand.ts';
import type { Negotiated } from '../negotiate.ts';
import { canonicalLink, conditionalResponse, plainTarget, readTarget } from '../represent/conditional-response.ts';
import type { Surroundings } from '../surroundings.ts';
import { type Modified, CachedItem } from './item-cache.ts';
import { variantKey, itemETag, contentETag } from '../represent/etags.ts';
import { viewTypes } from '../represent/view-types.ts';

/** A change so old, in milliseconds, that a date of whole seconds tells it from any later one (CACHE-4, RFC 9110 8.8.2.2). */
const SETTLED = 1_000;

/** Reads one resource (S 4.1 GET, MET-5). */
export function readItem(
  request: Negotiated,
  compiled: CompiledResource,
  within: readonly Ancestor[],
  id: string,
  view: View,
  surroundings: Surroundings,
): MaybePromise<ApiResponse> {
  const { resource } = compiled;
  const links = canonicalLink(request, surroundings, (base) =>
    surroundings.compiled.addresses.item(base, resource, within, id),
  );
  const item = { id, within };
  if (view.expansions.length > 0) {
    return after(tellExpanded(request, compiled, item, view, surroundings), ({ row, text }) => {
      // What is told of other rows changes without this one's revision and time.
      const etag = itemETag(request, row, surroundings, surroundings.digest(text));
      return conditionalResponse(request, readTarget(resource, view, etag), surroundings, { links, body: () => text });
    });
  }
  return after(tellItem(request, compiled, item, view, surroundings), (told) => {
    const etag = itemETag(request, told, surroundings, view.key);
    const target = readTarget(resource, view, etag, () => lastModified(told, request, surroundings));
    return conditionalResponse(request, target, surroundings, { links, body: () => told.text });
  });
}

/** A row by its place on the path. */
interface ItemPath {
  readonly id: string;
  readonly within: readonly Ancestor[];
}

/** What was told before, where the row has not changed since; what it is told as now, where it may have. */
function tellItem(
  request: Negotiated,
  compiled: CompiledResource,
  { id, within }: ItemPath,
  view: View,
  surroundings: Surroundings,
): MaybePromise<CachedItem> {
  const { resource } = compiled;
  const { itemCache, stamps } = surroundings;
  // Whether a row below others is there hangs on them too.
  const change = view === WHOLE_VIEW && within.length === 0 ? stamps.rowStamp(resource.name, id) : null;
  const before =
    change === null
      ? null
      : itemCache.of({ resource: resource.name, id, form: variantKey(request, surroundings), change });
  const known = before?.get() ?? null;
  if (known !== null) return known;
  return after(findRow(resource, within, id, surroundings, columnsFor(resource, view, [])), (row) => {
    const fresh = new CachedItem(row.revision, Date.parse(row.updated_at), () =>
      writeItem(
        request.offer.format,
        viewTypes(compiled, view, surroundings),
        compiled.representStored(row, within, request.base, view.projection),
      ),
    );
    before?.set(fresh);
    return fresh;
  });
}

function tellExpanded(
  request: Negotiated,
  compiled: CompiledResource,
  { id, within }: ItemPath,
  view: View,
  surroundings: Surroundings,
): MaybePromise<{ readonly row: Row; readonly text: string }> {
  const { resource } = compiled;
  return after(findRow(resource, within, id, surroundings, columnsFor(resource, view, [])), (row) =>
    after(representRows(compiled, [{ row, within }], view, request.base, surroundings), ([item = {}]) => {
      const text = writeItem(request.offer.format, viewTypes(compiled, view, surroundings), item);
      return { row, text };
    }),
  );
}

/**
 * When what is told of a row last changed, as it was read by this request: with the row, or with the edition, in which it is told otherwise.
 * null as long as a change after that could have the same date.
 */
function lastModified(told: Modified, { exchange }: Negotiated, { edition }: Surroundings): Modified | null {
  const last = told.at < edition.at ? edition : told;
  return exchange.startedAt - last.at > SETTLED ? last : null;
}

/** `GET {base}`: links to the collections (REP-10). Those below another resource have no URL without an id. */
export function readRoot(request: Negotiated, surroundings: Surroundings): ApiResponse {
  const { model, addresses } = surroundings.compiled;
  const links: Record<string, string> = { self: addresses.root(request.base) };
  for (const resource of model.resources.values()) {
    if (resource.parent === null) links[resource.name] = addresses.collection(request.base, resource, []);
  }
  const { major, minor, patch } = model.version;
  const root = { name: model.name, title: model.title, version: `${major}.${minor}.${patch}`, links };
  const text = writeDocument(request.offer.format, 'api', root);
  const tag = contentETag(request, text, surroundings);
  const canonical = canonicalLink(request, surroundings, addresses.root);
  return conditionalResponse(request, plainTarget(tag), surroundings, { links: canonical, body: () => text });
}

/**
 * The row that a path names.
 *
 * @param columns what is read of it; null for all
 * @throws {ApiError} 404 with the code of the first resource on the path that is absent (URL-7)
 */
export function findRow(
  resource: Resource,
  within: readonly Ancestor[],
  id: string,
  surroundings: Surroundings,
  columns: Columns | null = null,
): MaybePromise<Row> {
  const selected = columns === null ? {} : { columns };
  const read = surroundings.rows.item({ kind: 'item', resource: resource.name, id, within, ...selected });
  return after(read, (row) => row ?? absent(resource, within, surroundings));
}

function absent(resource: Resource, within: readonly Ancestor[], surroundings: Surroundings): MaybePromise<never> {
  return after(requireAncestors(within, surroundings), () => {
    throw notFound(resource);
  });
}

/** Fails with the 404 of the outermost row above a target that is absent (URL-7). */
export function requireAncestors(within: readonly Ancestor[], surroundings: Surroundings): MaybePromise<void> {
  if (within.length === 0) return;
  return after(surroundings.rows.missingAncestor(within), (missing) => {
    if (missing !== null) throw ancestorNotFound(missing.resource, surroundings);
  });
}

export function ancestorNotFound(name: string, { compiled }: Surroundings): Error {
  const resource = compiled.model.resources.get(name);
  if (resource === undefined) throw new Error(`the model has no resource ${name}`);
  return notFound(resource);
}

export function notFound(resource: Resource): Error {
  return resourceError(resource.code, 'NOT_FOUND', `There is no ${resource.singular} with this id here.`);
}
