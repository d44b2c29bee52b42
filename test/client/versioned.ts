import { z } from 'zod';
import { defineModel, resource } from '../../src/model/typescript/define-model.ts';

/** A model with older contracts that differ in everything that they can. */
export const model = defineModel({
  name: 'stock',
  version: '2.10.0',
  default_version: 1,
  resources: {
    products: resource({
      singular: 'product',
      schema: {
        type: 'object',
        required: ['title', 'status', 'level', 'place', 'cents'],
        properties: {
          title: { type: 'string' },
          status: { type: 'string', enum: ['OPEN', 'CLOSED', 'SOLD'], default: 'OPEN' },
          level: { type: 'integer', enum: [1, 2] },
          grade: { type: 'string', enum: ['A', 'B'] },
          tags: { type: 'array', items: { type: 'string', enum: ['new', 'old'] } },
          place: {
            type: 'object',
            required: ['city'],
            properties: { city: { type: 'string' }, postcode: { type: 'string' }, floor: { type: 'integer' } },
          },
          size: { type: 'object', properties: { depth: { type: 'number' } } },
          cents: { type: 'integer' },
          first: { type: 'string' },
          last: { type: 'string' },
          address: { type: 'string' },
          cost: { type: 'number', writeOnly: true },
          maker_id: { type: 'string', 'x-references': { resource: 'makers', inverse: 'products' } },
          label_id: { type: 'string', 'x-references': 'labels' },
        },
      },
    }),
    makers: resource({
      singular: 'maker',
      id: 'client',
      schema: z.object({
        name: z.string(),
        kind: z.enum(['SHOP', 'FACTORY']).optional(),
        tags: z.array(z.string()).optional(),
        at: z.object({ x: z.number(), y: z.number().optional() }).optional(),
      }),
    }),
    labels: resource({ singular: 'label', schema: { type: 'object', properties: { text: { type: 'string' } } } }),
    stock_moves: resource({
      singular: 'stock_move',
      parent: 'products',
      schema: { type: 'object', required: ['count'], properties: { count: { type: 'string', format: 'int64' } } },
    }),
  },
  versions: {
    '2.9.0': {
      changes: [
        { resource: 'labels', absent: true },
        { resource: 'products', without: ['label_id', 'size'] },
        { resource: 'stock_moves', collection: 'stock-changes', singular: 'stock_change' },
      ],
    },
    '2.2.0': { retired: true, changes: [] },
    '1.3.0': {
      changes: [
        { resource: 'products', collection: 'goods', singular: 'good' },
        { resource: 'products', rename: { name: 'title', vendor_id: 'maker_id', 'place.zip': 'place.postcode' } },
        {
          resource: 'products',
          values: { status: { DONE: 'CLOSED' }, level: { '7': 1 }, grade: { GOOD: 'A', FINE: 'A', BAD: 'B' } },
          default_out: { grade: { A: 'GOOD' } },
        },
        { resource: 'products', values: { tags: { fresh: 'new' } } },
        { resource: 'products', move: { city: 'place.city' } },
        {
          resource: 'products',
          with: {
            colour: { schema: { type: 'string' }, out: 'grey' },
            shade: { schema: { type: 'string' }, out: 'dark' },
          },
        },
        {
          resource: 'products',
          split: {
            holder: {
              schema: { type: 'string' },
              into: ['first', 'last'],
              up: (value) => ({ first: value, last: value }),
              down: ({ first }) => first ?? null,
            },
          },
          type: {
            price: { schema: { type: 'number' }, to: 'cents', up: (value) => value, down: (value) => value },
          },
          join: {
            address: {
              from: { street: { type: 'string' }, town: { type: 'string' } },
              up: ({ street }) => street ?? null,
              down: (value) => ({ street: value, town: value }),
            },
          },
        },
        { resource: 'makers', rename: { title: 'name' }, values: { kind: { STORE: 'SHOP' } }, move: { x: 'at.x' } },
      ],
    },
    '1.0.0': { changes: [{ resource: 'products', rename: { label: 'name' }, without: ['colour'] }] },
  },
});
