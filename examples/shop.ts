// A model in TypeScript with computed fields, generated values and hooks: `restwright serve examples/shop.ts`.
import { randomBytes } from 'node:crypto';
import { Type } from 'typebox';
import { z } from 'zod';
import { refuse, withServices } from '../src/index.ts';

/** The services of the application that hooks receive. */
export interface Services {
  /** Checks that a VAT number is registered. */
  readonly vies: (number: string) => Promise<boolean>;
  /** Called for every new order. */
  readonly placed: (id: string) => Promise<void>;
}

const { resource, defineModel } = withServices<Services>();

/** Plain JSON Schema: `resource` infers the types from it. */
const suppliers = resource({
  schema: {
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string', minLength: 1, maxLength: 200 },
      country: { type: 'string', pattern: '^[A-Z]{2}$' },
      vat_id: { type: 'string', 'x-unique': true },
    },
  },
  check: {
    vat_id: async (value, { vies }) => ((await vies(value)) ? null : 'is not a registered VAT number'),
  },
  before: {
    create: (draft) => ({ ...draft, name: draft.name.trim() }),
  },
});

/** TypeBox, whose schemas are JSON Schema. */
const products = resource({
  schema: Type.Object({
    sku: Type.String({ minLength: 1, 'x-unique': true, 'x-immutable': true }),
    name: Type.String({ minLength: 1 }),
    price: Type.Number({ minimum: 0 }),
    stock: Type.Integer({ minimum: 0, default: 0 }),
    supplier_id: Type.Optional(Type.String({ 'x-references': 'suppliers' })),
  }),
  indexes: ['name'],
  before: {
    delete: (row) => {
      if (row.stock > 0) refuse('CONFLICT', `${row.stock} of this product are still in stock; set stock to 0 first.`);
    },
  },
});

/** Zod, or any other library that exports JSON Schema through Standard Schema. */
const orderItems = resource({
  schema: z.object({
    product_id: z.string().meta({ 'x-references': 'products' }),
    price: z.number().min(0),
    quantity: z.int().min(1),
    status: z.enum(['OPEN', 'PAID', 'CANCELLED']).default('OPEN'),
    code: z
      .string()
      .regex(/^[0-9a-f]{8}$/)
      .optional(),
  }),
  state: { field: 'status', initial: 'OPEN', transitions: { OPEN: ['PAID', 'CANCELLED'] } },
  idempotency: 'optional',
  generated: { code: () => randomBytes(4).toString('hex') },
  computed: {
    total: {
      schema: { type: 'number' },
      from: ['price', 'quantity'],
      value: ({ price, quantity }) => Math.round(price * quantity * 100) / 100,
    },
  },
  before: {
    update: (draft, _context, current) => {
      if (draft.quantity !== current.quantity && current.status !== 'OPEN') {
        refuse('CONFLICT', 'The quantity of an order that is paid or cancelled stays as it is.', [
          { field: 'quantity', message: 'cannot change any more' },
        ]);
      }
    },
  },
  after: {
    created: async (event, { placed }) => placed(event.payload.resource.id),
  },
});

/** Creates the model. @param services those of the application, or of a test */
export function shop(services: Services): ReturnType<typeof defineModel> {
  return defineModel({
    name: 'shop',
    title: 'Shop',
    version: '1.0.0',
    resources: { suppliers, products, order_items: orderItems },
    services,
  });
}

export default shop({
  vies: async (number) => /^[A-Z]{2}[0-9A-Z]{8,12}$/.test(number),
  placed: async (id) => {
    process.stderr.write(`order item ${id} was placed\n`);
  },
});
