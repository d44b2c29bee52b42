import { apiError } from '../../conventions/errors.ts';
import { type QueryPair, parametersOf } from '../../conventions/query.ts';
import { effortOfLookup, effortOfRelated } from '../../plan/effort.ts';
import type { Expansion, Relation } from '../../plan/expansion.ts';
import { type ListQuery, readListQuery } from '../../plan/list-query.ts';
import type { LocatedRow, RelatedRows } from '../../plan/plan.ts';
import type { Authorized } from '../authorize.ts';
import type { CompiledResource } from '../contract.ts';
import { referrersFilter } from '../represent/representation.ts';

/** Most rows of a to-many relation in one place (QRY-4). */
const EXPANDED_ROWS = 20;
/** Most related rows in one response (QRY-4), and most characters that they may have together as JSON. */
const MAX_EXPANDED = 1_000;
const MAX_LENGTH = 16_777_216;

/** A row with the related rows that were asked to be expanded. */
export interface ExpandedRow extends LocatedRow {
  readonly compiled: CompiledResource;
  /** In the order of the expansions. */
  readonly relations: readonly ExpandedRelation[];
  /** Of its related rows; of a related row, with itself. */
  readonly size: Size;
}

/** The rows of one relation of one row. */
export type ExpandedRelation =
  /** null where it leads to nothing. */
  | { readonly kind: 'one'; readonly name: string; readonly row: ExpandedRow | null; readonly size: Size }
  /** The first page of the collection that holds them. */
  | {
      readonly kind: 'many';
      readonly name: string;
      readonly compiled: CompiledResource;
      readonly query: ListQuery;
      readonly rows: readonly ExpandedRow[];
      readonly more: boolean;
      readonly size: Size;
    };

/** How many related rows, nested ones included, and their characters as JSON. */
interface Size {
  readonly rows: number;
  readonly length: number;
}

const NOTHING: Size = { rows: 0, length: 0 };

type Caller = Pick<Authorized, 'rows' | 'contract'>;

/** Rows of one resource whose relation is read, and what is expanded below it. */
interface RelationRead {
  readonly owner: CompiledResource;
  readonly rows: readonly LocatedRow[];
  readonly expansion: Expansion;
}

/**
 * Reads the related rows of rows (QRY-4): one query for each relation, however many rows there are.
 *
 * @throws {ApiError} QUERY_EXPAND_INVALID where related rows are too many, or too large, for one response
 */
export async function expandRows(
  caller: Caller,
  compiled: CompiledResource,
  rows: readonly LocatedRow[],
  expansions: readonly Expansion[],
): Promise<readonly ExpandedRow[]> {
  const expanded = await expand(caller, compiled, rows, expansions);
  checkSize(sum(expanded.map(({ size }) => size)));
  return expanded;
}

async function expand(
  caller: Caller,
  compiled: CompiledResource,
  rows: readonly LocatedRow[],
  expansions: readonly Expansion[],
): Promise<readonly ExpandedRow[]> {
  const relations: (readonly ExpandedRelation[])[] = [];
  for (const expansion of expansions) {
    const read = { owner: compiled, rows, expansion };
    relations.push(expansion.relation.kind === 'one' ? await expandOne(caller, read) : await expandMany(caller, read));
  }
  return rows.map(({ row, within }, index) => {
    const own = relations.flatMap((each) => each[index] ?? []);
    return { row, within, compiled, relations: own, size: sum(own.map(({ size }) => size)) };
  });
}

async function expandOne(caller: Caller, { rows, expansion }: RelationRead): Promise<readonly ExpandedRelation[]> {
  const { name, field, target } = expansion.relation;
  const compiled = caller.contract.resourceOf(target.name);
  const idOf = ({ row }: LocatedRow): string | null => {
    const id = row[field];
    return typeof id === 'string' ? id : null;
  };
  const ids = [...new Set(rows.map(idOf))].filter((id) => id !== null);
  const found =
    ids.length === 0 ? [] : await caller.rows.lookup({ resource: target.name, ids, effort: effortOfLookup({ ids }) });
  const related = await expandRelated(caller, compiled, found, expansion.nested);
  const byId = new Map(related.map((each) => [each.row.id, each]));
  return rows.map((each) => {
    const row = byId.get(idOf(each) ?? '') ?? null;
    return { kind: 'one', name, row, size: row?.size ?? NOTHING };
  });
}

async function expandMany(
  caller: Caller,
  { owner, rows, expansion }: RelationRead,
): Promise<readonly ExpandedRelation[]> {
  const { relation, nested } = expansion;
  const compiled = caller.contract.resourceOf(relation.target.name);
  const queries = rows.map((each) => queryOf(compiled, owner.resource.name, relation, each));
  const [first] = queries;
  if (first === undefined) return [];
  const { order, window } = first.plan;
  const owners = [...new Set(rows.map(({ row }) => row.id))];
  const wanted = { field: relation.field, owners, order, limit: window.limit };
  const effort = effortOfRelated(compiled.resource, wanted);
  const found = await caller.rows.related({ resource: compiled.resource.name, ...wanted, effort });
  const all = owners.flatMap((id) => found.get(id)?.rows ?? []);
  const related = await expandRelated(caller, compiled, all, nested);
  const expandedOf = new Map(all.map((located, index) => [located, related[index]]));
  return rows.flatMap(({ row }, index) => {
    const query = queries[index];
    const { rows: own, more }: RelatedRows = found.get(row.id) ?? { rows: [], more: false };
    const page = own.flatMap((located) => expandedOf.get(located) ?? []);
    const size = sum(page.map((each) => each.size));
    return query === undefined ? [] : { kind: 'many', name: relation.name, compiled, query, rows: page, more, size };
  });
}

/** Related rows with their own relations, each once, however often they are referred to. */
async function expandRelated(
  caller: Caller,
  compiled: CompiledResource,
  rows: readonly LocatedRow[],
  nested: readonly Expansion[],
): Promise<readonly ExpandedRow[]> {
  const own = rows.map(({ row }): Size => ({ rows: 1, length: JSON.stringify(row).length }));
  checkSize(sum(own));
  const expanded = await expand(caller, compiled, rows, nested);
  return expanded.map((each, index) => ({ ...each, size: sum([own[index] ?? NOTHING, each.size]) }));
}

/** The collection that holds the related rows of a row, from its start. */
function queryOf(
  compiled: CompiledResource,
  owning: string,
  { kind, field, target }: Relation,
  { row, within }: LocatedRow,
): ListQuery {
  const limit: QueryPair = ['limit', String(EXPANDED_ROWS)];
  const above = kind === 'children' ? [{ resource: owning, id: row.id }, ...within] : [];
  const parameters = kind === 'children' ? [limit] : [[referrersFilter(target, field), row.id] as const, limit];
  return readListQuery(compiled.list, above, parametersOf(parameters), false);
}

function sum(sizes: readonly Size[]): Size {
  return sizes.reduce((all, { rows, length }) => ({ rows: all.rows + rows, length: all.length + length }), NOTHING);
}

/** @throws {ApiError} QUERY_EXPAND_INVALID */
function checkSize({ rows, length }: Size): void {
  if (rows <= MAX_EXPANDED && length <= MAX_LENGTH) return;
  const most =
    rows > MAX_EXPANDED ? `${MAX_EXPANDED} related resources` : `${MAX_LENGTH} characters of related resources`;
  const message = `The response would hold more than ${most}; send a smaller limit, or expand less.`;
  throw apiError('QUERY_EXPAND_INVALID', message, {
    details: [{ field: 'expand', message: `leads to more than ${most}` }],
  });
}
