import type { JsonObject } from '../../conventions/json/json.ts';

const DATE: JsonObject = { type: 'string', format: 'date' };
const VERSION_NUMBER = '(0|[1-9][0-9]{0,8})';
const SCHEMA: JsonObject = { $ref: '#/$defs/schema' };
const NAMES: JsonObject = { type: 'array', items: { type: 'string' }, minItems: 1, uniqueItems: true };
const SEPARATOR: JsonObject = {
  type: 'string',
  minLength: 1,
  description: 'The text between the parts, such as " "; none with functions',
};

/** An object with a member for each field. */
function eachField(description: string, field: JsonObject): JsonObject {
  return { type: 'object', minProperties: 1, description, additionalProperties: field };
}

function members(required: readonly string[], properties: JsonObject): JsonObject {
  return { type: 'object', required, properties, additionalProperties: false };
}

const CHANGE: JsonObject = {
  description: 'What differs in one resource between this version and the next newer one',
  ...members(['resource'], {
    resource: { type: 'string', description: 'Name of the resource in the newest version' },
    rename: eachField('Renamed fields: the name in this version, then the name in the next', { type: 'string' }),
    without: { ...NAMES, description: 'Fields that this version does not have' },
    fill: {
      type: 'object',
      minProperties: 1,
      description: 'Values on create for fields that this version cannot send',
    },
    values: eachField('Changed values by field: the value in this version, then the value in the next', {
      type: 'object',
      minProperties: 1,
      description: 'The value in this version, then the value in the next',
    }),
    default_out: {
      type: 'object',
      minProperties: 1,
      description: 'By field, what this version shows for values that have not exactly one value in it',
    },
    with: eachField(
      'Fields that the next version does not have',
      members(['schema'], { schema: SCHEMA, out: { description: 'The value in responses; default: null' } }),
    ),
    collection: {
      type: 'string',
      pattern: '^[a-z][a-z0-9_-]*$',
      description: 'The collection in this version, such as order-items',
    },
    singular: { type: 'string', pattern: '^[a-z][a-z0-9_]*$', description: 'The singular in this version' },
    absent: { const: true, description: 'true: the resource does not exist in this version' },
    move: eachField('Fields in other objects: the dotted path in this version, then the path in the next', {
      type: 'string',
    }),
    split: eachField(
      'Texts that are several fields in the next version, split at a separator, or by functions of a TypeScript model',
      members(['schema', 'into'], {
        schema: SCHEMA,
        into: { ...NAMES, description: 'The fields of the next version' },
        separator: SEPARATOR,
      }),
    ),
    join: eachField(
      'Texts of the next version that are several fields in this version, split at a separator, or by functions of a TypeScript model',
      members(['from'], {
        from: eachField('The fields of this version, with their schemas', SCHEMA),
        separator: SEPARATOR,
      }),
    ),
    type: eachField(
      'Fields of another scalar type in the next version, or of any type by functions of a TypeScript model',
      members(['schema'], {
        schema: SCHEMA,
        to: { type: 'string', description: 'The name in the next version; default: the same' },
      }),
    ),
  }),
};

/** The JSON Schema of the older versions of a model. */
export const versionsSchema: JsonObject = {
  type: 'object',
  description: 'Older versions of the contract that are still served, newest first',
  patternProperties: {
    [`^${VERSION_NUMBER}\\.${VERSION_NUMBER}\\.${VERSION_NUMBER}$`]: {
      type: 'object',
      description: 'An older version: {deprecated, sunset, deprecation_page, retired, changes}',
      properties: {
        deprecated: { ...DATE, description: 'Date of deprecation, such as 2026-06-01' },
        sunset: { ...DATE, description: 'Date of removal, such as 2028-06-01' },
        deprecation_page: {
          type: 'string',
          description: 'URL of a page about its deprecation, such as https://docs.example.com/migrate',
        },
        retired: { type: 'boolean', default: false, description: 'Requests get 410' },
        changes: { type: 'array', items: CHANGE },
      },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
};
