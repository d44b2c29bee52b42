import type { Resource, SortKey } from '../../model/model.ts';
import { referringMembers } from '../../model/row-key.ts';
import { weakMemoize } from '../../cache/memoize.ts';
import { policyPaths } from '../policy-paths.ts';
import { totalOrder } from './sort.ts';

/** An index that every store creates. If it is not unique, it ends with the id, which makes its order total. */
export interface ResourceIndex {
  readonly keys: readonly SortKey[];
  readonly unique: boolean;
  /** True if its order is total: it ends with the id, or its keys are unique and not nullable. */
  readonly total: boolean;
}

const ascendingKeys = (path: string): SortKey => ({ path, descending: false });

/**
 * Lists the indexes of a resource (PAGE-10). They serve unique constraints and the declared indexes; `created_at`,
 * the default order and the time field; and each reference. Each field
 * that a row policy compares by equality has one, too, followed by the default order. A table that exists has those
 * that its model declares.
 */
export const listIndexes = weakMemoize((resource: Resource): readonly ResourceIndex[] => {
  const references = resource.fields.filter(
    ({ name, reference, type }) => name === resource.parent?.field || (reference !== null && type.kind !== 'array'),
  );
  const isListedWhole = !resource.compact || resource.parent === null;
  const time = resource.timeField === null ? [] : [[ascendingKeys(resource.timeField)]];
  const created = [
    ...(isListedWhole ? [[ascendingKeys('created_at')], resource.sort, ...time] : []),
    ...references.map(({ name }) => [...referringMembers(resource, name).map(ascendingKeys), ...resource.sort]),
    ...policyPaths(resource).map((path) => [ascendingKeys(path), ...resource.sort]),
  ];
  const orders = [
    ...(resource.table === null ? created : []),
    ...resource.indexes.map((paths) => paths.map(ascendingKeys)),
  ];
  return [
    ...resource.uniques.map((paths) => ({
      keys: paths.map(ascendingKeys),
      unique: true,
      total: paths.every((path) => resource.properties.get(path)?.nullable === false),
    })),
    ...orders
      .map((keys) => normalize(totalOrder(keys)))
      .filter((keys) => keys.length > 1)
      .map((keys) => ({ keys, unique: false, total: true })),
  ];
});

/** An index can be read in both directions, so its first key is always ascending. */
function normalize(keys: readonly SortKey[]): readonly SortKey[] {
  if (keys[0]?.descending !== true) return keys;
  return keys.map(({ path, descending }) => ({ path, descending: !descending }));
}
