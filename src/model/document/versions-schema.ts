import type { JsonObject } from '../../conventions/json.ts';

const NAME: JsonObject = { type: 'string' };
const DATE: JsonObject = { type: 'string', format: 'date' };
const NAMES: JsonObject = { type: 'array', items: { type: 'string' } };

const CHANGE: JsonObject = {
  type: 'object',
  description: 'A change to a resource: this version, then its successor',
  required: ['resource'],
  properties: {
    resource: { ...NAME, description: 'Name of the resource' },
    rename: { type: 'object', additionalProperties: NAME, description: 'Its field: the field of the successor' },
    without: { ...NAMES, description: 'Fields that it does not know' },
    fill: { type: 'object', description: 'What a create gets for a field that this version cannot send' },
    values: {
      type: 'object',
      additionalProperties: { type: 'object' },
      description: 'By field: its value and the value of the successor',
    },
    with: {
      type: 'object',
      description: 'Fields that its successor has not',
      additionalProperties: {
        type: 'object',
        required: ['schema'],
        properties: { schema: { $ref: '#/$defs/schema' }, out: { description: 'The value that is shown' } },
        additionalProperties: false,
      },
    },
    collection: { ...NAME, description: 'The older name of the collection' },
    singular: { ...NAME, description: 'The older singular' },
    absent: { type: 'boolean', description: 'The resource does not exist in this version' },
  },
  additionalProperties: false,
};

/** The JSON Schema of `versions`. */
export const versionsSchema: JsonObject = {
  type: 'object',
  description: 'Older contracts that are still served, newest first',
  patternProperties: {
    '^(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)$': {
      type: 'object',
      properties: {
        deprecated: { ...DATE, description: 'Since when, such as 2026-06-01' },
        sunset: { ...DATE, description: 'Until when, such as 2028-06-01' },
        retired: { type: 'boolean', default: false, description: '410 from then on' },
        changes: { type: 'array', items: CHANGE },
      },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
};
