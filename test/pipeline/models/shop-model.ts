import type { ApiUnderTest, Seen } from '../support/api-under-test.ts';

/** A model with every type of field and relation, similar to the example of the specification. */
export const SHOP = `
name: shop
title: Shop
version: 1.4.2
resources:
  suppliers:
    schema:
      type: object
      required: [name]
      properties:
        name: { type: string, minLength: 1, maxLength: 200 }
        country: { type: string, pattern: "^[A-Z]{2}$" }
        address: { type: object, properties: { city: { type: string }, zip: { type: string } } }
  products:
    schema:
      type: object
      required: [sku, name, price]
      properties:
        sku: { type: string, minLength: 1, x-unique: true, x-immutable: true }
        name: { type: string, minLength: 1 }
        price: { type: string, format: decimal, x-precision: 12, x-scale: 2 }
        currency: { type: string, enum: [EUR, USD], default: EUR }
        category: { type: string }
        quantity: { type: integer, minimum: 0 }
        weight: { type: number }
        fragile: { type: boolean }
        serial: { type: string, format: int64 }
        due: { type: string, format: date }
        released_at: { type: string, format: date-time }
        tags: { type: array, items: { type: string }, maxItems: 20 }
        labels: { type: object, additionalProperties: { type: string }, maxProperties: 50 }
        size: { type: object, required: [unit], properties: { unit: { type: string, enum: [mm, cm] }, depth: { type: integer } } }
        status: { type: string, enum: [DRAFT, ACTIVE, CLOSED], default: DRAFT }
        supplier_id: { type: string, x-references: { resource: suppliers, as: supplier, inverse: products, on_delete: restrict } }
        related_ids: { type: array, items: { type: string, x-references: products }, uniqueItems: true }
        photo: { type: string, contentEncoding: base64, contentMediaType: image/png, maxLength: 700000 }
        cost: { type: number, writeOnly: true }
        owner_id: { type: string, readOnly: true }
    unique: [[supplier_id, name]]
    state: { field: status, initial: DRAFT, transitions: { DRAFT: [ACTIVE], ACTIVE: [CLOSED] } }
    indexes: [category, [category, price]]
    cache: { max_age: 3600, scope: public }
  reviews:
    parent: products
    on_parent_delete: cascade
    schema:
      type: object
      required: [stars]
      properties: { stars: { type: integer, minimum: 1, maximum: 5 }, text: { type: string }, supplier_id: { type: string, x-references: suppliers } }
  comments:
    parent: reviews
    schema: { type: object, required: [text], properties: { text: { type: string } } }
  order_items:
    schema: { type: object, properties: { quantity: { type: integer, default: 1 } } }
    require_if_match: true
  notes:
    id: client
    schema: { type: object, properties: { text: { type: string } } }
`;

/**
 * {@link SHOP} with small pages, uncached products, cascading comments, suppliers that can be deleted, and strict
 * notes.
 */
export const SMALL_SHOP: string = [
  ['resources:', 'limits: { page: { default: 3, max: 5, max_offset: 50, count_cap: 4 } }\nresources:'],
  ['    cache: { max_age: 3600, scope: public }\n', ''],
  ['on_delete: restrict', 'on_delete: nullify'],
  ['parent: reviews', 'parent: reviews\n    on_parent_delete: cascade'],
  ['    id: client', '    id: client\n    require_if_match: true\n    events: full'],
].reduce((model, [from = '', to = '']) => model.replace(from, to), SHOP);

/** The required fields of a product. */
export const LAMP = { sku: 'lamp', name: 'Lamp', price: '5' } as const;

/** Creates a row by POST and consumes its event, so that later rows see only their own events. */
export async function create(api: ApiUnderTest, collection: string, body: object): Promise<Seen & { id: string }> {
  const created = await api.send({ send: `POST /api/v1/${collection}`, body });
  if (created.status !== 201) throw new Error(`POST ${collection} returned ${created.status} ${created.text}`);
  await api.newEvents();
  return { ...created, id: String(created.body['id']) };
}

/** Parses the ids of a page, in its order. */
export function parseIds({ text }: Pick<Seen, 'text'>): readonly string[] {
  const { data } = JSON.parse(text) as { readonly data: readonly { readonly id: string }[] };
  return data.map(({ id }) => id);
}
