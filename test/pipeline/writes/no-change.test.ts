import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest } from '../support/api-under-test.ts';
import { create, LAMP, SHOP } from '../models/shop-model.ts';

let shop: ApiUnderTest;
before(async () => {
  shop = await apiUnderTest(SHOP);
});
after(() => shop.close());

let made = 0;
/** Creates a new product. */
async function product(more: object = {}): Promise<Awaited<ReturnType<typeof create>>> {
  made += 1;
  return create(shop, 'products', { sku: `unchanged-${made}`, name: `Lamp ${made}`, price: '5', ...more });
}

describe('a write without a change', () => {
  const full = {
    price: '5.00',
    weight: 1.5,
    quantity: 0,
    serial: '7',
    released_at: '2026-01-02T03:04:05.678Z',
    labels: { a: '1', b: '2' },
    size: { unit: 'mm', depth: 1 },
    tags: [],
  };
  const patches: readonly (readonly [title: string, patch: object])[] = [
    ['an empty patch', {}],
    ['a decimal in another notation', { price: '05.0' }],
    ['a number in another notation', JSON.parse('{"weight":15e-1,"quantity":-0}')],
    ['an int64 in another notation', { serial: '007' }],
    ['the same instant with another offset and microseconds', { released_at: '2026-01-02T04:04:05.6789+01:00' }],
    ['members in another order', { labels: { b: '2', a: '1' }, size: { depth: 1, unit: 'mm' } }],
    ['null for fields that are null', { category: null, tags: null, labels: { c: null } }],
    ['the current state', { status: 'DRAFT' }],
    ['the current immutable value', { sku: 'same' }],
    ['read-only members', { owner_id: 'me', created_at: 'x', updated_at: null, links: {} }],
    ['the current write-only value', { cost: 3 }],
  ];
  for (const [title, patch] of patches) {
    it(`[MET-7] keeps revision, time and ETag, and publishes nothing: ${title}`, async () => {
      await using api = await apiUnderTest(SHOP);
      const { id, body, headers } = await create(api, 'products', { ...LAMP, ...full, sku: 'same', cost: 3 });
      api.clock.advance(5000);
      await api.row({
        send: `PATCH /api/v1/products/${id}`,
        body: patch,
        status: 200,
        expectBody: body,
        expectHeaders: { ETag: headers.get('etag') ?? '' },
      });
    });
  }

  it('[MET-7] keeps them for PUT and JSON patches too', async () => {
    const { id, body } = await product({ tags: ['a'] });
    shop.clock.advance(5000);
    const send = `/api/v1/products/${id}`;
    await shop.row({ send: `PUT ${send}`, body: { ...body, price: '5.0' }, status: 200, expectBody: body });
    const headers = { 'Content-Type': 'application/json-patch+json' };
    const twice = [
      { op: 'add', path: '/tags/-', value: 'b' },
      { op: 'remove', path: '/tags/1' },
    ];
    for (const patch of [[], twice]) {
      await shop.row({ send: `PATCH ${send}`, headers, body: patch, status: 200, expectBody: body });
    }
  });

  it('[MET-7] still evaluates its preconditions', async () => {
    const { id } = await product();
    const has = { errorCode: 'PRODUCT_PRECONDITION_FAILED' };
    await shop.row({
      send: `PATCH /api/v1/products/${id}`,
      headers: { 'If-Match': '"0"' },
      body: {},
      status: 412,
      has,
    });
  });

  it('[MET-7] differs from a write with a change, which sets revision and time', async () => {
    const { id, body } = await product();
    shop.clock.advance(1);
    const changed = await shop.row({
      send: `PATCH /api/v1/products/${id}`,
      body: { category: 'new' },
      status: 200,
      has: { created_at: body['created_at'], updated_at: new Date(shop.clock.now()).toISOString() },
      events: ['product.updated'],
    });
    assert.ok(changed.body['revision'] > body['revision']);
  });
});
