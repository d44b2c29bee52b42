import type { Resource, SortKey } from '../model/model.ts';
import { indexesOf, type ResourceIndex } from './indexes.ts';
import type { Condition, Effort, ListPlan, LookupPlan, RelatedPlan } from './plan.ts';

/** An offset up to which rows are passed over at once. */
const SHALLOW = 1_000;

/** Related rows, or rows of some ids, that are read at once: each takes a hundredth of a millisecond. */
const FEW_RELATED = 500;

/** Rows named by what is unique that are filtered and sorted at once: a page. More of them can be of any size, and need a deadline. */
const FEW_NAMED = 100;

/**
 * How much a list may cost (PAGE-10, QRY-3): as much as it wants where no index serves it, unless it names a few rows; up to a limit where it
 * counts, or passes over many entries of the index that does.
 */
export function effortOf(
  resource: Resource,
  { within, filter, order, window, count }: Pick<ListPlan, 'within' | 'filter' | 'order' | 'window' | 'count'>,
): Effort {
  if (isUnindexed(resource, within.length > 0, filter, order)) {
    const isFirst = window.kind === 'offset' || window.after === null;
    const named = within.length === 0 && isFirst ? namedRows(resource, filter) : null;
    return named === null || named > FEW_NAMED ? 'unbounded' : 'light';
  }
  const isDeep = window.kind === 'offset' && window.offset > SHALLOW;
  return isDeep || count.kind === 'capped' ? 'bounded' : 'light';
}

/** How much the rows of some ids may cost. */
export function effortOfLookup({ ids }: Pick<LookupPlan, 'ids'>): Effort {
  return ids.length > FEW_RELATED ? 'bounded' : 'light';
}

/**
 * How much the rows that refer to some others may cost (QRY-4): for each owner a walk of one index that a limit ends; all that refer to it,
 * gathered and sorted, where the field is an array or no index has the field and then the order.
 */
export function effortOfRelated(
  resource: Resource,
  { field, owners, order, limit }: Pick<RelatedPlan, 'field' | 'owners' | 'order' | 'limit'>,
): Effort {
  // No index has an array.
  const ofOne: Condition = { path: field, operator: 'in', values: [''] };
  if (isUnindexed(resource, false, [ofOne], order)) return 'unbounded';
  return owners.length * limit > FEW_RELATED ? 'bounded' : 'light';
}

/**
 * How many rows a filter names at most: it lists values of the id or of another unique path. null where it names none, or where a database may
 * enter another index by what the filter says besides, and walk it: which of them is better, it guesses.
 */
function namedRows(resource: Resource, filter: readonly Condition[]): number | null {
  const indexes = indexesOf(resource);
  const enters = (path: string): boolean => path === 'id' || indexes.some(({ keys }) => keys[0]?.path === path);
  const names = (path: string): boolean =>
    path === 'id' || indexes.some(({ keys, unique }) => unique && keys.length === 1 && keys[0]?.path === path);
  const [entered, ...others] = filter.filter((each) => each.operator === 'search' || enters(each.path));
  if (entered?.operator !== 'in' || others.length > 0) return null;
  return names(entered.path) ? entered.values.length : null;
}

/**
 * Whether no index serves a filter and an order together, so that the rows read may be far more than the rows wanted.
 * An index serves when its first keys are what the filter compares with one value each, and the order's keys follow, all in the index's
 * direction or all against it. The first of them may be bounded too: then a part of the index is walked.
 *
 * @param below whether the rows are those below one parent
 */
export function isUnindexed(
  resource: Resource,
  below: boolean,
  filter: readonly Condition[],
  order: readonly SortKey[],
): boolean {
  // What a word begins is gathered before anything else is looked at.
  if (filter.some(({ operator }) => operator === 'search')) return true;
  const bounds = filter.map(indexUseOf);
  const pathsOf = (kind: IndexUse): readonly string[] =>
    bounds.flatMap((bound) => (bound?.kind === kind ? [bound.path] : []));
  const equal = new Set([...(below && resource.parent !== null ? [resource.parent.field] : []), ...pathsOf('equal')]);
  const indexes = indexesOf(resource);
  // Of one row at most, everything can be asked.
  if (equal.has('id') || indexes.some(({ keys, unique }) => unique && keys.every(({ path }) => equal.has(path)))) {
    return false;
  }
  const wanted = order.filter(({ path }) => !equal.has(path));
  if (bounds.includes(null)) return true;
  if (pathsOf('range').some((path) => !equal.has(path) && path !== wanted[0]?.path)) return true;
  const byId = equal.size === 0 && wanted[0]?.path === 'id';
  return !byId && !indexes.some((index) => serves(index, equal, wanted));
}

type IndexUse = 'equal' | 'range';

/** Where in an index a condition holds; null where it may hold anywhere. */
function indexUseOf(condition: Condition): { readonly kind: IndexUse; readonly path: string } | null {
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
    case 'search':
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
  // Where the keys of a unique index decide already, nothing after them can matter.
  const wanted = unique && total ? order.slice(0, rest.length) : order;
  const turned = wanted[0]?.descending !== rest[0]?.descending;
  return (
    prefix.length === equal.size &&
    prefix.every(({ path }) => equal.has(path)) &&
    wanted.every(
      ({ path, descending }, place) => path === rest[place]?.path && descending === (rest[place].descending !== turned),
    )
  );
}
