import { withArticle } from '../../conventions/text/article.ts';
import type { JsonObject } from '../../conventions/json/json.ts';
import type { Method } from '../../conventions/methods.ts';
import { linkName } from '../../model/link-name.ts';
import type { Resource } from '../../model/model.ts';
import { itemOperation } from '../../model/type-names.ts';
import { operationRules } from '../../plan/routes/operation-rules.ts';
import { ROUTES } from '../../plan/routes/route-table.ts';
import { createdResponse, idempotencyKey, notModified, readFields } from './collection-paths.ts';
import { type PlacedResource, type Description, partName, words } from './described-resource.ts';
import type { FallibleOperation } from './fallible-operation.ts';
import { requestField, requiredField } from './header-fields.ts';
import { accessOf, headObject, type OperationDescription, operationObject, optionsObject } from './operations.ts';
import { itemParameterRefs, writeParameterRefs } from './query-parameters.ts';
import { resourceBody } from './request-bodies.ts';
import { readSchema, wholeSchema } from './resource-schemas.ts';
import { contentOf, success } from './responses.ts';

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
export function itemPath(described: PlacedResource, to: Description): JsonObject {
  const { resource } = described;
  return {
    get: operationObject(getOperation(described, to), to),
    put: operationObject(replaceOperation(described, to), to),
    patch: operationObject(patchOperation(described, to), to),
    delete: operationObject(deleteOperation(described, to), to),
    head: headObject(headOperation(described, to), to),
    options: optionsObject(
      { operationId: itemOperation('options', resource), tag: linkName(resource), methods: ROUTES.item.methods },
      to,
    ),
  };
}

/** What the operations have in common. */
function common(
  { resource, above }: PlacedResource,
  verb: Verb,
): Pick<OperationDescription, 'operationId' | 'tag' | 'fails'> {
  const access = accessOf(operationRules(resource, METHODS[verb]));
  const kind: FallibleOperation['kind'] = verb === 'head' ? 'get' : verb;
  return {
    operationId: itemOperation(verb, resource),
    tag: linkName(resource),
    fails: { kind, resource, above, access },
  };
}

function getOperation(described: PlacedResource, to: Description): OperationDescription {
  const { resource } = described;
  const content = contentOf({ kind: 'item', schema: readSchema(resource, to) }, to);
  const found = { description: 'The resource.', fields: ITEM_FIELDS, content };
  return {
    ...common(described, 'get'),
    summary: `Get ${withArticle(words(resource.singular))}`,
    parameters: [...itemParameterRefs(resource, to), ...readFields(to)],
    responses: { '200': success(partName(resource, 'response'), found, to), '304': notModified(to) },
  };
}

function headOperation(described: PlacedResource, to: Description): OperationDescription {
  return {
    ...getOperation(described, to),
    ...common(described, 'head'),
    summary: `Check ${withArticle(words(described.resource.singular))}`,
    responses: {
      '200': success('headItem', { description: 'The fields of the resource.', fields: ITEM_FIELDS }, to),
      '304': notModified(to),
    },
  };
}

function replaceOperation(described: PlacedResource, to: Description): OperationDescription {
  const { resource } = described;
  const mayCreate = resource.id.kind === 'client';
  return {
    ...common(described, 'replace'),
    summary: `Replace ${withArticle(words(resource.singular))}`,
    description: mayCreate ? 'Replaces the resource as a whole, or creates it.' : 'Replaces the resource as a whole.',
    parameters: [...writeParameterRefs(to), ...conditions(resource, to), requestField('Prefer', to)],
    requestBody: resourceBody(resource, 'replace', to),
    responses: {
      '200': changedResponse(described, to),
      ...(mayCreate ? { '201': createdResponse(described, to) } : {}),
      '204': noContent(to),
    },
  };
}

function patchOperation(described: PlacedResource, to: Description): OperationDescription {
  const { resource } = described;
  return {
    ...common(described, 'patch'),
    summary: `Change ${withArticle(words(resource.singular))}`,
    description: 'Changes some members of the resource, by a merge patch (RFC 7396) or a JSON Patch (RFC 6902).',
    parameters: [
      ...writeParameterRefs(to),
      idempotencyKey(resource, to),
      ...conditions(resource, to),
      requestField('Prefer', to),
    ],
    requestBody: resourceBody(resource, 'patch', to),
    responses: { '200': changedResponse(described, to), '204': noContent(to) },
  };
}

function deleteOperation(described: PlacedResource, to: Description): OperationDescription {
  const { resource } = described;
  return {
    ...common(described, 'delete'),
    summary: `Delete ${withArticle(words(resource.singular))}`,
    parameters: [...writeParameterRefs(to), ...conditions(resource, to), requestField('Prefer', to)],
    responses: { '200': changedResponse(described, to), '204': noContent(to) },
  };
}

function changedResponse({ resource }: PlacedResource, to: Description): JsonObject {
  return success(
    partName(resource, 'changedResponse'),
    {
      description: 'The changed resource; or, of a dry run, what would be changed or deleted.',
      fields: WRITE_FIELDS,
      content: contentOf({ kind: 'item', schema: wholeSchema(resource, to) }, to),
    },
    to,
  );
}

/** What a write may be conditional on, or has to be (CACHE-3). */
function conditions({ requireIfMatch }: Resource, to: Description): readonly JsonObject[] {
  const others = (['If-None-Match', 'If-Modified-Since', 'If-Unmodified-Since'] as const).map((name) =>
    requestField(name, to),
  );
  return [requireIfMatch ? requiredField('If-Match', to) : requestField('If-Match', to), ...others];
}

function noContent(to: Description): JsonObject {
  const fields = ['ETag', 'Link', 'Preference-Applied', 'Idempotent-Replayed'];
  return success('noContent', { description: 'It is done.', fields }, to);
}
