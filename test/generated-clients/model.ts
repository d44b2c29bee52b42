// The API that the generated clients call: every kind of field, relation and option.
import { resource, withServices } from '../../src/index.ts';

const { defineModel } = withServices<object>();

const authors = resource({
  schema: {
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string', minLength: 1, maxLength: 60 },
      country: { type: 'string', enum: ['NO', 'DE', 'FR'] },
      rating: { type: 'number', minimum: 0, maximum: 10 },
      is_active: { type: 'boolean', default: true },
      born: { type: 'string', format: 'date' },
      website: { type: 'string', format: 'uri' },
    },
  },
  search: ['name'],
  indexes: ['country', ['country', 'rating']],
  cache: { max_age: 60, scope: 'public' },
  access: { read: 'public', write: { scope: 'authors:write' } },
});

const books = resource({
  schema: {
    type: 'object',
    required: ['isbn', 'title'],
    properties: {
      isbn: { type: 'string', minLength: 1, maxLength: 40, 'x-unique': true, 'x-immutable': true },
      title: { type: 'string', minLength: 1, maxLength: 60 },
      price: { type: 'string', format: 'decimal', 'x-precision': 12, 'x-scale': 2 },
      pages: { type: 'integer', minimum: 1, maximum: 5000 },
      serial: { type: 'string', format: 'int64' },
      released_at: { type: 'string', format: 'date-time' },
      tags: { type: 'array', items: { type: 'string', maxLength: 20 }, maxItems: 6 },
      labels: { type: 'object', additionalProperties: { type: 'string', maxLength: 20 }, maxProperties: 6 },
      size: {
        type: 'object',
        required: ['unit'],
        properties: { unit: { type: 'string', enum: ['mm', 'cm'] }, height: { type: 'integer', minimum: 0 } },
      },
      status: { type: 'string', enum: ['DRAFT', 'ACTIVE', 'CLOSED'], default: 'DRAFT' },
      author_id: {
        type: 'string',
        'x-references': { resource: 'authors', as: 'author', inverse: 'books', on_delete: 'nullify' },
      },
      related_ids: { type: 'array', items: { type: 'string', 'x-references': 'books' }, uniqueItems: true },
      cover: { type: 'string', contentEncoding: 'base64', contentMediaType: 'image/png', maxLength: 700_000 },
      cost: { type: 'number', writeOnly: true },
      owner_id: { type: 'string', readOnly: true },
      code: { type: 'string', format: 'uuid' },
    },
  },
  generated: { code: 'uuid' },
  state: { field: 'status', initial: 'DRAFT', transitions: { DRAFT: ['ACTIVE'], ACTIVE: ['CLOSED'] } },
  search: ['title', 'tags'],
  indexes: ['pages', ['status', 'price']],
  events: 'full',
  computed: {
    title_length: { schema: { type: 'integer' }, from: ['title'], value: ({ title }) => title.length },
  },
  access: { owner: 'owner_id' },
});

const reviews = resource({
  parent: 'books',
  id: 'client',
  require_if_match: true,
  on_parent_delete: 'cascade',
  schema: {
    type: 'object',
    required: ['stars'],
    properties: { stars: { type: 'integer', minimum: 1, maximum: 5 }, text: { type: 'string', maxLength: 200 } },
  },
});

const orders = resource({
  idempotency: 'required',
  events: 'none',
  schema: {
    type: 'object',
    properties: {
      quantity: { type: 'integer', minimum: 0, maximum: 1000, default: 1 },
      is_paid: { type: 'boolean' },
      secret: { type: 'string', 'x-shown-once': true },
    },
  },
  generated: { secret: { secret: 'ord_' } },
});

export default defineModel({
  name: 'library',
  title: 'Library',
  version: '2.1.0',
  default_version: 2,
  auth: {
    api_keys: true,
    issuers: [
      { name: 'test', issuer: 'https://id.example.com/', audience: 'library', hs256_secret: '${LIBRARY_SECRET}' },
    ],
  },
  limits: { page: { default: 5, max: 50 }, rate: { requests: 100_000, per: '60s' } },
  resources: { authors, books, reviews, orders },
  versions: {
    '1.4.0': {
      deprecated: '2026-06-01',
      sunset: '2036-06-01',
      changes: [{ resource: 'authors', rename: { full_name: 'name' } }],
    },
  },
  services: {},
});
