import { isJsonObject, type Json, type JsonObject } from '../../conventions/json/json.ts';
import type { ContractVersion } from '../../model/model.ts';
import { readArray, readObject, readString } from '../../model/values/access.ts';
import { type ApiDescription, type Resolved, resolve } from './api-description.ts';

/** An operation of a description, with what its path and the whole description say for it. */
export interface DescribedOperation {
  /** `GET /api/v1/products/{id}`, for people. */
  readonly label: string;
  /** Name of the group; null for none. */
  readonly tag: string | null;
  readonly operation: JsonObject;
  /** By place and name; those of a path by their position. */
  readonly parameters: ReadonlyMap<string, Resolved>;
  /** Credentials, each of which is enough. An empty one means any caller. */
  readonly security: readonly JsonObject[];
}

/** The operations of a description. */
export interface DescribedOperations {
  /** By method and path, without the names of parameters and {@link base}. */
  readonly operations: ReadonlyMap<string, DescribedOperation>;
  /** The start of most paths, with the major version: `/api/v1`; null where no path has one. */
  readonly base: string | null;
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'];

/** Fields of requests that OpenAPI describes elsewhere. */
const OTHER_FIELDS: ReadonlySet<string> = new Set(['header:accept', 'header:content-type', 'header:authorization']);

/** Reads the operations of a description. @throws {DescriptionError} */
export function describedOperations(description: ApiDescription): DescribedOperations {
  const { document, version } = description;
  const start = serverPath(document);
  const paths = Object.entries(readObject(document['paths'])).map(([path, item]) => ({
    path: `${start}${path}`,
    item: resolve(item, description).value,
  }));
  const base = commonBase(
    paths.map(({ path }) => path),
    version,
  );
  const operations = paths.flatMap(({ path, item }) =>
    listMethods(item).map(([method, operation]) => {
      const label = `${method} ${path}`;
      const anonymous = withoutBase(path, base).replaceAll(/\{[^{}]*\}/g, '{}');
      const own: DescribedOperation = {
        label,
        tag: readString(readArray(operation['tags'])[0]),
        operation,
        parameters: readParameters([item, operation], path, description),
        security: readSecurity(operation['security'] ?? document['security']),
      };
      return [`${method} ${anonymous}`, own] as const;
    }),
  );
  return { operations: new Map(operations), base };
}

function readSecurity(declared: Json | undefined): readonly JsonObject[] {
  const requirements = readArray(declared).map(readObject);
  return requirements.length === 0 ? [{}] : requirements;
}

/** The path of the server, before all paths. */
function serverPath({ servers }: JsonObject): string {
  const url = readString(readObject(readArray(servers)[0])['url']) ?? '';
  return url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '').replace(/\/+$/, '');
}

function listMethods(item: JsonObject): readonly (readonly [method: string, operation: JsonObject])[] {
  const fixed = METHODS.map((method) => [method.toUpperCase(), item[method]] as const);
  const further = ['additionalOperations', 'x-oai-additionalOperations'].flatMap((name) =>
    Object.entries(readObject(item[name])),
  );
  return [...fixed, ...further].flatMap(([method, operation]) =>
    isJsonObject(operation) ? [[method, operation] as const] : [],
  );
}

/** Finds the start of most paths, up to the segment with the major version. */
function commonBase(paths: readonly string[], { major }: ContractVersion): string | null {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const [base] = new RegExp(`^(?:/[^/]+)*?/v${major}(?=/|$)`).exec(path) ?? [];
    if (base !== undefined) counts.set(base, (counts.get(base) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([, one], [, other]) => other - one);
  return most?.[0] ?? null;
}

function withoutBase(path: string, base: string | null): string {
  const isBelow = base !== null && (path === base || path.startsWith(`${base}/`));
  return isBelow ? `{base}${path.slice(base.length)}` : path;
}

/** Those of an operation replace those of its path. */
function readParameters(
  owners: readonly JsonObject[],
  path: string,
  description: ApiDescription,
): ReadonlyMap<string, Resolved> {
  const positions = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name);
  const found = owners.flatMap(({ parameters }) => readArray(parameters)).map((each) => resolve(each, description));
  const keyed = found.map((each) => {
    const { name, in: place } = each.value;
    const text = readString(name) ?? '';
    const key = place === 'path' ? String(positions.indexOf(text)) : place === 'header' ? text.toLowerCase() : text;
    return [`${readString(place) ?? ''}:${key}`, each] as const;
  });
  return new Map(keyed.filter(([key]) => !OTHER_FIELDS.has(key)));
}
