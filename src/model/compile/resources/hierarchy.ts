import { isJsonObject } from '../../../conventions/json/json.ts';
import type { CompileContext } from '../../document/compile-context.ts';
import { reportUnknownResource } from '../../document/model-error.ts';
import { readParent } from '../../values/parent.ts';

/** URL-7. */
const MAX_LEVELS = 3;

/** A declared resource with its name. */
export interface ResourceContext extends CompileContext {
  readonly name: string;
}

/**
 * Sorts the declared resources: parents before their children, otherwise in declared order. Reports unknown parents,
 * cycles and more than three levels.
 */
export function parentsFirst<T extends ResourceContext>(resources: readonly T[]): readonly T[] {
  const byName = new Map(resources.map((resource) => [resource.name, resource]));
  const ordered = new Set<T>();
  for (const resource of resources) {
    for (const ancestor of lineage(resource, byName).reverse()) ordered.add(ancestor);
  }
  return [...ordered];
}

/** The name of the parent of a resource; null if it has none or an unknown one. */
export function readParentName(resource: ResourceContext, names: ReadonlySet<string>): string | null {
  const parent = readParent(resource.declared)?.resource ?? null;
  return parent !== null && names.has(parent) && parent !== resource.name ? parent : null;
}

/** A resource, its parent, the parent of that and so on. */
function lineage<T extends ResourceContext>(resource: T, byName: ReadonlyMap<string, T>): T[] {
  const line = [resource];
  const at = [...resource.path, 'parent', ...(isJsonObject(resource.declared['parent']) ? ['resource'] : [])];
  for (let name = readParent(resource.declared)?.resource; name !== undefined; ) {
    const parent = byName.get(name);
    if (parent === undefined) {
      if (line.length === 1) reportUnknownResource(resource.report, at, name, byName.keys());
      break;
    }
    if (line.includes(parent)) {
      if (parent === resource) {
        resource.report(at, `${resource.name} is its own ancestor`, 'remove one of the parents in the cycle');
      }
      break;
    }
    line.push(parent);
    name = readParent(parent.declared)?.resource;
  }
  if (line.length > MAX_LEVELS) {
    const cause = `${resource.name} is nested ${line.length} levels deep; the maximum is ${MAX_LEVELS}`;
    resource.report(at, cause, 'remove a parent, and relate the resources with x-references instead');
  }
  return line;
}
