import assert from 'node:assert/strict';
import type { ApiUnderTest } from './api-under-test.ts';
import { create } from '../models/shop-model.ts';

/** A product, a patch, and expected members of the result. */
export type Change = readonly [title: string, before: object, patch: unknown, after: Record<string, unknown>];

/** Patches a new product, and checks that GET returns the same body and ETag. */
export async function changes(
  shop: ApiUnderTest,
  [title, before, patch, has]: Change,
  headers: Record<string, string>,
): Promise<void> {
  const { id } = await create(shop, 'products', { sku: title, name: title, price: '5', ...before });
  const self = `/api/v1/products/${id}`;
  const patched = await shop.row({
    send: `PATCH ${self}`,
    headers,
    body: JSON.stringify(patch),
    status: 200,
    has,
    expectHeaders: { 'Content-Location': self, Location: null, 'Cache-Control': 'no-store' },
    events: ['product.updated'],
  });
  const got = await shop.send({ send: `GET ${self}` });
  assert.deepEqual([got.text, got.headers.get('etag')], [patched.text, patched.headers.get('etag')]);
}
