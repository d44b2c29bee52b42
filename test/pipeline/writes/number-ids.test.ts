import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest } from '../support/api-under-test.ts';

const MODEL = `
name: shop
resources:
  products:
    id: { client: true, optional: true, number: true }
    schema: { type: object, properties: { name: { type: string } } }
  orders:
    schema:
      type: object
      properties:
        product_id: { type: string, x-references: { resource: products } }
        product_ids: { type: array, items: { type: string, x-references: { resource: products } } }
        count: { type: string }
  codes:
    id: { client: '^[a-z]+$', optional: true }
    schema: { type: object, properties: { name: { type: string } } }
`;

interface Expected {
  readonly send: string;
  readonly body?: object;
  readonly status: number;
  readonly has?: Readonly<Record<string, unknown>>;
}

/** Sends a request and checks the status and some members of its answer. */
async function expectAnswer(api: ApiUnderTest, { status, has = {}, ...request }: Expected) {
  const answer = await api.send(request);
  assert.equal(answer.status, status, `${request.send} ${answer.text}`);
  for (const [name, value] of Object.entries(has)) assert.deepEqual(answer.body[name], value, name);
  return answer;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('a resource with optional ids and numbers as ids', () => {
  it('[REP-2] is created without an id, which is a UUID then', async () => {
    await using shop = await apiUnderTest(MODEL);
    const { body } = await expectAnswer(shop, { send: 'POST /api/v1/products', body: { name: 'Lamp' }, status: 201 });
    assert.match(body['id'], UUID);
    await expectAnswer(shop, { send: `GET /api/v1/products/${body['id']}`, status: 200, has: { name: 'Lamp' } });
    const code = await expectAnswer(shop, { send: 'POST /api/v1/codes', body: { id: null, name: 'a' }, status: 201 });
    assert.match(code.body['id'], UUID);
    await expectAnswer(shop, { send: 'POST /api/v1/codes', body: { id: 'UP' }, status: 400 });
  });

  it('[REP-4] reads an integer as its digits, in its id', async () => {
    await using shop = await apiUnderTest(MODEL);
    await expectAnswer(shop, {
      send: 'POST /api/v1/products',
      body: { id: 3, name: 'Lamp' },
      status: 201,
      has: { id: '3' },
    });
    await expectAnswer(shop, { send: 'GET /api/v1/products/3', status: 200, has: { id: '3', name: 'Lamp' } });
    await expectAnswer(shop, { send: 'POST /api/v1/products', body: { id: '3' }, status: 409 });
    await expectAnswer(shop, {
      send: 'PUT /api/v1/products/3',
      body: { id: 3, name: 'Desk' },
      status: 200,
      has: { id: '3' },
    });
    await expectAnswer(shop, { send: 'PATCH /api/v1/products/3', body: { id: 3, name: 'Chair' }, status: 200 });
    await expectAnswer(shop, { send: 'PUT /api/v1/products/3', body: { id: 4, name: 'Desk' }, status: 400 });
    for (const id of [1.5, true, { a: 1 }]) {
      const { body } = await expectAnswer(shop, { send: 'POST /api/v1/products', body: { id }, status: 400 });
      assert.deepEqual(body['details'], [{ field: 'id', message: 'must be a string or an integer' }]);
    }
  });

  it('[REP-4] is referred to by an integer, in a field and in a list, by POST and PATCH', async () => {
    await using shop = await apiUnderTest(MODEL);
    for (const id of [1, 2]) await expectAnswer(shop, { send: 'POST /api/v1/products', body: { id }, status: 201 });
    const sent = { product_id: 1, product_ids: [1, '2'] };
    const { body } = await expectAnswer(shop, {
      send: 'POST /api/v1/orders',
      body: sent,
      status: 201,
      has: { product_id: '1', product_ids: ['1', '2'] },
    });
    const order = `/api/v1/orders/${body['id']}`;
    await expectAnswer(shop, {
      send: `PATCH ${order}`,
      body: { product_id: 2 },
      status: 200,
      has: { product_id: '2' },
    });
    await expectAnswer(shop, { send: 'GET /api/v1/orders?product_id=2', status: 200 });
    await expectAnswer(shop, { send: `PATCH ${order}`, body: { product_id: 9 }, status: 400 });
    await expectAnswer(shop, { send: `PATCH ${order}`, body: { count: 9 }, status: 400 });
  });
});
