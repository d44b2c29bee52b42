// The model of the campaign: every kind of field, relation and option.
import { resource, withServices } from '../../src/index.ts';

const { defineModel } = withServices<object>();

const text = { type: 'string', maxLength: 200 } as const;

const authors = resource({
  schema: {
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string', minLength: 1, maxLength: 60 },
      country: { type: 'string', enum: ['NO', 'DE', 'FR'] },
      rating: { type: 'number', minimum: -1000, maximum: 1000 },
      active: { type: 'boolean' },
      born: { type: 'string', format: 'date' },
    },
  },
  search: ['name'],
  indexes: ['country', ['country', 'rating']],
  cache: { max_age: 60, scope: 'public' },
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
      cost: { type: 'number', writeOnly: true },
    },
  },
  state: { field: 'status', initial: 'DRAFT', transitions: { DRAFT: ['ACTIVE'], ACTIVE: ['CLOSED'] } },
  search: ['title', 'tags'],
  indexes: ['pages', ['status', 'price']],
  events: 'full',
  computed: {
    title_length: { schema: { type: 'integer' }, from: ['title'], value: ({ title }) => title.length },
  },
});

const reviews = resource({
  parent: 'books',
  on_parent_delete: 'cascade',
  schema: {
    type: 'object',
    required: ['stars'],
    properties: { stars: { type: 'integer', minimum: 1, maximum: 5 }, text },
  },
});

const replies = resource({
  parent: 'reviews',
  id: 'client',
  on_parent_delete: 'cascade',
  schema: { type: 'object', required: ['text'], properties: { text: { ...text, minLength: 1 } } },
});

const notes = resource({
  id: 'client',
  require_if_match: true,
  schema: { type: 'object', properties: { text, weight: { type: 'number' } } },
});

const orders = resource({
  idempotency: 'optional',
  events: 'none',
  schema: {
    type: 'object',
    properties: {
      quantity: { type: 'integer', minimum: 0, maximum: 1000, default: 1 },
      paid: { type: 'boolean' },
      memo: text,
    },
  },
});

export default defineModel({
  name: 'campaign',
  version: '1.2.3',
  limits: { page: { default: 7, max: 20 } },
  resources: { authors, books, reviews, replies, notes, orders },
  services: {},
});
