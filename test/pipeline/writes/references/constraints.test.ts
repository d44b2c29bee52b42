import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest, column } from '../../support/api-under-test.ts';
import { create, LAMP, SHOP } from '../../models/shop-model.ts';

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
  return create(shop, 'products', { sku: `constraints-${made}`, name: `Lamp ${made}`, price: '5', ...more });
}

describe('a unique constraint', () => {
  const taken = (...fields: string[]) => fields.map((field) => ({ field, message: 'is taken' }));

  for (const method of ['POST', 'PUT', 'PATCH']) {
    it(`[MET-10] is 409 for ${method}, with the duplicate fields and no database details`, async () => {
      await using api = await apiUnderTest(SHOP);
      const { id: maker } = await create(api, 'suppliers', { name: 'S' });
      await create(api, 'products', { ...LAMP, supplier_id: maker });
      const { id } = await create(api, 'products', { ...LAMP, sku: 'other', name: 'Chair', supplier_id: maker });
      const path = method === 'POST' ? '' : `/${id}`;
      const sku = method === 'POST' ? 'third' : 'other';
      const { text } = await api.row({
        send: `${method} /api/v1/products${path}`,
        body: { ...LAMP, sku, supplier_id: maker },
        status: 409,
        has: { errorCode: 'PRODUCT_ALREADY_EXISTS', details: taken('supplier_id', 'name') },
      });
      assert.doesNotMatch(text, /unique|index|constraint|sqlite/i);
    });
  }

  it('[MET-10] ignores rows without a value', async () => {
    await using api = await apiUnderTest(SHOP);
    await create(api, 'products', { ...LAMP, sku: 'a' });
    await create(api, 'products', { ...LAMP, sku: 'b' });
  });

  it('[MET-10] compares text by its bytes', async () => {
    await using api = await apiUnderTest(SHOP);
    for (const sku of ['lamp', 'Lamp', 'lamp ', 'l\u00e5mp', 'la\u030amp'])
      await create(api, 'products', { ...LAMP, sku });
  });

  it('[MET-10] allows a value again after its row is deleted or changed', async () => {
    await using api = await apiUnderTest(SHOP);
    const { id: maker } = await create(api, 'suppliers', { name: 'S' });
    const { id } = await create(api, 'products', { ...LAMP, supplier_id: maker });
    await api.row({
      send: `PATCH /api/v1/products/${id}`,
      body: { name: 'X' },
      status: 200,
      events: ['product.updated'],
    });
    const again = { ...LAMP, sku: 'second', supplier_id: maker };
    const { id: second } = await create(api, 'products', again);
    await api.row({ send: `DELETE /api/v1/products/${second}`, status: 204, events: ['product.deleted'] });
    await create(api, 'products', again);
  });
});

describe('a reference', () => {
  const nothing = 'refers to nothing; send the id of a resource that exists';

  for (const method of ['POST', 'PUT', 'PATCH']) {
    it(`[MET-10] to a missing row is 400 with its field for ${method}, array items with their index`, async () => {
      const [{ id }, { id: other }] = [await product(), await product()];
      await shop.row({
        send: `${method} /api/v1/products${method === 'POST' ? '' : `/${id}`}`,
        body: {
          ...(method === 'POST' ? { sku: 'dangling' } : {}),
          name: 'X',
          price: '1',
          supplier_id: 'missing',
          related_ids: [other, 'missing', supplier],
        },
        status: 400,
        has: {
          errorCode: 'PRODUCT_INVALID',
          details: ['supplier_id', 'related_ids[1]', 'related_ids[2]'].map((field) => ({ field, message: nothing })),
        },
      });
    });
  }

  it('[MET-10] to a missing row is reported together with the other errors of the body', async () => {
    const { body } = await shop.row({
      send: 'POST /api/v1/products',
      body: { ...LAMP, sku: '', related_ids: ['missing'], supplier_id: 'missing', colour: 1 },
      status: 400,
    });
    assert.deepEqual(column(body['details'], 'field').toSorted(), ['colour', 'related_ids[0]', 'sku', 'supplier_id']);
  });

  it('[MET-10] to the row itself is allowed if its id is known', async () => {
    await using api = await apiUnderTest(`
name: tree
version: 1.0.0
resources:
  nodes:
    id: client
    schema:
      type: object
      properties:
        head_id: { type: string, x-references: nodes }
        next_ids: { type: array, items: { type: string, x-references: nodes } }
`);
    await create(api, 'nodes', { id: 'post', head_id: 'post', next_ids: ['post'] });
    const body = { head_id: 'put', next_ids: ['put', 'post'] };
    await api.row({ send: 'PUT /api/v1/nodes/put', body, status: 201, has: body, events: ['node.created'] });
    const { body: error } = await api.row({
      send: 'POST /api/v1/nodes',
      body: { id: 'bad', head_id: 'bad', next_ids: 1 },
      status: 400,
    });
    assert.deepEqual(column(error['details'], 'field'), ['next_ids']);
  });
});
