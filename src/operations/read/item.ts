import type { CompiledResource } from '../../contract/contract.ts';
import type { Variant } from '../../contract/variants.ts';
import type { ApiError } from '../../conventions/errors.ts';
import type { Resource } from '../../model/model.ts';
import type { Reader } from '../caller.ts';
import { gone, notFound } from '../failures.ts';
import { type ExpandedRow, expandRow } from './expand.ts';
import { type CachedItem, canJudge, type ItemCache, type ItemSlot, seesItem } from './item-cache.ts';
import { columnsFor, type View, WHOLE_VIEW } from '../../plan/list/view.ts';
import type { Ancestor, FieldValues, Row, Visibility } from '../../plan/plan.ts';
import { heldAncestors } from '../../plan/row-address.ts';
import { chain, type MaybePromise } from '../../platform/maybe-promise.ts';

/** A read of one resource. */
export interface ItemRequest {
  readonly kind: 'item';
  readonly compiled: CompiledResource;
  readonly within: readonly Ancestor[];
  readonly id: string;
  readonly view: View;
  /** The form in which it is represented, and cached. */
  readonly variant: Variant;
}

/** One resource, read or found in the cache. */
export interface FoundItem {
  readonly kind: 'item';
  readonly request: ItemRequest;
  readonly source:
    | { readonly kind: 'cached'; readonly item: CachedItem }
    /** `slot` takes its representation; null if it cannot be cached. */
    | { readonly kind: 'row'; readonly row: Row; readonly slot: ItemSlot | null }
    | { readonly kind: 'expanded'; readonly row: ExpandedRow };
}

/**
 * Reads one resource (S 4.1 GET, MET-5), from the cache if the store knows that the row has not changed since, else
 * from the store.
 *
 * @throws {ApiError} 404, 410
 */
export function readItem(
  caller: Reader,
  item: ItemRequest,
  { items }: { readonly items: ItemCache },
): MaybePromise<FoundItem> {
  const { compiled, within, id, view } = item;
  const { resource } = compiled;
  const visible = caller.rows.visibility(resource.name);
  // The existence of a nested row depends on the rows above it too.
  const isCacheable = view === WHOLE_VIEW && within.length === 0 && canJudge(compiled, visible);
  const stamp = isCacheable ? caller.rows.rowStamp(resource.name, id) : null;
  const found = { caller, item, items, visible };
  return stamp instanceof Promise ? readAhead(found, stamp) : readStamped(found, stamp);
}

/** An item that a caller reads. */
interface ItemReading {
  readonly caller: Reader;
  readonly item: ItemRequest;
  readonly items: ItemCache;
  readonly visible: Visibility;
}

/**
 * Reads the row and its stamp in parallel if the cache has no entry for the last known stamp. A row whose stamp turns
 * out to be another one is not cached.
 */
async function readAhead(reading: ItemReading, asked: Promise<number | null>): Promise<FoundItem> {
  const { caller, item } = reading;
  const known = caller.rows.rowStampAhead(item.compiled.resource.name, item.id);
  const slot = known === null ? null : itemSlot(reading, known);
  if (slot === null || findCached(reading, slot) !== null) return readStamped(reading, await asked);
  const [stamp, row] = await Promise.all([asked, readRow(reading)]);
  return foundRow(reading, row, stamp === known ? slot : null);
}

/** @param stamp of the row; null where it cannot be cached */
function readStamped(reading: ItemReading, stamp: number | null): MaybePromise<FoundItem> {
  const { caller, item } = reading;
  const slot = stamp === null ? null : itemSlot(reading, stamp);
  const cached = slot === null ? null : findCached(reading, slot);
  if (cached !== null) return { kind: 'item', request: item, source: { kind: 'cached', item: cached } };
  if (item.view.expansions.length > 0) return readExpanded(caller, item);
  return chain(readRow(reading), (row) => foundRow(reading, row, slot));
}

function itemSlot({ item, items }: ItemReading, stamp: number): ItemSlot {
  const { resource, judged } = item.compiled;
  return items.slot({ resource: resource.name, id: item.id, variant: item.variant.id, stamp, judged });
}

/** Finds the cached item if the caller sees it. A hidden row is looked up like an absent one. */
function findCached({ item, items, visible }: ItemReading, slot: ItemSlot): CachedItem | null {
  const cached = slot.get();
  return cached !== null && seesItem(item.compiled, cached, visible, items.verdicts) ? cached : null;
}

function readRow({ caller, item }: ItemReading): MaybePromise<Row | null> {
  const { compiled, within, id } = item;
  return caller.rows.item({ resource: compiled.resource.name, id, within, ...selectColumns(item) });
}

/** @throws {ApiError} 404, 410 if there is no row */
function foundRow({ caller, item }: ItemReading, row: Row | null, slot: ItemSlot | null): MaybePromise<FoundItem> {
  if (row === null) return failAbsent(caller, item.compiled.resource, item);
  return { kind: 'item', request: item, source: { kind: 'row', row, slot } };
}

async function readExpanded(caller: Reader, item: ItemRequest): Promise<FoundItem> {
  const { compiled, within, id, view } = item;
  const row = await findRow(caller, compiled.resource, { id, within, ...selectColumns(item) });
  const expanded = await expandRow(caller, compiled, { row, within }, view.expansions);
  return { kind: 'item', request: item, source: { kind: 'expanded', row: expanded } };
}

function selectColumns({ compiled, view }: ItemRequest): { readonly columns?: readonly string[] } {
  // A whole row is read by one prepared statement, and has the values that policies compare.
  const names = view === WHOLE_VIEW ? null : columnsFor(compiled.resource, view, []);
  return names === null ? {} : { columns: names };
}

/** The path of a row below its ancestors. */
interface RowPath {
  readonly id: string;
  readonly within: readonly Ancestor[];
  readonly columns?: readonly string[];
}

/**
 * Reads the row that a path names.
 *
 * @throws {ApiError} 404 or 410 with the code of the first resource on the path that is absent (URL-7)
 */
export async function findRow(reader: Reader, resource: Resource, path: RowPath): Promise<Row> {
  const row = await reader.rows.item({ resource: resource.name, ...path });
  return row ?? failAbsent(reader, resource, path);
}

/**
 * Fails with the error of a row that is absent, or of the outermost row above it that is.
 *
 * @throws {ApiError} 404, 410
 */
export async function failAbsent(reader: Reader, resource: Resource, path: RowPath): Promise<never> {
  await requireAncestors(reader, path.within);
  throw await absent(reader, resource, path);
}

/** Makes the error of an absent row: 410 if it was deleted recently and the caller saw it (MET-4), else 404. */
async function absent({ rows }: Pick<Reader, 'rows'>, resource: Resource, { id, within }: RowPath): Promise<ApiError> {
  const isGone = resource.tombstones !== null && (await rows.wasVisible({ resource: resource.name, id, within }));
  return isGone ? gone(resource) : notFound(resource);
}

/** Fails with the error of the outermost row above a target that is absent (URL-7). @throws {ApiError} 404, 410 */
export async function requireAncestors({ rows, contract }: Reader, within: readonly Ancestor[]): Promise<void> {
  const missing = await rows.missingAncestor(within);
  if (missing === null) return;
  const above = within.slice(within.findIndex(({ resource }) => resource === missing.resource) + 1);
  throw await absent({ rows }, contract.resourceOf(missing.resource).resource, { id: missing.id, within: above });
}

/**
 * Finds the ancestors of a row that no path has named, nearest first. The row names some of them, and the rows above it
 * name the others.
 *
 * @param source of all rows, so that a cascade finds them
 */
export async function findAncestors(
  resource: Resource,
  row: FieldValues,
  { contract, rows }: Reader,
): Promise<readonly Ancestor[]> {
  const held = heldAncestors(resource, row, contract.model.resources);
  const last = held.at(-1);
  if (last === undefined) return held;
  const above = contract.resourceOf(last.resource).resource;
  if (above.parent === null) return held;
  const next = await rows.item({ resource: above.name, id: last.id, within: [] });
  return next === null ? held : [...held, ...(await findAncestors(above, next, { contract, rows }))];
}
