import type { Field } from '../../model.ts';
import { scopeOf } from '../../row-key.ts';
import type { UnlinkedResource } from '../resources/compile-resource.ts';
import { referencePath } from './references.ts';

/**
 * Marks the references of a resource to rows below the same parent.
 * Reports references to other nested rows with client ids. Their ids are unique below one parent only (URL-7).
 *
 * @param resources all resources by name
 */
export function withSiblings(
  resource: UnlinkedResource,
  resources: ReadonlyMap<string, UnlinkedResource>,
): UnlinkedResource {
  const fields = resource.fields.map((field) => withSibling(resource, field, resources));
  return { ...resource, fields, field: new Map(fields.map((field) => [field.name, field])) };
}

function withSibling(
  resource: UnlinkedResource,
  field: Field,
  resources: ReadonlyMap<string, UnlinkedResource>,
): Field {
  const { reference, name } = field;
  const target = resources.get(reference?.resource ?? '');
  const isParent = name === resource.parent?.field;
  if (reference === null || target === undefined || isParent || scopeOf(target) === 0) return field;
  if (target.parent?.resource === resource.parent?.resource)
    return { ...field, reference: { ...reference, siblings: true } };
  const above = target.parent?.resource ?? '';
  const cause = `the ids of ${target.name} are unique below one of ${above} only, so ${name} cannot identify a row`;
  const fix = `write id: uuid for ${target.name}, or declare the field on a resource with parent: ${above}`;
  resource.report([...resource.path, ...referencePath(resource, field)], cause, fix);
  return field;
}

/** Reports inverse relations that could be neither expanded nor linked: the referring field is write-only, so no response may show it (REP-11). */
export function checkInverses(resources: readonly UnlinkedResource[]): void {
  for (const resource of resources) {
    for (const field of resource.fields) {
      const inverse = field.reference?.inverse ?? null;
      if (inverse === null || !field.writeOnly) continue;
      const at = [...resource.path, ...referencePath(resource, field), 'inverse'];
      const cause = `the relation ${inverse} can be neither expanded nor linked, because ${field.name} is write-only`;
      resource.report(at, cause, 'remove inverse, or writeOnly');
    }
  }
}
