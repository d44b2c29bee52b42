import { weakMemoize } from '../../cache/memoize.ts';
import { isJsonObject, type Json } from '../../conventions/json/json.ts';
import { jsonEquals } from '../../conventions/json/json-equality.ts';
import type { Model, Resource, Shape } from '../../model/model.ts';
import type { FieldValues } from '../plan.ts';

/**
 * Lists the paths at which changed objects differ, for older contracts that store members elsewhere (VER-5). An
 * object that was set or unset has one path, and so has each other value. null if no contract needs them.
 *
 * @param before null for a create
 */
export function changedMembers(
  model: Model,
  resource: Resource,
  { changed, before, values }: ChangedValues,
): readonly string[] | null {
  if (!dividedResources(model).has(resource.name)) return null;
  const paths = changed.flatMap((name) => {
    const field = resource.field.get(name);
    if (field?.type.kind !== 'object') return [];
    return differences(name, field, before?.[name] ?? null, values[name] ?? null);
  });
  return paths.length === 0 ? null : paths;
}

interface ChangedValues {
  readonly changed: readonly string[];
  readonly before: FieldValues | null;
  readonly values: FieldValues;
}

function differences(path: string, { type }: Shape, before: Json, after: Json): readonly string[] {
  if (jsonEquals(before, after)) return [];
  if (type.kind !== 'object') return [path];
  const found = isJsonObject(before) === isJsonObject(after) ? [] : [path];
  for (const member of type.members) {
    const [old, now] = [readMember(before, member.name), readMember(after, member.name)];
    found.push(...differences(`${path}.${member.name}`, member, old, now));
  }
  return found.length === 0 ? [path] : found;
}

/** null where it is not set. */
function readMember(object: Json, name: string): Json {
  const value = isJsonObject(object) ? (object[name] ?? null) : null;
  return Array.isArray(value) && value.length === 0 ? null : value;
}

/** The resources of which an older contract has members of objects elsewhere. */
const dividedResources = weakMemoize(
  ({ versions }: Model): ReadonlySet<string> =>
    new Set(
      versions
        .flatMap(({ changes }) => changes)
        .filter(({ kind }) => kind === 'move')
        .map(({ resource }) => resource),
    ),
);
