import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { apiUnderTest } from '../support/api-under-test.ts';
import { SHOP } from '../models/shop-model.ts';

async function readMessage(model: string, target: string): Promise<string> {
  await using api = await apiUnderTest(model);
  const { body } = await api.row({ send: `GET ${target}`, status: 404, has: { errorCode: 'REQUEST_ROUTE_NOT_FOUND' } });
  return String(body['errorMessage']);
}

describe('a path of no collection', () => {
  for (const [target, near] of [
    ['/api/v1/product', 'products'],
    ['/api/v1/Products', 'products'],
    ['/api/v1/order_items/1', 'order-items'],
    ['/api/v1/products/1/review', 'reviews'],
  ] as const) {
    it(`[ERR-4] has the nearest one in its message: ${target}`, async () => {
      assert.match(await readMessage(SHOP, target), new RegExp(`Did you mean "${near}"\\?$`));
    });
  }

  it('[ERR-4] has none where no name is near', async () => {
    assert.doesNotMatch(await readMessage(SHOP, '/api/v1/nothing'), /Did you mean/);
  });

  it('[ERR-4] names no collection where only callers may know the names', async () => {
    const issuer =
      '{ issuer: https://id.example.com/, audience: shop, hs256_secret: 0123456789abcdef0123456789abcdef }';
    const model = `${SHOP}\nauth: { issuers: [${issuer}] }\n`;
    assert.doesNotMatch(await readMessage(model, '/api/v1/product'), /Did you mean/);
  });
});
