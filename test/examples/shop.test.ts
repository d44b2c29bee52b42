import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { type Services, shop } from '../../examples/shop.ts';
import { createFetchHandler } from '../../src/http/fetch.ts';
import { startApi } from '../../src/index.ts';

/** Opens the example on its own database. `placed` has the orders that its service was called for. */
async function opened(database = ':memory:', services: Partial<Services> = {}) {
  const placed: string[] = [];
  const waiting: (() => void)[] = [];
  const defined = shop({
    vies: async (number) => number === 'NO123456789',
    placed: async (id) => {
      placed.push(id);
      waiting.shift()?.();
    },
    ...services,
  });
  const { api, store, close } = await startApi({ model: defined, database });
  const handle = createFetchHandler(api);
  const send = async (method: string, target: string, body?: object, headers: Record<string, string> = {}) => {
    const type = { 'Content-Type': 'application/json', ...headers };
    const response = await handle(
      new Request(`http://localhost/api/v1${target}`, {
        method,
        headers: type,
        body: body === undefined ? null : JSON.stringify(body),
      }),
    );
    const text = await response.text();
    // Tests look into the response freely; the assertions say what it must be.
    return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
  };
  const next = (): Promise<void> => new Promise((resolve) => waiting.push(resolve));
  return { send, placed, next, close, store, model: api.model };
}

describe('the shop in TypeScript', () => {
  it('checks, changes and rejects writes in hooks', async () => {
    const { send, close } = await opened();
    const supplier = await send('POST', '/suppliers', { name: '  Lamps  ', vat_id: 'NO123456789' });
    assert.deepEqual([supplier.status, supplier.body.name], [201, 'Lamps']);
    const unknown = await send('POST', '/suppliers', { name: 'x', vat_id: 'SE1' });
    assert.deepEqual(
      [unknown.status, unknown.body.errorCode, unknown.body.details],
      [400, 'SUPPLIER_INVALID', [{ field: 'vat_id', message: 'is not a registered VAT number' }]],
    );
    const product = await send('POST', '/products', {
      sku: 'l',
      name: 'Lamp',
      price: 9.99,
      stock: 2,
      supplier_id: supplier.body.id,
    });
    assert.equal(product.status, 201);
    const kept = await send('DELETE', `/products/${product.body.id}`);
    assert.deepEqual([kept.status, kept.body.errorCode], [409, 'PRODUCT_CONFLICT']);
    assert.match(kept.body.errorMessage, /^2 of this product/);
    const empty = await send('PATCH', `/products/${product.body.id}`, { stock: 0 });
    assert.equal(empty.status, 200);
    assert.equal((await send('DELETE', `/products/${product.body.id}`)).status, 204);
    await close();
  });

  it('[REP-1] [REP-6] [CACHE-1] computes fields, and rejects writes to them', async () => {
    const { send, close } = await opened();
    const product = await send('POST', '/products', { sku: 'l', name: 'Lamp', price: 9.99, stock: 2 });
    const item = { product_id: product.body.id, price: 9.99, quantity: 3 };
    const made = await send('POST', '/order-items', { ...item, total: 1 });
    assert.deepEqual([made.status, made.body.total], [201, 29.97]);
    assert.match(made.body.code, /^[0-9a-f]{8}$/);
    assert.deepEqual(Object.keys(made.body), [
      'id',
      'product_id',
      'price',
      'quantity',
      'status',
      'code',
      'total',
      'created_at',
      'updated_at',
      'revision',
      'links',
    ]);
    const target = `/order-items/${made.body.id}`;
    const patch = await send('PATCH', target, [{ op: 'replace', path: '/total', value: 1 }], {
      'Content-Type': 'application/json-patch+json',
    });
    assert.deepEqual([patch.status, patch.body.details[0].field], [400, 'total']);
    assert.equal((await send('GET', '/order-items?total=29.97')).status, 400);
    assert.equal((await send('GET', '/order-items?sort=total')).body.errorCode, 'QUERY_SORT_INVALID');
    const changed = await send('PUT', target, { ...made.body, quantity: 4 });
    assert.deepEqual([changed.status, changed.body.total], [200, 39.96]);
    await send('PATCH', target, { status: 'PAID' });
    const late = await send('PATCH', target, { quantity: 5 });
    assert.deepEqual(
      [late.status, late.body.details],
      [409, [{ field: 'quantity', message: 'cannot change any more' }]],
    );
    const csv = await send('GET', '/livez');
    assert.equal(csv.status, 404);
    await close();
  });

  it('[EVT-3a] calls its services for committed writes only', async () => {
    const { send, placed, next, close } = await opened();
    const product = await send('POST', '/products', { sku: 'l', name: 'Lamp', price: 1, stock: 1 });
    const called = next();
    const item = { product_id: product.body.id, price: 1, quantity: 1 };
    assert.equal((await send('POST', '/order-items?dry_run=true', item)).status, 200);
    assert.equal((await send('POST', '/order-items', { ...item, quantity: 0 })).status, 400);
    const made = await send('POST', '/order-items', item);
    await called;
    await close();
    assert.deepEqual(placed, [made.body.id]);
  });

  it('[EVT-3a] calls them after a restart for the events that are not delivered yet', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'restwright-'));
    const database = path.join(folder, 'shop.db');
    const failed = Promise.withResolvers<void>();
    const first = await opened(database, {
      placed: async () => {
        failed.resolve();
        throw new Error('down');
      },
    });
    const product = await first.send('POST', '/products', { sku: 'l', name: 'Lamp', price: 1 });
    const made = await first.send('POST', '/order-items', { product_id: product.body.id, price: 1, quantity: 1 });
    await failed.promise;
    await first.close();
    const second = await opened(database);
    await second.next();
    await second.close();
    assert.deepEqual(second.placed, [made.body.id]);
    rmSync(folder, { recursive: true });
  });
});
