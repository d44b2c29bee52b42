import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseQuery } from '../../src/conventions/query.ts';
import { isHeavy } from '../../src/plan/cost.ts';
import { readFilter } from '../../src/plan/filter.ts';
import { readSort } from '../../src/plan/sort.ts';
import { compiled } from './rules.ts';

const DOCUMENT = `
name: shop
version: 1.0.0
resources:
  suppliers: { schema: { type: object, properties: { name: { type: string } } } }
  products:
    schema:
      type: object
      required: [sku]
      properties:
        sku: { type: string, x-unique: true }
        name: { type: string }
        price: { type: number }
        category: { type: string }
        place: { type: object, properties: { city: { type: string } } }
        supplier_id: { type: string, x-references: suppliers }
        seen_at: { type: string, format: date-time }
    indexes: [category, [category, price], place.city]
  ranked: { sort: '-rank', schema: { type: object, properties: { rank: { type: integer }, name: { type: string } } } }
  reviews: { parent: products, schema: { type: object, properties: { stars: { type: integer }, kind: { type: string } } }, indexes: [[product_id, stars]] }
`;

/** Whether reading a collection so is heavy. `sort` empty: its default order. */
function heavy(name: string, filter: string, sort: string): boolean {
  const { resource, validator } = compiled(DOCUMENT, name);
  const conditions = readFilter(parseQuery(filter), resource, validator);
  const order = sort === '' ? resource.sort : readSort(sort, resource);
  return isHeavy(resource, resource.parent !== null, conditions, order);
}

type Case = readonly [name: string, filter: string, sort: string];

const LIGHT: readonly Case[] = [
  ['products', '', ''],
  ['products', '', 'id'],
  ['products', '', '-id'],
  ['products', '', 'created_at'],
  ['products', '', '-created_at'],
  ['products', '', 'category'],
  ['products', '', '-category,-price'],
  ['products', '', 'place.city'],
  ['products', 'id=x', 'name'],
  ['products', 'sku=x', 'sku'],
  ['products', 'sku=x', ''],
  ['products', 'sku=x', 'name'],
  ['products', 'category=x', 'id'],
  ['products', 'category=x', 'price'],
  ['products', 'category=x', '-price'],
  ['products', 'category=x', 'category,price'],
  ['products', 'category=x', '-category,price,id'],
  ['products', 'category=x&price=1', 'id'],
  ['products', 'price=1&category=x', '-id'],
  ['products', 'category[eq]=x', 'price'],
  ['products', 'supplier_id=x', ''],
  ['products', 'supplier_id=x', '-created_at'],
  ['products', 'created_at=2026-01-01T00:00:00Z', ''],
  ['ranked', '', ''],
  ['ranked', '', 'rank'],
  ['reviews', '', ''],
  ['reviews', '', '-created_at'],
  ['reviews', '', 'stars'],
  ['reviews', 'stars=5', 'id'],
  ['reviews', 'id=x', 'kind'],
];

const HEAVY: readonly Case[] = [
  ['products', '', 'name'],
  ['products', '', 'price'],
  ['products', '', 'category,-price'],
  ['products', '', '-created_at,id'],
  ['products', '', 'updated_at'],
  ['products', 'name=x', ''],
  ['products', 'category=x', ''],
  ['products', 'category=x', 'name'],
  ['products', 'category=x', '-price,id'],
  ['products', 'price=1', 'category'],
  ['products', 'category=x&category=y', 'price'],
  ['products', 'category[in]=x,y', 'price'],
  ['products', 'category=x&name=y', 'price'],
  ['products', 'supplier_id=x', 'name'],
  ['ranked', 'name=x', ''],
  ['reviews', '', 'kind'],
  ['reviews', 'kind=x', ''],
];

describe('the cost of a list', () => {
  for (const [name, filter, sort] of LIGHT) {
    it(`[PAGE-10] is small where an index serves it: ${name}?${filter}&sort=${sort}`, () => {
      assert.equal(heavy(name, filter, sort), false);
    });
  }
  for (const [name, filter, sort] of HEAVY) {
    it(`[QRY-3] is bounded by a deadline where none does: ${name}?${filter}&sort=${sort}`, () => {
      assert.equal(heavy(name, filter, sort), true);
    });
  }
});
