import assert from 'node:assert/strict';
import { topLevel } from '../../../store-suite/sample-writes.ts';
import { describe, it } from 'node:test';
import { estimateEffort, effortOfLookup, effortOfRelated, isUnindexed } from '../../../src/plan/list/effort.ts';
import type { PathCondition } from '../../../src/plan/condition.ts';
import type { Condition } from '../../../src/plan/plan.ts';
import { readSort } from '../../../src/plan/list/sort.ts';
import { compiled, readFilters } from '../rules.ts';

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
        like_ids: { type: array, items: { type: string, x-references: products } }
        seen_at: { type: string, format: date-time }
    indexes: [category, [category, price], place.city]
  ranked: { sort: '-rank', schema: { type: object, properties: { rank: { type: integer }, name: { type: string } } } }
  reviews: { parent: products, schema: { type: object, properties: { stars: { type: integer }, kind: { type: string } } }, indexes: [[product_id, stars]] }
`;

/** True if no index serves a list query. @param sort empty for the default order */
function isUnindexedQuery(name: string, filter: string, sort: string): boolean {
  const { resource, filters } = compiled(DOCUMENT, name);
  const conditions = readFilters(filter, filters);
  const order = sort === '' ? resource.sort : readSort(sort, resource);
  return isUnindexed(resource, resource.parent !== null, conditions, order);
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
  ['products', 'created_at[gte]=2026-01-01T00:00:00Z&created_at[lt]=2026-02-01T00:00:00Z', '-created_at'],
  ['products', 'category[starts_with]=bo', 'category'],
  ['products', 'category=x&price[gt]=5', '-price'],
  ['products', 'category=x&price=5&price[gt]=5', 'id'],
  ['products', 'id[gt]=x', 'id'],
  ['products', 'id=x&name[contains]=y', 'name'],
  ['products', 'sku=x&name[ne]=y', 'name'],
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
  ['products', 'created_at[gte]=2026-01-01T00:00:00Z', 'category'],
  ['products', 'category[ne]=x', 'category'],
  ['products', 'category[exists]=false', 'category'],
  ['products', 'category[contains]=x', 'category'],
  ['products', 'price[gt]=5', 'category,price'],
  ['reviews', '', 'kind'],
  ['reviews', 'kind=x', ''],
  ['products', 'supplier.name=x', ''],
  ['products', 'id=x&supplier.name=x', 'id'],
  ['products', 'reviews.stars=5', ''],
  ['products', 'any[1][category]=x&any[2][place.city]=y', 'id'],
  ['products', 'any[1][id]=x&any[2][price]=5', 'id'],
];

describe('effortOf', () => {
  for (const [name, filter, sort] of LIGHT) {
    it(`[PAGE-10] is light if an index serves it: ${name}?${filter}&sort=${sort}`, () => {
      assert.equal(isUnindexedQuery(name, filter, sort), false);
    });
  }
  for (const [name, filter, sort] of HEAVY) {
    it(`[QRY-3] is unbounded if no index does: ${name}?${filter}&sort=${sort}`, () => {
      assert.equal(isUnindexedQuery(name, filter, sort), true);
    });
  }

  const { resource } = compiled(DOCUMENT, 'products');
  const PAGE = { kind: 'offset', offset: 0, limit: 20 } as const;
  const plain = { within: [], filter: [], order: resource.sort, window: PAGE, count: { kind: 'none' } } as const;

  it('[QRY-3] is bounded if many entries of one index are skipped or counted', () => {
    assert.equal(estimateEffort(resource, plain), 'light');
    assert.equal(estimateEffort(resource, { ...plain, count: { kind: 'exact' } }), 'light');
    assert.equal(estimateEffort(resource, { ...plain, window: { ...PAGE, offset: 1_000 } }), 'light');
    assert.equal(estimateEffort(resource, { ...plain, window: { ...PAGE, offset: 1_001 } }), 'bounded');
    assert.equal(estimateEffort(resource, { ...plain, count: { kind: 'capped', cap: 10 } }), 'bounded');
  });

  it('[QRY-3] counts the rows of every alternative', () => {
    const ids = (count: number): readonly PathCondition[] => [
      { path: 'id', operator: 'in', values: Array.from({ length: count }, (_, index) => `v${index}`) },
    ];
    const sku: PathCondition = { path: 'sku', operator: 'in', values: ['x'] };
    const effort = (...alternatives: readonly (readonly PathCondition[])[]) =>
      estimateEffort(resource, { ...plain, filter: [{ operator: 'any', alternatives }] });
    assert.equal(effort(ids(50), ids(49), [sku]), 'light');
    assert.equal(effort(ids(50), ids(50), [sku]), 'unbounded');
    assert.equal(effort(ids(1), [{ path: 'category', operator: 'in', values: ['x'] }]), 'unbounded');
    assert.equal(effort(ids(1), [{ path: 'name', operator: 'in', values: ['x'] }]), 'unbounded');
    const relation = { resource: 'suppliers', field: 'supplier_id', inverse: false };
    const related = { operator: 'related', relation, conditions: ids(1) } as const;
    assert.equal(estimateEffort(resource, { ...plain, filter: [...ids(1), related] }), 'unbounded');
    assert.equal(
      estimateEffort(resource, { ...plain, filter: [{ operator: 'any', alternatives: [ids(1), [related]] }] }),
      'unbounded',
    );
  });

  it('[QRY-3] is light if the filter selects few rows by unique values, in any order', () => {
    const among = (path: string, rows: number): Condition => ({
      path,
      operator: 'in',
      values: Array.from({ length: rows }, (_, index) => `v${index}`),
    });
    const byName = [...readSort('name', resource), ...readSort('id', resource)];
    const effort = (...filter: readonly Condition[]) => estimateEffort(resource, { ...plain, order: byName, filter });
    for (const path of ['id', 'sku']) {
      assert.deepEqual(
        [2, 100, 101].map((rows) => effort(among(path, rows))),
        ['light', 'light', 'unbounded'],
        path,
      );
    }
    const named = { path: 'name', operator: 'contains', value: 'x' } as const;
    assert.equal(effort(among('id', 2), named), 'light');
    assert.equal(effort(among('name', 2)), 'unbounded');
    // The database could use the index on the category instead, and scan it completely.
    assert.equal(effort(among('id', 2), among('category', 1)), 'unbounded');
    assert.equal(effort(among('id', 2), among('sku', 2)), 'unbounded');
    assert.equal(effort(among('id', 2), { operator: 'search', words: ['a'] }), 'unbounded');
    const after = { kind: 'seek', after: ['n', 'i'], backward: false, limit: 20 } as const;
    assert.equal(estimateEffort(resource, { ...plain, filter: [among('id', 2)], window: after }), 'unbounded');
    const above = [{ resource: 'products', id: 'p' }];
    const reviews = compiled(DOCUMENT, 'reviews').resource;
    const kinds = readSort('kind', reviews);
    assert.equal(
      estimateEffort(reviews, { ...plain, order: kinds, within: above, filter: [among('id', 2)] }),
      'unbounded',
    );
  });

  it('[QRY-6] of a full-text search is unbounded, even for one row: every word is looked up first', () => {
    const search = { operator: 'search', words: ['a'] } as const;
    const one = { path: 'id', operator: 'in', values: ['x'] } as const;
    assert.equal(estimateEffort(resource, { ...plain, filter: [one] }), 'light');
    assert.equal(estimateEffort(resource, { ...plain, filter: [one, search] }), 'unbounded');
  });
});

describe('effortOfRelated', () => {
  const { resource } = compiled(DOCUMENT, 'products');
  const plan = { field: 'supplier_id', owners: topLevel('s'), order: resource.sort, limit: 20 };
  const many = (length: number) => topLevel(...Array.from({ length }, (_, index) => `s${index}`));

  it('[QRY-4] is light if an index has the field and then the order, up to a number of rows', () => {
    assert.equal(effortOfRelated(resource, plan), 'light');
    assert.equal(effortOfRelated(resource, { ...plan, owners: many(25) }), 'light');
    assert.equal(effortOfRelated(resource, { ...plan, owners: many(26) }), 'bounded');
    const { resource: reviews } = compiled(DOCUMENT, 'reviews');
    assert.equal(effortOfRelated(reviews, { ...plan, field: 'product_id', order: reviews.sort }), 'light');
  });

  it('[QRY-3] [QRY-4] is unbounded if all rows that refer to an owner are read or sorted', () => {
    assert.equal(effortOfRelated(resource, { ...plan, order: readSort('name', resource) }), 'unbounded');
    assert.equal(effortOfRelated(resource, { ...plan, field: 'like_ids' }), 'unbounded');
    assert.equal(effortOfRelated(resource, { ...plan, field: 'like_ids', ownedBy: 'products' }), 'unbounded');
  });

  it('[QRY-4] of a lookup by ids is light, up to a number of ids', () => {
    assert.equal(effortOfLookup({ rows: many(500) }), 'light');
    assert.equal(effortOfLookup({ rows: many(501) }), 'bounded');
  });
});
