import type { JsonObject } from '../../conventions/json/json.ts';
import { ASYNC_API_PATH, METADATA_PATH, OPEN_API_PATH, type RouteKind, ROUTES } from '../../plan/routes/route-table.ts';
import { EXAMPLE_ID, withExample } from './api-examples.ts';
import { apiSchema, versionSpellings } from './api-schemas.ts';
import { notModified, readFields } from './collection-paths.ts';
import { OPEN_API_EDITIONS } from '../described-contract.ts';
import { basePathOf, type Description, ID_SCHEMA } from './described-resource.ts';
import type { FallibleOperation, OperationAccess } from './fallible-operation.ts';
import { requestField } from './header-fields.ts';
import { headObject, type OperationDescription, operationObject, optionsObject } from './operations.ts';
import { versionRef, writeParameterRefs } from './query-parameters.ts';
import { contentOf, success, type SuccessDescription } from './responses.ts';

/** The tag of everything that belongs to no resource. */
export const API_TAG = 'api';

const PUBLIC: OperationAccess = { authenticated: false, scopes: [] };

/** The paths below the base that belong to no resource: the root, and batches. */
export function apiPaths(to: Description): JsonObject {
  const { model } = to.contract;
  const base = basePathOf(model);
  const batches = `${base}/${model.system.batches}`;
  return {
    [base]: documentPath(
      {
        kind: 'root',
        name: 'ApiRoot',
        summary: 'List the collections',
        description: 'The links of the collections and of the descriptions.',
      },
      to,
    ),
    [batches]: {
      post: operationObject(createBatch(to), to),
      options: optionsObject({ operationId: 'optionsBatches', tag: API_TAG, methods: ROUTES.batches.methods }, to),
    },
    [`${batches}/{id}`]: {
      parameters: [pathParameter('id', to)],
      ...documentPath(
        {
          kind: 'batch',
          name: 'Batch',
          summary: 'Get a batch',
          description: 'The results of a batch, for a day, for its caller.',
        },
        to,
      ),
    },
  };
}

/** The paths at the origin. */
export function originPaths(to: Description): JsonObject {
  const { auth, descriptions } = to.contract.model;
  const access = auth === null || descriptions === 'public' ? PUBLIC : { authenticated: true, scopes: [] };
  const known = ORIGIN_DOCUMENTS.filter(([, { kind }]) => kind !== 'metadata' || auth !== null);
  return Object.fromEntries(
    known.map(([path, document]) => [`/${path}`, documentPath({ ...document, access: document.access ?? access }, to)]),
  );
}

/** A document that is only read. */
interface DocumentDescription {
  readonly kind: Extract<RouteKind, 'root' | 'batch' | 'live' | 'ready' | 'metadata' | 'openapi' | 'asyncapi'>;
  /** Of its schema; null for any object. */
  readonly name: 'ApiRoot' | 'Batch' | 'HealthStatus' | 'ProtectedResourceMetadata' | null;
  /** Its name in operations, where it is not that of the schema. */
  readonly operation?: string;
  readonly summary: string;
  readonly description: string;
  /** Default: every caller with credentials. */
  readonly access?: OperationAccess;
}

/** The documents at the origin. The description itself needs credentials where the model says so. */
const ORIGIN_DOCUMENTS: readonly (readonly [path: string, document: DocumentDescription])[] = [
  [
    'livez',
    {
      kind: 'live',
      name: 'HealthStatus',
      operation: 'Liveness',
      access: PUBLIC,
      summary: 'Check the process',
      description: 'Whether the process runs.',
    },
  ],
  [
    'readyz',
    {
      kind: 'ready',
      name: 'HealthStatus',
      operation: 'Readiness',
      access: PUBLIC,
      summary: 'Check the server',
      description: 'Whether the server can answer requests.',
    },
  ],
  [
    METADATA_PATH,
    {
      kind: 'metadata',
      name: 'ProtectedResourceMetadata',
      access: PUBLIC,
      summary: 'Get the metadata of the protected resource',
      description: 'Who issues tokens for this API (RFC 9728).',
    },
  ],
  [
    OPEN_API_PATH,
    {
      kind: 'openapi',
      name: null,
      operation: 'OpenApi',
      summary: 'Get this description',
      description: 'This description: of the newest version, or of that in api_version.',
    },
  ],
  [
    ASYNC_API_PATH,
    {
      kind: 'asyncapi',
      name: null,
      operation: 'AsyncApi',
      summary: 'Get the description of the events',
      description: 'The events of the API in AsyncAPI: of the newest version, or of that in api_version.',
    },
  ],
];

function documentPath(document: DocumentDescription, to: Description): JsonObject {
  const { kind, name, operation = name ?? kind, summary, description } = document;
  const access = document.access ?? { authenticated: true, scopes: [] };
  const isConditional = ['root', 'batch', 'openapi', 'asyncapi'].includes(kind);
  const schema = name === null ? { type: 'object' } : apiSchema(name, to.components);
  const fields = isConditional ? ['ETag', 'Link', 'Preference-Applied'] : [];
  const found = { description: 'The document.', fields, content: contentOf({ kind, schema }, to) };
  const get: OperationDescription = {
    operationId: `get${operation}`,
    summary,
    description,
    tag: API_TAG,
    parameters: documentParameters(kind, to),
    responses: {
      '200': success(`${operation[0]?.toLowerCase() ?? ''}${operation.slice(1)}Response`, found, to),
      ...(isConditional ? { '304': notModified(to) } : {}),
    },
    fails: { kind: failureKind(kind), resource: null, above: [], access },
  };
  const head = success(
    'headDocument',
    { description: 'The fields of the document.', fields: ['ETag', 'Link', 'Preference-Applied'] },
    to,
  );
  return {
    get: operationObject(get, to),
    head: headObject(
      {
        ...get,
        operationId: `head${operation}`,
        responses: { '200': head, ...(isConditional ? { '304': notModified(to) } : {}) },
      },
      to,
    ),
    options: optionsObject({ operationId: `options${operation}`, tag: API_TAG, methods: ROUTES[kind].methods }, to),
  };
}

function failureKind(kind: DocumentDescription['kind']): FallibleOperation['kind'] {
  switch (kind) {
    case 'batch':
      return 'batch-record';
    case 'root':
      return 'document';
    case 'openapi':
    case 'asyncapi':
      return 'description';
    case 'live':
    case 'ready':
    case 'metadata':
      return 'health';
  }
}

function documentParameters(kind: DocumentDescription['kind'], to: Description): readonly JsonObject[] {
  switch (kind) {
    case 'root':
    case 'batch':
      return [versionRef(to), ...readFields(to)];
    case 'asyncapi':
      return [describedVersion(to), ...readFields(to)];
    case 'openapi':
      return [
        describedVersion(to),
        {
          name: 'openapi',
          in: 'query',
          description: 'The version of OpenAPI to describe it in.',
          schema: { type: 'string', enum: OPEN_API_EDITIONS, default: OPEN_API_EDITIONS[0] },
        },
        ...readFields(to),
      ];
    case 'live':
    case 'ready':
    case 'metadata':
      return [];
  }
}

function describedVersion({ contract }: Description): JsonObject {
  return {
    name: 'api_version',
    in: 'query',
    description: 'The version to describe: the newest one where it is left out.',
    schema: { type: 'string', enum: [...new Set(contract.served.flatMap(versionSpellings))] },
  };
}

function createBatch(to: Description): OperationDescription {
  const batch = contentOf({ kind: 'batches', schema: apiSchema('Batch', to.components) }, to);
  const fields = ['Location', 'Content-Location', 'ETag', 'Link', 'Preference-Applied', 'Idempotent-Replayed'];
  const created: SuccessDescription = {
    description: 'The batch was run; each operation has its result.',
    fields,
    content: batch,
  };
  const dry: SuccessDescription = {
    description: 'Of a dry run: the results that the operations would have.',
    fields: ['Dry-Run', 'Preference-Applied'],
    content: batch,
  };
  const schema = apiSchema('BatchCreate', to.components);
  const { name, version } = to.contract.model;
  return {
    operationId: 'createBatch',
    summary: 'Make several writes',
    description:
      'Up to 100 writes in one request, all or none of them unless atomic is false. An atomic batch fails with the error of the operation that failed.',
    tag: API_TAG,
    parameters: [...writeParameterRefs(to), requestField('Idempotency-Key', to), requestField('Prefer', to)],
    requestBody: {
      required: true,
      content: { 'application/json': { schema }, [`application/vnd.${name}.v${version.major}+json`]: { schema } },
    },
    responses: { '200': success('batchDryRun', dry, to), '201': success('batchCreated', created, to) },
    fails: { kind: 'batch', resource: null, above: [], access: { authenticated: true, scopes: [] } },
  };
}

/** A reference to a parameter of a path. */
export function pathParameter(name: string, { components }: Description): JsonObject {
  return components.ref('parameters', `path.${name}`, () => ({
    name,
    in: 'path',
    required: true,
    schema: withExample(ID_SCHEMA, EXAMPLE_ID),
  }));
}
