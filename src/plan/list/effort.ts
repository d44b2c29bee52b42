import type { Resource, SortKey } from '../../model/model.ts';
import { keyMembers, referringMembers } from '../../model/row-key.ts';
import { type Cache, GenerationalCache } from '../../cache/cache.ts';
import { weakMemoize } from '../../cache/memoize.ts';
import { writeSort } from './sort.ts';
import { listIndexes, type ResourceIndex } from './indexes.ts';
import type { FilterCondition, PathCondition } from '../condition.ts';
import type { Effort, ListRead, LookupPlan, RelatedPlan } from '../plan.ts';
import { EVERYTHING, type Visibility, visibleConditions } from '../visibility.ts';

/** Offsets up to this number are cheap to skip. */
const SHALLOW = 1_000;

/** Up to this number, related rows and lookups by id are light: each row takes about 0.01 ms. */
const FEW_RELATED = 500;

/** Up to this number, rows selected by unique values are light to filter and sort. */
const FEW_UNIQUE = 100;

/**
 * Estimates the cost of a list (PAGE-10, QRY-3). It is unbounded if no index serves it, unless unique values select few
 * rows. It is bounded if the list counts, or skips many entries of its index. The conditions of a visibility count as a
 * filter.
 */
export function estimateEffort(
  resource: Resource,
  read: Pick<ListRead, 'within' | 'filter' | 'order' | 'window' | 'count'>,
  visible: Visibility = EVERYTHING,
): Effort {
  if (visible.kind === 'nothing') return 'light';
  const { within, order, window, count } = read;
  const filter = [...visibleConditions(visible), ...read.filter];
  if (isUnindexed(resource, within.length > 0, filter, order)) {
    const isFirst = window.kind === 'offset' || window.after === null;
    const lookups = within.length === 0 && isFirst ? uniqueLookups(resource, filter) : null;
    return lookups === null || lookups > FEW_UNIQUE ? 'unbounded' : 'light';
  }
  const isDeep = window.kind === 'offset' && window.offset > SHALLOW;
  return isDeep || count.kind === 'capped' ? 'bounded' : 'light';
}

/** Estimates the cost of a lookup by keys. */
export function effortOfLookup({ rows }: Pick<LookupPlan, 'rows'>): Effort {
  return rows.length > FEW_RELATED ? 'bounded' : 'light';
}

/**
 * Estimates the cost of reading related rows (QRY-4). With an index on the field and the order, each owner takes one
 * index scan with a limit. Without, or if the field is an array, all referring rows are read and sorted.
 */
export function effortOfRelated(
  resource: Resource,
  plan: Pick<RelatedPlan, 'field' | 'ownedBy' | 'owners' | 'order' | 'limit'>,
  visible: Visibility = EVERYTHING,
): Effort {
  if (visible.kind === 'nothing') return 'light';
  const { field, ownedBy, owners, order, limit } = plan;
  if (ownedBy !== undefined) return 'unbounded';
  // Arrays have no index.
  const ofOne = referringMembers(resource, field).map(
    (path): PathCondition => ({ path, operator: 'in', values: [''] }),
  );
  if (isUnindexed(resource, false, [...ofOne, ...visibleConditions(visible)], order)) return 'unbounded';
  return owners.length * limit > FEW_RELATED ? 'bounded' : 'light';
}

/**
 * The maximum number of rows that a filter on unique values, such as the id, can match; null if there is no such
 * filter. Also null if the filter could use another index: the database may choose the wrong one.
 */
function uniqueLookups(resource: Resource, filter: readonly FilterCondition[]): number | null {
  const indexes = listIndexes(resource);
  const isIndexed = (path: string): boolean => path === 'id' || indexes.some(({ keys }) => keys[0]?.path === path);
  const isUnique = (path: string): boolean =>
    path === 'id' || indexes.some(({ keys, unique }) => unique && keys.length === 1 && keys[0]?.path === path);
  const [entered, ...others] = filter.filter((each) => !('path' in each) || isIndexed(each.path));
  if (entered === undefined || others.length > 0) return null;
  if (entered.operator === 'any') return addAll(entered.alternatives.map((each) => uniqueLookups(resource, each)));
  return entered.operator === 'in' && isUnique(entered.path) ? entered.values.length : null;
}

/** null if one of the numbers is null. */
function addAll(numbers: readonly (number | null)[]): number | null {
  return numbers.reduce((sum, number) => (sum === null || number === null ? null : sum + number), 0);
}

/**
 * True if no index serves both a filter and an order, so that far more rows may be read than returned. An index serves
 * them if its first keys are those that the filter compares with one value each, and the keys of the order follow.
 * Those must all be in the direction of the index, or all reversed. The first of the latter may also have a range: then
 * a part of the index is scanned.
 *
 * @param below true if the rows are the children of one parent
 */
export function isUnindexed(
  resource: Resource,
  below: boolean,
  filter: readonly FilterCondition[],
  order: readonly SortKey[],
): boolean {
  // A full-text search collects all its matches first, related rows are any number, and alternatives are in no order.
  if (!filter.every((condition) => 'path' in condition)) return true;
  const uses = filter.map(describeIndexUse);
  const shapes = shapesByResource(resource);
  const shape = describeShape(below, uses, order);
  const known = shapes.get(shape);
  if (known !== undefined) return known;
  const found = isUnindexedUse(resource, below, uses, order);
  shapes.set(shape, found);
  return found;
}

/** The form of a query that decides which indexes serve it. Paths have neither spaces nor commas. */
function describeShape(below: boolean, uses: readonly (UseOfPath | null)[], order: readonly SortKey[]): string {
  const conditions = uses.map((use) => (use === null ? '-' : `${use.kind} ${use.path}`)).join();
  return `${below ? 'below ' : ''}${conditions} by ${sortText(order)}`;
}

const sortText = weakMemoize(writeSort);

/** Characters of the shapes of a resource: room for a few hundred. */
const MAX_WEIGHT = 32_768;
const SHAPE_WEIGHT = 64;

/** True if no index serves a shape: it depends on the *contract* alone. */
const shapesByResource = weakMemoize(
  (_resource: Resource): Cache<boolean> =>
    new GenerationalCache<boolean, string>(
      { maxWeight: MAX_WEIGHT, weigh: (_found, shape) => SHAPE_WEIGHT + shape.length },
      (shape) => shape,
    ),
);

function isUnindexedUse(
  resource: Resource,
  below: boolean,
  uses: readonly (UseOfPath | null)[],
  order: readonly SortKey[],
): boolean {
  const selectPaths = (kind: IndexUse): readonly string[] =>
    uses.flatMap((use) => (use?.kind === kind ? [use.path] : []));
  const equal = new Set([...(below ? resource.parentKey : []), ...selectPaths('equal')]);
  const indexes = listIndexes(resource);
  // At most one row matches: any filter and order is cheap.
  if (equal.has('id') || indexes.some(({ keys, unique }) => unique && keys.every(({ path }) => equal.has(path)))) {
    return false;
  }
  const wanted = order.filter(({ path }) => !equal.has(path));
  if (uses.includes(null)) return true;
  if (selectPaths('range').some((path) => !equal.has(path) && path !== wanted[0]?.path)) return true;
  // The primary key: the ids above the row that its key needs, then its own.
  const byId = wanted[0]?.path === 'id' && equal.symmetricDifference(new Set(keyMembers(resource).slice(1))).size === 0;
  return !byId && !indexes.some((index) => serves(index, equal, wanted));
}

type IndexUse = 'equal' | 'range';

/** The use of an index by a condition on a path. */
interface UseOfPath {
  readonly kind: IndexUse;
  readonly path: string;
}

/** Describes the use of an index by a condition; null if it cannot use one. */
function describeIndexUse(condition: PathCondition): UseOfPath | null {
  switch (condition.operator) {
    case 'in':
      return condition.values.length === 1 ? { kind: 'equal', path: condition.path } : null;
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
    case 'starts_with':
      return { kind: 'range', path: condition.path };
    case 'nin':
    case 'contains':
    case 'exists':
      return null;
  }
}

function serves(
  { keys, unique, total }: ResourceIndex,
  equal: ReadonlySet<string>,
  order: readonly SortKey[],
): boolean {
  const prefix = keys.slice(0, equal.size);
  const rest = keys.slice(equal.size);
  // The keys of a unique index make the order total, so later sort keys have no effect.
  const wanted = unique && total ? order.slice(0, rest.length) : order;
  const reversed = wanted[0]?.descending !== rest[0]?.descending;
  return (
    prefix.length === equal.size &&
    prefix.every(({ path }) => equal.has(path)) &&
    wanted.every(
      ({ path, descending }, at) => path === rest[at]?.path && descending === (rest[at].descending !== reversed),
    )
  );
}
