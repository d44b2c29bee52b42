import type { JsonObject } from '../../conventions/json/json.ts';
import { limitSchemas } from './limits.ts';
import { deepFreeze } from '../values/deep-freeze.ts';
import { DURATION_PATTERN } from '../values/parse-units.ts';
import { authSchema } from './auth-schema.ts';
import { definitionsSchema, schemaSchema } from './field-schema.ts';
import { relaySchema } from './relay-schema.ts';
import { resourceSchema } from './resource-schema.ts';
import { versionsSchema } from './versions-schema.ts';

const DURATION: JsonObject = {
  type: 'string',
  pattern: DURATION_PATTERN,
  description: 'A duration, such as 30s or 30d',
};
const COLLECTION: JsonObject = {
  type: 'string',
  pattern: '^[a-z][a-z0-9-]*$',
  description: 'Another path segment for this collection',
};

const CORS: JsonObject = {
  type: 'object',
  description: 'Which pages of other origins may use the API: {origins, credentials, max_age}',
  required: ['origins'],
  properties: {
    origins: {
      type: 'array',
      items: { type: 'string' },
      description: 'Allowed origins, such as https://app.example.com; * for every origin, which may only read',
    },
    credentials: { type: 'boolean', default: false, description: 'Allow requests with cookies; not with *' },
    max_age: {
      type: 'integer',
      minimum: 0,
      maximum: 86_400,
      default: 600,
      description: 'Seconds for which browsers keep the answer to a preflight',
    },
  },
  additionalProperties: false,
};

const CONSOLE: JsonObject = {
  description: 'The console, a page by which people use the API: true, or where they sign in',
  anyOf: [
    { type: 'boolean' },
    {
      type: 'object',
      properties: {
        client_id: {
          type: 'string',
          minLength: 1,
          description: 'The public client of the console at the issuer (PKCE)',
        },
        issuer: { type: 'string', description: 'The name of the issuer; needed if auth has several' },
        scopes: { type: 'array', items: { type: 'string' }, description: 'The scopes that the console requests' },
      },
      additionalProperties: false,
    },
  ],
};

const LIMITS: JsonObject = {
  type: 'object',
  description: 'Limits; each has a default',
  properties: {
    ...limitSchemas,
  },
  additionalProperties: false,
};

const EVENTS: JsonObject = {
  type: 'object',
  description: 'The event log: {retention, max_rows, hold, relays}',
  properties: {
    retention: { ...DURATION, default: '30d', description: 'How long events are stored, such as 30d' },
    max_rows: {
      type: 'integer',
      minimum: 1_024,
      maximum: 1_000_000_000_000,
      description: 'Events that are stored at most; default: any number',
    },
    hold: {
      ...DURATION,
      description: 'How long events that a relay has not sent yet are stored at most; default: retention',
    },
    relays: { type: 'array', items: relaySchema, description: 'Message brokers that receive the events' },
  },
  additionalProperties: false,
};

const WEBHOOKS: JsonObject = {
  type: 'object',
  description: 'Webhook deliveries: {retry, timeout, allow_hosts, max_per_owner, keep_deliveries}',
  properties: {
    retry: { type: 'array', items: DURATION, minItems: 1, description: 'The delay before each attempt' },
    timeout: { ...DURATION, default: '15s' },
    allow_hosts: {
      type: 'array',
      items: { type: 'string' },
      description: 'Private addresses that webhooks may call',
    },
    max_per_owner: {
      type: 'integer',
      minimum: 1,
      maximum: 1_000_000,
      default: 50,
      description: 'Webhooks that one caller may have',
    },
    keep_deliveries: { ...DURATION, default: '7d', description: 'How long successful deliveries are stored' },
  },
  additionalProperties: false,
};

/**
 * The JSON Schema 2020-12 of a model document: editors complete and check documents with it, and it is the first check
 * of every document. Compiling the model checks what a schema cannot express, such as references to names.
 */
export const documentSchema: JsonObject = deepFreeze<JsonObject>({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Restwright model',
  type: 'object',
  description: 'An API: its name and its resources',
  required: ['name', 'resources'],
  properties: {
    $schema: { type: 'string', description: 'URL of this schema, for editors' },
    name: {
      type: 'string',
      pattern: '^[a-z][a-z0-9-]*$',
      description: 'A short name of lower-case letters, digits and hyphens, such as shop',
    },
    title: { type: 'string', description: 'The display name; default: name' },
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
      description: 'The prefix of every path, such as /api; / for none',
    },
    public_url: { type: 'string', description: 'The origin that clients use, such as https://api.example.com' },
    default_version: {
      type: 'integer',
      minimum: 0,
      description: 'The major version for requests that do not name one',
    },
    secret: {
      type: 'string',
      minLength: 1,
      description: 'The secret that seals cursors; set it by an environment variable, as ${NAME}',
    },
    auth: authSchema,
    trusted_proxies: {
      type: 'array',
      items: { type: 'string' },
      description:
        'Addresses or networks of proxies whose Forwarded and X-Forwarded-* are believed, such as 10.0.0.0/8',
    },
    require_tls: { type: 'boolean', default: false, description: 'Reject requests that did not come over TLS' },
    cors: CORS,
    descriptions: {
      type: 'string',
      enum: ['public', 'authenticated'],
      default: 'public',
      description: 'Who may read the descriptions of the API: everyone, or callers with credentials',
    },
    console: CONSOLE,
    limits: LIMITS,
    events: EVENTS,
    webhooks: WEBHOOKS,
    system: {
      type: 'object',
      description: "Other names for the server's own collections",
      properties: {
        events: COLLECTION,
        webhooks: COLLECTION,
        batches: COLLECTION,
        'api-keys': COLLECTION,
        relays: COLLECTION,
      },
      additionalProperties: false,
    },
    resources: {
      type: 'object',
      minProperties: 1,
      description: 'The resources by plural name in snake_case',
      additionalProperties: { $ref: '#/$defs/resource' },
    },
    versions: versionsSchema,
    $defs: definitionsSchema,
    definitions: definitionsSchema,
  },
  additionalProperties: false,
  $defs: { resource: resourceSchema, schema: schemaSchema },
});
