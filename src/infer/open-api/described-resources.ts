import type { Json, JsonObject } from '../../conventions/json/json.ts';
import { readArray, readObject } from '../../model/values/access.ts';
import { referencedComponent, type DescribedApi } from './described-api.ts';

/** A collection of a description: a path with an item path below it, or with POST and a list. */
export interface DescribedResource {
  /** The last segment of its path. */
  readonly source: string;
  /** `/customers/{id}/orders` */
  readonly path: string;
  /** The path of the collection of its parent; null where it has none. */
  readonly parent: string | null;
  /** The component of its items; null for an inline schema. */
  readonly component: string | null;
  /** The schema of its items, an object. */
  readonly schema: JsonObject;
  /** The schema of the body that creates an item; null where there is none. */
  readonly body: JsonObject | null;
}

/** The resources of a description, and the operations that belong to none. */
export interface DescribedResources {
  readonly resources: readonly DescribedResource[];
  readonly others: readonly string[];
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace'];
const PARAMETER = /^\{[^}]*\}$/;

/** Finds the resources in the paths of a description; in its component schemas where it has no paths. */
export function describedResources(api: DescribedApi): DescribedResources {
  const paths = readObject(api.document['paths']);
  if (Object.keys(paths).length === 0) return { resources: componentResources(api), others: [] };
  const resources = new Map<string, DescribedResource>();
  const used = new Set<string>();
  for (const path of Object.keys(paths).toSorted((one, other) => depth(one) - depth(other))) {
    const resource = resourceAt(path, paths, api);
    if (resource === null) continue;
    used.add(path).add(itemPath(path, paths) ?? path);
    // The same collection at a deeper path is another view of it.
    const isKnown = [...resources.values()].some((each) => each.source === resource.source);
    if (!isKnown) resources.set(path, resource);
  }
  const others = Object.entries(paths)
    .filter(([path]) => !used.has(path))
    .flatMap(([path, item]) =>
      METHODS.filter((method) => method in readObject(item)).map((method) => `${method.toUpperCase()} ${path}`),
    );
  const known = [...resources.values()].map((each) =>
    each.parent === null || resources.has(each.parent) ? each : { ...each, parent: null },
  );
  return { resources: known, others };
}

function resourceAt(path: string, paths: JsonObject, api: DescribedApi): DescribedResource | null {
  const segments = splitSegments(path);
  const source = segments.at(-1);
  if (source === undefined || PARAMETER.test(source)) return null;
  const { get, post } = readObject(paths[path]);
  const { get: getItem, put, patch } = readObject(paths[itemPath(path, paths) ?? '']);
  const list = listItems(api, api.responseSchema(get));
  if (itemPath(path, paths) === null && (list === null || post === undefined)) return null;
  const created = api.contentSchema(readObject(post)['requestBody']);
  const candidates = [
    api.responseSchema(getItem),
    list,
    api.responseSchema(post),
    created,
    api.contentSchema(readObject(put)['requestBody']),
    api.contentSchema(readObject(patch)['requestBody']),
  ];
  const [item] = candidates
    .map((each) => unwrapped(api, each))
    .filter((each) => each !== undefined && api.objectSchema(each) !== null);
  const schema = api.objectSchema(item);
  if (schema === null) return null;
  const isNested = PARAMETER.test(segments.at(-2) ?? '');
  const parent = isNested ? `/${segments.slice(0, -2).join('/')}` : null;
  return {
    source,
    path,
    parent,
    component: referencedComponent(item),
    schema,
    body: api.objectSchema(unwrapped(api, created)),
  };
}

/** The path of an item below a collection. */
function itemPath(path: string, paths: JsonObject): string | null {
  const count = splitSegments(path).length + 1;
  const found = Object.keys(paths).find((each) => {
    const segments = splitSegments(each);
    return segments.length === count && each.startsWith(`${path}/`) && PARAMETER.test(segments.at(-1) ?? '');
  });
  return found ?? null;
}

/** The items of a list: of an array, or of the only array of objects in an envelope. */
function listItems(api: DescribedApi, value: Json | undefined): Json | null {
  const schema = api.resolve(value);
  if (schema === null) return null;
  if (schema['items'] !== undefined) return schema['items'];
  const lists = Object.values(readObject(api.objectSchema(schema)?.['properties'])).flatMap((member) => {
    const items = api.resolve(member)?.['items'];
    return items !== undefined && api.objectSchema(items) !== null ? [items] : [];
  });
  return lists.length === 1 ? (lists[0] ?? null) : null;
}

/** The schema of an item without an envelope `{data: ..}`. */
function unwrapped(api: DescribedApi, value: Json | null | undefined): Json | undefined {
  const properties = readObject(api.objectSchema(value ?? undefined)?.['properties']);
  const { data } = properties;
  return data !== undefined && !('id' in properties) && api.objectSchema(data) !== null ? data : (value ?? undefined);
}

function componentResources(api: DescribedApi): readonly DescribedResource[] {
  const schemas = readObject(readObject(api.document['components'])['schemas']);
  return Object.entries(schemas).flatMap(([source, value]): readonly DescribedResource[] => {
    const schema = api.objectSchema(value);
    if (
      schema === null ||
      readArray(schema['required']).length + Object.keys(readObject(schema['properties'])).length === 0
    )
      return [];
    return [
      { source, path: `/${source}`, parent: null, component: `#/components/schemas/${source}`, schema, body: null },
    ];
  });
}

function splitSegments(path: string): readonly string[] {
  return path.split('/').filter((segment) => segment !== '');
}

function depth(path: string): number {
  return splitSegments(path).length;
}
