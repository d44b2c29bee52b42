import type { JsonObject } from '../../conventions/json.ts';

const NAME: JsonObject = { type: 'string', minLength: 1 };
const OBJECT: JsonObject = { type: 'object' };

/** Who may do something: everybody, every caller with credentials, or those with a scope. */
const RULE: JsonObject = {
  anyOf: [{ enum: ['public', 'authenticated'] }, { type: 'object' }],
  description: 'public, authenticated or {scope: name}',
  properties: { scope: NAME },
  additionalProperties: false,
};

const ISSUER: JsonObject = {
  type: 'object',
  description: 'Whose tokens are taken: {name, issuer, audience} and its keys',
  required: ['name', 'issuer', 'audience'],
  properties: {
    name: NAME,
    issuer: { type: 'string', description: 'The iss of its tokens' },
    audience: { type: 'string', description: 'The aud of tokens for this API' },
    jwks_uri: { type: 'string', format: 'uri', description: 'Where its keys are' },
    jwks: { ...OBJECT, description: 'Its keys: {keys: [...]}' },
    jwks_file: { type: 'string', description: 'A file with its keys' },
    hs256_secret: { type: 'string', description: 'A shared secret, such as ${SECRET}' },
    allow_typ_jwt: { type: 'boolean', default: false, description: 'For issuers without RFC 9068' },
  },
  additionalProperties: false,
};

/** The JSON Schema of `auth`. */
export const authSchema: JsonObject = {
  type: 'object',
  description: 'Who may call; absent: everybody, on loopback only',
  properties: {
    issuers: { type: 'array', items: ISSUER },
    api_keys: { type: 'boolean', default: false, description: 'Keys for machines' },
    gateway: {
      type: 'object',
      description: 'A gateway names the caller: {secret}',
      required: ['secret'],
      properties: { secret: NAME },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
};

/** The JSON Schema of a resource's `access`. */
export const accessSchema: JsonObject = {
  type: 'object',
  description: 'Who may read and write; default with auth: the scopes name:read and name:write',
  properties: {
    read: RULE,
    write: RULE,
    create: RULE,
    update: RULE,
    delete: RULE,
    owner: {
      type: ['string', 'object'],
      description: 'The field that holds its owner; or {field, bypass}',
      required: ['field'],
      properties: { field: NAME, bypass: { type: 'string', description: 'The scope that sees every row' } },
      additionalProperties: false,
    },
    rows: {
      type: 'object',
      description: 'Filters, as data, on what callers see and change',
      additionalProperties: OBJECT,
    },
    fields: {
      type: 'object',
      description: 'Who may read and write a field, by its name',
      additionalProperties: { type: 'object', properties: { read: RULE, write: RULE }, additionalProperties: false },
    },
  },
  additionalProperties: false,
};
