import { z } from 'zod';
import { defineModel, resource } from '../../src/model/typescript/define-model.ts';

/** A model with all that the types of a client follow from. */
export const model = defineModel({
  name: 'shop',
  resources: {
    suppliers: resource({
      search: ['name'],
      schema: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string' }, country: { type: 'string' }, rating: { type: 'integer' } },
      },
    }),
    products: resource({
      schema: {
        type: 'object',
        required: ['sku', 'name', 'price', 'currency'],
        properties: {
          sku: { type: 'string', 'x-immutable': true },
          name: { type: 'string' },
          price: { type: 'string', format: 'decimal' },
          currency: { type: 'string', enum: ['EUR', 'USD'], default: 'EUR' },
          stock: { type: 'integer' },
          listed: { type: 'boolean' },
          since: { type: 'string', format: 'date-time' },
          tags: { type: 'array', items: { type: 'string' } },
          size: {
            type: 'object',
            required: ['unit'],
            properties: { unit: { type: 'string' }, depth: { type: 'number' } },
          },
          labels: { type: 'object', additionalProperties: { type: 'string' } },
          photo: { type: 'string', contentEncoding: 'base64' },
          cost: { type: 'number', writeOnly: true },
          code: { type: 'string', readOnly: true },
          supplier_id: { type: 'string', 'x-references': { resource: 'suppliers', inverse: 'products' } },
          like_ids: { type: 'array', items: { type: 'string', 'x-references': { resource: 'products', as: 'likes' } } },
        },
      },
      computed: { total: { schema: { type: 'number' }, from: ['stock'], value: (row) => row.stock } },
    }),
    reviews: resource({
      parent: 'products',
      id: 'client',
      schema: { type: 'object', required: ['stars'], properties: { stars: { type: 'integer' } } },
    }),
    notes: resource({
      schema: z.object({ text: z.string(), mark: z.int().optional(), at: z.object({ x: z.number() }).optional() }),
    }),
    keys: resource({
      generated: { secret: { secret: 'sk_' } },
      schema: { type: 'object', properties: { secret: { type: 'string', 'x-shown-once': true } } },
    }),
  },
});
