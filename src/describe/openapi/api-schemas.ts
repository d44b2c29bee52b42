import { MAX_DETAILS } from '../../conventions/errors.ts';
import { MAX_OPERATIONS as MAX_PATCHES } from '../../conventions/json/json-patch.ts';
import type { Json, JsonObject } from '../../conventions/json/json.ts';
import type { ApiSchema } from '../../model/type-names.ts';
import { CALLER_SCHEMA } from '../event-caller-schema.ts';
import { API_EXAMPLES, EXAMPLE_PAGE } from './api-examples.ts';
import { BATCH_METHODS, MAX_OPERATIONS } from '../../plan/write/batch-rule.ts';
import type { Components } from '../components.ts';

/** URLs have at most three levels (URL-1). */
const MAX_PARENTS = 2;

const TEXT: JsonObject = { type: 'string' };
const TIME: JsonObject = { type: 'string', format: 'date-time' };
const COUNT: JsonObject = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
const POSITION: JsonObject = { type: ['string', 'null'] };
const STATUS: JsonObject = { type: 'integer', minimum: 200, maximum: 599 };
const HREF: JsonObject = { type: 'string', format: 'uri-reference' };

function object(properties: JsonObject, required: readonly string[] = Object.keys(properties)): JsonObject {
  return { type: 'object', ...(required.length === 0 ? {} : { required }), properties };
}

const ERROR_MEMBERS: JsonObject = {
  httpStatus: { type: 'integer', minimum: 400, maximum: 599 },
  errorCode: { type: 'string', pattern: '^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$' },
  errorMessage: { type: 'string', description: 'The cause and the fix, for people.' },
  correlationId: { type: 'string', description: 'Names the request in the log of the server.' },
  timestamp: TIME,
  details: {
    type: 'array',
    maxItems: MAX_DETAILS,
    items: object({
      field: { type: 'string', description: 'A dotted path, a parameter or a header field.' },
      message: TEXT,
    }),
  },
};

/** The schemas that are the same in every description. */
type FixedSchema = Exclude<ApiSchema, 'RequestedVersion' | 'LoggedEventPage'>;

/** The schemas that belong to no resource, by name. */
const SCHEMAS: Readonly<Record<FixedSchema, JsonObject>> = {
  ApiError: {
    ...object(ERROR_MEMBERS),
    description: 'The body of every error.',
  },
  ApiProblem: {
    ...object({
      ...ERROR_MEMBERS,
      type: HREF,
      title: TEXT,
      status: { type: 'integer', minimum: 400, maximum: 599 },
      detail: TEXT,
      instance: HREF,
    }),
    description: 'The same error as problem details (RFC 9457).',
  },
  ApiRoot: object({
    name: TEXT,
    title: TEXT,
    version: TEXT,
    links: {
      type: 'object',
      required: ['self', 'service_desc', 'service_desc_events', 'service_doc'],
      properties: { self: HREF, service_desc: HREF, service_desc_events: HREF, service_doc: HREF },
      additionalProperties: HREF,
    },
  }),
  BatchCreate: {
    type: 'object',
    required: ['operations'],
    properties: {
      atomic: { type: 'boolean', default: true, description: 'Whether all operations are made or none.' },
      operations: { type: 'array', minItems: 1, maxItems: MAX_OPERATIONS, items: batchOperation() },
    },
    additionalProperties: false,
  },
  Batch: {
    type: 'object',
    required: ['atomic', 'status', 'results'],
    properties: {
      id: TEXT,
      atomic: { type: 'boolean' },
      status: { type: 'string', enum: ['succeeded', 'partially_failed', 'failed'] },
      results: { type: 'array', maxItems: MAX_OPERATIONS, items: batchResult() },
      created_at: TIME,
      expires_at: TIME,
      links: object({ self: HREF }),
    },
    description: 'The results of the operations, in their order. A dry run has neither id nor links.',
  },
  CloudEvent: { ...cloudEvent(), description: 'An event as CloudEvents 1.0 has it.' },
  HealthStatus: object({ status: { type: 'string', enum: ['ok'] } }),
  ImportResult: {
    type: 'object',
    properties: {
      line: COUNT,
      status: STATUS,
      id: TEXT,
      location: HREF,
      replayed: { type: 'boolean' },
      error: { $ref: '#/components/schemas/ApiError' },
    },
    description: 'What became of one line. The last line has an error alone where the body broke off.',
  },
  JsonPatch: {
    type: 'array',
    maxItems: MAX_PATCHES,
    items: {
      type: 'object',
      required: ['op', 'path'],
      properties: {
        op: { type: 'string', enum: ['add', 'remove', 'replace', 'move', 'copy', 'test'] },
        path: { type: 'string', pattern: '^(/.*)?$' },
        from: { type: 'string', pattern: '^(/.*)?$' },
        value: {},
      },
    },
    description: 'RFC 6902: add, replace and test need value, move and copy need from.',
  },
  LoggedEvent: { ...loggedEvent(), description: 'The envelope of an event.' },
  PaginationInfo: object(
    {
      technique: { type: 'string', enum: ['page', 'offset', 'cursor', 'keyset', 'time', 'seek'] },
      limit: COUNT,
      count: COUNT,
      has_more: { type: 'boolean', description: 'Whether links.next exists.' },
      page: COUNT,
      offset: COUNT,
      after: POSITION,
      last_id: TEXT,
      start_time: POSITION,
      before: POSITION,
      after_timestamp: TIME,
      after_id: TEXT,
      next_cursor: POSITION,
      prev_cursor: POSITION,
      end_cursor: {
        type: 'string',
        description: 'Of events: the position after the page, also of the last and of an empty one.',
      },
      total_count: COUNT,
      total_count_relation: {
        type: 'string',
        enum: ['eq', 'gte'],
        description: 'gte: there are at least as many as total_count.',
      },
      total_pages: COUNT,
    },
    ['technique', 'limit', 'count', 'has_more'],
  ),
  PaginationLinks: object({ self: HREF, first: HREF, prev: HREF, next: HREF, last: HREF }, []),
  ProtectedResourceMetadata: object({
    resource: { type: 'string', format: 'uri' },
    authorization_servers: { type: 'array', items: { type: 'string', format: 'uri' } },
    bearer_methods_supported: { type: 'array', items: TEXT },
    scopes_supported: { type: 'array', items: TEXT },
    resource_name: TEXT,
  }),
};

function eventPayload(): JsonObject {
  const parent = object({ type: TEXT, id: TEXT });
  return object(
    {
      timestamp: TIME,
      resource: object({ type: TEXT, id: TEXT, url: { type: 'string', format: 'uri' } }),
      parents: {
        type: 'array',
        maxItems: MAX_PARENTS,
        items: parent,
        description: 'The resources above it, the nearest first.',
      },
      changed_fields: { type: 'array', items: TEXT },
      data: { type: 'object', additionalProperties: true, description: 'The resource, where the model publishes it.' },
    },
    ['timestamp', 'resource', 'parents', 'changed_fields'],
  );
}

function loggedEvent(): JsonObject {
  return object({
    id: TEXT,
    type: TEXT,
    payload: eventPayload(),
    metadata: object({
      trace_id: TEXT,
      correlation_id: TEXT,
      schema_version: TEXT,
      sequence: { type: 'string', pattern: '^[0-9]{20}$', description: 'Its position in the log.' },
      actor: { type: ['string', 'null'] },
      caller: CALLER_SCHEMA,
    }),
  });
}

function cloudEvent(): JsonObject {
  const always: JsonObject = {
    specversion: { type: 'string', enum: ['1.0'] },
    id: TEXT,
    source: { type: 'string', format: 'uri' },
    type: TEXT,
    subject: TEXT,
    time: TIME,
    datacontenttype: { type: 'string', enum: ['application/json'] },
    dataschema: { type: 'string', format: 'uri' },
    data: eventPayload(),
    traceparent: TEXT,
    correlationid: TEXT,
    sequence: TEXT,
    schemaversion: TEXT,
  };
  return object({ ...always, callersubject: TEXT, callerissuer: TEXT }, Object.keys(always));
}

function batchOperation(): JsonObject {
  return {
    type: 'object',
    required: ['method', 'path'],
    properties: {
      method: { type: 'string', enum: BATCH_METHODS },
      path: { type: 'string', pattern: '^/[!-.0-~][!-~]*$', description: 'Below the version: /products/1.' },
      headers: { type: 'object', additionalProperties: TEXT },
      body: {},
    },
    additionalProperties: false,
  };
}

function batchResult(): JsonObject {
  return object({ status: STATUS, headers: { type: 'object', additionalProperties: TEXT }, body: {} });
}

/** A reference to a schema of the API. */
export function apiSchema(name: FixedSchema, components: Components): JsonObject {
  // A line that failed has the error in it.
  if (name === 'ImportResult') apiSchema('ApiError', components);
  return components.ref('schemas', name, () => {
    const example = API_EXAMPLES[name];
    return { ...SCHEMAS[name], ...(example === undefined ? {} : { examples: [example] }) };
  });
}

interface DescribedItem {
  /** The schema of an item. */
  readonly item: JsonObject;
  /** Items of a page. */
  readonly most: number;
  /** An item; null where none is known. */
  readonly example: Json;
}

/** A page of items (PAGE-1). */
export function wrapPage({ item, most, example }: DescribedItem, components: Components): JsonObject {
  const schema = object({
    data: { type: 'array', maxItems: most, items: item },
    page: apiSchema('PaginationInfo', components),
    links: apiSchema('PaginationLinks', components),
  });
  return example === null ? schema : { ...schema, examples: [{ data: [example], ...EXAMPLE_PAGE }] };
}
