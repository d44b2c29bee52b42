import type { CompileContext } from '../document/compile-context.ts';
import { stringOf } from '../values/access.ts';
import { reportUnknownResource } from '../document/unknown-name.ts';

/** URL-7. */
const MAX_LEVELS = 3;

/** A declared resource with its name. */
export interface ResourceContext extends CompileContext {
  readonly name: string;
}

/**
 * The declared resources, parents before their children and otherwise in declared order. Parents that are unknown, sit below
 * their own children or nest deeper than three levels are announced; such a resource stands at the top.
 */
export function parentsFirst<T extends ResourceContext>(resources: readonly T[]): readonly T[] {
  const byName = new Map(resources.map((resource) => [resource.name, resource]));
  const ordered = new Set<T>();
  for (const resource of resources) {
    for (const ancestor of lineage(resource, byName).reverse()) ordered.add(ancestor);
  }
  return [...ordered];
}

/** The name of the resource that one sits under; null where it sits under none that exists. */
export function parentOf(resource: ResourceContext, names: ReadonlySet<string>): string | null {
  const parent = stringOf(resource.declared['parent']);
  return parent !== null && names.has(parent) && parent !== resource.name ? parent : null;
}

/** A resource, its parent, the parent's parent. */
function lineage<T extends ResourceContext>(resource: T, byName: ReadonlyMap<string, T>): T[] {
  const line = [resource];
  const at = [...resource.path, 'parent'];
  for (let name = stringOf(resource.declared['parent']); name !== null; ) {
    const parent = byName.get(name);
    if (parent === undefined) {
      if (line.length === 1) reportUnknownResource(resource.report, [...resource.path, 'parent'], name, byName.keys());
      break;
    }
    if (line.includes(parent)) {
      if (parent === resource) {
        resource.report(at, `${resource.name} is its own ancestor`, 'leave one parent of the ring out');
      }
      break;
    }
    line.push(parent);
    name = stringOf(parent.declared['parent']);
  }
  if (line.length > MAX_LEVELS) {
    const fix = 'nest less: a reference (x-references) relates resources as well';
    resource.report(
      at,
      `${resource.name} would be nested ${line.length} levels deep, and ${MAX_LEVELS} is the most`,
      fix,
    );
  }
  return line;
}
