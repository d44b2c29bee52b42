import type { CompileContext } from '../../document/compile-context.ts';
import type { Field, Property, SortKey } from '../../model.ts';
import { readArray, readObject, readString, readStrings } from '../../values/access.ts';
import { hasTable } from './compile-table.ts';
import { checkScalar, reportJson } from '../fields/properties.ts';

type Properties = ReadonlyMap<string, Property>;

const DEFAULT_SORT = 'created_at';
/** QRY-3. */
const MAX_SORT_KEYS = 5;

/**
 * Compiles the default sort. It ends with the id, in the direction of the key before it (PAGE-5). That of a table that
 * exists is its key.
 */
export function compileSort(properties: Properties, { declared, path, report }: CompileContext): readonly SortKey[] {
  const keys = (readString(declared['sort']) ?? (hasTable(declared) ? 'id' : DEFAULT_SORT)).split(',').map((text) => {
    const descending = text.startsWith('-');
    return { path: descending ? text.slice(1) : text, descending };
  });
  const at = [...path, 'sort'];
  for (const key of keys) checkScalar(key.path, at, properties, report);
  if (keys.length > MAX_SORT_KEYS) report(at, `a sort can have at most ${MAX_SORT_KEYS} keys`, 'remove the last ones');
  const names = new Set(keys.map((key) => key.path));
  if (names.size < keys.length) report(at, 'the sort contains a key twice', 'use each field once');
  const id = keys.findIndex((key) => key.path === 'id');
  if (id !== -1) return keys.slice(0, id + 1);
  return [...keys, { path: 'id', descending: keys.at(-1)?.descending ?? false }];
}

/** Compiles the declared indexes, each a list of property paths. `id` and `created_at` are always indexed. */
export function compileIndexes(
  properties: Properties,
  { declared, path, report }: CompileContext,
): readonly (readonly string[])[] {
  return readArray(declared['indexes']).map((index, position) => {
    const at = [...path, 'indexes', position];
    const paths = readStrings(index);
    for (const each of paths) checkScalar(each, at, properties, report);
    return paths;
  });
}

/**
 * Compiles the lists of fields that are unique together: those of `unique` and each `x-unique` field.
 *
 * @param schema the schema of the resource, its `$ref`s resolved
 */
export function compileUniques(
  fields: readonly Field[],
  schema: CompileContext['declared'],
  resource: CompileContext,
): readonly (readonly string[])[] {
  const { declared, path, report } = resource;
  const byName = new Map(fields.map((field) => [field.name, field]));
  const properties = readObject(schema['properties']);
  const single = fields.filter(({ name }) => readObject(properties[name])['x-unique'] === true);
  const check = (name: string, at: CompileContext['path']): void => {
    const kind = byName.get(name)?.type.kind;
    if (kind === undefined) report(at, `there is no field ${name}`, 'use fields of this resource');
    else if (kind === 'json') reportJson(name, at, report);
    else if (kind === 'array' || kind === 'object' || kind === 'map' || kind === 'binary') {
      report(at, `${name} is not a scalar field`, 'use scalar fields');
    }
  };
  for (const { name } of single) check(name, [...path, 'schema', 'properties', name, 'x-unique']);
  const together = readArray(declared['unique']).map((list, position) => {
    const names = readStrings(list);
    for (const name of names) check(name, [...path, 'unique', position]);
    return names;
  });
  const lists = [...single.map(({ name }) => [name]), ...together];
  return [...new Map(lists.map((list) => [list.join(), list])).values()];
}

/**
 * Compiles the field for time windows, a timestamp that every row has (PAGE-4). A table that exists has one where it is
 * named, or `created_at` has a column; else it is null.
 */
export function compileTimeField(properties: Properties, { declared, path, report }: CompileContext): string | null {
  const name = readString(declared['time_field']) ?? DEFAULT_SORT;
  const property = properties.get(name);
  if (property === undefined && declared['time_field'] === undefined) return null;
  if (property?.type.kind !== 'date-time' || (property.nullable && !hasTable(declared)) || name.includes('.')) {
    const fix = 'use created_at, updated_at or a required field with format: date-time';
    report([...path, 'time_field'], `${name} is not a required date-time field`, fix);
  }
  return name;
}
