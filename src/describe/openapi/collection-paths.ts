import type { JsonObject } from '../../conventions/json/json.ts';
import { withArticle } from '../../conventions/text/article.ts';
import { linkName } from '../../model/link-name.ts';
import { collectionOperation, itemOperation } from '../../model/type-names.ts';
import { apiSchema } from './api-schemas.ts';
import { type PlacedResource, words } from '../surface/placed-resource.ts';
import { requireOperation, type ResourceSurface } from '../surface/surface.ts';
import { type Description, partName } from './described-resource.ts';
import { headObject, type OperationDescription, operationObject, optionsObject } from './operations.ts';
import { parameterObjects, queryForm } from './query-parameters.ts';
import { resourceBody } from './request-bodies.ts';
import { createdSchema, pageSchema, readSchema, wholeSchema } from './resource-schemas.ts';
import { describeContent, linesObject, success } from './responses.ts';

const PAGE_FIELDS = ['ETag', 'Link', 'Preference-Applied', 'X-Next-Cursor', 'X-Total-Count'];

/** The operations of a collection. */
export function collectionPath(described: ResourceSurface, to: Description): JsonObject {
  const { resource } = described;
  const tag = linkName(resource);
  const query = queryOperation(described, to);
  return {
    get: operationObject(listOperation(described, to), to),
    ...(to.edition === '3.2' ? { query } : {}),
    ...(resource.readOnly ? {} : { post: operationObject(createOperation(described, to), to) }),
    head: headObject(headOperation(described, to), to),
    options: optionsObject(
      {
        operationId: collectionOperation('options', resource),
        tag,
        operation: requireOperation(described.collection, 'OPTIONS'),
      },
      to,
    ),
    ...(to.edition === '3.2' ? {} : { 'x-oai-additionalOperations': { QUERY: query } }),
  };
}

function listOperation(described: ResourceSurface, to: Description): OperationDescription {
  const { resource, collection } = described;
  const operation = requireOperation(collection, 'GET');
  return {
    operationId: collectionOperation('list', resource),
    summary: `List ${words(resource.collection)}`,
    description: `A page of ${words(resource.collection)}. Without a position it is the first one; links.next leads to the next.`,
    tag: linkName(resource),
    parameters: parameterObjects(operation, to),
    responses: { '200': pageResponse(described, to), '304': notModified(to) },
    operation,
  };
}

function headOperation(described: ResourceSurface, to: Description): OperationDescription {
  const { resource, collection } = described;
  const operation = requireOperation(collection, 'HEAD');
  return {
    ...listOperation(described, to),
    operationId: collectionOperation('head', resource),
    parameters: parameterObjects(operation, to),
    operation,
    summary: `Check ${words(resource.collection)}`,
    responses: {
      '200': success('headPage', { description: 'The fields of a page.', fields: PAGE_FIELDS }, to),
      '304': notModified(to),
    },
  };
}

/** QUERY: the parameters of GET in a form (MET-9, RFC 10008). */
function queryOperation(described: ResourceSurface, to: Description): JsonObject {
  const { resource, collection } = described;
  const operation = requireOperation(collection, 'QUERY');
  return operationObject(
    {
      operationId: collectionOperation('query', resource),
      summary: `Query ${words(resource.collection)}`,
      description: `A page of ${words(resource.collection)}, as GET: the parameters are in a form, which may be longer than a URL.`,
      tag: linkName(resource),
      parameters: parameterObjects(operation, to),
      requestBody: queryForm(requireOperation(collection, 'GET'), to),
      responses: { '200': pageResponse(described, to), '304': notModified(to) },
      operation,
    },
    to,
  );
}

function createOperation(described: ResourceSurface, to: Description): OperationDescription {
  const { resource, collection } = described;
  const operation = requireOperation(collection, 'POST');
  return {
    operationId: itemOperation('create', resource),
    summary: `Create ${withArticle(words(resource.singular))}`,
    description: `Creates ${withArticle(words(resource.singular))}, or one for each line of NDJSON: the response has a line for each, in the same order.`,
    tag: linkName(resource),
    parameters: parameterObjects(operation, to),
    requestBody: resourceBody(resource, 'create', to),
    responses: { '200': drySuccess(described, to), '201': createdResponse(described, to) },
    operation,
  };
}

function pageResponse({ resource }: PlacedResource, to: Description): JsonObject {
  const line = readSchema(resource, to);
  const content = describeContent({ kind: 'collection', schema: pageSchema(resource, to), line }, to);
  const fields = [...PAGE_FIELDS, 'Location'];
  return success(partName(resource, 'pageResponse'), { description: 'A page.', fields, content }, to);
}

/** A new resource: of a PUT, too. */
export function createdResponse({ resource }: PlacedResource, to: Description): JsonObject {
  return success(
    partName(resource, 'createdResponse'),
    {
      description: 'It is created.',
      fields: ['Location', 'Content-Location', 'ETag', 'Link', 'Preference-Applied', 'Idempotent-Replayed'],
      content: describeContent({ kind: 'item', schema: createdSchema(resource, to) }, to),
    },
    to,
  );
}

/** The response to a dry run of a creation, and to NDJSON. */
function drySuccess({ resource }: PlacedResource, to: Description): JsonObject {
  // Earlier versions of OpenAPI have no schemas of lines.
  const line = to.edition === '3.2' ? apiSchema('ImportResult', to.components) : {};
  const content = {
    ...describeContent({ kind: 'item', schema: wholeSchema(resource, to) }, to),
    'application/x-ndjson': linesObject(line, to.edition),
  };
  return success(
    partName(resource, 'acceptedResponse'),
    {
      description: 'The results of the lines; or, of a dry run, what would be created.',
      fields: ['Dry-Run', 'Preference-Applied', 'Link'],
      content,
    },
    to,
  );
}

/** The client's copy is current (CACHE-2). */
export function notModified(to: Description): JsonObject {
  return success('notModified', { description: 'The copy of the client is current.', fields: ['ETag'] }, to);
}
