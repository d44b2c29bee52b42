import { withArticle } from '../../conventions/text/article.ts';
import type { JsonObject } from '../../conventions/json/json.ts';
import { linkName } from '../../model/link-name.ts';
import { collectionOperation, itemOperation } from '../../model/type-names.ts';
import { words } from '../surface/placed-resource.ts';
import type { SurfaceOperation } from '../surface/operation.ts';
import { requireOperation, type ResourceSurface } from '../surface/surface.ts';
import { apiSchema, wrapPage } from './api-schemas.ts';
import { pathParameter } from './api-paths.ts';
import { notModified } from './collection-paths.ts';
import { filterObject, filtersParameter, listParameter, viewParameter } from './compact-parameters.ts';
import { partName, schemaName, type Description } from './described-resource.ts';
import { requestField, requiredField, responseFields } from './header-fields.ts';
import { noContent } from './item-paths.ts';
import { describeSecurity } from './operations.ts';
import { parameterObject } from './query-parameters.ts';
import { createdSchema, wholeSchema, bodySchema, patchSchema } from './resource-schemas.ts';
import { anyError } from './responses.ts';
import type { Resource } from '../../model/model.ts';

/**
 * The paths of a resource in a compact description (OPS-1d). The text of the description has what all resources share:
 * HEAD and OPTIONS, errors by status, formats other than JSON, operators of filters.
 */
export function compactPaths(
  described: ResourceSurface,
  to: Description,
): readonly (readonly [path: string, item: JsonObject])[] {
  const { collection, item } = described;
  const above = described.pathParameters.map((name) => pathParameter(name, to));
  return [
    [collection.path, { ...(above.length === 0 ? {} : { parameters: above }), ...collectionItem(described, to) }],
    [item.path, { parameters: [...above, pathParameter('id', to)], ...itemOperations(described, to) }],
  ];
}

function collectionItem(described: ResourceSurface, to: Description): JsonObject {
  const { resource, collection } = described;
  const name = words(resource.collection);
  const page = { '200': pageResponse(described, to), '304': notModified(to) };
  const operation = (method: 'GET' | 'QUERY', given: Omit<CompactOperation, 'operation'>): JsonObject =>
    compactOperation({ ...given, operation: requireOperation(collection, method) }, described, to);
  const query =
    to.profile === 'generators'
      ? null
      : operation('QUERY', {
          operationId: collectionOperation('query', resource),
          summary: `Query ${name}`,
          requestBody: compactQueryForm(to),
          responses: page,
        });
  return {
    get: operation('GET', {
      operationId: collectionOperation('list', resource),
      summary: `List ${name}`,
      parameters: listParameters(described, to),
      responses: page,
    }),
    ...(query !== null && to.edition === '3.2' ? { query } : {}),
    ...(resource.readOnly ? {} : { post: createOperation(described, to) }),
    ...(query === null || to.edition === '3.2' ? {} : { 'x-oai-additionalOperations': { QUERY: query } }),
  };
}

function createOperation(described: ResourceSurface, to: Description): JsonObject {
  const { resource, collection } = described;
  const given: CompactOperation = {
    operationId: itemOperation('create', resource),
    summary: `Create ${withArticle(words(resource.singular))}`,
    operation: requireOperation(collection, 'POST'),
    requestBody: compactBody('create', resource, to),
    responses: { '200': itemResponse(described, to), '201': createdResponse(described, to) },
  };
  return compactOperation(given, described, to);
}

/** The parameters of a list. If there are few resources, each has its type. */
function listParameters(described: ResourceSurface, to: Description): readonly JsonObject[] {
  if (to.profile !== 'generators') return [listParameter(to), filtersParameter(described, to)];
  if (to.contract.isCompact) return [listParameter(to), filterObject(described, to)];
  return [...wholeParameters(requireOperation(described.collection, 'GET'), to), filterObject(described, to)];
}

function viewParameters({ item }: ResourceSurface, to: Description): readonly JsonObject[] {
  return to.contract.isCompact ? [viewParameter(to)] : wholeParameters(requireOperation(item, 'GET'), to);
}

/** The parameters of reads that have all members, so that responses have one type. Filters are in an object. */
function wholeParameters({ query }: SurfaceOperation, to: Description): readonly JsonObject[] {
  const kept = query.filter(({ name, component }) => component !== undefined && name !== 'fields');
  return kept.map((parameter) => parameterObject(parameter, to));
}

const METHODS = { put: 'PUT', patch: 'PATCH', delete: 'DELETE' } as const;

function itemOperations(described: ResourceSurface, to: Description): JsonObject {
  const { resource, item } = described;
  const given: CompactOperation = {
    operationId: itemOperation('get', resource),
    summary: `Get ${withArticle(words(resource.singular))}`,
    operation: requireOperation(item, 'GET'),
    parameters: viewParameters(described, to),
    responses: { '200': itemResponse(described, to), '304': notModified(to) },
  };
  return {
    get: compactOperation(given, described, to),
    ...(resource.readOnly ? {} : writeOperations(described, to)),
  };
}

function writeOperations(described: ResourceSurface, to: Description): JsonObject {
  const { resource, item } = described;
  const name = withArticle(words(resource.singular));
  const mayCreate = requireOperation(item, 'PUT').successes.includes(201);
  const created = mayCreate ? { '201': createdResponse(described, to) } : {};
  const changed = { '200': itemResponse(described, to), '204': noContent(to) };
  const operation = (method: keyof typeof METHODS, given: Omit<CompactOperation, 'operation'>): JsonObject =>
    compactOperation({ ...given, operation: requireOperation(item, METHODS[method]) }, described, to);
  return {
    put: operation('put', {
      operationId: itemOperation('replace', resource),
      summary: `Replace ${name}`,
      requestBody: compactBody(to.contract.isCompact ? 'create' : 'replace', resource, to),
      responses: { ...changed, ...created },
    }),
    patch: operation('patch', {
      operationId: itemOperation('patch', resource),
      summary: `Change ${name}`,
      requestBody: compactBody('patch', resource, to),
      responses: changed,
    }),
    delete: operation('delete', {
      operationId: itemOperation('delete', resource),
      summary: `Delete ${name}`,
      responses: changed,
    }),
  };
}

interface CompactOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly operation: SurfaceOperation;
  /** The parameters of the query, where they are not those of every write. */
  readonly parameters?: readonly JsonObject[];
  readonly requestBody?: JsonObject;
  readonly responses: JsonObject;
}

function compactOperation(given: CompactOperation, { resource }: ResourceSurface, to: Description): JsonObject {
  const { operationId, summary, operation, requestBody, responses } = given;
  const query = given.parameters ?? operation.query.map((parameter) => parameterObject(parameter, to));
  const parameters = [...query, ...fieldParameters(operation, to)];
  return {
    operationId,
    summary,
    tags: [linkName(resource)],
    ...(to.contract.deprecated === null ? {} : { deprecated: true }),
    ...describeSecurity(operation.access, to),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: { ...responses, default: anyError(to) },
  };
}

/** The header fields that most clients send: the rest is in the text of the description. */
function fieldParameters({ fields, method }: SurfaceOperation, to: Description): readonly JsonObject[] {
  return fields.flatMap(({ name, required }) => {
    if (name === 'Idempotency-Key') return [required ? requiredField(name, to) : requestField(name, to)];
    if (name === 'If-Match' && method !== 'GET' && method !== 'QUERY' && method !== 'POST')
      return [required ? requiredField(name, to) : requestField(name, to)];
    return name === 'If-None-Match' && method === 'GET' ? [requestField(name, to)] : [];
  });
}

function pageResponse({ resource }: ResourceSurface, to: Description): JsonObject {
  const { components, contract } = to;
  const page = (): JsonObject =>
    components.ref('schemas', schemaName(resource, 'Page'), () =>
      wrapPage({ item: wholeSchema(resource, to), most: contract.model.limits.page.max, example: null }, components),
    );
  return jsonResponse(partName(resource, 'pageResponse'), { description: 'A page.', schema: page }, to);
}

function itemResponse({ resource }: ResourceSurface, to: Description): JsonObject {
  const schema = (): JsonObject => wholeSchema(resource, to);
  return jsonResponse(partName(resource, 'response'), { description: 'The resource.', schema }, to);
}

function createdResponse({ resource }: ResourceSurface, to: Description): JsonObject {
  const schema = (): JsonObject => createdSchema(resource, to);
  const fields = ['Location'];
  return jsonResponse(partName(resource, 'createdResponse'), { description: 'It is created.', schema, fields }, to);
}

interface JsonResponse {
  readonly description: string;
  readonly schema: () => JsonObject;
  /** Besides those of every response. */
  readonly fields?: readonly string[];
}

function jsonResponse(name: string, { description, schema, fields = [] }: JsonResponse, to: Description): JsonObject {
  return to.components.ref('responses', name, () => {
    const all = responseFields(['ETag', ...fields], to);
    const own = Object.entries(all).filter(([field]) => field === 'ETag' || fields.includes(field));
    return { description, headers: Object.fromEntries(own), content: { 'application/json': { schema: schema() } } };
  });
}

/** The body of a write as JSON. What a resource is created with also replaces it. */
function compactBody(use: 'create' | 'replace' | 'patch', resource: Resource, to: Description): JsonObject {
  const { components } = to;
  return components.ref('requestBodies', partName(resource, `${use}Body`), () => ({
    required: true,
    content:
      use === 'patch'
        ? {
            'application/merge-patch+json': { schema: patchSchema(resource, to) },
            ...(to.profile === 'generators'
              ? {}
              : { 'application/json-patch+json': { schema: apiSchema('JsonPatch', components) } }),
          }
        : { 'application/json': { schema: bodySchema(resource, to, use === 'create' ? 'Create' : 'Replace') } },
  }));
}

/** The form of a QUERY of any resource. OpenAPI 3.1 has QUERY in an extension, in which tools see no reference. */
function compactQueryForm({ components, edition }: Description): JsonObject {
  const make = (): JsonObject => ({
    required: false,
    content: {
      'application/x-www-form-urlencoded': {
        schema: {
          type: 'object',
          additionalProperties: { type: 'string' },
          description: 'The parameters of GET, filters too.',
        },
      },
    },
  });
  return edition === '3.2' ? components.ref('requestBodies', 'queryForm', make) : make();
}
