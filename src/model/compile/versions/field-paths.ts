import type { Member, Resource, ValueType } from '../../model.ts';
import type { JsonObject } from '../../../conventions/json/json.ts';
import { readObject } from '../../values/access.ts';

/** The target of a path of a resource. Computed members and the id of the parent are in no schema. */
export type PathTarget =
  | { readonly kind: 'field'; readonly type: ValueType }
  | { readonly kind: 'computed' | 'parent' };

/** The dotted paths of all fields of a resource, of the members of its object fields, and of its computed members. */
export function listPaths({ fields, computed, parent }: Resource): ReadonlyMap<string, PathTarget> {
  const paths = new Map<string, PathTarget>();
  const add = (members: readonly Member[], prefix: string): void => {
    for (const { name, type } of members) {
      const path = prefix + name;
      paths.set(path, path === parent?.field ? { kind: 'parent' } : { kind: 'field', type });
      if (type.kind === 'object') add(type.members, `${path}.`);
    }
  };
  add(fields, '');
  for (const { name } of computed) paths.set(name, { kind: 'computed' });
  return paths;
}

/** The paths of the objects around a path, the outermost first. */
export function pathsAround(path: string): readonly string[] {
  const steps = path.split('.');
  return steps.slice(1).map((_, index) => steps.slice(0, index + 1).join('.'));
}

/** The last name of a dotted path. */
export function lastName(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

/** The path of the object that holds a member; '' for a field. */
export function parentPath(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('.'), 0));
}

/** The schema at a dotted path of the schema of a resource; empty where there is none. */
export function schemaAt(schema: JsonObject, path: string): JsonObject {
  return path.split('.').reduce((held, name) => readObject(readObject(held['properties'])[name]), schema);
}

/** True if a value at a path is always present: each member on the way is required in its object. */
export function isAlwaysRequired(schema: JsonObject, path: string): boolean {
  return [...pathsAround(path), path].every((each) => {
    const holder = parentPath(each);
    const { required } = holder === '' ? schema : schemaAt(schema, holder);
    return Array.isArray(required) && required.includes(lastName(each));
  });
}

/** The paths of a version in the next older one. */
export class OlderPaths {
  /** By path of the newer version; null where the older one has no such path. */
  readonly #changed: ReadonlyMap<string, string | null>;

  constructor(changed: Iterable<readonly [newer: string, older: string | null]>) {
    this.#changed = new Map(changed);
  }

  /** The path in the older version, which the longest changed path around it decides; null where there is none. */
  of(path: string): string | null {
    for (let end = path.length; end !== -1; end = path.lastIndexOf('.', end - 1)) {
      const changed = this.#changed.get(path.slice(0, end));
      if (changed !== undefined) return changed === null ? null : changed + path.slice(end);
    }
    return path;
  }

  /** The name of a field in the older version; null where it is none, or a member of an object. */
  field(name: string): string | null {
    const path = this.of(name);
    return path?.includes('.') === true ? null : path;
  }

  /** True if a path was changed itself, and not only with the object that holds it. */
  changes(path: string): boolean {
    return this.#changed.has(path);
  }
}
