import type { Json, JsonObject } from '../../conventions/json/json.ts';
import { readArray, readObject } from '../../model/values/access.ts';
import { referencedComponent, type DescribedApi } from './described-api.ts';
import { DescribedPaths, isParameter } from './described-paths.ts';
import type { DescribedResource, DescribedResources } from './described-resource.ts';
import { isReferred, listReferredNames } from './referred-names.ts';

/** A collection, and the evidence that it is one. */
interface Candidate {
  readonly resource: DescribedResource;
  /** False for a list alone, which may be anything: it is a resource where another one refers to it. */
  readonly isCertain: boolean;
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace'];

/** Finds the resources in the paths of a description; in its component schemas where it has no paths. */
export function describedResources(api: DescribedApi): DescribedResources {
  const paths = new DescribedPaths(readObject(api.document['paths']), (item) => api.resolve(item));
  if (paths.all.length === 0) return { resources: componentResources(api), others: [] };
  const candidates = paths.all.flatMap((path) => findCandidate(path, paths, api) ?? []);
  const resources = withoutViews(withReferred(candidates, api));
  const known = new Map(resources.map((each) => [each.path, each]));
  const used = new Set(resources.flatMap(({ path }) => [path, paths.itemPath(path) ?? path]));
  const others = paths.all
    .filter((path) => !used.has(path))
    .flatMap((path) =>
      METHODS.filter((method) => method in paths.item(path)).map((method) => `${method.toUpperCase()} ${path}`),
    );
  return { resources: resources.map((each) => withKnownParent(each, known)), others };
}

/** The collections, and the lists that they refer to. */
function withReferred(candidates: readonly Candidate[], api: DescribedApi): readonly DescribedResource[] {
  const kept = new Set(candidates.filter(({ isCertain }) => isCertain));
  for (let size = -1; size < kept.size; ) {
    size = kept.size;
    const names = listReferredNames(
      [...kept].map(({ resource }) => resource),
      api,
    );
    for (const each of candidates) if (isReferred(each.resource, names)) kept.add(each);
  }
  return candidates.filter((each) => kept.has(each)).map(({ resource }) => resource);
}

/** Leaves out the same collection at a deeper path, which is another view of it. */
function withoutViews(resources: readonly DescribedResource[]): readonly DescribedResource[] {
  const bySource = new Map<string, DescribedResource[]>();
  for (const resource of resources) {
    const known = bySource.get(resource.source) ?? [];
    bySource.set(resource.source, known);
    if (!known.some((each) => isView(resource, each))) known.push(resource);
  }
  const kept = new Set([...bySource.values()].flat());
  return resources.filter((each) => kept.has(each));
}

/** Checks if a collection has the items of another one, at a path that does not have another parent of its own. */
function isView(resource: DescribedResource, { component, path, schema }: DescribedResource): boolean {
  const isSame = resource.component === component && (component !== null || resource.schema === schema);
  return isSame && !path.includes('{');
}

function withKnownParent(resource: DescribedResource, known: ReadonlyMap<string, unknown>): DescribedResource {
  const { parent, path, notes } = resource;
  if (parent === null || known.has(parent)) return resource;
  const note = `its path was ${path}: ${parent} is no collection of this model`;
  return { ...resource, parent: null, notes: [...notes, note] };
}

function findCandidate(path: string, paths: DescribedPaths, api: DescribedApi): Candidate | null {
  const segments = paths.segments(path);
  const source = segments.at(-1);
  if (source === undefined || isParameter(source)) return null;
  const { get, post } = paths.item(path);
  const item = paths.itemPath(path);
  const { get: getItem, put, patch } = item === null ? {} : paths.item(item);
  const list = listItems(api, api.responseSchema(get));
  if (item === null && list === null) return null;
  const created = api.bodySchema(post);
  const found = [
    api.responseSchema(getItem),
    list,
    api.responseSchema(post),
    created,
    api.bodySchema(put),
    api.bodySchema(patch),
  ]
    .map((each) => unwrapped(api, each))
    .find((each) => each !== undefined && api.objectSchema(each) !== null);
  const schema = api.objectSchema(found);
  if (schema === null) return null;
  const { parent, notes } = findParent(segments, paths);
  const resource = {
    source,
    path,
    parent,
    notes: [...notes, ...linkNotes(api, [paths.item(path), item === null ? {} : paths.item(item)])],
    parameter: item === null ? null : (paths.segments(item).at(-1)?.slice(1, -1) ?? null),
    component: referencedComponent(found),
    schema,
    body: api.objectSchema(unwrapped(api, created)),
  };
  return { resource, isCertain: item !== null || post !== undefined };
}

/** The parent is the nearest item above a path; names between them are a prefix, which a model does not have. */
function findParent(segments: readonly string[], paths: DescribedPaths): Pick<DescribedResource, 'parent' | 'notes'> {
  const above = segments.findLastIndex((segment, index) => index > 0 && isParameter(segment));
  if (above < 1) return { parent: null, notes: [] };
  const prefix = segments.slice(above + 1, -1);
  const parent = paths.find(segments.slice(0, above)) ?? `/${segments.slice(0, above).join('/')}`;
  if (prefix.length === 0) return { parent, notes: [] };
  return { parent, notes: [`its path was /${segments.join('/')}: left out: ${prefix.join('/')}`] };
}

/** The comment on links of responses, which a model derives from its references. */
function linkNotes(api: DescribedApi, items: readonly JsonObject[]): readonly string[] {
  const operations = items.flatMap((item) => METHODS.map((method) => readObject(item[method])));
  const responses = operations.flatMap(({ responses: each }) => Object.values(readObject(each)));
  const names = new Set(responses.flatMap((each) => Object.keys(readObject(api.resolve(each)?.['links']))));
  return names.size === 0 ? [] : [`left out: links of responses: ${[...names].join(', ')}`];
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
  const { components, definitions } = api.document;
  const place = components === undefined ? '#/definitions' : '#/components/schemas';
  return Object.entries(readObject(readObject(components)['schemas'] ?? definitions)).flatMap(
    ([source, value]): readonly DescribedResource[] => {
      const schema = api.objectSchema(value);
      if (
        schema === null ||
        readArray(schema['required']).length + Object.keys(readObject(schema['properties'])).length === 0
      )
        return [];
      const component = `${place}/${source}`;
      return [{ source, path: `/${source}`, parent: null, parameter: null, component, schema, body: null, notes: [] }];
    },
  );
}
