/** A model that uses every part of a declaration which this version serves, small enough to read beside a test. */
export const SHOP = `
name: shop
title: The shop
version: 1.4.2
limits: { page: { default: 3, max: 5, max_offset: 50, count_cap: 4 } }
resources:
  suppliers:
    schema:
      type: object
      required: [name]
      properties:
        name: { type: string, minLength: 1, maxLength: 200 }
        country: { type: string, pattern: '^[A-Z]{2}$' }
        address: { type: object, properties: { city: { type: string }, zip: { type: string, default: '0000' } } }
  products:
    schema:
      type: object
      required: [sku, name, price]
      properties:
        sku: { type: string, minLength: 1, x-unique: true, x-immutable: true }
        name: { type: string, minLength: 1 }
        price: { type: string, format: decimal, x-precision: 12, x-scale: 2 }
        currency: { type: string, enum: [EUR, USD], default: EUR }
        at: { type: string, format: date-time }
        tags: { type: array, items: { type: string }, maxItems: 20 }
        status: { type: string, enum: [DRAFT, ACTIVE, CLOSED], default: DRAFT }
        supplier_id: { type: string, x-references: { resource: suppliers, inverse: products, on_delete: nullify } }
        related_ids: { type: array, items: { type: string, x-references: products }, uniqueItems: true }
        cost: { type: number, writeOnly: true }
        owner_id: { type: string, readOnly: true }
    state: { field: status, initial: DRAFT, transitions: { DRAFT: [ACTIVE], ACTIVE: [CLOSED] } }
    indexes: [name, [currency, price]]
  reviews:
    parent: products
    on_parent_delete: cascade
    schema:
      type: object
      required: [stars]
      properties: { stars: { type: integer, minimum: 1, maximum: 5 }, text: { type: string } }
  votes:
    parent: reviews
    on_parent_delete: cascade
    schema: { type: object, required: [up], properties: { up: { type: boolean } } }
  notes:
    id: client
    require_if_match: true
    events: full
    schema: { type: object, required: [text], properties: { text: { type: string } } }
`;
