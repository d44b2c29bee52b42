import type { Resource, SortKey } from '../model/model.ts';
import { indexesOf, type KeptIndex } from './indexes.ts';
import type { Condition } from './plan.ts';

/**
 * Whether no index serves a filter and an order together, so that the rows read may be far more than the rows wanted.
 * An index serves when its first keys are what the filter compares with one value each, and the order's keys follow, all in the index's
 * direction or all against it.
 *
 * @param below whether the rows are those below one parent
 */
export function isHeavy(
  resource: Resource,
  below: boolean,
  filter: readonly Condition[],
  order: readonly SortKey[],
): boolean {
  const equal = new Set(below && resource.parent !== null ? [resource.parent.field] : []);
  for (const condition of filter) {
    if (condition.operator !== 'in' || condition.values.length !== 1) return true;
    equal.add(condition.path);
  }
  const wanted = order.filter(({ path }) => !equal.has(path));
  const indexes = indexesOf(resource);
  const oneRow =
    equal.has('id') || indexes.some(({ keys, unique }) => unique && keys.every(({ path }) => equal.has(path)));
  const byId = equal.size === 0 && wanted[0]?.path === 'id';
  return !oneRow && !byId && !indexes.some((index) => serves(index, equal, wanted));
}

function serves({ keys, unique, total }: KeptIndex, equal: ReadonlySet<string>, order: readonly SortKey[]): boolean {
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
