import { type ApiError, resourceError } from '../../conventions/errors.ts';
import type { Resource } from '../../model/model.ts';
import type { Ancestor, Row, Visibility } from '../../plan/plan.ts';
import { columnsFor, type View, WHOLE_VIEW } from '../../plan/list/view.ts';
import { type MaybePromise, chain } from '../../platform/maybe-promise.ts';
import type { Authorized } from '../../pipeline/authorize.ts';
import type { CompiledResource } from '../../contract/contract.ts';
import type { Negotiated } from '../../pipeline/negotiate.ts';
import type { Services } from '../../pipeline/services.ts';
import { type ExpandedRow, expandRow } from './expand.ts';
import type { CachedItem, ItemSlot } from './item-cache.ts';
import { canJudge, seesItem } from './judged-item.ts';

/** Reading one resource. */
export interface ItemRequest {
  readonly kind: 'item';
  readonly compiled: CompiledResource;
  readonly within: readonly Ancestor[];
  readonly id: string;
  readonly view: View;
}

/** One resource, read or found in the cache. */
export interface FoundItem {
  readonly kind: 'item';
  readonly request: ItemRequest;
  readonly source:
    | { readonly kind: 'cached'; readonly item: CachedItem }
    /** `slot` is where its JSON may be cached; null where nothing of this kind is. */
    | { readonly kind: 'row'; readonly row: Row; readonly slot: ItemSlot | null }
    | { readonly kind: 'expanded'; readonly row: ExpandedRow };
}

/**
 * Reads one resource (S 4.1 GET, MET-5): from the cache while the store says that the row has not changed since, else from the store.
 *
 * @throws {ApiError} 404, 410
 */
export function readItem(
  request: Negotiated,
  item: ItemRequest,
  services: Pick<Services, 'etags' | 'items'>,
): MaybePromise<FoundItem> {
  const { compiled, within, id, view } = item;
  const { resource } = compiled;
  // Whether a row below others exists depends on those too.
  const visible = request.rows.visibility(resource.name);
  const isCacheable = view === WHOLE_VIEW && within.length === 0 && canJudge(compiled, visible);
  const stamp = isCacheable ? request.rows.rowStamp(resource.name, id) : null;
  const found = { request, item, services, visible };
  return stamp instanceof Promise ? readAhead(found, stamp) : readStamped(found, stamp);
}

/** An item, and what decides whether the caller sees it. */
interface ItemReading {
  readonly request: Negotiated;
  readonly item: ItemRequest;
  readonly services: Pick<Services, 'etags' | 'items'>;
  readonly visible: Visibility;
}

/**
 * Reads the row without waiting for its stamp, where that is asked of the database and the cache has nothing for the stamp that is known. A row whose stamp
 * turns out to be another one is not cached.
 */
async function readAhead(reading: ItemReading, asked: Promise<number | null>): Promise<FoundItem> {
  const { request, item } = reading;
  const known = request.rows.rowStampAhead(item.compiled.resource.name, item.id);
  const slot = known === null ? null : slotOf(reading, known);
  if (slot === null || cachedIn(reading, slot) !== null) return readStamped(reading, await asked);
  const [stamp, row] = await Promise.all([asked, rowOf(reading)]);
  return foundRow(reading, row, stamp === known ? slot : null);
}

/** @param stamp of the row; null where it cannot be cached */
function readStamped(reading: ItemReading, stamp: number | null): MaybePromise<FoundItem> {
  const { request, item } = reading;
  const slot = stamp === null ? null : slotOf(reading, stamp);
  const cached = slot === null ? null : cachedIn(reading, slot);
  if (cached !== null) return { kind: 'item', request: item, source: { kind: 'cached', item: cached } };
  if (item.view.expansions.length > 0) return readExpanded(request, item);
  return chain(rowOf(reading), (row) => foundRow(reading, row, slot));
}

function slotOf({ request, item, services: { etags, items } }: ItemReading, stamp: number): ItemSlot {
  const { resource, judged } = item.compiled;
  return items.of({ resource: resource.name, id: item.id, variant: etags.variantKey(request), stamp, judged });
}

/** The item, where it is cached and the caller sees it: a row that is hidden is looked up as one that is absent. */
function cachedIn({ item, visible }: ItemReading, slot: ItemSlot): CachedItem | null {
  const cached = slot.get();
  return cached !== null && seesItem(item.compiled, cached, visible) ? cached : null;
}

function rowOf({ request, item }: ItemReading): MaybePromise<Row | null> {
  const { compiled, within, id } = item;
  return request.rows.item({ resource: compiled.resource.name, id, within, ...columnsOf(item) });
}

/** @throws {ApiError} 404, 410 where there is no row */
function foundRow({ request, item }: ItemReading, row: Row | null, slot: ItemSlot | null): MaybePromise<FoundItem> {
  if (row === null) return failAbsent(request, item.compiled.resource, item);
  return { kind: 'item', request: item, source: { kind: 'row', row, slot } };
}

async function readExpanded(request: Negotiated, item: ItemRequest): Promise<FoundItem> {
  const { compiled, within, id, view } = item;
  const row = await findRow(request, compiled.resource, { id, within, ...columnsOf(item) });
  const expanded = await expandRow(request, compiled, { row, within }, view.expansions);
  return { kind: 'item', request: item, source: { kind: 'expanded', row: expanded } };
}

function columnsOf({ compiled, view }: ItemRequest): { readonly columns?: readonly string[] } {
  // A whole row is read by one prepared statement, and has what policies compare.
  const columns = view === WHOLE_VIEW ? null : columnsFor(compiled.resource, view, []);
  return columns === null ? {} : { columns };
}

/** What finds a row below its ancestors. */
interface RowPath {
  readonly id: string;
  readonly within: readonly Ancestor[];
  readonly columns?: readonly string[];
}

/**
 * The row that a path names.
 *
 * @throws {ApiError} 404 or 410 with the code of the first resource on the path that is absent (URL-7)
 */
export async function findRow(
  request: Pick<Authorized, 'rows' | 'contract'>,
  resource: Resource,
  path: RowPath,
): Promise<Row> {
  const row = await request.rows.item({ resource: resource.name, ...path });
  return row ?? failAbsent(request, resource, path);
}

/** Fails with the error of a row that is absent, or of the outermost row above it that is. @throws {ApiError} 404, 410 */
export async function failAbsent(
  request: Pick<Authorized, 'rows' | 'contract'>,
  resource: Resource,
  path: RowPath,
): Promise<never> {
  await requireAncestors(request, path.within);
  throw await absent(request, resource, path);
}

/** The error of a row that is absent. One that was deleted recently is gone, for callers that saw it (MET-4). */
async function absent(
  { rows }: Pick<Authorized, 'rows'>,
  resource: Resource,
  { id, within }: RowPath,
): Promise<ApiError> {
  const isGone = resource.tombstones !== null && (await rows.wasVisible({ resource: resource.name, id, within }));
  return isGone ? gone(resource) : notFound(resource);
}

/** Fails with the error of the outermost row above a target that is absent (URL-7). @throws {ApiError} 404, 410 */
export async function requireAncestors(
  { rows, contract }: Pick<Authorized, 'rows' | 'contract'>,
  within: readonly Ancestor[],
): Promise<void> {
  const missing = await rows.missingAncestor(within);
  if (missing === null) return;
  const above = within.slice(within.findIndex(({ resource }) => resource === missing.resource) + 1);
  throw await absent({ rows }, contract.resourceOf(missing.resource).resource, { id: missing.id, within: above });
}

/** 410 {R}_GONE. */
function gone(resource: Resource): ApiError {
  return resourceError(resource.code, 'GONE', `The ${resource.singular} with this id was deleted.`);
}

/** 404 {R}_NOT_FOUND. */
export function notFound(resource: Resource): ApiError {
  return resourceError(resource.code, 'NOT_FOUND', `There is no ${resource.singular} with this id here.`);
}
