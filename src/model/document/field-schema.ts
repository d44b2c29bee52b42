import type { JsonObject } from '../../conventions/json.ts';
import { MAX_DIGITS } from '../values/exact-number.ts';
import { formats } from '../values/formats.ts';

const NAME_PATTERN = '^[a-z][a-z0-9_]*$';
const COUNT: JsonObject = { type: 'integer', minimum: 0 };
const FLAG: JsonObject = { type: 'boolean', default: false };
const TYPES = ['string', 'integer', 'number', 'boolean', 'object', 'array'];
const BOUND: JsonObject = {
  type: ['number', 'string'],
  description: 'A number; for decimal and int64 also its digits as text',
};
const NAMES: JsonObject = { type: 'array', items: { type: 'string' }, uniqueItems: true };
const DEFINITIONS: JsonObject = {
  type: 'object',
  description: 'Schemas that a $ref may name',
  additionalProperties: { $ref: '#/$defs/schema' },
};

const REFERENCE: JsonObject = {
  type: ['string', 'object'],
  description: 'The resource whose id this holds; or {resource, as, inverse, on_delete}',
  required: ['resource'],
  properties: {
    resource: { type: 'string', description: 'Name of a resource of this model' },
    as: { type: 'string', pattern: NAME_PATTERN, description: 'Name of the relation; default: the field without _id' },
    inverse: { type: 'string', pattern: NAME_PATTERN, description: 'Name of the relation back, on the other resource' },
    on_delete: {
      type: 'string',
      enum: ['restrict', 'nullify', 'cascade'],
      default: 'restrict',
      description: 'What becomes of this row when the one it refers to is deleted: restrict, nullify or cascade',
    },
  },
  additionalProperties: false,
};

/** The definitions of a document: `$ref`s of a schema name them. */
export const definitionsSchema = DEFINITIONS;

/** The JSON Schema of a schema: the closed set of what a resource, a field or a value may declare. */
export const schemaSchema: JsonObject = {
  type: 'object',
  description: 'A JSON Schema 2020-12; the keywords are a closed set, and all are asserted',
  properties: {
    $ref: { type: 'string', description: 'A definition of this document: #/$defs/name' },
    $defs: DEFINITIONS,
    definitions: DEFINITIONS,
    $comment: { type: 'string' },
    title: { type: 'string' },
    description: { type: 'string' },
    deprecated: { type: 'boolean' },
    examples: { type: 'array' },
    type: {
      anyOf: [{ enum: TYPES }, { type: 'array' }],
      description: `One of ${TYPES.join(', ')}, or one of them and 'null' in a list`,
      items: { type: 'string', enum: [...TYPES, 'null'] },
      uniqueItems: true,
    },
    format: {
      type: 'string',
      enum: ['date-time', ...Object.keys(formats), 'decimal', 'int64'],
      description: 'What the text holds; each format is asserted',
    },
    enum: { type: 'array', minItems: 1, uniqueItems: true, description: 'The values that are allowed' },
    const: { description: 'The one value that is allowed' },
    default: { description: 'What an absent field becomes' },
    minimum: BOUND,
    maximum: BOUND,
    exclusiveMinimum: BOUND,
    exclusiveMaximum: BOUND,
    minLength: COUNT,
    maxLength: COUNT,
    pattern: { type: 'string', description: 'A regular expression under the u flag' },
    contentEncoding: { const: 'base64', description: 'base64: the text holds bytes' },
    contentMediaType: { type: 'string', description: 'Media type of the bytes' },
    items: { $ref: '#/$defs/schema' },
    minItems: COUNT,
    maxItems: COUNT,
    uniqueItems: FLAG,
    properties: { type: 'object', additionalProperties: { $ref: '#/$defs/schema' } },
    required: { ...NAMES, description: 'Names of the properties that are never absent or null' },
    additionalProperties: {
      anyOf: [{ type: 'boolean' }, { $ref: '#/$defs/schema' }],
      description: 'The schema of the values of a map; objects with properties are closed',
    },
    minProperties: COUNT,
    maxProperties: COUNT,
    readOnly: { ...FLAG, description: 'Set by the server alone' },
    writeOnly: { ...FLAG, description: 'Never leaves the server' },
    'x-immutable': { ...FLAG, description: 'Cannot change once the resource is created' },
    'x-unique': { ...FLAG, description: 'No two resources have the same value' },
    'x-was': {
      type: 'string',
      pattern: NAME_PATTERN,
      description: 'The name under which storage knew the field before',
    },
    'x-references': REFERENCE,
    'x-shown-once': { ...FLAG, description: 'Shown in the answer to its creation alone' },
    'x-precision': {
      type: 'integer',
      minimum: 1,
      maximum: MAX_DIGITS,
      description: 'Most digits of a decimal',
    },
    'x-scale': { type: 'integer', minimum: 0, maximum: MAX_DIGITS, description: 'Decimals of a decimal' },
  },
  additionalProperties: false,
};
