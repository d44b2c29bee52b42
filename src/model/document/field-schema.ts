import type { JsonObject } from '../../conventions/json/json.ts';
import { MAX_DIGITS } from '../values/exact-number.ts';
import { formats } from '../values/formats.ts';

const NAME_PATTERN = '^[a-z][a-z0-9_]*$';
/** A name, or a dotted path. */
const PATH_PATTERN = '^[a-z][a-z0-9_]*(\\.[a-z][a-z0-9_]*)*$';
const COUNT: JsonObject = { type: 'integer', minimum: 0 };
const FLAG: JsonObject = { type: 'boolean', default: false };
/** The types of JSON Schema, without null, and `json` for any value. */
export const TYPES = ['string', 'integer', 'number', 'boolean', 'object', 'array', 'json'];
const BOUND: JsonObject = {
  type: ['number', 'string'],
  description: 'A number; for decimal and int64 also a string of digits',
};
const NAMES: JsonObject = { type: 'array', items: { type: 'string' }, uniqueItems: true };
const DEFINITIONS: JsonObject = {
  type: 'object',
  description: 'Schemas for use by $ref',
  additionalProperties: { $ref: '#/$defs/schema' },
};

const REFERENCE: JsonObject = {
  type: ['string', 'object'],
  description: 'The referenced resource; or {resource, as, inverse, on_delete, unread}',
  required: ['resource'],
  properties: {
    resource: { type: 'string', description: 'Name of a resource of this model' },
    as: {
      type: 'string',
      pattern: NAME_PATTERN,
      description: 'Name of the relation; default: the name of the field without _id, or its plural without _ids',
    },
    inverse: {
      type: 'string',
      pattern: NAME_PATTERN,
      description: 'Name of the inverse relation, on the referenced resource',
    },
    on_delete: {
      type: 'string',
      enum: ['restrict', 'nullify', 'cascade'],
      default: 'restrict',
      description: 'What deleting the referenced row does: restrict, nullify or cascade',
    },
    unread: {
      type: 'string',
      enum: ['hide', 'allow'],
      default: 'hide',
      description:
        'For callers that may not read the referenced collection: hide its rows, or allow references to them',
    },
  },
  additionalProperties: false,
};

/** The JSON Schema of the definitions of a document, which a schema uses by `$ref`. */
export const definitionsSchema = DEFINITIONS;

/** The JSON Schema of the schema of a resource, a field or a value: the supported subset of JSON Schema 2020-12. */
export const schemaSchema: JsonObject = {
  type: 'object',
  description: 'A JSON Schema 2020-12 with the supported keywords, all of which are asserted',
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
      description: `One of ${TYPES.join(', ')}; or an array of one of them and 'null'. A json value is any JSON`,
      items: { type: 'string', enum: [...TYPES, 'null'] },
      uniqueItems: true,
    },
    format: {
      type: 'string',
      enum: ['date-time', ...Object.keys(formats), 'decimal', 'int64'],
      description: 'The format of the string; every format is asserted',
    },
    enum: { type: 'array', minItems: 1, uniqueItems: true, description: 'The allowed values' },
    const: { description: 'The only allowed value' },
    default: { description: 'The value of an absent field' },
    minimum: BOUND,
    maximum: BOUND,
    exclusiveMinimum: BOUND,
    exclusiveMaximum: BOUND,
    minLength: COUNT,
    maxLength: COUNT,
    pattern: {
      type: 'string',
      description: 'An ECMAScript regular expression, with the u flag; matched in linear time',
    },
    contentEncoding: { const: 'base64', description: 'base64: the string encodes bytes' },
    contentMediaType: { type: 'string', description: 'The media type of the bytes' },
    items: { $ref: '#/$defs/schema' },
    minItems: COUNT,
    maxItems: COUNT,
    uniqueItems: FLAG,
    properties: { type: 'object', additionalProperties: { $ref: '#/$defs/schema' } },
    required: { ...NAMES, description: 'The properties that must be present and not null' },
    additionalProperties: {
      anyOf: [{ type: 'boolean' }, { $ref: '#/$defs/schema' }],
      description: 'The schema of the values of a map; objects with properties accept no others',
    },
    minProperties: COUNT,
    maxProperties: COUNT,
    readOnly: { ...FLAG, description: 'Set by the server only' },
    writeOnly: { ...FLAG, description: 'Never part of a response' },
    'x-immutable': { ...FLAG, description: 'Cannot change after creation' },
    'x-unique': { ...FLAG, description: 'Unique within the collection' },
    'x-was': {
      type: 'string',
      pattern: PATH_PATTERN,
      description:
        'The previous name in the database, of a field or of a member of an object; for a member also its previous dotted path in the same object field or item',
    },
    'x-references': REFERENCE,
    'x-source': {
      type: 'string',
      description: 'The name in imported files, if it is another one; a string is then imported from any value',
    },
    'x-shown-once': { ...FLAG, description: 'Part of the response to its creation only' },
    'x-default': {
      type: 'string',
      description:
        'The value of the caller that a new row gets: $caller.claims.<path>, $caller.subject, $caller.owner. Read-only without x-override',
    },
    'x-override': { ...FLAG, description: 'Clients may send a value, which takes precedence over x-default' },
    'x-precision': {
      type: 'integer',
      minimum: 1,
      maximum: MAX_DIGITS,
      description: 'Maximum digits of a decimal',
    },
    'x-scale': {
      type: 'integer',
      minimum: 0,
      maximum: MAX_DIGITS,
      description: 'Digits of a decimal after the decimal point',
    },
  },
  additionalProperties: false,
};
