import { withArticle } from '../../conventions/text/article.ts';
import type { JsonObject } from '../../conventions/json/json.ts';
import type { Method } from '../../conventions/methods.ts';
import { linkName } from '../../model/link-name.ts';
import { itemOperation } from '../../model/type-names.ts';
import { type PlacedResource, words } from '../surface/placed-resource.ts';
import { requireOperation, type ResourceSurface } from '../surface/surface.ts';
import { createdResponse, notModified } from './collection-paths.ts';
import { type Description, partName } from './described-resource.ts';
import { headObject, type OperationDescription, operationObject, optionsObject } from './operations.ts';
import { parameterObjects } from './query-parameters.ts';
import { resourceBody } from './request-bodies.ts';
import { readSchema, wholeSchema } from './resource-schemas.ts';
import { describeContent, success } from './responses.ts';

const ITEM_FIELDS = ['ETag', 'Last-Modified', 'Link', 'Preference-Applied'];
const WRITE_FIELDS = ['Content-Location', 'ETag', 'Link', 'Preference-Applied', 'Dry-Run', 'Idempotent-Replayed'];

type Verb = 'get' | 'replace' | 'patch' | 'delete' | 'head';

const METHODS: Readonly<Record<Verb, Method>> = {
  get: 'GET',
  head: 'HEAD',
  replace: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
};

/** The operations of one resource. */
export function itemPath(described: ResourceSurface, to: Description): JsonObject {
  const { resource } = described;
  return {
    get: operationObject(getOperation(described, to), to),
    ...(resource.readOnly ? {} : writeOperations(described, to)),
    head: headObject(headOperation(described, to), to),
    options: optionsObject(
      {
        operationId: itemOperation('options', resource),
        tag: linkName(resource),
        operation: requireOperation(described.item, 'OPTIONS'),
      },
      to,
    ),
  };
}

function writeOperations(described: ResourceSurface, to: Description): JsonObject {
  return {
    put: operationObject(replaceOperation(described, to), to),
    patch: operationObject(patchOperation(described, to), to),
    delete: operationObject(deleteOperation(described, to), to),
  };
}

/** The common members of the operations. */
type CommonMembers = Pick<OperationDescription, 'operationId' | 'tag' | 'parameters' | 'operation'>;

function describeCommon({ resource, item }: ResourceSurface, verb: Verb, to: Description): CommonMembers {
  const operation = requireOperation(item, METHODS[verb]);
  return {
    operationId: itemOperation(verb, resource),
    tag: linkName(resource),
    parameters: parameterObjects(operation, to),
    operation,
  };
}

function getOperation(described: ResourceSurface, to: Description): OperationDescription {
  const { resource } = described;
  const content = describeContent({ kind: 'item', schema: readSchema(resource, to) }, to);
  const found = { description: 'The resource.', fields: ITEM_FIELDS, content };
  return {
    ...describeCommon(described, 'get', to),
    summary: `Get ${withArticle(words(resource.singular))}`,
    responses: { '200': success(partName(resource, 'response'), found, to), '304': notModified(to) },
  };
}

function headOperation(described: ResourceSurface, to: Description): OperationDescription {
  return {
    ...getOperation(described, to),
    ...describeCommon(described, 'head', to),
    summary: `Check ${withArticle(words(described.resource.singular))}`,
    responses: {
      '200': success('headItem', { description: 'The fields of the resource.', fields: ITEM_FIELDS }, to),
      '304': notModified(to),
    },
  };
}

function replaceOperation(described: ResourceSurface, to: Description): OperationDescription {
  const { resource } = described;
  const mayCreate = requireOperation(described.item, 'PUT').successes.includes(201);
  return {
    ...describeCommon(described, 'replace', to),
    summary: `Replace ${withArticle(words(resource.singular))}`,
    description: mayCreate ? 'Replaces the resource as a whole, or creates it.' : 'Replaces the resource as a whole.',
    requestBody: resourceBody(resource, 'replace', to),
    responses: {
      '200': changedResponse(described, to),
      ...(mayCreate ? { '201': createdResponse(described, to) } : {}),
      '204': noContent(to),
    },
  };
}

function patchOperation(described: ResourceSurface, to: Description): OperationDescription {
  const { resource } = described;
  return {
    ...describeCommon(described, 'patch', to),
    summary: `Change ${withArticle(words(resource.singular))}`,
    description: 'Changes some members of the resource, by a merge patch (RFC 7396) or a JSON Patch (RFC 6902).',
    requestBody: resourceBody(resource, 'patch', to),
    responses: { '200': changedResponse(described, to), '204': noContent(to) },
  };
}

function deleteOperation(described: ResourceSurface, to: Description): OperationDescription {
  const { resource } = described;
  return {
    ...describeCommon(described, 'delete', to),
    summary: `Delete ${withArticle(words(resource.singular))}`,
    responses: { '200': changedResponse(described, to), '204': noContent(to) },
  };
}

function changedResponse({ resource }: PlacedResource, to: Description): JsonObject {
  return success(
    partName(resource, 'changedResponse'),
    {
      description: 'The changed resource; or, of a dry run, what would be changed or deleted.',
      fields: WRITE_FIELDS,
      content: describeContent({ kind: 'item', schema: wholeSchema(resource, to) }, to),
    },
    to,
  );
}

/** A write without a body in its response. */
export function noContent(to: Description): JsonObject {
  const fields = ['ETag', 'Link', 'Preference-Applied', 'Idempotent-Replayed'];
  return success('noContent', { description: 'It is done.', fields }, to);
}
