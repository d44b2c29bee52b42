import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Store } from '../../../../src/stores/store.ts';
import { apiUnderTest, rawRequest, seen } from '../../support/api-under-test.ts';
import { replacing } from '../../support/replacing.ts';
import { create, LAMP, SHOP } from '../../models/shop-model.ts';

const KEY = { 'Idempotency-Key': '"9f1c"' };
const DAY = 24 * 60 * 60 * 1000;

describe('a request with an Idempotency-Key', () => {
  it('[MET-12] runs once; a repetition gets the same status, header fields and body', async () => {
    await using shop = await apiUnderTest(SHOP);
    const post = { send: 'POST /api/v1/products', headers: KEY, body: LAMP };
    const first = await shop.row({
      ...post,
      status: 201,
      expectHeaders: { 'Idempotent-Replayed': null },
      events: ['product.created'],
    });
    shop.clock.advance(1000);
    const again = await shop.row({
      ...post,
      headers: { 'Idempotency-Key': '9f1c' },
      status: 201,
      expectHeaders: { 'Idempotent-Replayed': 'true' },
    });
    assert.equal(again.text, first.text);
    for (const name of ['location', 'content-location', 'etag', 'content-type', 'cache-control']) {
      assert.equal(again.headers.get(name), first.headers.get(name), name);
    }
    assert.notEqual(again.headers.get('x-correlation-id'), first.headers.get('x-correlation-id'));
  });

  it('[MET-12] [MET-3] replays a patch, also after its row was changed or deleted', async () => {
    await using shop = await apiUnderTest(SHOP);
    const { id } = await create(shop, 'products', LAMP);
    const patch = { send: `PATCH /api/v1/products/${id}`, headers: KEY, body: { category: 'a' } };
    const first = await shop.row({ ...patch, status: 200, events: ['product.updated'] });
    await shop.row({
      send: `PATCH /api/v1/products/${id}`,
      body: { category: 'b' },
      status: 200,
      events: ['product.updated'],
    });
    assert.equal((await shop.row({ ...patch, status: 200 })).text, first.text);
    await shop.row({ send: `DELETE /api/v1/products/${id}`, status: 204, events: ['product.deleted'] });
    assert.equal(
      (await shop.row({ ...patch, status: 200, expectHeaders: { 'Idempotent-Replayed': 'true' } })).text,
      first.text,
    );
  });

  it('[MET-12] [REP-1] is replayed with the members of the current model, in order', async () => {
    // As stored by another version of the model.
    const older = (store: Store): Store =>
      replacing(store, {
        async find(name, now) {
          const memo = await store.idempotencyRecords.find(name, now);
          if (memo === null) return null;
          const effect = JSON.parse(memo.outcome);
          const { country: _country, name: represented, ...others } = effect.row;
          const outcome = JSON.stringify({ ...effect, row: { gone: 'secret', ...others, name: represented } });
          return { ...memo, outcome };
        },
      });
    await using shop = await apiUnderTest(SHOP, { breaking: older });
    const post = { send: 'POST /api/v1/suppliers', headers: KEY, body: { name: 'S' } };
    const first = await shop.row({ ...post, status: 201, events: ['supplier.created'] });
    assert.equal((await shop.row({ ...post, status: 201 })).text, first.text);
  });

  it('[MET-12] [MET-7] replays a write without a change', async () => {
    await using shop = await apiUnderTest(SHOP);
    const { id } = await create(shop, 'products', LAMP);
    const patch = { send: `PATCH /api/v1/products/${id}`, headers: KEY, body: {} };
    await shop.row({ ...patch, status: 200 });
    await shop.row({ ...patch, status: 200, expectHeaders: { 'Idempotent-Replayed': 'true' } });
  });

  const others: readonly (readonly [
    title: string,
    other: { send?: string; headers?: Record<string, string>; body?: unknown },
  ])[] = [
    ['another body', { body: { ...LAMP, name: 'Other' } }],
    ['an invalid body', { body: '{' }],
    ['another query', { send: 'POST /api/v1/products?api_version=1' }],
    ['another type of body', { headers: { 'Content-Type': 'application/vnd.shop.v1+json' } }],
  ];
  for (const [title, other] of others) {
    it(`[MET-12] with ${title} differs: 422`, async () => {
      await using shop = await apiUnderTest(SHOP);
      const post = { send: 'POST /api/v1/products', headers: KEY, body: LAMP };
      await shop.row({ ...post, status: 201, events: ['product.created'] });
      await shop.row({
        ...post,
        ...other,
        headers: { ...KEY, ...other.headers },
        status: 422,
        has: {
          errorCode: 'IDEMPOTENCY_KEY_REUSED',
          details: [{ field: 'Idempotency-Key', message: 'belongs to another request' }],
        },
      });
    });
  }

  it('[MET-12] does not share its key with another method or path', async () => {
    await using shop = await apiUnderTest(SHOP);
    await shop.row({
      send: 'POST /api/v1/suppliers',
      headers: KEY,
      body: { name: 'S' },
      status: 201,
      events: ['supplier.created'],
    });
    const made = await shop.row({
      send: 'POST /api/v1/products',
      headers: KEY,
      body: LAMP,
      status: 201,
      events: ['product.created'],
    });
    await shop.row({
      send: `PATCH /api/v1/products/${made.body['id']}`,
      headers: KEY,
      body: { category: 'x' },
      status: 200,
      events: ['product.updated'],
    });
  });

  it('[MET-12] runs again after it failed', async () => {
    await using shop = await apiUnderTest(SHOP);
    const post = { send: 'POST /api/v1/notes', headers: KEY };
    await shop.row({ ...post, body: { id: '' }, status: 400 });
    await shop.row({
      ...post,
      body: { id: 'a' },
      status: 201,
      expectHeaders: { 'Idempotent-Replayed': null },
      events: ['note.created'],
    });
  });

  it('[MET-12] expires after 24 hours', async () => {
    await using shop = await apiUnderTest(SHOP);
    const post = { send: 'POST /api/v1/suppliers', headers: KEY, body: { name: 'S' } };
    const first = await shop.row({ ...post, status: 201, events: ['supplier.created'] });
    shop.clock.advance(DAY - 1);
    assert.equal((await shop.row({ ...post, status: 201 })).body['id'], first.body['id']);
    shop.clock.advance(1);
    assert.notEqual(
      (await shop.row({ ...post, status: 201, events: ['supplier.created'] })).body['id'],
      first.body['id'],
    );
  });

  it('[MET-12] is written once if two are sent concurrently', async () => {
    await using shop = await apiUnderTest(SHOP);
    const post = { send: 'POST /api/v1/suppliers', headers: KEY, body: { name: 'S' } };
    const raw = [1, 2, 3].map(() => rawRequest(post));
    const answers = await Promise.all(raw.map(async (each) => seen(await shop.api.handle(each))));
    const [first, ...further] = answers.toSorted((one, other) => one.status - other.status);
    assert.equal(first?.status, 201);
    for (const other of further) {
      assert.equal(other.status, 409, other.text);
      assert.equal(other.body['errorCode'], 'IDEMPOTENCY_KEY_IN_PROGRESS');
      assert.match(other.headers.get('retry-after') ?? '', /^\d+$/);
    }
    assert.equal((await shop.newEvents()).length, 1);
    await shop.row({ ...post, status: 201, expectHeaders: { 'Idempotent-Replayed': 'true' } });
  });

  it('[MET-12] is replayed in the currently accepted format', async () => {
    await using shop = await apiUnderTest(SHOP);
    const post = { send: 'POST /api/v1/suppliers', headers: KEY, body: { name: 'S' } };
    const first = await shop.row({ ...post, status: 201, events: ['supplier.created'] });
    const again = await shop.row({
      ...post,
      headers: { ...KEY, Accept: 'application/xml' },
      status: 201,
      expectHeaders: { 'Content-Type': 'application/xml' },
    });
    assert.ok(again.text.includes(`<id>${first.body['id']}</id>`), again.text);
  });

  it('[MET-12] ignores the key for PUT and DELETE, which are idempotent', async () => {
    await using shop = await apiUnderTest(SHOP);
    const put = { send: 'PUT /api/v1/notes/a', headers: KEY, body: { text: 'x' } };
    await shop.row({ ...put, status: 201, events: ['note.created'] });
    await shop.row({ ...put, status: 200, expectHeaders: { 'Idempotent-Replayed': null } });
    await shop.row({ send: 'DELETE /api/v1/notes/a', headers: KEY, status: 204, events: ['note.deleted'] });
    await shop.row({ send: 'DELETE /api/v1/notes/a', headers: KEY, status: 404 });
  });

  it('[MET-12] [MET-14] stores no record for a dry run', async () => {
    await using shop = await apiUnderTest(SHOP);
    const post = { headers: KEY, body: { name: 'S' } };
    await shop.row({ ...post, send: 'POST /api/v1/suppliers?dry_run=true', status: 200 });
    await shop.row({ ...post, send: 'POST /api/v1/suppliers', status: 201, events: ['supplier.created'] });
  });

  for (const key of ['', '"', 'a b', 'é', '"a', 'x'.repeat(256)]) {
    it(`[MET-12] is rejected if the key is ${JSON.stringify(key.slice(0, 10))}`, async () => {
      await using shop = await apiUnderTest(SHOP);
      await shop.row({
        send: 'POST /api/v1/suppliers',
        headers: { 'Idempotency-Key': key },
        body: { name: 'S' },
        status: 400,
        has: { errorCode: 'IDEMPOTENCY_KEY_INVALID' },
      });
    });
  }
});

describe('a resource that requires keys', () => {
  const PAYMENTS = `
name: bank
version: 1.0.0
resources:
  payments:
    idempotency: required
    schema: { type: object, properties: { amount: { type: integer } } }
`;

  it('[MET-12] rejects POST and PATCH without a key, before any lookup', async () => {
    await using bank = await apiUnderTest(PAYMENTS);
    const required = {
      status: 400,
      has: { errorCode: 'IDEMPOTENCY_KEY_REQUIRED', details: [{ field: 'Idempotency-Key', message: 'is required' }] },
    };
    await bank.row({ send: 'POST /api/v1/payments', body: { amount: 1 }, ...required });
    await bank.row({ send: 'PATCH /api/v1/payments/none', body: {}, ...required });
    await bank.row({
      send: 'POST /api/v1/batches',
      body: { operations: [{ method: 'POST', path: '/payments', body: {} }] },
      status: 400,
      has: { errorCode: 'IDEMPOTENCY_KEY_REQUIRED' },
    });
    await bank.row({
      send: 'POST /api/v1/payments',
      headers: KEY,
      body: { amount: 1 },
      status: 201,
      events: ['payment.created'],
    });
    await bank.row({
      send: 'POST /api/v1/batches',
      headers: KEY,
      body: { operations: [{ method: 'POST', path: '/payments', body: {} }] },
      status: 201,
      events: ['payment.created'],
    });
  });
});
