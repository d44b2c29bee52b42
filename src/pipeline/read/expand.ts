import { apiError } from '../../conventions/errors.ts';
import type { Json, JsonObject } from '../../conventions/json.ts';
import { parametersOf, type QueryPair } from '../../conventions/query.ts';
import type { LinkBase } from '../../plan/url-builder.ts';
import { effortOfLookup, effortOfRelated } from '../../plan/effort.ts';
import type { Expansion, Relation } from '../../plan/expansion.ts';
import { type ListQuery, readListQuery } from '../../plan/list-query.ts';
import type { LocatedRow, RelatedRows } from '../../plan/plan.ts';
import type { View } from '../../plan/view.ts';
import type { MaybePromise } from '../../platform/maybe-promise.ts';
import type { CompiledResource } from '../contract.ts';
import { linkTargets, pageMetadata } from '../represent/page-metadata.ts';
import { referrersFilter } from '../represent/representation.ts';
import type { Surroundings } from '../surroundings.ts';

/** Most rows of a to-many relation that are told at once (QRY-4). */
const EXPANDED_ROWS = 20;
/** Most related rows in one answer (QRY-4), and most characters that they may have together as JSON. */
const MAX_EXPANDED = 1_000;
const MAX_LENGTH = 16_777_216;

/** How many related rows are told, those within them too, and their characters as JSON. */
interface Size {
  readonly rows: number;
  readonly length: number;
}

/** What is told of related rows within one representation. */
interface Related {
  readonly members: JsonObject;
  readonly size: Size;
}

/** Where answers are told, and with what. */
interface ExpandContext {
  readonly base: LinkBase;
  readonly surroundings: Surroundings;
}

/**
 * Rows as a caller wants to see them, in their order, with the related rows that were asked for (QRY-4): one query for each relation,
 * however many rows there are.
 *
 * @throws {ApiError} QUERY_EXPAND_INVALID where related rows are too many for one answer
 */
export function representRows(
  compiled: CompiledResource,
  rows: readonly LocatedRow[],
  { projection, expansions }: View,
  base: LinkBase,
  surroundings: Surroundings,
): MaybePromise<readonly JsonObject[]> {
  const tell = (related: readonly Related[]): readonly JsonObject[] =>
    rows.map(({ row, within }, index) =>
      compiled.representStored(row, within, base, projection, related[index]?.members),
    );
  if (expansions.length === 0) return tell([]);
  return expand(compiled, rows, expansions, { base, surroundings }).then((related) => {
    checkSize(sum(related.map(({ size }) => size)));
    return tell(related);
  });
}

async function expand(
  { resource }: CompiledResource,
  rows: readonly LocatedRow[],
  expansions: readonly Expansion[],
  telling: ExpandContext,
): Promise<readonly Related[]> {
  let told: readonly Related[] = rows.map(() => ({ members: {}, size: NOTHING }));
  for (const { relation, nested } of expansions) {
    const of = compiledOf(relation, telling);
    const values =
      relation.kind === 'one'
        ? await expandOne(of, relation, rows, nested, telling)
        : await expandMany(of, resource.name, relation, rows, nested, telling);
    told = told.map(({ members, size }, index) => {
      const value = values[index];
      return {
        members: { ...members, [relation.name]: value?.told ?? null },
        size: sum([size, value?.size ?? NOTHING]),
      };
    });
  }
  return told;
}

/** What stands under the name of a relation; null where it leads to nothing. */
interface Value {
  readonly told: Json;
  readonly size: Size;
}

async function expandOne(
  compiled: CompiledResource,
  { field }: Relation,
  rows: readonly LocatedRow[],
  nested: readonly Expansion[],
  telling: ExpandContext,
): Promise<readonly (Value | null)[]> {
  const idOf = ({ row }: LocatedRow): string | null => {
    const id = row[field];
    return typeof id === 'string' ? id : null;
  };
  const ids = [...new Set(rows.map(idOf))].filter((id) => id !== null);
  const plan = { resource: compiled.resource.name, ids, effort: effortOfLookup({ ids }) };
  const found = ids.length === 0 ? [] : await telling.surroundings.store.rows.lookup(plan);
  const values = await representRelated(compiled, found, nested, telling);
  const byId = new Map(found.map(({ row }, index) => [row.id, values[index] ?? null]));
  return rows.map((each) => byId.get(idOf(each) ?? '') ?? null);
}

async function expandMany(
  compiled: CompiledResource,
  owning: string,
  relation: Relation,
  rows: readonly LocatedRow[],
  nested: readonly Expansion[],
  telling: ExpandContext,
): Promise<readonly (Value | null)[]> {
  const queries = rows.map((owner) => queryOf(compiled, owning, relation, owner));
  const [{ plan } = { plan: null }] = queries;
  if (plan === null) return [];
  const { order, window } = plan;
  const owners = [...new Set(rows.map(({ row }) => row.id))];
  const wanted = { field: relation.field, owners, order, limit: window.limit };
  const asked = { resource: compiled.resource.name, ...wanted, effort: effortOfRelated(compiled.resource, wanted) };
  const found = await telling.surroundings.store.rows.related(asked);
  const all = owners.flatMap((owner) => found.get(owner)?.rows ?? []);
  const told = await representRelated(compiled, all, nested, telling);
  const values = new Map(all.map((located, index) => [located, told[index]]));
  return rows.map(({ row }, index) => {
    const query = queries[index];
    const related = found.get(row.id) ?? { rows: [], more: false };
    return query === undefined ? null : collectionValue(compiled, query, related, values, telling);
  });
}

/** The related rows of one row as a collection of them: its first page. */
function collectionValue(
  compiled: CompiledResource,
  query: ListQuery,
  { rows, more }: RelatedRows,
  values: ReadonlyMap<LocatedRow, Value | undefined>,
  { base, surroundings }: ExpandContext,
): Value {
  const page = { rows: rows.map(({ row }) => row), more, total: null };
  const { facts, links } = pageMetadata(compiled, query, page, base, surroundings);
  const items = rows.flatMap((located) => values.get(located) ?? []);
  const data = items.map(({ told }) => told);
  return {
    told: { data, page: facts, links: linkTargets(links) },
    size: sum(items.map(({ size }) => size)),
  };
}

/** Related rows themselves, each once, however often they are told. */
async function representRelated(
  compiled: CompiledResource,
  rows: readonly LocatedRow[],
  nested: readonly Expansion[],
  telling: ExpandContext,
): Promise<readonly Value[]> {
  const own = rows.map(({ row }): Size => ({ rows: 1, length: JSON.stringify(row).length }));
  checkSize(sum(own));
  const related = await expand(compiled, rows, nested, telling);
  return rows.map(({ row, within }, index) => {
    const { members, size } = related[index] ?? { members: {}, size: NOTHING };
    const told = compiled.representStored(row, within, telling.base, null, members);
    return { told, size: sum([own[index] ?? NOTHING, size]) };
  });
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

function compiledOf({ target }: Relation, { surroundings }: ExpandContext): CompiledResource {
  const compiled = surroundings.compiled.resources.get(target.name);
  if (compiled === undefined) throw new Error(`nothing was compiled for ${target.name}`);
  return compiled;
}

const NOTHING: Size = { rows: 0, length: 0 };

function sum(sizes: readonly Size[]): Size {
  return sizes.reduce((all, { rows, length }) => ({ rows: all.rows + rows, length: all.length + length }), NOTHING);
}

/** @throws {ApiError} QUERY_EXPAND_INVALID where related rows are too many, or too large, for one answer */
function checkSize({ rows, length }: Size): void {
  if (rows <= MAX_EXPANDED && length <= MAX_LENGTH) return;
  const most =
    rows > MAX_EXPANDED ? `${MAX_EXPANDED} related resources` : `${MAX_LENGTH} characters of related resources`;
  const message = `More than ${most} would be told in one answer; send a smaller limit, or expand less.`;
  throw apiError('QUERY_EXPAND_INVALID', message, {
    details: [{ field: 'expand', message: `leads to more than ${most}` }],
  });
}
