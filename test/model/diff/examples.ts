import type { DifferenceKind } from '../../../src/model/diff/difference-kinds.ts';

/** A part of a document as JSON; members of the new one replace those of the old one. */
type Part = Readonly<Record<string, unknown>>;

/** Two documents, and every kind of difference that they have. */
export interface Example {
  readonly kinds: readonly DifferenceKind[];
  readonly was: string;
  readonly is: string;
}

const ISSUER = {
  name: 'id',
  issuer: 'https://id.example.com',
  audience: 'shop',
  hs256_secret: '0123456789abcdef0123456789abcdef',
};
const AUTH = { auth: { issuers: [ISSUER] } };
const STRING = { type: 'string' };
const WITH_STATE = {
  status: { type: 'string', enum: ['DRAFT', 'ACTIVE', 'CLOSED'], default: 'DRAFT' },
};

/** Documents that differ in the API as a whole. */
function api(kinds: readonly DifferenceKind[], was: Part, is: Part): Example {
  return { kinds, was: writeDocument(was, {}), is: writeDocument(is, {}) };
}

/** Documents that differ in the settings of `products`. */
function resource(kinds: readonly DifferenceKind[], was: Part, is: Part, common: Part = {}): Example {
  return { kinds, was: writeDocument(common, was), is: writeDocument(common, is) };
}

/** Documents that differ in the fields of `products`. */
function fields(
  kinds: readonly DifferenceKind[],
  was: Part,
  is: Part,
  required: Pair<readonly string[]> = [[], []],
): Example {
  return {
    kinds,
    was: writeDocument({}, { schema: objectSchema(was, required[0]) }),
    is: writeDocument({}, { schema: objectSchema(is, required[1]) }),
  };
}

type Pair<T> = readonly [T, T];

/** Documents whose field `x` has these schemas. */
function values(kinds: readonly DifferenceKind[], was: Part, is: Part): Example {
  return fields(kinds, { x: was }, { x: is });
}

function writeDocument({ resources = {}, ...parts }: Part, products: Part): string {
  return JSON.stringify({
    name: 'shop',
    ...parts,
    resources: {
      suppliers: { schema: objectSchema({ name: STRING }) },
      products: { schema: objectSchema({}), ...products },
      ...(resources as Part),
    },
  });
}

function objectSchema(properties: Part, required: readonly string[] = []): Part {
  return { type: 'object', required, properties: { sku: STRING, ...properties } };
}

const referring = (settings: Part = {}): Part => ({
  supplier_id: { type: 'string', 'x-references': { resource: 'suppliers', ...settings } },
});
const machine = (transitions: Part, initial = 'DRAFT'): Part => ({
  schema: objectSchema({ status: { ...WITH_STATE.status, default: initial } }),
  state: { field: 'status', initial, transitions },
});
const pageLimits = (part: Part): Part => ({ limits: { page: part } });
const access = (part: Part): Part => ({ access: part });
const issuer = (part: Part): Part => ({ auth: { issuers: [{ ...ISSUER, ...part }] } });

export const EXAMPLES: readonly Example[] = [
  api(['name-changed', 'title-changed'], {}, { name: 'store' }),
  api(['title-changed'], {}, { title: 'The shop' }),
  api(['base-path-changed'], {}, { base_path: '/v2/api' }),
  api(['public-url-changed'], {}, { public_url: 'https://api.example.com' }),
  api(['default-version-changed'], { version: '1.0.0' }, { version: '2.0.0' }),
  api(['batches-renamed'], {}, { system: { batches: 'bulks' } }),
  api(['events-renamed'], {}, { system: { events: 'log' } }),
  api(['tls-required'], {}, { require_tls: true }),
  api(['tls-not-required'], { require_tls: true }, {}),
  api(['descriptions-restricted'], AUTH, { ...AUTH, descriptions: 'authenticated' }),
  api(['descriptions-published'], { ...AUTH, descriptions: 'authenticated' }, AUTH),
  api(['origin-allowed'], {}, { cors: { origins: ['https://a.example'] } }),
  api(['origin-refused'], { cors: { origins: ['https://a.example'] } }, {}),
  api(
    ['origin-allowed', 'origin-refused'],
    { cors: { origins: ['https://a.example'] } },
    { cors: { origins: ['https://b.example'] } },
  ),
  api(
    ['origin-allowed'],
    { cors: { origins: ['https://a.example'] } },
    { cors: { origins: ['https://a.example'], credentials: true } },
  ),
  api(
    ['caching-changed'],
    { cors: { origins: ['https://a.example'] } },
    { cors: { origins: ['https://a.example'], max_age: 5 } },
  ),
  api(['authentication-required', 'access-narrower', 'rate-lowered'], {}, AUTH),
  api(['authentication-not-required', 'access-wider', 'rate-raised'], AUTH, {}),
  api(['credentials-refused'], AUTH, issuer({ issuer: 'https://other.example.com' })),
  api(['credentials-accepted'], AUTH, issuer({ audience: ['shop', 'till'] })),
  api(['credentials-accepted', 'credentials-refused'], AUTH, issuer({ name: 'other' })),
  api(['credentials-accepted', 'credentials-refused'], AUTH, issuer({ scope_claim: 'scp' })),
  api(['credentials-accepted'], AUTH, issuer({ allow_typ_jwt: true })),
  api(
    ['credentials-accepted'],
    { ...AUTH, trusted_proxies: ['10.0.0.0/8'] },
    {
      auth: { issuers: [ISSUER], gateway: { secret: '0123456789abcdef0123456789abcdef' } },
      trusted_proxies: ['10.0.0.0/8'],
    },
  ),
  api(['credentials-accepted', 'resource-added'], AUTH, { auth: { issuers: [ISSUER], api_keys: true } }),
  api(['client-claim-changed'], AUTH, issuer({ client_claim: 'azp' })),
  api(['limit-lowered'], {}, { limits: { depth: 8 } }),
  api(['limit-raised'], {}, { limits: { items: 20_000 } }),
  api(['limit-raised'], {}, pageLimits({ max_offset: 2_000_000 })),
  api(['rate-lowered'], AUTH, { ...AUTH, limits: { rate: { requests: 500 } } }),
  api(['rate-lowered'], AUTH, { ...AUTH, limits: { rate: { weights: { search: 5 } } } }),
  api(['rate-raised'], AUTH, { ...AUTH, limits: { rate: false } }),
  api(['page-size-changed'], {}, pageLimits({ default: 30 })),
  api(['page-maximum-lowered'], {}, pageLimits({ max: 50 })),
  api(['page-maximum-raised'], {}, pageLimits({ max: 200 })),
  api(['page-reach-lowered'], {}, pageLimits({ count_cap: 100 })),
  api(['page-reach-raised'], {}, pageLimits({ bytes: '32MiB' })),
  api(['timeout-changed'], {}, { limits: { statement_timeout: '9s' } }),
  api(['resource-added'], {}, { resources: { orders: { schema: objectSchema({}) } } }),
  api(['resource-removed'], { resources: { orders: { schema: objectSchema({}) } } }, {}),
  api(
    ['resource-renamed', 'singular-changed', 'error-codes-changed'],
    { resources: { orders: { schema: objectSchema({}) } } },
    { resources: { purchases: { was: 'orders', schema: objectSchema({}) } } },
  ),
  api(
    ['resource-added', 'link-added'],
    {},
    { resources: { reviews: { parent: 'products', schema: objectSchema({}) } } },
  ),
  api(
    ['parent-changed', 'link-added', 'field-added'],
    { resources: { reviews: { schema: objectSchema({}) } } },
    { resources: { reviews: { parent: 'products', schema: objectSchema({}) } } },
  ),
  resource(['singular-changed', 'error-codes-changed'], {}, { singular: 'item' }),
  resource(['error-codes-changed'], {}, { error_prefix: 'ITEM' }),
  resource(['id-rule-changed'], {}, { id: 'client' }),
  resource(['values-narrower'], { id: 'client' }, { id: { client: '^[a-z]+$' } }),
  resource(['values-changed'], { id: { client: '^[a-y]+$' } }, { id: { client: '^[a-z]+$' } }),
  resource(['values-wider'], { id: 'client' }, { id: { client: true, optional: true } }),
  resource(['values-narrower'], { id: { client: true, number: true } }, { id: { client: true } }),
  resource(['unique-added'], {}, { unique: [['sku']] }),
  resource(['unique-removed'], { schema: objectSchema({ sku: { ...STRING, 'x-unique': true } }) }, {}),
  resource(['search-added'], {}, { search: ['sku'] }),
  resource(['search-removed'], { search: ['sku'] }, {}),
  resource(
    ['search-changed'],
    { schema: objectSchema({ x: STRING }), search: ['sku'] },
    { schema: objectSchema({ x: STRING }), search: ['sku', 'x'] },
  ),
  resource(['sort-changed'], {}, { sort: '-created_at' }),
  resource(['time-field-changed'], {}, { time_field: 'updated_at' }),
  resource(['query-added'], { sortable: [] }, { sortable: ['sku'] }),
  resource(['query-removed'], {}, { filterable: ['id', 'created_at', 'updated_at', 'revision'] }),
  resource(['events-added'], {}, { events: 'full' }),
  resource(['events-removed'], {}, { events: 'none' }),
  resource(['access-narrower'], access({ read: 'public' }), access({ read: 'authenticated' }), AUTH),
  resource(['access-wider'], {}, access({ write: 'authenticated' }), AUTH),
  resource(['access-changed'], {}, access({ delete: { scope: 'products:delete' } }), AUTH),
  resource(['field-read-narrower'], {}, access({ fields: { sku: { read: { scope: 'sku:see' } } } }), AUTH),
  resource(['field-read-wider'], access({ fields: { sku: { read: { scope: 'sku:see' } } } }), {}, AUTH),
  resource(
    ['field-read-changed'],
    access({ fields: { sku: { read: { scope: 'sku:see' } } } }),
    access({ fields: { sku: { read: { scope: 'sku:view' } } } }),
    AUTH,
  ),
  resource(['access-narrower'], {}, access({ fields: { sku: { write: { scope: 'sku:set' } } } }), AUTH),
  resource(['row-policy-changed'], {}, access({ rows: { read: { sku: 'a' } } }), AUTH),
  resource(
    ['owner-changed', 'row-policy-changed'],
    { schema: objectSchema({ owner_id: { ...STRING, readOnly: true } }) },
    { schema: objectSchema({ owner_id: { ...STRING, readOnly: true } }), access: { owner: 'owner_id' } },
    AUTH,
  ),
  resource(['resource-read-only'], {}, { read_only: true }),
  resource(['resource-writable'], { read_only: true }, {}),
  resource(['if-match-required'], {}, { require_if_match: true }),
  resource(['if-match-not-required'], { require_if_match: true }, {}),
  resource(['idempotency-key-required'], {}, { idempotency: 'required' }),
  resource(['idempotency-key-not-required'], { idempotency: 'required' }, {}),
  resource(['deleted-ids-changed'], {}, { tombstones: '30d' }),
  resource([], { tombstones: '1d' }, { tombstones: '30d' }),
  resource(['caching-changed'], {}, { cache: { max_age: 60 } }),
  resource(
    ['state-machine-added', 'null-refused'],
    { schema: objectSchema(WITH_STATE) },
    machine({ DRAFT: ['ACTIVE'] }),
  ),
  resource(['state-machine-removed', 'null-allowed'], machine({ DRAFT: ['ACTIVE'] }), {
    schema: objectSchema(WITH_STATE),
  }),
  resource(
    ['initial-state-changed', 'default-changed'],
    machine({ DRAFT: ['ACTIVE'] }),
    machine({ DRAFT: ['ACTIVE'] }, 'ACTIVE'),
  ),
  resource(['transition-added'], machine({ DRAFT: ['ACTIVE'] }), machine({ DRAFT: ['ACTIVE', 'CLOSED'] })),
  resource(['transition-removed'], machine({ DRAFT: ['ACTIVE'] }), machine({})),
  resource(
    ['access-narrower'],
    machine({ DRAFT: ['ACTIVE'] }),
    machine({ DRAFT: [{ to: 'ACTIVE', scope: 'publish' }] }),
    AUTH,
  ),
  resource(['annotation-changed'], {}, { schema: { ...objectSchema({}), description: 'What is sold' } }),
  fields(['order-changed'], { a: STRING, b: STRING }, { b: STRING, a: STRING }),
  fields(['field-added'], {}, { x: STRING }),
  fields(['field-added'], {}, { x: { ...STRING, default: 'a' } }, [[], ['x']]),
  fields(['required-field-added'], {}, { x: STRING }, [[], ['x']]),
  fields(['field-removed'], { x: STRING }, {}),
  fields(['field-renamed'], { x: STRING }, { y: { ...STRING, 'x-was': 'x' } }),
  fields(
    ['field-renamed'],
    { x: { type: 'object', properties: { y: STRING } } },
    { x: { type: 'object', properties: { z: { ...STRING, 'x-was': 'y' } } } },
  ),
  fields(['field-required', 'null-refused'], { x: STRING }, { x: STRING }, [[], ['x']]),
  fields(['field-not-required', 'null-allowed'], { x: STRING }, { x: STRING }, [['x'], []]),
  fields(['field-not-required'], { x: STRING }, { x: { ...STRING, default: 'a' } }, [['x'], ['x']]),
  fields(
    ['null-allowed'],
    { x: { type: 'array', items: STRING, default: [] } },
    { x: { type: 'array', items: STRING, default: [] } },
    [['x'], []],
  ),
  values(['read-only-added'], STRING, { ...STRING, readOnly: true }),
  values(['read-only-removed'], { ...STRING, readOnly: true }, STRING),
  values(['write-only-added'], STRING, { ...STRING, writeOnly: true }),
  values(['write-only-removed'], { ...STRING, writeOnly: true }, STRING),
  values(['immutable-added'], STRING, { ...STRING, 'x-immutable': true }),
  values(['immutable-removed'], { ...STRING, 'x-immutable': true }, STRING),
  resource(
    ['shown-once-added', 'write-only-added'],
    { schema: objectSchema({ key: STRING }), generated: { key: { secret: 'k_' } } },
    { schema: objectSchema({ key: { ...STRING, 'x-shown-once': true } }), generated: { key: { secret: 'k_' } } },
  ),
  resource(
    ['shown-once-removed', 'write-only-removed'],
    { schema: objectSchema({ key: { ...STRING, 'x-shown-once': true } }), generated: { key: { secret: 'k_' } } },
    { schema: objectSchema({ key: STRING }), generated: { key: { secret: 'k_' } } },
  ),
  resource(['generated-added', 'read-only-added'], {}, { generated: { sku: 'uuid' } }),
  resource(['generated-removed', 'read-only-removed'], { generated: { sku: 'uuid' } }, {}),
  resource(['generated-changed'], { generated: { sku: 'uuid' } }, { generated: { sku: { secret: 'k_' } } }),
  fields(['reference-added', 'relation-added'], { supplier_id: STRING }, referring()),
  fields(['reference-removed', 'relation-removed'], referring(), { supplier_id: STRING }),
  fields(['reference-changed'], referring(), referring({ resource: 'products' })),
  fields(['unread-reference-hidden'], referring({ unread: 'allow' }), referring()),
  fields(['unread-reference-allowed'], referring(), referring({ unread: 'allow' })),
  fields(['relation-renamed'], referring(), referring({ as: 'maker' })),
  fields(['link-added'], referring(), referring({ inverse: 'products' })),
  fields(['link-removed', 'link-added'], referring({ inverse: 'products' }), referring({ inverse: 'goods' })),
  fields(['delete-restricted'], referring({ on_delete: 'cascade' }), referring()),
  fields(['delete-effect-changed'], referring(), referring({ on_delete: 'nullify' })),
  fields(
    ['link-changed'],
    { ...referring({ inverse: 'goods' }), maker_id: referring()['supplier_id'] },
    { ...referring(), maker_id: { type: 'string', 'x-references': { resource: 'suppliers', inverse: 'goods' } } },
  ),
  values(['type-narrower'], { type: 'number' }, { type: 'integer' }),
  values(['type-wider'], { type: 'integer' }, { type: 'number' }),
  values(['type-narrower'], STRING, { ...STRING, format: 'email' }),
  values(['type-wider'], { ...STRING, format: 'email' }, STRING),
  values(['type-changed'], STRING, { type: 'integer' }),
  values(['type-changed'], { ...STRING, format: 'email' }, { ...STRING, format: 'uri' }),
  values(['type-changed'], { ...STRING, format: 'decimal' }, STRING),
  values(['enum-added'], STRING, { ...STRING, enum: ['A'] }),
  values(['enum-removed'], { ...STRING, const: 'A' }, STRING),
  values(['enum-value-added'], { ...STRING, enum: ['A'] }, { ...STRING, enum: ['B', 'A'] }),
  values(['enum-value-removed'], { ...STRING, enum: ['A', 'B'] }, { ...STRING, const: 'A' }),
  values(['values-narrower'], { type: 'number', maximum: 1000 }, { type: 'number', maximum: 100 }),
  values(['values-wider'], { type: 'number', minimum: 1 }, { type: 'number' }),
  values(
    ['values-narrower'],
    { ...STRING, format: 'int64', exclusiveMaximum: '9007199254740995' },
    { ...STRING, format: 'int64', exclusiveMaximum: '9007199254740994' },
  ),
  values(['values-narrower'], { type: 'number', maximum: 1e-6 }, { type: 'number', maximum: 1e-7 }),
  values(
    ['values-wider'],
    { type: 'array', items: STRING, maxItems: 1 },
    { type: 'array', items: STRING, maxItems: 2 },
  ),
  values(['values-narrower'], { type: 'array', items: STRING }, { type: 'array', items: STRING, uniqueItems: true }),
  values(['values-narrower'], { type: 'array', items: STRING }, { type: 'array', items: { ...STRING, maxLength: 5 } }),
  values(['null-allowed'], { type: 'array', items: STRING }, { type: 'array', items: { type: ['string', 'null'] } }),
  values(
    ['values-wider'],
    { type: 'object', additionalProperties: { ...STRING, minLength: 2 } },
    { type: 'object', additionalProperties: { ...STRING, minLength: 1 } },
  ),
  values(
    ['values-narrower'],
    { type: 'object', additionalProperties: STRING },
    { type: 'object', additionalProperties: STRING, maxProperties: 5 },
  ),
  values(
    ['field-added', 'field-removed'],
    { type: 'object', properties: { a: STRING } },
    { type: 'object', properties: { b: STRING } },
  ),
  values(
    ['required-field-added'],
    { type: 'object', properties: { a: STRING } },
    { type: 'object', required: ['b'], properties: { a: STRING, b: STRING } },
  ),
  values(['values-narrower'], STRING, { ...STRING, pattern: '^a' }),
  values(['values-changed'], { ...STRING, pattern: '^a' }, { ...STRING, pattern: '^b' }),
  values(
    ['values-narrower'],
    { ...STRING, format: 'decimal' },
    { ...STRING, format: 'decimal', 'x-precision': 12, 'x-scale': 2 },
  ),
  values(
    ['values-narrower', 'values-wider'],
    { ...STRING, format: 'decimal', 'x-precision': 12, 'x-scale': 2 },
    { ...STRING, format: 'decimal', 'x-precision': 12, 'x-scale': 4 },
  ),
  values(
    ['values-changed'],
    { ...STRING, contentEncoding: 'base64' },
    { ...STRING, contentEncoding: 'base64', contentMediaType: 'image/png' },
  ),
  values(['default-changed'], STRING, { ...STRING, default: 'a' }),
  values(['annotation-changed'], STRING, { ...STRING, description: 'What it is' }),
];

/** Documents that clients cannot tell apart. */
export const SAME: readonly Omit<Example, 'kinds'>[] = [
  api([], {}, { secret: 'x'.repeat(32) }),
  api([], {}, { limits: { queue_depth: 5 } }),
  api([], { trusted_proxies: ['10.0.0.0/8'] }, {}),
  api([], AUTH, issuer({ hs256_secret: 'f'.repeat(32) })),
  api([], {}, { version: '1.2.3' }),
  resource([], {}, { indexes: ['sku'] }),
  resource([], {}, access({ read: { scope: 'products:read' } }), AUTH),
  resource(
    [],
    { unique: [['sku', 'created']], schema: objectSchema({ created: STRING }) },
    { unique: [['created', 'sku']], schema: objectSchema({ created: STRING }) },
  ),
  values([], STRING, { ...STRING, minLength: 0 }),
  values([], { ...STRING, format: 'decimal', minimum: 1 }, { ...STRING, format: 'decimal', minimum: '1.00' }),
  values([], { ...STRING, enum: ['A', 'B'] }, { ...STRING, enum: ['B', 'A'] }),
  values([], { ...STRING, const: 'A' }, { ...STRING, enum: ['A'] }),
  values([], STRING, { ...STRING, $comment: 'x', 'x-source': 'X' }),
  values([], { type: 'array', items: STRING, uniqueItems: false }, { type: 'array', items: STRING }),
];
