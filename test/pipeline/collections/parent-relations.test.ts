import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { apiUnderTest } from '../support/api-under-test.ts';

const MODEL = `
name: shop
resources:
  products:
    id: client
    schema: { type: object, properties: { name: { type: string }, reviews: { type: integer } } }
  reviews:
    id: client
    parent: { resource: products, as: subject, inverse: opinions }
    on_parent_delete: cascade
    schema: { type: object, properties: { stars: { type: integer }, product: { type: string } } }
`;

/** A shop with a product and a review of it. */
async function openShop() {
  const shop = await apiUnderTest(MODEL);
  await shop.send({ send: 'POST /api/v1/products', body: { id: 'lamp', name: 'Lamp', reviews: 3 } });
  await shop.send({ send: 'POST /api/v1/products/lamp/reviews', body: { id: 'a', stars: 4, product: 'the lamp' } });
  return shop;
}

describe('a parent whose relations are named', () => {
  it('[REP-9c] links to the sub-collection by its declared name, next to a field with the name of the collection', async () => {
    await using shop = await openShop();
    const { body } = await shop.send({ send: 'GET /api/v1/products/lamp' });
    assert.equal(body['reviews'], 3);
    assert.equal(body['links']['opinions'], '/api/v1/products/lamp/reviews');
    assert.equal(body['links']['reviews'], undefined);
  });

  it('[REP-9a] is linked from its children as up, next to a field with its singular', async () => {
    await using shop = await openShop();
    const { body } = await shop.send({ send: 'GET /api/v1/products/lamp/reviews/a' });
    assert.equal(body['product'], 'the lamp');
    assert.equal(body['product_id'], 'lamp');
    assert.equal(body['links']['up'], '/api/v1/products/lamp');
  });

  it('[QRY-4] is expanded by these names alone', async () => {
    await using shop = await openShop();
    const product = await shop.send({ send: 'GET /api/v1/products/lamp?expand=opinions' });
    assert.deepEqual(
      product.body['opinions']['data'].map(({ id }: { readonly id: string }) => id),
      ['a'],
    );
    const review = await shop.send({ send: 'GET /api/v1/products/lamp/reviews/a?expand=subject' });
    assert.equal(review.body['subject']['name'], 'Lamp');
    const unknown = await shop.send({ send: 'GET /api/v1/products/lamp?expand=reviews' });
    assert.equal(unknown.status, 400, unknown.text);
  });
});
