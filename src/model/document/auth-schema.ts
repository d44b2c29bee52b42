import type { JsonObject } from '../../conventions/json/json.ts';

const NAME: JsonObject = { type: 'string', minLength: 1 };

const TEXT_OR_LIST = (description: string): JsonObject => ({
  anyOf: [NAME, { type: 'array', items: NAME, minItems: 1 }],
  description,
});

const ISSUER: JsonObject = {
  type: 'object',
  description:
    'A trusted issuer of tokens: {issuer, audience} and one source of keys: jwks, jwks_file, jwks_uri, discovery or hs256_secret',
  required: ['issuer', 'audience'],
  properties: {
    name: { ...NAME, description: 'A short name without a colon; default: the host of issuer, with ~ before its port' },
    issuer: { ...NAME, description: 'The iss claim of its tokens, such as https://id.example.com/' },
    audience: TEXT_OR_LIST('The aud claim of tokens for this API, or several of which a token has one'),
    jwks: {
      type: 'object',
      description: 'Its JSON Web Key Set: {keys: [...]}',
      required: ['keys'],
      properties: { keys: { type: 'array', items: { type: 'object' }, minItems: 1 } },
      additionalProperties: false,
    },
    jwks_file: { ...NAME, description: 'File with its JSON Web Key Set; relative to the folder of the model' },
    jwks_uri: { ...NAME, description: 'URL of its JSON Web Key Set, such as https://id.example.com/jwks.json' },
    discovery: { type: 'boolean', default: false, description: 'Find its keys by its metadata (RFC 8414, OIDC)' },
    hs256_secret: { ...NAME, description: 'Shared secret for HS256, such as ${SECRET}' },
    allow_typ_jwt: {
      type: 'boolean',
      default: false,
      description: 'Accept typ: JWT, or no typ, for issuers without RFC 9068',
    },
    scope_claim: TEXT_OR_LIST('The claim with the scopes: scope (default), scp, permissions; or several'),
    client_claim: { ...NAME, default: 'client_id', description: 'The claim with the client: client_id, azp, cid' },
  },
  additionalProperties: false,
};

/** The JSON Schema of `auth`. */
export const authSchema: JsonObject = {
  type: 'object',
  description: 'Authentication; without it every caller is accepted, on the loopback interface only',
  properties: {
    issuers: { type: 'array', items: ISSUER },
    resource: {
      ...NAME,
      description: 'The identifier of the API as a protected resource (RFC 9728); default: public_url and base_path',
    },
    api_keys: { type: 'boolean', default: false, description: 'Accept API keys' },
    gateway: {
      type: 'object',
      description: 'Trust a gateway that authenticates callers: {secret}',
      required: ['secret'],
      properties: { secret: NAME },
      additionalProperties: false,
    },
    database_role: {
      type: 'object',
      description: 'Run the statements of a caller as a role of PostgreSQL, for tables that exist: {roles}',
      required: ['roles'],
      properties: {
        claim: { ...NAME, default: 'role', description: 'The claim with the name of the role' },
        roles: { type: 'array', items: NAME, minItems: 1, description: 'The roles that tokens may name' },
        anonymous: { ...NAME, description: 'The role of callers without a token; default: none' },
      },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
};
