import type { Model, Property, Resource } from '../model/model.ts';
import { isUnindexed } from './effort.ts';
import { indexesOf } from './indexes.ts';
import { totalOrder } from './sort.ts';

/**
 * What a model may declare and had better not: one line for each resource with fields that can be sorted or filtered by and
 * that no index serves (QRY-3).
 */
export function describeWarnings(model: Model): readonly string[] {
  return [...model.resources.values()].flatMap((resource) => {
    const parts = [
      ...named('sortable without an index in that order', unservedSorts(resource)),
      ...named('filterable without an index', unservedFilters(resource)),
    ];
    if (parts.length === 0) return [];
    return [`resources.${resource.name}: ${parts.join('; ')}; declare indexes, or restrict sortable and filterable`];
  });
}

function named(what: string, paths: readonly string[]): readonly string[] {
  return paths.length === 0 ? [] : [`${what}: ${paths.join(', ')}`];
}

function unservedSorts(resource: Resource): readonly string[] {
  return own(resource)
    .filter(
      ({ path, sortable }) => sortable && isUnindexed(resource, false, [], totalOrder([{ path, descending: false }])),
    )
    .map(({ path }) => path);
}

function unservedFilters(resource: Resource): readonly string[] {
  const leading = new Set(indexesOf(resource).map(({ keys: [first] }) => first?.path));
  return own(resource)
    .filter(({ path, filterable }) => filterable && !leading.has(path))
    .map(({ path }) => path);
}

/** What the model declares; what the server adds to every resource is not its to change. */
function own({ properties, field }: Resource): readonly Property[] {
  return [...properties.values()].filter(({ path }) => field.has(path.split('.')[0] ?? path));
}
