import type { Resource, SortKey } from '../model/model.ts';
import { weakMemoize } from '../cache/memoize.ts';
import { totalOrder } from './sort.ts';

/** An index that every store keeps. One that is not unique ends with the id, so that the order that it gives is total. */
export interface ResourceIndex {
  readonly keys: readonly SortKey[];
  readonly unique: boolean;
  /** Whether the order of its keys is total: by the id, or by values of which no two rows have the same and none is unset. */
  readonly total: boolean;
}

const ascending = (path: string): SortKey => ({ path, descending: false });

/**
 * The indexes of a resource: unique lists; creation, the default order and the time field, so that each of them is walked at the same cost
 * at any depth; each reference to one row, continued by the default order; and what the model declares (PAGE-10).
 */
export const indexesOf = weakMemoize((resource: Resource): readonly ResourceIndex[] => {
  const references = resource.fields.filter(
    ({ name, reference, type }) => name === resource.parent?.field || (reference !== null && type.kind !== 'array'),
  );
  const orders = [
    [ascending('created_at')],
    resource.sort,
    [ascending(resource.timeField)],
    ...references.map(({ name }) => [ascending(name), ...resource.sort]),
    ...resource.indexes.map((paths) => paths.map(ascending)),
  ];
  return [
    ...resource.uniques.map((paths) => ({
      keys: paths.map(ascending),
      unique: true,
      total: paths.every((path) => resource.properties.get(path)?.nullable === false),
    })),
    ...orders
      .map((keys) => normal(totalOrder(keys)))
      .filter((keys) => keys.length > 1)
      .map((keys) => ({ keys, unique: false, total: true })),
  ];
});

/** An index is walked either way, so that one whose first key descends serves as its mirror image. */
function normal(keys: readonly SortKey[]): readonly SortKey[] {
  if (keys[0]?.descending !== true) return keys;
  return keys.map(({ path, descending }) => ({ path, descending: !descending }));
}
