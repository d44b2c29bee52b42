/** The newest version alone. */
export const MODEL = `
name: bench
version: 2.0.0
default_version: 2
resources:
  suppliers: { id: client, schema: { type: object, properties: { name: { type: string } } } }
  products:
    id: client
    schema:
      type: object
      required: [name]
      properties:
        name: { type: string }
        price: { type: number }
        status: { type: string, enum: [DRAFT, ACTIVE, SOLD], default: DRAFT }
        currency: { type: string, default: EUR }
        place: { type: object, properties: { city: { type: string }, shelf: { type: integer } } }
        tags: { type: array, items: { type: string } }
        note: { type: string }
        supplier_id: { type: string, x-references: suppliers }
`;
/** Its older version, which differs by one change of each kind that needs no function. */
export const OLDER = `
versions:
  1.0.0:
    changes:
      - { resource: products, rename: { title: name }, without: [currency], move: { city: place.city } }
      - { resource: products, values: { status: { draft: DRAFT, live: ACTIVE, sold: SOLD } } }
`;

/** A product, by the names of the newest version. */
export function createRow(row: number) {
  return {
    id: `p${String(row).padStart(6, '0')}`,
    name: `product ${row} of many`,
    price: row % 100,
    status: ['DRAFT', 'ACTIVE', 'SOLD'][row % 3],
    place: { city: `city ${row % 50}`, shelf: row % 9 },
    tags: ['one', `t${row % 7}`],
    note: 'a text of some length, as rows have them',
    supplier_id: 's',
  };
}
