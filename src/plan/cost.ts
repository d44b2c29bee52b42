import type { Resource, SortKey } from '../model/model.ts';
import type { Condition } from './plan.ts';

/**
 * Whether no index serves a filter and an order together, so that the rows read may be far more than the rows wanted.
 * An index serves when its first columns are what the filter compares with one value each, and the order's keys follow.
 */
export function isHeavy(resource: Resource, filter: readonly Condition[], order: readonly SortKey[]): boolean {
  const equal = new Set<string>();
  for (const condition of filter) {
    if (condition.operator !== 'in' || condition.values.length !== 1) return true;
    equal.add(condition.path);
  }
  const keys = order.filter(({ path }) => !equal.has(path));
  const oneWay = keys.every(({ descending }) => descending === keys[0]?.descending);
  return !oneWay || !indexesOf(resource).some((index) => serves(index, equal, keys));
}

function serves(index: readonly string[], equal: ReadonlySet<string>, keys: readonly SortKey[]): boolean {
  const prefix = index.slice(0, equal.size);
  const rest = index.slice(equal.size);
  return (
    prefix.length === equal.size &&
    prefix.every((path) => equal.has(path)) &&
    keys.every(({ path }, place) => path === rest[place])
  );
}

/** Every index that a store keeps for the resource, each ending with the id. */
function indexesOf(resource: Resource): readonly (readonly string[])[] {
  const references = resource.fields.filter((field) => field.reference?.as !== null && field.reference !== null);
  return [
    ['id'],
    ['created_at', 'id'],
    ...references.map(({ name }) => [name, 'id']),
    ...[...resource.indexes, ...resource.uniques].map((index) => [...index, 'id']),
  ];
}
