import type { Model, Resource } from './model.ts';

/**
 * What a model may declare and had better not: one line for each resource with fields that can be sorted or filtered by and
 * that no index serves (QRY-3). Ids of related rows have an index of their own.
 */
export function describeWarnings(model: Model): readonly string[] {
  return [...model.resources.values()].flatMap((resource) => {
    const paths = unindexed(resource);
    if (paths.length === 0) return [];
    const fix = 'declare indexes, or restrict sortable and filterable';
    return [`resources.${resource.name}: sortable or filterable without an index: ${paths.join(', ')}; ${fix}`];
  });
}

function unindexed({ properties, field, indexes, uniques }: Resource): readonly string[] {
  const leading = new Set([...indexes, ...uniques].map(([first]) => first));
  const isField = (path: string): boolean => field.has(path.split('.')[0] ?? path);
  return [...properties.values()]
    .filter(({ path, sortable, filterable }) => (sortable || filterable) && isField(path))
    .filter(({ path }) => !leading.has(path) && (field.get(path)?.reference ?? null) === null)
    .map(({ path }) => path);
}
