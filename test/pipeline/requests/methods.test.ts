import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest, column } from '../support/api-under-test.ts';
import { create, parseIds, LAMP, SHOP } from '../models/shop-model.ts';
import { EVERYTHING } from '../../../src/plan/plan.ts';

let shop: ApiUnderTest;
let supplier: string;
before(async () => {
  shop = await apiUnderTest(SHOP);
  supplier = (await create(shop, 'suppliers', { name: 'Acme' })).id;
});
after(() => shop.close());

let made = 0;
/** Creates a new product. */
async function product(more: object = {}): Promise<Awaited<ReturnType<typeof create>>> {
  made += 1;
  return create(shop, 'products', { sku: `methods-${made}`, name: `Lamp ${made}`, price: '5', ...more });
}

/** The stored row, including write-only fields. */
function stored(resource: string, id: string) {
  return shop.store.rows.item({ kind: 'item', resource, id, within: [], visible: EVERYTHING });
}

describe('POST', () => {
  it('[MET-1] returns the bytes and the ETag of a later GET, with Location and Content-Location', async () => {
    const { id, text, headers } = await product({ supplier_id: supplier, labels: { b: '1', a: '2' }, cost: 2 });
    const self = `/api/v1/products/${id}`;
    const got = await shop.row({ send: `GET ${self}`, status: 200 });
    assert.equal(got.text, text);
    for (const name of ['location', 'content-location']) assert.equal(headers.get(name), self);
    for (const name of ['etag', 'content-type']) assert.equal(headers.get(name), got.headers.get(name));
    assert.equal(headers.get('cache-control'), 'no-store');
  });

  it('[MET-1] creates a new resource each time', async () => {
    const [one, other] = [
      await create(shop, 'suppliers', { name: 'X' }),
      await create(shop, 'suppliers', { name: 'X' }),
    ];
    assert.ok(one.id < other.id, '[REP-2] in order');
  });

  it('[MET-1] accepts a client id once', async () => {
    await create(shop, 'notes', { id: 'once', text: 'first' });
    await shop.row({
      send: 'POST /api/v1/notes',
      body: { id: 'once', text: 'second' },
      status: 409,
      has: { errorCode: 'NOTE_ALREADY_EXISTS', details: [{ field: 'id', message: 'is taken' }] },
    });
    await shop.row({ send: 'GET /api/v1/notes/once', status: 200, has: { text: 'first' } });
  });

  it('[MET-1] creates below a parent, whose id comes from the path only', async () => {
    const [one, other] = [await product(), await product()];
    const path = `/api/v1/products/${one.id}/reviews`;
    const { body, headers } = await shop.row({
      send: `POST ${path}`,
      body: { stars: 3, product_id: other.id },
      status: 201,
      has: { product_id: one.id },
      events: ['review.created'],
    });
    assert.equal(headers.get('location'), `${path}/${body['id']}`);
    assert.deepEqual(parseIds(await shop.send({ send: `GET ${path}` })), [body['id']]);
    assert.deepEqual(parseIds(await shop.send({ send: `GET /api/v1/products/${other.id}/reviews` })), []);
  });

  for (const body of [[], [{}], 'text', 1, true, null]) {
    it(`[ERR-3] accepts only a JSON object: ${JSON.stringify(body)}`, async () => {
      const { body: error } = await shop.row({
        send: 'POST /api/v1/suppliers',
        body: JSON.stringify(body),
        status: 400,
        has: { errorCode: 'SUPPLIER_INVALID' },
      });
      assert.match(error['details'][0]['message'], /JSON object/);
    });
  }

  it('[MET-7] [MET-1] that is rejected stores nothing: no row, no event, no count', async () => {
    await using empty = await apiUnderTest(SHOP);
    await empty.row({ send: 'POST /api/v1/products', body: { ...LAMP, supplier_id: 'missing' }, status: 400 });
    await create(empty, 'products', LAMP);
    await empty.row({ send: 'POST /api/v1/products', body: LAMP, status: 409 });
    const { body } = await empty.send({ send: 'GET /api/v1/products?page=1' });
    assert.deepEqual([body['page']['total_count'], body['data'].length], [1, 1]);
  });
});

describe('PUT', () => {
  it('[MET-2] sets omitted optional fields to their default or null', async () => {
    const { id } = await product({
      currency: 'USD',
      category: 'home',
      quantity: 3,
      tags: ['a'],
      labels: { a: 'b' },
      size: { unit: 'mm', depth: 2 },
      due: '2026-01-01',
      supplier_id: supplier,
    });
    await shop.row({
      send: `PUT /api/v1/products/${id}`,
      body: { name: `Put ${id}`, price: '6', size: { unit: 'cm' } },
      status: 200,
      has: {
        currency: 'EUR',
        category: null,
        quantity: null,
        tags: [],
        labels: null,
        size: { unit: 'cm', depth: null },
        due: null,
        supplier_id: null,
      },
      events: ['product.updated'],
    });
  });

  it('[MET-2] reports all missing required fields together', async () => {
    const { id } = await product();
    const { body } = await shop.row({ send: `PUT /api/v1/products/${id}`, body: { size: {} }, status: 400 });
    assert.deepEqual(column(body['details'], 'field').toSorted(), ['name', 'price', 'size.unit']);
  });

  it('[MET-2] keeps omitted write-only, immutable and state fields', async () => {
    const { id, body } = await product({ cost: 7 });
    const send = `/api/v1/products/${id}`;
    await shop.row({ send: `PATCH ${send}`, body: { status: 'ACTIVE' }, status: 200, events: ['product.updated'] });
    await shop.row({
      send: `PUT ${send}`,
      body: { name: `Kept ${id}`, price: '6' },
      status: 200,
      has: { sku: body['sku'], status: 'ACTIVE', owner_id: null },
      events: ['product.updated'],
    });
    assert.equal((await stored('products', id))?.['cost'], 7);
  });

  it('[MET-2] sets a write-only field to null', async () => {
    const { id, body } = await product({ cost: 7 });
    await shop.row({
      send: `PUT /api/v1/products/${id}`,
      body: { ...body, cost: null },
      status: 200,
      events: ['product.updated'],
    });
    assert.equal((await stored('products', id))?.['cost'], null);
  });

  it('[MET-2] returns the body of a later GET, without an ETag', async () => {
    const { id, body } = await product();
    const send = `/api/v1/products/${id}`;
    const put = await shop.row({
      send: `PUT ${send}`,
      body: { ...body, category: 'x' },
      status: 200,
      expectHeaders: { ETag: null, Location: null, 'Last-Modified': null, 'Content-Location': send },
      events: ['product.updated'],
    });
    assert.equal((await shop.send({ send: `GET ${send}` })).text, put.text);
  });

  it('[MET-2] creates with a client id, and replaces after that', async () => {
    const send = 'PUT /api/v1/notes/put%20once';
    const self = '/api/v1/notes/put%20once';
    const created = await shop.row({
      send,
      body: { id: 'put once', text: 'a' },
      status: 201,
      expectHeaders: { Location: self, 'Content-Location': self, ETag: null, 'Cache-Control': 'no-store' },
      has: { id: 'put once', text: 'a' },
      events: ['note.created'],
    });
    await shop.row({
      send,
      body: {},
      status: 200,
      expectHeaders: { Location: null },
      has: { text: null, created_at: created.body['created_at'] },
      events: ['note.updated'],
    });
  });

  const mismatched: readonly (readonly [body: object, details: readonly object[]])[] = [
    [{ id: 'other' }, [{ field: 'id', message: 'must equal the id in the URL' }]],
    [{ id: 7 }, [{ field: 'id', message: 'must equal the id in the URL' }]],
  ];
  for (const [body, details] of mismatched) {
    it(`[REP-6] rejects an id that differs from the path, new or not: ${JSON.stringify(body)}`, async () => {
      await using notes = await apiUnderTest(SHOP);
      const row = { send: 'PUT /api/v1/notes/mine', body, status: 400, has: { errorCode: 'NOTE_INVALID', details } };
      await notes.row(row);
      await create(notes, 'notes', { id: 'mine' });
      await notes.row(row);
    });
  }

  it('[MET-2] is 404 if the server generates ids, for any body and preconditions', async () => {
    const send = 'PUT /api/v1/products/missing';
    const has = { errorCode: 'PRODUCT_NOT_FOUND' };
    for (const body of [LAMP, {}, '{', []]) await shop.row({ send, body, status: 404, has });
    await shop.row({ send, headers: { 'If-Match': '*' }, body: LAMP, status: 404, has });
    await shop.row({ send, headers: { 'If-None-Match': '*' }, body: LAMP, status: 404, has });
  });

  it('[MET-2] accepts a GET response unchanged, links included, as a write without a change', async () => {
    const { id, body } = await product({
      supplier_id: supplier,
      related_ids: [(await product()).id],
      photo: 'iVBORw==',
    });
    await shop.row({ send: `PUT /api/v1/products/${id}`, body, status: 200, expectBody: body });
  });
});
