import type { JsonObject } from '../../conventions/json/json.ts';
import { EXAMPLE_ID } from '../example-value.ts';
import { type DescribedRoute, requireOperation, requireRoute, type RouteSurface } from '../surface/surface.ts';
import { withExample } from './api-examples.ts';
import { apiSchema } from './api-schemas.ts';
import { notModified } from './collection-paths.ts';
import { type Description, ID_SCHEMA, unlessGenerated } from './described-resource.ts';
import { headObject, type OperationDescription, operationObject, optionsObject } from './operations.ts';
import { parameterObjects } from './query-parameters.ts';
import { describeContent, success, type SuccessDescription } from './responses.ts';

/** The tag of everything that belongs to no resource. */
export const API_TAG = 'api';

/** The paths below the base that belong to no resource: the root, and batches. */
export function apiPaths(to: Description): JsonObject {
  const root = requireRoute(to.surface, 'root');
  const batches = requireRoute(to.surface, 'batches');
  const batch = requireRoute(to.surface, 'batch');
  return {
    [root.path]: documentPath(
      {
        kind: 'root',
        name: 'ApiRoot',
        summary: 'List the collections',
        description: 'The links of the collections and of the descriptions.',
      },
      to,
    ),
    [batches.path]: {
      post: operationObject(createBatch(to), to),
      ...unlessGenerated(to, () => ({
        options: optionsObject(
          { operationId: 'optionsBatches', tag: API_TAG, operation: requireOperation(batches, 'OPTIONS') },
          to,
        ),
      })),
    },
    [batch.path]: {
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

/** The paths at the origin, of the documents that this API has. */
export function originPaths(to: Description): JsonObject {
  // The text is read by models, and no client is generated for it.
  const documents = ORIGIN_DOCUMENTS.filter(({ kind }) => kind !== 'llms' || to.profile === 'full');
  const described = documents.flatMap((document) => {
    const route = to.surface.routes.get(document.kind);
    return route === undefined ? [] : [[route.path, documentPath(document, to)] as const];
  });
  return Object.fromEntries(described);
}

/** A document that is only read. */
interface DocumentDescription {
  readonly kind: Extract<
    DescribedRoute,
    'root' | 'batch' | 'live' | 'ready' | 'metadata' | 'openapi' | 'asyncapi' | 'llms'
  >;
  /** The name of its schema; null for any object. */
  readonly name: 'ApiRoot' | 'Batch' | 'HealthStatus' | 'ProtectedResourceMetadata' | null;
  /** Its name in operations, where it is not that of the schema. */
  readonly operation?: string;
  readonly summary: string;
  readonly description: string;
}

/** The documents at the origin. */
const ORIGIN_DOCUMENTS: readonly DocumentDescription[] = [
  {
    kind: 'live',
    name: 'HealthStatus',
    operation: 'Liveness',
    summary: 'Check the process',
    description: 'Whether the process runs.',
  },
  {
    kind: 'ready',
    name: 'HealthStatus',
    operation: 'Readiness',
    summary: 'Check the server',
    description: 'Whether the server can answer requests.',
  },
  {
    kind: 'metadata',
    name: 'ProtectedResourceMetadata',
    summary: 'Get the metadata of the protected resource',
    description: 'Who issues tokens for this API (RFC 9728).',
  },
  {
    kind: 'openapi',
    name: null,
    operation: 'OpenApi',
    summary: 'Get this description',
    description: 'This description: of the newest version, or of that in api_version.',
  },
  {
    kind: 'asyncapi',
    name: null,
    operation: 'AsyncApi',
    summary: 'Get the description of the events',
    description: 'The events of the API in AsyncAPI: of the newest version, or of that in api_version.',
  },
  {
    kind: 'llms',
    name: null,
    operation: 'LlmsText',
    summary: 'Get the text for language models',
    description: 'What a language model needs to use the API: of the newest version, or of that in api_version.',
  },
];

const UNVERSIONED: ReadonlySet<string> = new Set(['live', 'ready', 'metadata']);

function documentPath(document: DocumentDescription, to: Description): JsonObject {
  const { kind, name, operation = name ?? kind, summary, description } = document;
  const route = requireRoute(to.surface, kind);
  const read = requireOperation(route, 'GET');
  const isConditional = read.successes.includes(304);
  const schema = name === null ? { type: 'object' } : apiSchema(name, to.components);
  const unchanged = isConditional ? { '304': notModified(to) } : {};
  const fields = isConditional ? ['ETag', 'Link', 'Preference-Applied'] : [];
  const isUnversioned = UNVERSIONED.has(kind);
  const found = { description: 'The document.', fields, isUnversioned, content: describeContent({ kind, schema }, to) };
  const get: OperationDescription = {
    operationId: `get${operation}`,
    summary,
    description,
    tag: API_TAG,
    parameters: parameterObjects(read, to),
    responses: {
      '200': success(`${operation[0]?.toLowerCase() ?? ''}${operation.slice(1)}Response`, found, to),
      ...unchanged,
    },
    operation: read,
  };
  const further = (): JsonObject => {
    const head = isUnversioned ? originFields(to) : documentFields(to);
    return {
      head: headObject(
        {
          ...get,
          operationId: `head${operation}`,
          operation: requireOperation(route, 'HEAD'),
          responses: { '200': head, ...unchanged },
        },
        to,
      ),
      options: documentOptions(operation, route, to),
    };
  };
  return { get: operationObject(get, to), ...unlessGenerated(to, further) };
}

function documentOptions(name: string, route: RouteSurface, to: Description): JsonObject {
  const operation = requireOperation(route, 'OPTIONS');
  return optionsObject({ operationId: `options${name}`, tag: API_TAG, operation }, to);
}

function documentFields(to: Description): JsonObject {
  const fields = ['ETag', 'Link', 'Preference-Applied'];
  return success('headDocument', { description: 'The fields of the document.', fields }, to);
}

function originFields(to: Description): JsonObject {
  const description = 'The fields of the document, which has no version.';
  return success('headOriginDocument', { description, fields: [], isUnversioned: true }, to);
}

function createBatch(to: Description): OperationDescription {
  const operation = requireOperation(requireRoute(to.surface, 'batches'), 'POST');
  const batch = describeContent({ kind: 'batches', schema: apiSchema('Batch', to.components) }, to);
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
    parameters: parameterObjects(operation, to),
    requestBody: {
      required: true,
      content: {
        'application/json': { schema },
        ...unlessGenerated(to, () => ({ [`application/vnd.${name}.v${version.major}+json`]: { schema } })),
      },
    },
    responses: { '200': success('batchDryRun', dry, to), '201': success('batchCreated', created, to) },
    operation,
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
