import type { Model, Resource } from '../model/model.ts';

/**
 * The resources of a model, each after those that its rows refer to. References in a circle are ignored where the
 * circle closes.
 */
export function importOrder({ resources }: Pick<Model, 'resources'>): readonly Resource[] {
  const ordered = new Set<Resource>();
  const open = new Set<string>();
  const visit = (resource: Resource): void => {
    if (open.has(resource.name)) return;
    open.add(resource.name);
    for (const { reference } of resource.fields) {
      const target = reference === null ? undefined : resources.get(reference.resource);
      if (target !== undefined) visit(target);
    }
    ordered.add(resource);
  };
  for (const resource of resources.values()) visit(resource);
  return [...ordered];
}
