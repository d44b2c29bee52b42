import type { PageWindow } from '../../conventions/pagination/pagination.ts';
import { type QueryPair, decodeParameters } from '../../conventions/url/query.ts';
import { effortOfLookup, effortOfRelated } from '../../plan/list/effort.ts';
import type { Expansion, Relation } from '../../plan/expansion.ts';
import { type ListQuery, readListQuery } from '../../plan/list/list-query.ts';
import { endAfter, fittingCount, isBackward, readFirst } from '../../plan/list/page-end.ts';
import type { LocatedRow, Page, RelatedRows, Row, RowAddress } from '../../plan/plan.ts';
import { rowKey } from '../../plan/row-address.ts';
import { runSteps, TimeSlices } from '../../platform/time-slices.ts';
import { RowsTooLarge } from '../../stores/store.ts';
import type { CompiledResource } from '../../contract/contract.ts';
import type { Reader } from '../caller.ts';
import { referredFilter, referrersFilter } from '../../contract/representation.ts';
import { checkCount, maxLength, NOTHING, type Size, measureRows, sum, tooLarge } from './related-size.ts';

/** Most rows of a to-many relation in one place (QRY-4). */
const EXPANDED_ROWS = 20;

/** A row with the related rows that were requested. */
export interface ExpandedRow extends LocatedRow {
  readonly compiled: CompiledResource;
  /** In the order of the expansions. */
  readonly relations: readonly ExpandedRelation[];
  /** The size of its related rows, and of the row itself if it is a related row. */
  readonly size: Size;
}

/** The rows of one relation of one row. */
export type ExpandedRelation =
  /** `row` is null if the relation leads to nothing. */
  | { readonly kind: 'one'; readonly name: string; readonly row: ExpandedRow | null; readonly size: Size }
  /** The first page of the collection that holds them. */
  | {
      readonly kind: 'many';
      readonly name: string;
      readonly compiled: CompiledResource;
      readonly query: ListQuery;
      /** True if the collection has a URL. */
      readonly linked: boolean;
      readonly rows: readonly ExpandedRow[];
      readonly more: boolean;
      readonly size: Size;
    };

/** The reads of one response, all of which a store may answer in the same tick. */
interface SlicedReads extends Reader {
  readonly slices: TimeSlices;
}

/** The reads of one expansion. */
interface ExpansionReads extends SlicedReads {
  /**
   * Characters of related rows as JSON that may still be read, so that memory never holds more than one page may have.
   */
  readonly budget: { left: number };
}

/** Rows of one resource whose relation is read, with the expansions below it. */
interface RelationRead {
  readonly owner: CompiledResource;
  readonly rows: readonly LocatedRow[];
  readonly expansion: Expansion;
}

/**
 * Reads the related rows of a row (QRY-4): one query for each relation.
 *
 * @throws {ApiError} QUERY_EXPAND_INVALID where related rows are too many, or too large, for one response
 */
export async function expandRow(
  caller: Reader,
  compiled: CompiledResource,
  row: LocatedRow,
  expansions: readonly Expansion[],
): Promise<ExpandedRow> {
  const [expanded] = (await expandRows(sliced(caller), compiled, [row], expansions)) ?? [];
  if (expanded === undefined || expanded.size.length > maxLength(caller)) throw tooLarge(caller);
  return expanded;
}

/** A page with the related rows of its rows. */
interface ExpandedPage {
  readonly page: Page;
  readonly expanded: readonly ExpandedRow[];
}

/**
 * Reads the related rows of a page (QRY-4): one query for each relation, however many rows there are. If they are too
 * large for one response, the page ends early, and the queries are repeated for the rows that were read first (LIM-1).
 *
 * @throws {ApiError} QUERY_EXPAND_INVALID where related rows are too many, or those of one row too large
 */
export async function expandPage(
  caller: Reader,
  compiled: CompiledResource,
  { plan, view }: Pick<ListQuery, 'plan' | 'view'>,
  whole: Page,
): Promise<ExpandedPage> {
  const { window, within } = plan;
  const reads = sliced(caller);
  for (let page = whole; ; page = endAfter(page, page.rows.length >> 1, window)) {
    const located = page.rows.map((row) => ({ row, within }));
    const expanded = await expandRows(reads, compiled, located, view.expansions);
    if (expanded === null && page.rows.length <= 1) throw tooLarge(caller);
    if (expanded !== null) return fittingPage(caller, { page, expanded }, window);
  }
}

/**
 * Ends a page at the rows whose related rows fit into a response.
 *
 * @throws {ApiError} QUERY_EXPAND_INVALID: not even the first fits
 */
function fittingPage(caller: Reader, { page, expanded }: ExpandedPage, window: PageWindow): ExpandedPage {
  const sizes = expanded.map(({ size }) => size);
  const count = fittingCount(
    (isBackward(window) ? sizes.toReversed() : sizes).map(({ length }) => length),
    maxLength(caller),
  );
  if (count === 0 && expanded.length > 0) throw tooLarge(caller);
  return { page: endAfter(page, count, window), expanded: readFirst(expanded, count, window) };
}

function sliced({ rows, contract }: Reader): SlicedReads {
  return { rows, contract, slices: new TimeSlices() };
}

/**
 * Reads the related rows of rows; null if they have more characters than a page may have.
 *
 * @throws {ApiError} if they are too many
 */
async function expandRows(
  caller: SlicedReads,
  compiled: CompiledResource,
  rows: readonly LocatedRow[],
  expansions: readonly Expansion[],
): Promise<readonly ExpandedRow[] | null> {
  const reads = { ...caller, budget: { left: maxLength(caller) } };
  try {
    const expanded = await expand(reads, compiled, rows, expansions);
    checkCount(expanded.map(({ size }) => size));
    return expanded;
  } catch (error) {
    if (error instanceof RowsTooLarge) return null;
    throw error;
  }
}

async function expand(
  caller: ExpansionReads,
  compiled: CompiledResource,
  rows: readonly LocatedRow[],
  expansions: readonly Expansion[],
): Promise<readonly ExpandedRow[]> {
  const relations: (readonly ExpandedRelation[])[] = [];
  for (const expansion of expansions) {
    await caller.slices.next();
    const read = { owner: compiled, rows, expansion };
    relations.push(expansion.relation.kind === 'one' ? await expandOne(caller, read) : await expandMany(caller, read));
  }
  return rows.map(({ row, within }, index) => {
    const own = relations.flatMap((each) => each[index] ?? []);
    return { row, within, compiled, relations: own, size: sum(own.map(({ size }) => size)) };
  });
}

async function expandOne(caller: ExpansionReads, read: RelationRead): Promise<readonly ExpandedRelation[]> {
  const { rows, expansion } = read;
  const { name, target } = expansion.relation;
  const compiled = caller.contract.resourceOf(target.name);
  const addresses = rows.map((each) => relatedAddress(read, each));
  const keyed = addresses.map((address) => (address === null ? null : rowKey(target, address)));
  const wanted = [...new Map(addresses.flatMap((each, at) => (each === null ? [] : [[keyed[at], each]]))).values()];
  const plan = { resource: target.name, rows: wanted, effort: effortOfLookup({ rows: wanted }) };
  const found = wanted.length === 0 ? [] : await caller.rows.lookup({ ...plan, maxSize: caller.budget.left });
  const related = await expandRelated(caller, compiled, found, expansion.nested);
  const byKey = new Map(related.map((each) => [relatedKey(compiled, each), each]));
  return keyed.map((key) => {
    const row = byKey.get(key ?? '') ?? null;
    return { kind: 'one', name, row, size: row?.size ?? NOTHING };
  });
}

/** Finds the row that a to-one relation of another row leads to; null if it leads to nothing. */
function relatedAddress({ owner, expansion }: RelationRead, { row, within }: LocatedRow): RowAddress | null {
  const { field } = expansion.relation;
  const id = row[field];
  if (typeof id !== 'string') return null;
  return { id, within: field === owner.resource.parent?.field ? within.slice(1) : within };
}

function relatedKey({ resource }: CompiledResource, { row, within }: LocatedRow): string {
  return rowKey(resource, { id: row.id, within });
}

async function expandMany(
  caller: ExpansionReads,
  { owner, rows, expansion }: RelationRead,
): Promise<readonly ExpandedRelation[]> {
  const { relation, nested } = expansion;
  const compiled = caller.contract.resourceOf(relation.target.name);
  const most = caller.contract.model.limits.target;
  const collections = rows.map((each) => relatedCollection(compiled, owner.resource.name, relation, { ...each, most }));
  const [first] = collections;
  if (first === undefined) return [];
  const { order, window } = first.query.plan;
  const distinct = new Map(rows.map((each) => [relatedKey(owner, each), { id: each.row.id, within: each.within }]));
  const owners = [...distinct.values()];
  const ownedBy = relation.kind === 'many' ? { ownedBy: owner.resource.name } : {};
  const wanted = { field: relation.field, ...ownedBy, owners, order, limit: window.limit };
  const visible = caller.rows.visibilityAnywhere(compiled.resource.name);
  const effort = effortOfRelated(compiled.resource, wanted, visible);
  const plan = { resource: compiled.resource.name, ...wanted, effort };
  const found = await caller.rows.related({ ...plan, maxSize: caller.budget.left });
  const foundOf = new Map([...distinct.keys()].map((key, index) => [key, found[index]]));
  const all = found.flatMap((each) => each.rows);
  const related = await expandRelated(caller, compiled, all, nested);
  const expandedOf = new Map(all.map((located, index) => [located, related[index]]));
  const { name } = relation;
  return rows.flatMap((row, index) => {
    const collection = collections[index];
    const { rows: own, more }: RelatedRows = foundOf.get(relatedKey(owner, row)) ?? { rows: [], more: false };
    const page = own.flatMap((located) => expandedOf.get(located) ?? []);
    const size = sum(page.map((each) => each.size));
    return collection === undefined ? [] : { kind: 'many', name, compiled, ...collection, rows: page, more, size };
  });
}

/** Reads the relations of related rows, once for each row, however often it is referred to. */
async function expandRelated(
  caller: ExpansionReads,
  compiled: CompiledResource,
  rows: readonly LocatedRow[],
  nested: readonly Expansion[],
): Promise<readonly ExpandedRow[]> {
  const own = await runSteps(measureRows(rows));
  checkCount(own);
  caller.budget.left -= sum(own).length;
  if (caller.budget.left < 0) throw new RowsTooLarge('The related rows are too large for one response');
  const expanded = await expand(caller, compiled, rows, nested);
  return expanded.map((each, index) => ({ ...each, size: sum([own[index] ?? NOTHING, each.size]) }));
}

/**
 * Describes the collection that holds the related rows of a row, from its start. `linked` is true if it has a URL.
 *
 * @param owner.most maximum length of a URL
 */
function relatedCollection(
  compiled: CompiledResource,
  owning: string,
  relation: Relation,
  owner: LocatedRow & { readonly most: number },
): { readonly query: ListQuery; readonly linked: boolean } {
  const { kind, siblings } = relation;
  const { row, within } = owner;
  const limit: QueryPair = ['limit', String(EXPANDED_ROWS)];
  const below = kind === 'children' ? [{ resource: owning, id: row.id }, ...within] : [];
  const filter = relation.linked ? relationFilter(relation, row, owner.most) : null;
  const parameters = decodeParameters(filter === null ? [limit] : [filter, limit]);
  const query = readListQuery(compiled.list, siblings ? within : below, parameters, false);
  return { query, linked: kind === 'many' ? filter !== null : relation.linked };
}

/** Filters the collection of related rows for those of one row. */
function relationFilter({ kind, field, target }: Relation, row: Row, most: number): QueryPair | null {
  if (kind === 'many') return referredFilter(row[field], most);
  return kind === 'inverse' ? [referrersFilter(target, field), row.id] : null;
}
