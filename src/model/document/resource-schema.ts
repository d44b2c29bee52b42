import type { JsonObject } from '../../conventions/json.ts';
import { accessSchema } from './access-schema.ts';
import { DURATION_PATTERN } from '../values/parse-units.ts';

const NAME: JsonObject = { type: 'string', pattern: '^[a-z][a-z0-9_]*$' };
const PATHS: JsonObject = { type: 'array', items: { type: 'string' }, uniqueItems: true };

const STATE: JsonObject = {
  type: 'object',
  description: 'The states of a resource and the moves between them: {field, initial, transitions}',
  required: ['field', 'initial', 'transitions'],
  properties: {
    field: { type: 'string', description: 'The field that holds the state: a string with an enum' },
    initial: { type: 'string', description: 'The state of a new resource' },
    transitions: {
      type: 'object',
      description: 'To each state those that may follow it',
      additionalProperties: {
        type: 'array',
        items: {
          type: ['string', 'object'],
          description: 'A state, or {to: state, scope: name}',
          required: ['to'],
          properties: {
            to: { type: 'string' },
            scope: { type: 'string', description: 'The scope that the move needs' },
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
  description: 'How long answers may be kept: {max_age, scope}',
  required: ['max_age'],
  properties: {
    max_age: { type: 'integer', minimum: 0, maximum: 31_536_000, description: 'Seconds, such as 3600' },
    scope: { type: 'string', enum: ['public', 'private'], default: 'private', description: 'Who may keep them' },
  },
  additionalProperties: false,
};

/** The JSON Schema of a resource. */
export const resourceSchema: JsonObject = {
  type: 'object',
  description: 'A resource: its schema, and what differs from the defaults',
  required: ['schema'],
  properties: {
    schema: { $ref: '#/$defs/schema', description: 'A JSON Schema 2020-12 of an object: the fields' },
    singular: { ...NAME, description: 'Its singular in snake_case; default: by inflection' },
    noun: { type: 'boolean', default: false, description: 'The name is a noun, though it looks like a verb' },
    error_prefix: {
      type: 'string',
      pattern: '^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$',
      description: 'What its error codes begin with, such as SHOP_ITEM; default: the singular in capitals',
    },
    was: { ...NAME, description: 'The name under which storage knew it before' },
    id: {
      anyOf: [{ enum: ['uuid', 'client'] }, { type: 'object' }],
      default: 'uuid',
      description: "uuid (the server makes ids), client, or {client: '<pattern>'}",
      required: ['client'],
      properties: { client: { type: 'string', description: 'A regular expression that ids match' } },
      additionalProperties: false,
    },
    parent: { type: 'string', description: 'The resource that it sits under' },
    on_parent_delete: {
      type: 'string',
      enum: ['restrict', 'cascade'],
      default: 'restrict',
      description: 'What becomes of it when its parent is deleted: restrict or cascade',
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
      description: 'Fields, or lists of them, such as [category, [category, price]]; id and created_at have one',
    },
    search: { ...PATHS, description: 'Fields that q searches' },
    sort: {
      type: 'string',
      minLength: 1,
      default: 'created_at',
      description: 'The default order, such as -created_at,name',
    },
    time_field: {
      type: 'string',
      default: 'created_at',
      description: 'A required date-time, by which time windows cut',
    },
    sortable: { ...PATHS, description: 'Fields that sort takes; default: all readable ones of one value' },
    filterable: { ...PATHS, description: 'Fields that filters take; default: all readable ones of one value' },
    access: accessSchema,
    cache: CACHE,
    require_if_match: { type: 'boolean', default: false, description: 'Changes need If-Match, else 428' },
    idempotency: {
      type: 'string',
      enum: ['optional', 'required'],
      description: 'Idempotency-Key: optional or required',
    },
    tombstones: {
      type: 'string',
      pattern: DURATION_PATTERN,
      description: 'How long a deleted id answers 410, such as 30d',
    },
    events: { type: 'string', enum: ['thin', 'full', 'none'], default: 'thin', description: 'What its events hold' },
    generated: { type: 'object', description: 'Fields that the server makes; in TypeScript models' },
  },
  additionalProperties: false,
};
