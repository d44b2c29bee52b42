import { type ApiUnderTest, apiUnderTest, type Setting } from '../support/api-under-test.ts';
import { create } from './shop-model.ts';

/**
 * Relations of every kind: to one, to the parent, to many and back, and to the same resource. Some fields are named
 * like a group or a parameter.
 */
export const MARKET = `
name: market
version: 1.0.0
resources:
  suppliers:
    id: client
    schema:
      type: object
      properties:
        name: { type: string }
        country: { type: string }
        since: { type: string, format: date }
        kind: { type: string, enum: [SHOP, FARM] }
        address: { type: object, properties: { city: { type: string } } }
        secret: { type: string, writeOnly: true }
        owner_id: { type: string, x-references: { resource: suppliers, as: owner, inverse: owned } }
    indexes: [country]
  products:
    id: client
    schema:
      type: object
      properties:
        name: { type: string, x-unique: true }
        price: { type: string, format: decimal, x-scale: 2 }
        status: { type: string, enum: [DRAFT, ACTIVE] }
        category: { type: string }
        limit: { type: integer }
        tags: { type: array, items: { type: string } }
        dims: { type: object, properties: { w: { type: integer } } }
        supplier_id: { type: string, x-references: { resource: suppliers, inverse: products, on_delete: nullify } }
    indexes: [category]
    filterable: [name, price, status, category, limit, tags, dims.w, supplier_id]
    cache: { max_age: 60, scope: public }
  reviews:
    parent: products
    id: client
    on_parent_delete: cascade
    schema: { type: object, properties: { stars: { type: integer }, author: { type: string } } }
    indexes: [author]
`;

/** Three suppliers and six products, `p5` and `p6` without a supplier. `p1` and `p2` have reviews. */
export async function sixProducts(setting: Setting = {}): Promise<ApiUnderTest> {
  const market = await apiUnderTest(MARKET, setting);
  await create(market, 'suppliers', { id: 'no', name: 'Nord', country: 'NO', kind: 'SHOP', address: { city: 'Oslo' } });
  await create(market, 'suppliers', {
    id: 'se',
    name: 'Syd',
    country: 'SE',
    kind: 'FARM',
    since: '2020-01-01',
    owner_id: 'no',
  });
  await create(market, 'suppliers', { id: 'xx', name: 'None' });
  const rows: readonly object[] = [
    { id: 'p1', name: 'a', price: '1', status: 'ACTIVE', category: 'books', supplier_id: 'no', dims: { w: 1 } },
    { id: 'p2', name: 'b', price: '9', status: 'DRAFT', category: 'books', supplier_id: 'no', tags: ['t'] },
    { id: 'p3', name: 'c', price: '4', status: 'DRAFT', category: 'toys', supplier_id: 'se', limit: 5 },
    { id: 'p4', name: 'd', price: '9', status: 'ACTIVE', category: 'toys', supplier_id: 'xx' },
    { id: 'p5', name: 'e', price: '2', status: 'DRAFT', category: 'books' },
    { id: 'p6', name: 'f', price: '8' },
  ];
  for (const row of rows) await create(market, 'products', row);
  await create(market, 'products/p1/reviews', { id: 'r1', stars: 5, author: 'ann' });
  await create(market, 'products/p1/reviews', { id: 'r2', stars: 1, author: 'bob' });
  await create(market, 'products/p2/reviews', { id: 'r1', stars: 3, author: 'ann' });
  return market;
}
