import type { Model, Resource } from '../../../model/model.ts';
import { keyMembers } from '../../../model/row-key.ts';
import { describeKey, type ModelProfile, type ResourceProfile } from './model-profile.ts';
import { deriveSchema, type TableSchema } from './schema.ts';

/** The profile of a resource in the model before, by the name that it had there. */
export function earlierResource(
  { resources }: ModelProfile,
  { name, was }: Pick<Resource, 'name' | 'was'>,
): ResourceProfile | null {
  return resources[name] ?? resources[was ?? ''] ?? null;
}

/**
 * Finds the earlier name of the field with the id of the parent. Null if the name is the same, or the parent is another
 * resource. The field is named by the singular of the parent and renamed with it: no model can declare `x-was` for it.
 */
export function earlierParentField(before: ModelProfile, resource: Resource, { resources }: Model): string | null {
  const parent = resources.get(resource.parent?.resource ?? '');
  if (parent === undefined) return null;
  const earlier = earlierResource(before, parent);
  return earlier === null || earlier.singular === parent.singular ? null : `${earlier.singular}_id`;
}

/**
 * The tables of a model, in which the columns with the ids of parents have the names of before, too.
 *
 * @param current what is recorded of the models before
 */
export function schemaAfter(current: readonly ModelProfile[], model: Model): readonly TableSchema[] {
  const before = current.at(-1);
  const declared = deriveSchema(model);
  if (before === undefined) return declared;
  return declared.map((table) => {
    const resource = model.resources.get(table.name);
    const was = resource === undefined ? null : earlierParentField(before, resource, model);
    if (was === null) return table;
    const columns = table.columns.map((column) =>
      column.name === resource?.parent?.field ? { ...column, was } : column,
    );
    return { ...table, columns };
  });
}

/**
 * Gives a profile the earlier names of resources, and of fields with the ids of parents. Names that follow from the
 * name of another resource are no difference then.
 */
export function withEarlierNames(
  profile: ResourceProfile,
  resource: Resource,
  { before, model }: { readonly before: ModelProfile; readonly model: Model },
): ResourceProfile {
  const earlierName = (name: string): string => {
    const was = model.resources.get(name)?.was ?? null;
    return was !== null && before.resources[name] === undefined && before.resources[was] !== undefined ? was : name;
  };
  const parentField = earlierParentField(before, resource, model);
  const earlierField = (name: string): string =>
    parentField !== null && name === resource.parent?.field ? parentField : name;
  const fields = Object.entries(profile.fields).map(([name, field]) => {
    const [target, ...below] = field.reference?.split(' ') ?? [];
    const reference = target === undefined ? null : [earlierName(target), ...below].join(' ');
    return [earlierField(name), { ...field, reference }] as const;
  });
  return {
    ...profile,
    fields: Object.fromEntries(fields),
    key: describeKey(
      keyMembers(resource).map(earlierField),
      resource.parent === null ? null : earlierName(resource.parent.resource),
    ),
  };
}
