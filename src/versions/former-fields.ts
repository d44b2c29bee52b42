import type { Member, Model, Resource } from '../model/model.ts';
import { comparedPaths, type ComparedPaths } from '../plan/events/recorded-values.ts';
import { relatedMember } from '../plan/related-values.ts';
import { findFormerNames, type FormerNames } from './former-names.ts';
import type { RenamedPath } from './renamed-paths.ts';

/** A resource of the model before. */
export interface FormerResource {
  /** The name of its table, and its singular. */
  readonly table: string;
  readonly singular: string;
  readonly fields: readonly Member[];
}

/** @returns the resource of the model before; null for a new one */
export type FindFormer = (resource: Resource) => FormerResource | null;

/** A resource with what it was before. */
export interface ResourceBefore extends FormerNames {
  readonly resource: Resource;
  readonly before: FormerResource;
  /** The fields whose names differ, with the id of the parent. */
  readonly fields: readonly RenamedPath[];
}

/** Finds the resources that the model before had, and the names that their fields and members had there. */
export function findResourcesBefore(
  { resources }: Pick<Model, 'resources'>,
  find: FindFormer,
): readonly ResourceBefore[] {
  return [...resources.values()].flatMap((resource): readonly ResourceBefore[] => {
    const before = find(resource);
    if (before === null) return [];
    const known = new Set(before.fields.map(({ name }) => name));
    const parent = resources.get(resource.parent?.resource ?? '');
    const above = parent === undefined ? null : find(parent);
    const fields = resource.fields.flatMap(({ name, was }): readonly RenamedPath[] => {
      // The id of a parent is named by the singular of that: no model can declare `x-was` for it.
      const former = name === resource.parent?.field ? `${above?.singular}_id` : was;
      return former === null || former === name || known.has(name) || !known.has(former)
        ? []
        : [{ from: former, to: name }];
    });
    return [{ resource, before, fields, ...findFormerNames(resource, before.fields) }];
  });
}

/** The later names of what is recorded of rows that references of a resource lead to, by the later names of these. */
export function listRelatedNames(
  resources: Model['resources'],
  resource: Resource,
  before: ReadonlyMap<string, ResourceBefore>,
): readonly RenamedPath[] {
  return [...comparedPaths(resources)(resource).related].flatMap(([field, related]) =>
    listNamesBelow(related, { from: relatedMember(field), to: relatedMember(field) }, before),
  );
}

/** @param above the member that holds the values of the row, before and now */
function listNamesBelow(
  { resource, node }: { readonly resource: string; readonly node: ComparedPaths },
  above: RenamedPath,
  all: ReadonlyMap<string, ResourceBefore>,
): readonly RenamedPath[] {
  const { fields = [], renamed = [] } = all.get(resource) ?? {};
  const own = [...fields, ...renamed].map(({ from, to }) => ({
    from: `${above.from}.${from}`,
    to: `${above.to}.${to}`,
  }));
  const others = [...node.related].flatMap(([field, related]) => {
    const was = fields.find(({ to }) => to === field)?.from ?? field;
    const [from, to] = [`${above.from}.${relatedMember(was)}`, `${above.to}.${relatedMember(field)}`];
    return [...(was === field ? [] : [{ from, to }]), ...listNamesBelow(related, { from, to }, all)];
  });
  return [...own, ...others];
}
