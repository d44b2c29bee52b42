import type { Json, JsonObject } from '../../conventions/json/json.ts';
import { EXAMPLE_ID, EXAMPLE_TIME } from '../example-value.ts';

/** The members of an error without a status and a code. */
const ERROR: JsonObject = {
  errorMessage: 'The cause and the fix.',
  correlationId: EXAMPLE_ID,
  timestamp: EXAMPLE_TIME,
  details: [],
};

/** An error with a status and a code (ERR-1). */
export function exampleError(status: number, code: string): JsonObject {
  return { httpStatus: status, errorCode: code, ...ERROR };
}

const TOO_MANY = 'Too many requests; try again in 3 seconds.';
const RATE_LIMITED: JsonObject = { ...exampleError(429, 'RATE_LIMIT_EXCEEDED'), errorMessage: TOO_MANY };
const BATCH = '/api/v1/batches/0198c0de-7a1b-7c3d-8e4f-5a6b7c8d9e0f';

const EVENT: JsonObject = {
  timestamp: EXAMPLE_TIME,
  resource: { type: 'product', id: EXAMPLE_ID, url: `https://example.com/api/v1/products/${EXAMPLE_ID}` },
  parents: [],
  changed_fields: ['price'],
};

/** An example of each schema that belongs to no resource; those that are parts of others alone have none. */
export const API_EXAMPLES: Readonly<Record<string, Json>> = {
  ApiError: RATE_LIMITED,
  ApiProblem: {
    ...RATE_LIMITED,
    type: 'about:blank',
    title: 'Too Many Requests',
    status: 429,
    detail: TOO_MANY,
    instance: `#${EXAMPLE_ID}`,
  },
  ApiRoot: {
    name: 'shop',
    title: 'Shop',
    version: '1.4.0',
    links: {
      self: '/api/v1',
      service_desc: '/openapi.json',
      service_desc_events: '/asyncapi.json',
      service_doc: '/docs',
      products: '/api/v1/products',
    },
  },
  BatchCreate: { operations: [{ method: 'PATCH', path: '/products/1', body: { price: 5 } }] },
  Batch: {
    id: EXAMPLE_ID,
    atomic: true,
    status: 'succeeded',
    results: [{ status: 204, headers: {}, body: null }],
    created_at: EXAMPLE_TIME,
    expires_at: '2026-05-18T09:30:00.000Z',
    links: { self: BATCH },
  },
  CloudEvent: {
    specversion: '1.0',
    id: EXAMPLE_ID,
    source: 'https://example.com/api/v1',
    type: 'product.updated',
    subject: `products/${EXAMPLE_ID}`,
    time: EXAMPLE_TIME,
    datacontenttype: 'application/json',
    dataschema: 'https://example.com/asyncapi.json?api_version=1#/components/schemas/ProductUpdatedPayload',
    data: EVENT,
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    correlationid: EXAMPLE_ID,
    sequence: '00000000000000000001',
    schemaversion: '1.4',
    callersubject: 'ann',
    callerissuer: 'id.example.com',
  },
  HealthStatus: { status: 'ok' },
  ImportResult: { line: 1, status: 201, id: EXAMPLE_ID, location: `/api/v1/products/${EXAMPLE_ID}` },
  JsonPatch: [{ op: 'remove', path: '/price' }],
  LoggedEvent: {
    id: EXAMPLE_ID,
    type: 'product.updated',
    payload: EVENT,
    metadata: {
      trace_id: '0af7651916cd43dd8448eb211c80319c',
      correlation_id: EXAMPLE_ID,
      schema_version: '1.4',
      sequence: '00000000000000000001',
      actor: 'ann',
      caller: { issuer: 'id.example.com', subject: 'ann', client: null },
    },
  },
  ProtectedResourceMetadata: {
    resource: 'https://example.com/',
    authorization_servers: ['https://id.example.com/'],
    bearer_methods_supported: ['header'],
    scopes_supported: ['products:read'],
    resource_name: 'Shop',
  },
};

/** The metadata and the links of a page with one item. */
export const EXAMPLE_PAGE: JsonObject = {
  page: { technique: 'cursor', limit: 20, count: 1, has_more: false, next_cursor: null, prev_cursor: null },
  links: { self: '?limit=20' },
};

/** Values of header fields of requests. */
export const FIELD_EXAMPLES: Readonly<Record<string, string>> = {
  'Idempotency-Key': EXAMPLE_ID,
  'If-Match': '"1"',
  'If-None-Match': '"1"',
  'If-Modified-Since': 'Sun, 17 May 2026 09:30:00 GMT',
  'If-Unmodified-Since': 'Sun, 17 May 2026 09:30:00 GMT',
  'Last-Event-ID': '1',
  Prefer: 'return=minimal',
  'X-Correlation-ID': EXAMPLE_ID,
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  tracestate: 'vendor=value',
};

/** Values of query parameters that all collections have. */
export const PARAMETER_EXAMPLES: Readonly<Record<string, Json>> = {
  limit: 20,
  per_page: 20,
  page: 1,
  offset: 0,
  after: 'eyJ2IjoxfQ',
  last_id: EXAMPLE_ID,
  after_timestamp: EXAMPLE_TIME,
  after_id: EXAMPLE_ID,
  start_time: EXAMPLE_TIME,
  before: EXAMPLE_TIME,
  include_total: true,
  dry_run: true,
  q: 'text',
};

/** A schema with an example; the schema alone where there is none. */
export function withExample(schema: JsonObject, example: Json | undefined): JsonObject {
  return example === undefined || example === null ? schema : { ...schema, examples: [example] };
}
