/** The schema of a part of a request or response. */
type Schema = Readonly<Record<string, unknown>>;

/** The schemas of the routes of a handwritten server. */
export interface ProductSchemas {
  readonly params: Schema;
  readonly querystring: Schema;
  readonly createBody: Schema;
  readonly patchBody: Schema;
  readonly item: Schema;
  readonly list: Schema;
}

const fields = {
  sku: { type: 'string', minLength: 1, maxLength: 40 },
  name: { type: 'string', minLength: 1, maxLength: 200 },
  price: { type: 'number', minimum: 0 },
  category: { type: 'string', maxLength: 40 },
  stock: { type: 'integer', minimum: 0 },
  status: { type: 'string', enum: ['DRAFT', 'ACTIVE', 'CLOSED'] },
  description: { type: 'string', maxLength: 2000, nullable: true },
};

/** The fields of a product that clients write. */
export const FIELD_NAMES: readonly string[] = Object.keys(fields);

/**
 * @param key the schema of an id in a request
 * @param id that of one in a response
 * @param time that of a time in a response
 */
export function productSchemas(key: Schema, id: Schema, time: Schema): ProductSchemas {
  const item = {
    type: 'object',
    properties: { id, ...fields, created_at: time, updated_at: time, revision: { type: 'integer' } },
  };
  return {
    params: { type: 'object', properties: { id: key } },
    querystring: {
      type: 'object',
      properties: {
        limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
        offset: { type: 'integer', minimum: 0, default: 0 },
        after: key,
        category: { type: 'string', maxLength: 40 },
        price_from: { type: 'number', minimum: 0 },
        sort: { type: 'string', enum: ['price'] },
      },
    },
    createBody: {
      type: 'object',
      required: ['sku', 'name', 'price', 'category'],
      additionalProperties: false,
      properties: {
        ...fields,
        stock: { ...fields.stock, default: 0 },
        status: { ...fields.status, default: 'DRAFT' },
        description: { ...fields.description, default: null },
      },
    },
    patchBody: { type: 'object', minProperties: 1, additionalProperties: false, properties: fields },
    item,
    list: { type: 'object', properties: { data: { type: 'array', items: item } } },
  };
}
