import type { CompileContext } from '../document/compile-context.ts';
import { RESERVED_FIELDS } from './fields.ts';
import type { Dependent, Field, CollectionLink, Resource } from '../model.ts';
import type { Path } from '../values/path.ts';

/** What a representation's links always are (REP-9). */
const FIXED_LINKS: ReadonlySet<string> = new Set(['self', 'collection', 'up']);

/** What relations are found by. */
export type RelatedResource = Pick<Resource, 'name' | 'fields' | 'parent'> & CompileContext;

/** The rows that hold a resource's id: its children first, then the fields that refer to it. */
export function dependentsOf(name: string, resources: readonly RelatedResource[]): readonly Dependent[] {
  return referrers(name, resources).map(({ resource, field, reference, child }) => ({
    resource: resource.name,
    field: field.name,
    many: field.type.kind === 'array',
    onDelete: reference.onDelete,
    child,
  }));
}

/** The collections that a resource's representation links to: its children, then the inverse relations that are declared (REP-9). */
export function linksOf(name: string, resources: readonly RelatedResource[]): readonly CollectionLink[] {
  return referrers(name, resources).flatMap(({ resource, field, reference, child }): readonly CollectionLink[] => {
    if (child) return [{ name: resource.name, resource: resource.name, kind: 'child', field: field.name }];
    if (reference.inverse === null) return [];
    return [{ name: reference.inverse, resource: resource.name, kind: 'inverse', field: field.name }];
  });
}

/** Announces relations and links of one resource under one name, or under a name that its representation uses already. */
export function checkRelationNames(resources: readonly RelatedResource[]): void {
  for (const target of resources) {
    const taken = new Set([...FIXED_LINKS, ...RESERVED_FIELDS, ...target.fields.map((field) => field.name)]);
    const claim = (name: string, { path, report }: CompileContext, at: Path): void => {
      if (taken.has(name)) {
        const cause = `the relation ${name} of ${target.name} has a name that is in use there`;
        report([...path, ...at], cause, 'give the relation another name by as: or inverse: in x-references');
      }
      taken.add(name);
    };
    for (const field of target.fields) {
      const as = field.reference?.as ?? null;
      if (as !== null) claim(as, target, referencePath(target, field));
    }
    for (const { resource, field, reference, child } of referrers(target.name, resources)) {
      if (child) claim(resource.name, resource, ['parent']);
      else if (reference.inverse !== null) claim(reference.inverse, resource, referencePath(resource, field));
    }
  }
}

interface Referrer {
  readonly resource: RelatedResource;
  readonly field: Field;
  readonly reference: NonNullable<Field['reference']>;
  readonly child: boolean;
}

function referrers(name: string, resources: readonly RelatedResource[]): readonly Referrer[] {
  const found = resources.flatMap((resource) =>
    resource.fields.flatMap((field): readonly Referrer[] => {
      const { reference } = field;
      if (reference?.resource !== name) return [];
      return [{ resource, field, reference, child: resource.parent?.field === field.name }];
    }),
  );
  return [...found.filter(({ child }) => child), ...found.filter(({ child }) => !child)];
}

function referencePath(resource: RelatedResource, field: Field): Path {
  if (resource.parent?.field === field.name) return ['parent'];
  const items = field.type.kind === 'array' ? ['items'] : [];
  return ['schema', 'properties', field.name, ...items, 'x-references'];
}
