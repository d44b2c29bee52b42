import type { JsonObject } from '../../conventions/json/json.ts';
import { DURATION_PATTERN } from '../values/parse-units.ts';

const NAME: JsonObject = { type: 'string', pattern: '^[a-z][a-z0-9_]*$' };
const COLUMN: JsonObject = { type: 'string', minLength: 1 };
const SCOPE: JsonObject = { type: 'string', minLength: 1 };
const PATHS: JsonObject = { type: 'array', items: { type: 'string' }, uniqueItems: true };

const RULE: JsonObject = {
  anyOf: [{ enum: ['public', 'authenticated'] }, { type: 'object' }],
  description: 'public, authenticated or {scope: name}',
  properties: { scope: SCOPE },
  additionalProperties: false,
};

const POLICY: JsonObject = {
  type: ['boolean', 'object'],
  description: 'true, false, or {field: value}, {field: {operator: value}}, {all: [..]}, {any: [..]}, {not: ..}',
};

const ACCESS: JsonObject = {
  type: 'object',
  description: 'Access rules; default with auth: the scopes name:read and name:write',
  properties: {
    read: RULE,
    write: RULE,
    create: RULE,
    update: RULE,
    delete: RULE,
    owner: {
      type: ['string', 'object'],
      description: 'The field with the owner of a row; or {field, bypass}',
      required: ['field'],
      properties: { field: SCOPE, bypass: { type: 'string', description: 'The scope that accesses every row' } },
      additionalProperties: false,
    },
    rows: {
      type: 'object',
      description:
        'Policies on the rows that callers can access, by operation; create, update and delete default to read',
      properties: { read: POLICY, create: POLICY, update: POLICY, delete: POLICY },
      additionalProperties: false,
    },
    fields: {
      type: 'object',
      description: 'Access rules for single fields, by field name',
      additionalProperties: { type: 'object', properties: { read: RULE, write: RULE }, additionalProperties: false },
    },
  },
  additionalProperties: false,
};

const STATE: JsonObject = {
  type: 'object',
  description: 'The state machine of a resource: {field, initial, transitions}',
  required: ['field', 'initial', 'transitions'],
  properties: {
    field: { type: 'string', description: 'The field with the state: a string with an enum' },
    initial: { type: 'string', description: 'The state of a new resource' },
    transitions: {
      type: 'object',
      description: 'The allowed next states of each state',
      additionalProperties: {
        type: 'array',
        items: {
          type: ['string', 'object'],
          description: 'A state, or {to: state, scope: name}',
          required: ['to'],
          properties: {
            to: { type: 'string' },
            scope: { type: 'string', description: 'The scope that the transition requires' },
          },
          additionalProperties: false,
        },
      },
    },
  },
  additionalProperties: false,
};

const CACHE: JsonObject = {
  type: 'object',
  description: 'How long responses may be cached: {max_age, scope}',
  required: ['max_age'],
  properties: {
    max_age: { type: 'integer', minimum: 0, maximum: 31_536_000, description: 'Seconds, such as 3600' },
    scope: {
      type: 'string',
      enum: ['public', 'private'],
      default: 'private',
      description: 'public or private, as in Cache-Control',
    },
  },
  additionalProperties: false,
};

/** The JSON Schema of a resource. */
export const resourceSchema: JsonObject = {
  type: 'object',
  description: 'A resource: its schema and its settings',
  required: ['schema'],
  properties: {
    schema: { $ref: '#/$defs/schema', description: 'The fields, as a JSON Schema 2020-12 of an object' },
    singular: { ...NAME, description: 'The singular in snake_case; default: derived from the plural' },
    noun: { type: 'boolean', default: false, description: 'The name is a noun, although it looks like a verb' },
    error_prefix: {
      type: 'string',
      pattern: '^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$',
      description: 'The prefix of its error codes, such as SHOP_ITEM; default: the singular in upper case',
    },
    was: { ...NAME, description: 'The previous name in the database, for a renamed resource' },
    table: { ...COLUMN, description: 'The table or view of a database that exists already and has the rows' },
    key: {
      type: ['string', 'array'],
      items: COLUMN,
      minItems: 1,
      uniqueItems: true,
      description: 'The column, or columns, that identify a row of the table; default: its primary key',
    },
    columns: {
      type: 'object',
      description: 'The columns of the table whose fields have another name, such as {released: Release Year}',
      additionalProperties: COLUMN,
    },
    created_at: { ...COLUMN, description: 'The column of the table with the time at which a row was created' },
    updated_at: { ...COLUMN, description: 'The column of the table with the time at which a row was changed' },
    changes: {
      type: 'string',
      enum: ['none', 'triggers'],
      default: 'none',
      description: 'triggers: writes of other programs to the table become events, see restwright adopt; or none',
    },
    id: {
      anyOf: [{ enum: ['uuid', 'client'] }, { type: 'object' }],
      default: 'uuid',
      description:
        "uuid (assigned by the server), client, or {client: true | '<pattern>', optional: true, number: true}",
      required: ['client'],
      properties: {
        client: {
          anyOf: [{ const: true }, { type: 'string' }],
          description: 'true for each id, or a regular expression that ids match',
        },
        optional: {
          type: 'boolean',
          default: false,
          description: 'true if a resource that is created without an id gets a UUID',
        },
        number: {
          type: 'boolean',
          default: false,
          description: 'true if an integer in a body is read as its digits: 3 as "3", in the id and in references',
        },
      },
      additionalProperties: false,
    },
    parent: {
      type: ['string', 'object'],
      required: ['resource'],
      properties: {
        resource: { type: 'string', description: 'The parent resource' },
        as: { ...NAME, description: 'Name of the relation to the parent; its singular if absent' },
        inverse: { ...NAME, description: 'Name of the sub-collection in the parent; that of the collection if absent' },
      },
      additionalProperties: false,
      description: 'The parent resource; or {resource, as, inverse}',
    },
    on_parent_delete: {
      type: 'string',
      enum: ['restrict', 'cascade'],
      default: 'restrict',
      description: 'What deleting the parent does: restrict or cascade',
    },
    unique: {
      type: 'array',
      items: { ...PATHS, minItems: 1 },
      description: 'Lists of fields that are unique together, such as [[supplier_id, sku]]',
    },
    state: STATE,
    indexes: {
      type: 'array',
      items: { type: ['string', 'array'], items: { type: 'string' }, minItems: 1, uniqueItems: true },
      description:
        'Indexed fields or lists of fields, such as [category, [category, price]]; id and created_at are always indexed',
    },
    search: { ...PATHS, description: 'The fields that q searches' },
    sort: {
      type: 'string',
      minLength: 1,
      default: 'created_at',
      description: 'The default sort, such as -created_at,name',
    },
    time_field: {
      type: 'string',
      default: 'created_at',
      description: 'The required date-time field for time windows',
    },
    sortable: { ...PATHS, description: 'The fields that sort accepts; default: all readable scalar fields' },
    filterable: { ...PATHS, description: 'The fields that filters accept; default: all readable scalar fields' },
    access: ACCESS,
    cache: CACHE,
    read_only: {
      type: 'boolean',
      default: false,
      description: 'Callers can only read it; imports and code of the application write it',
    },
    require_if_match: {
      type: 'boolean',
      default: false,
      description: 'Changes without If-Match are rejected with 428',
    },
    idempotency: {
      type: 'string',
      enum: ['optional', 'required'],
      description: 'Whether Idempotency-Key is optional or required',
    },
    tombstones: {
      type: 'string',
      pattern: DURATION_PATTERN,
      description: 'How long deleted ids return 410, such as 30d',
    },
    events: {
      type: 'string',
      enum: ['thin', 'full', 'none'],
      default: 'thin',
      description: 'The content of its events: thin, full or none',
    },
    generated: {
      type: 'object',
      description: 'Fields whose values the server makes at creation: uuid, now, or {secret: <prefix>}',
      additionalProperties: {
        anyOf: [{ enum: ['uuid', 'now'] }, { type: 'object' }],
        description: 'uuid, now, or {secret: <prefix>}: 256 random bits in base64url',
        required: ['secret'],
        properties: {
          secret: { type: 'string', pattern: '^[A-Za-z0-9_-]{0,32}$', description: 'The prefix, such as sk_' },
          hint: { ...NAME, description: 'The field that gets its first characters' },
        },
        additionalProperties: false,
      },
    },
  },
  additionalProperties: false,
};
