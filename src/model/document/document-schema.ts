import type { JsonObject } from '../../conventions/json.ts';
import { authSchema } from './access-schema.ts';
import { definitionsSchema, schemaSchema } from './field-schema.ts';
import { deepFreeze } from '../values/deep-freeze.ts';
import { limitSchemas } from '../limits.ts';
import { resourceSchema } from './resource-schema.ts';
import { DURATION_PATTERN } from '../values/parse-units.ts';
import { versionsSchema } from './versions-schema.ts';

const DURATION: JsonObject = {
  type: 'string',
  pattern: DURATION_PATTERN,
  description: 'A duration, such as 30s or 30d',
};
const COLLECTION: JsonObject = {
  type: 'string',
  pattern: '^[a-z][a-z0-9-]*$',
  description: 'A name of your own for it',
};

const CORS: JsonObject = {
  type: 'object',
  description: 'Which pages of other origins may call: {origins, credentials}',
  required: ['origins'],
  properties: {
    origins: { type: 'array', items: { type: 'string' }, description: 'Such as https://app.example.com' },
    credentials: { type: 'boolean', default: false },
  },
  additionalProperties: false,
};

const LIMITS: JsonObject = {
  type: 'object',
  description: 'Bounds; each has a default',
  properties: {
    ...limitSchemas,
    rate: {
      anyOf: [{ const: false }, { type: 'object' }],
      description: 'Requests per time, {requests: 600, per: 60s}; false switches it off',
      required: ['requests', 'per'],
      properties: { requests: { type: 'integer', minimum: 1, description: 'Such as 600' }, per: DURATION },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
};

const EVENTS: JsonObject = {
  type: 'object',
  description: 'The event log: {retention, relays}',
  properties: {
    retention: { ...DURATION, default: '30d' },
    relays: { type: 'array', items: { type: 'object' }, description: 'Brokers that get every event' },
  },
  additionalProperties: false,
};

const WEBHOOKS: JsonObject = {
  type: 'object',
  description: 'Deliveries to subscribers: {retry, timeout, allow_hosts}',
  properties: {
    retry: { type: 'array', items: DURATION, minItems: 1, description: 'The delay before each attempt' },
    timeout: { ...DURATION, default: '15s' },
    allow_hosts: { type: 'array', items: { type: 'string' }, description: 'Private addresses that may be called' },
  },
  additionalProperties: false,
};

/**
 * The JSON Schema 2020-12 of a model document: what editors complete and check by, and the first check of every document. What
 * a schema cannot say (names that must exist, values that must fit each other) is checked when the model is compiled.
 */
export const documentSchema: JsonObject = deepFreeze<JsonObject>({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Restwright model',
  type: 'object',
  description: 'An API: its name and its resources',
  required: ['name', 'resources'],
  properties: {
    $schema: { type: 'string', description: 'Where this schema is, for editors' },
    name: {
      type: 'string',
      pattern: '^[a-z][a-z0-9-]*$',
      description: 'A short name: small letters, digits and hyphens, such as shop',
    },
    title: { type: 'string', description: 'The name for people; default: name' },
    version: {
      type: 'string',
      pattern: '^(0|[1-9][0-9]{0,8})\\.(0|[1-9][0-9]{0,8})\\.(0|[1-9][0-9]{0,8})$',
      default: '1.0.0',
      description: 'The version of the contract as MAJOR.MINOR.PATCH, such as 1.0.0',
    },
    base_path: {
      type: 'string',
      pattern: '^(/|(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+)$',
      default: '/api',
      description: 'What every path begins with, such as /api; / for nothing',
    },
    public_url: { type: 'string', description: 'The origin that clients reach, such as https://api.example.com' },
    default_version: { type: 'integer', minimum: 0, description: 'The major that a request without a version gets' },
    secret: { type: 'string', minLength: 1, description: 'Seals cursors; better given as ${NAME} of the environment' },
    auth: authSchema,
    trusted_proxies: {
      type: 'array',
      items: { type: 'string' },
      description: 'Addresses or networks, such as 10.0.0.0/8',
    },
    require_tls: { type: 'boolean', default: false, description: 'Requests without TLS are refused' },
    cors: CORS,
    limits: LIMITS,
    events: EVENTS,
    webhooks: WEBHOOKS,
    system: {
      type: 'object',
      description: "Other names for the server's own collections",
      properties: { events: COLLECTION, webhooks: COLLECTION, batches: COLLECTION, 'api-keys': COLLECTION },
      additionalProperties: false,
    },
    resources: {
      type: 'object',
      minProperties: 1,
      description: 'The resources by the plural of their name in snake_case',
      additionalProperties: { $ref: '#/$defs/resource' },
    },
    versions: versionsSchema,
    $defs: definitionsSchema,
    definitions: definitionsSchema,
  },
  additionalProperties: false,
  $defs: { resource: resourceSchema, schema: schemaSchema },
});
