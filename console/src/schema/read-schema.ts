import type {
  ApiCollection,
  ApiRelation,
  ApiSchema,
  CollectionMethod,
  ParentCollection,
  Reference,
} from './api-schema.ts';
import {
  asList,
  asRecord,
  asText,
  asTexts,
  isRecord,
  JsonDocument,
  type JsonRecord,
  referenceName,
} from './json-access.ts';
import { readFields, type ResourceSchemas } from './read-fields.ts';
import { readListParameters } from './read-filters.ts';
import { readStates } from './read-states.ts';

/** The operations of one collection as the document has them. */
interface DescribedCollection {
  readonly name: string;
  readonly tag: string;
  /** In the document: `/api/v2/products`. */
  readonly path: string;
  readonly collection: JsonRecord;
  readonly item: JsonRecord;
  /** The name of the schema of its items: `Product`. */
  readonly schemaName: string;
  readonly schemas: ResourceSchemas;
}

/** The document while it is read. */
interface ReadDocument {
  readonly document: JsonDocument;
  readonly root: string;
  readonly described: readonly DescribedCollection[];
  /** The names of collections by the names of the schemas of their items. */
  readonly bySchema: ReadonlyMap<string, string>;
  readonly tags: ReadonlyMap<string, string>;
}

/**
 * Reads the OpenAPI document of an API: which collections, fields, filters, relations, states and methods there are.
 *
 * @throws {TypeError} for a document without the root of an API
 */
export function readSchema(text: unknown): ApiSchema {
  const document = new JsonDocument(asRecord(text));
  const paths = asRecord(document.root['paths']);
  const root = Object.keys(paths).find((path) => operationId(paths, path, 'get') === 'getApiRoot');
  if (root === undefined) throw new TypeError('The document does not describe an API of Restwright.');
  const described = describeCollections(paths, root, document);
  const info = asRecord(document.root['info']);
  const read: ReadDocument = {
    document,
    root,
    described,
    bySchema: new Map(described.map(({ schemaName, name }) => [schemaName, name])),
    tags: new Map(
      asList(document.root['tags']).map((tag) => [
        asText(asRecord(tag)['name']) ?? '',
        asText(asRecord(tag)['description']) ?? '',
      ]),
    ),
  };
  return Object.freeze({
    title: asText(info['title']) ?? 'API',
    version: asText(info['version']) ?? '',
    root,
    description: asText(info['description']),
    collections: new Map(described.map((each) => [each.name, readCollection(each, read)])),
    hasCallers: isRecord(asRecord(document.root['components'])['securitySchemes']),
    hasEvents: `${root}/events` in paths,
  });
}

function operationId(paths: JsonRecord, path: string, method: string): string | null {
  return asText(asRecord(asRecord(paths[path])[method])['operationId']);
}

/** Finds the collections: paths whose GET lists, with the path of their items. */
function describeCollections(paths: JsonRecord, root: string, document: JsonDocument): readonly DescribedCollection[] {
  return Object.entries(paths).flatMap(([path, value]) => {
    const collection = asRecord(value);
    const [tag] = asTexts(asRecord(collection['get'])['tags']);
    const item = asRecord(paths[`${path}/{id}`]);
    const isCollection = operationId(paths, path, 'get')?.startsWith('list') === true && 'get' in item;
    if (tag === undefined || tag === 'api' || !path.startsWith(`${root}/`) || !isCollection) return [];
    const name = (path.split('/').at(-1) ?? '').replaceAll('-', '_');
    return [{ name, tag, path, collection, item, ...readSchemas(collection, item, document) }];
  });
}

function readSchemas(collection: JsonRecord, item: JsonRecord, document: JsonDocument) {
  const response = (operation: unknown, status: string): unknown =>
    jsonSchema(document.follow(asRecord(asRecord(operation)['responses'])[status]));
  const body = (operation: unknown): unknown => jsonSchema(document.follow(asRecord(operation)['requestBody']));
  const whole = wholeItem(response(item['get'], '200'), document);
  const [post, put] = [collection['post'], item['put']];
  const create = body(post);
  const replace = body(put);
  return {
    schemaName: referenceName(whole) ?? '',
    schemas: {
      item: document.follow(whole),
      created: document.follow(wholeItem(response(post, '201'), document)),
      create: document.follow(create),
      replace: referenceName(replace) === referenceName(create) ? null : document.follow(replace),
      patch: document.follow(body(item['patch'])),
    },
  };
}

function jsonSchema({ content }: JsonRecord): unknown {
  const { 'application/json': json, 'application/merge-patch+json': mergePatch } = asRecord(content);
  return asRecord(json ?? mergePatch)['schema'];
}

/** The schema of a whole item, where the response may also have a selection of its members. */
function wholeItem(schema: unknown, document: JsonDocument): unknown {
  const [whole] = asList(document.follow(schema)['anyOf']);
  return whole ?? schema;
}

function readCollection(each: DescribedCollection, read: ReadDocument): ApiCollection {
  const { name, tag, path, collection, item, schemas, schemaName } = each;
  const relationNames = new Set(embeddedNames(schemas.item, read));
  const get = asRecord(collection['get']);
  const fields = readFields(schemas, relationNames, readReferences(each, read));
  const { filters, sort, search, relations } = readListParameters(get, fields, read.document);
  const description = read.tags.get(tag) ?? '';
  const methods = readMethods(collection, item);
  return Object.freeze({
    name,
    title: name.replaceAll('_', ' '),
    singular: snakeCase(schemaName).replaceAll('_', ' '),
    type: snakeCase(schemaName),
    description: asText(schemas.item['description']),
    path: path.slice(read.root.length),
    parent: findParent(each, read.described),
    children: read.described
      .filter((other) => findParent(other, read.described)?.collection === name)
      .map((x) => x.name),
    fields,
    filters,
    sort,
    search,
    relations: relations.map((relation) => readRelation(relation, each, read)),
    states: readStates(description),
    methods,
    requiresIfMatch: requires(item, ['patch', 'put', 'delete'], 'If-Match', read.document),
    requiresIdempotencyKey: requires(collection, ['post'], 'Idempotency-Key', read.document),
    choosesId: 'id' in asRecord(schemas.create['properties']),
  });
}

const METHODS: readonly (readonly [CollectionMethod, 'collection' | 'item', string])[] = [
  ['list', 'collection', 'get'],
  ['create', 'collection', 'post'],
  ['get', 'item', 'get'],
  ['replace', 'item', 'put'],
  ['update', 'item', 'patch'],
  ['delete', 'item', 'delete'],
];

function readMethods(collection: JsonRecord, item: JsonRecord): ApiCollection['methods'] {
  const places = { collection, item };
  return new Map(
    METHODS.flatMap(([method, place, verb]) => {
      const operation = places[place][verb];
      return isRecord(operation) ? [[method, readScopes(operation)] as const] : [];
    }),
  );
}

/** The scopes of an operation; null if it is open to all. */
function readScopes(operation: JsonRecord): readonly string[] | null {
  const security = asList(operation['security']).map(asRecord);
  if (security.length === 0 || security.some((each) => Object.keys(each).length === 0)) return null;
  return security.flatMap((each) => Object.values(each).flatMap(asTexts));
}

function requires(place: JsonRecord, verbs: readonly string[], field: string, document: JsonDocument): boolean {
  return verbs.some((verb) =>
    asList(asRecord(place[verb])['parameters'])
      .map((each) => document.follow(each))
      .some(({ name, required }) => name === field && required === true),
  );
}

/** The collection whose items a nested one lies below: its path is the longest one before this. */
function findParent({ path }: DescribedCollection, all: readonly DescribedCollection[]): ParentCollection | null {
  const [, above, parameter] = /^(.*)\/\{([^}]+)\}\/[^/]+$/.exec(path) ?? [];
  if (above === undefined || parameter === undefined) return null;
  const withoutNames = above.replaceAll(/\{[^}]+\}/g, '{}');
  const parent = all.find((other) => other.path.replaceAll(/\{[^}]+\}/g, '{}') === withoutNames);
  return parent === undefined ? null : { collection: parent.name, parameter };
}

/** The members of an item that are other items: present only where `expand` names them. */
function embeddedNames(item: JsonRecord, read: ReadDocument): readonly string[] {
  return Object.entries(asRecord(item['properties'])).flatMap(([name, schema]) =>
    findTarget(schema, read) === null ? [] : [name],
  );
}

/** The collection that the schema of an embedded member leads to. */
function findTarget(schema: unknown, { bySchema }: ReadDocument): { collection: string; many: boolean } | null {
  const [one] = asList(asRecord(schema)['anyOf']);
  const single = bySchema.get(referenceName(one) ?? '');
  if (single !== undefined) return { collection: single, many: false };
  const page = referenceName(schema);
  const several = page?.endsWith('Page') === true ? bySchema.get(page.slice(0, -4)) : undefined;
  return several === undefined ? null : { collection: several, many: true };
}

function readRelation(name: string, each: DescribedCollection, read: ReadDocument): ApiRelation {
  const found = findTarget(asRecord(each.schemas.item['properties'])[name], read) ?? guessTarget(name, read);
  return { name, collection: found?.collection ?? null, many: found?.many ?? null };
}

/** The collection that a relation of a compact document most likely leads to: one with its name. */
function guessTarget(name: string, { described }: ReadDocument): { collection: string; many: boolean } | null {
  const one = described.find(({ schemaName }) => snakeCase(schemaName) === name);
  if (one !== undefined) return { collection: one.name, many: false };
  const several = described.find((other) => other.name === name);
  return several === undefined ? null : { collection: several.name, many: true };
}

/** The references of a resource by field. A document shows them by names: `supplier_id` and the relation `supplier`. */
function readReferences(each: DescribedCollection, read: ReadDocument): ReadonlyMap<string, Reference> {
  const get = asRecord(each.collection['get']);
  const { relations } = readListParameters(get, [], read.document);
  return new Map(
    relations.flatMap((relation) => {
      const { collection, many } = readRelation(relation, each, read);
      const field = `${relation}_id`;
      const exists = field in asRecord(each.schemas.item['properties']);
      return collection === null || many === true || !exists ? [] : [[field, { collection, relation }] as const];
    }),
  );
}

/** `ApiKey` as `api_key`. */
function snakeCase(name: string): string {
  return name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase();
}
