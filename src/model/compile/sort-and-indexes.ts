import type { CompileContext } from '../document/compile-context.ts';
import { listOf, objectOf, stringOf, stringsOf } from '../values/access.ts';
import type { Field, Property, SortKey } from '../model.ts';
import { checkScalar } from './properties.ts';

type Properties = ReadonlyMap<string, Property>;

const DEFAULT_SORT = 'created_at';
/** QRY-3. */
const MAX_SORT_KEYS = 5;

/** The default order of a resource, ending with the id in the direction of the key before it (PAGE-5). */
export function compileSort(properties: Properties, { declared, path, report }: CompileContext): readonly SortKey[] {
  const keys = (stringOf(declared['sort']) ?? DEFAULT_SORT).split(',').map((text) => {
    const descending = text.startsWith('-');
    return { path: descending ? text.slice(1) : text, descending };
  });
  const at = [...path, 'sort'];
  for (const key of keys) checkScalar(key.path, at, properties, report);
  if (keys.length > MAX_SORT_KEYS) report(at, `a sort has at most ${MAX_SORT_KEYS} keys`, 'leave the last ones out');
  const named = new Set(keys.map((key) => key.path));
  if (named.size < keys.length) report(at, 'a sort key stands twice', 'name each field once');
  const id = keys.findIndex((key) => key.path === 'id');
  if (id !== -1) return keys.slice(0, id + 1);
  return [...keys, { path: 'id', descending: keys.at(-1)?.descending ?? false }];
}

/** The declared indexes, each a list of property paths. `id` and `created_at` have one anyway. */
export function compileIndexes(
  properties: Properties,
  { declared, path, report }: CompileContext,
): readonly (readonly string[])[] {
  return listOf(declared['indexes']).map((index, position) => {
    const at = [...path, 'indexes', position];
    const paths = stringsOf(index);
    for (const each of paths) checkScalar(each, at, properties, report);
    return paths;
  });
}

/**
 * Field lists whose values are unique together: those of `unique` and each `x-unique` field.
 *
 * @param schema the resource's schema, its `$ref`s resolved
 */
export function compileUniques(
  fields: readonly Field[],
  schema: CompileContext['declared'],
  resource: CompileContext,
): readonly (readonly string[])[] {
  const { declared, path, report } = resource;
  const byName = new Map(fields.map((field) => [field.name, field]));
  const properties = objectOf(schema['properties']);
  const single = fields.filter(({ name }) => objectOf(properties[name])['x-unique'] === true);
  const check = (name: string, at: CompileContext['path']): void => {
    const kind = byName.get(name)?.type.kind;
    if (kind === undefined) report(at, `there is no field ${name}`, 'name fields of this resource');
    else if (kind === 'array' || kind === 'object' || kind === 'map' || kind === 'binary') {
      report(at, `${name} is no field of one value`, 'name fields that hold one value');
    }
  };
  for (const { name } of single) check(name, [...path, 'schema', 'properties', name, 'x-unique']);
  const together = listOf(declared['unique']).map((list, position) => {
    const names = stringsOf(list);
    for (const name of names) check(name, [...path, 'unique', position]);
    return names;
  });
  const lists = [...single.map(({ name }) => [name]), ...together];
  return [...new Map(lists.map((list) => [list.join(), list])).values()];
}

/** The field by which time windows cut a collection: one that every row has a timestamp in (PAGE-4). */
export function compileTimeField(properties: Properties, { declared, path, report }: CompileContext): string {
  const name = stringOf(declared['time_field']) ?? DEFAULT_SORT;
  const property = properties.get(name);
  if (property?.type.kind !== 'date-time' || property.nullable || name.includes('.')) {
    const fix = 'name created_at, updated_at or a required field of format date-time';
    report([...path, 'time_field'], `${name} is no field in which every row has a timestamp`, fix);
  }
  return name;
}
