import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest, type ExchangeRow } from '../support/api-under-test.ts';
import { create, LAMP, SHOP } from '../models/shop-model.ts';

/** A shop with a supplier `S`, its product `P` with a review, and a note `n`, as named in paths. */
async function stocked(): Promise<{ shop: ApiUnderTest; at: (path: string) => string }> {
  const shop = await apiUnderTest(SHOP);
  const supplier = await create(shop, 'suppliers', { name: 'S' });
  const product = await create(shop, 'products', { ...LAMP, supplier_id: supplier.id });
  await create(shop, `products/${product.id}/reviews`, { stars: 1 });
  await create(shop, 'notes', { id: 'n' });
  return { shop, at: (path) => path.replace('{P}', product.id).replace('{S}', supplier.id) };
}

/** All readable resources, byte for byte. */
async function everything({ shop, at }: Awaited<ReturnType<typeof stocked>>): Promise<readonly string[]> {
  const paths = ['/suppliers', '/products', '/products/{P}/reviews', '/notes', '/products?include_total=true'];
  return Promise.all(paths.map(async (path) => (await shop.send({ send: `GET /api/v1${at(path)}` })).text));
}

const tried: readonly (readonly [
  title: string,
  row: Pick<ExchangeRow, 'send' | 'body' | 'headers'>,
  has: Record<string, unknown>,
])[] = [
  ['POST', { send: 'POST /api/v1/suppliers?dry_run=true', body: { name: 'New' } }, { name: 'New' }],
  [
    'PUT of an existing row',
    { send: 'PUT /api/v1/products/{P}?dry_run=true', body: { ...LAMP, name: 'New' } },
    { name: 'New' },
  ],
  ['PUT of a new row', { send: 'PUT /api/v1/notes/m?dry_run=true', body: { text: 'x' } }, { id: 'm', text: 'x' }],
  ['PATCH', { send: 'PATCH /api/v1/products/{P}?dry_run=true', body: { category: 'x' } }, { category: 'x' }],
  ['PATCH that changes nothing', { send: 'PATCH /api/v1/products/{P}?dry_run=true', body: {} }, { sku: 'lamp' }],
  [
    'a JSON patch',
    {
      send: 'PATCH /api/v1/products/{P}?dry_run=true',
      headers: { 'Content-Type': 'application/json-patch+json' },
      body: [{ op: 'add', path: '/tags/-', value: 't' }],
    },
    { tags: ['t'] },
  ],
  ['DELETE with children', { send: 'DELETE /api/v1/products/{P}?dry_run=true' }, { sku: 'lamp' }],
  [
    'a write with return=minimal, which is ignored,',
    { send: 'PATCH /api/v1/products/{P}?dry_run=true', headers: { Prefer: 'return=minimal' }, body: {} },
    { sku: 'lamp' },
  ],
];

describe('a dry run', () => {
  for (const [title, row, has] of tried) {
    it(`[MET-14] of ${title} returns 200 with the result, and stores and publishes nothing`, async () => {
      const stock = await stocked();
      await using shop = stock.shop;
      const before = await everything(stock);
      const answer = await shop.row({
        ...row,
        send: stock.at(row.send),
        status: 200,
        has,
        expectHeaders: {
          'Dry-Run': 'true',
          Location: null,
          'Content-Location': null,
          ETag: null,
          'Cache-Control': 'no-store',
          'Content-Type': 'application/json',
        },
        events: [],
      });
      assert.ok(answer.body['id'].length > 0);
      assert.deepEqual(await everything(stock), before);
    });
  }

  const refused: readonly (readonly [
    title: string,
    row: Pick<ExchangeRow, 'send' | 'body' | 'headers'>,
    status: number,
    code: string,
  ])[] = [
    ['an invalid body', { send: 'POST /api/v1/suppliers?dry_run=true', body: {} }, 400, 'SUPPLIER_INVALID'],
    [
      'a missing reference',
      { send: 'POST /api/v1/products?dry_run=true', body: { ...LAMP, sku: 'x', supplier_id: 'none' } },
      400,
      'PRODUCT_INVALID',
    ],
    [
      'a duplicate value',
      { send: 'POST /api/v1/products?dry_run=true', body: { ...LAMP, name: 'Other' } },
      409,
      'PRODUCT_ALREADY_EXISTS',
    ],
    ['a missing row', { send: 'PATCH /api/v1/notes/m?dry_run=true', body: {} }, 404, 'NOTE_NOT_FOUND'],
    [
      'a stale ETag',
      { send: 'DELETE /api/v1/notes/n?dry_run=true', headers: { 'If-Match': '"0"' } },
      412,
      'NOTE_PRECONDITION_FAILED',
    ],
    ['dependents', { send: 'DELETE /api/v1/suppliers/{S}?dry_run=true' }, 409, 'SUPPLIER_HAS_DEPENDENTS'],
    [
      'an undeclared state transition',
      { send: 'PATCH /api/v1/products/{P}?dry_run=true', body: { status: 'CLOSED' } },
      409,
      'PRODUCT_CONFLICT',
    ],
    [
      'another value',
      { send: 'POST /api/v1/suppliers?dry_run=1', body: { name: 'New' } },
      400,
      'REQUEST_PARAMETER_INVALID',
    ],
  ];
  for (const [title, row, status, code] of refused) {
    it(`[MET-14] is rejected for ${title}, like the write`, async () => {
      const stock = await stocked();
      await using shop = stock.shop;
      await shop.row({ ...row, send: stock.at(row.send), status, has: { errorCode: code } });
    });
  }

  it('[MET-14] is not a parameter of reads', async () => {
    await using shop = await apiUnderTest(SHOP);
    await shop.row({
      send: 'GET /api/v1/notes?dry_run=true',
      status: 400,
      has: { errorCode: 'REQUEST_PARAMETER_UNKNOWN' },
    });
  });

  it('[MET-14] with dry_run=false is a normal write', async () => {
    await using shop = await apiUnderTest(SHOP);
    await shop.row({
      send: 'POST /api/v1/notes?dry_run=false',
      body: { id: 'a' },
      status: 201,
      events: ['note.created'],
    });
  });

  it('[REP-8] assigns no revision: the next one is greater than the last', async () => {
    await using shop = await apiUnderTest(SHOP);
    const first = await create(shop, 'notes', { id: 'a' });
    await shop.row({ send: 'POST /api/v1/notes?dry_run=true', body: { id: 'b' }, status: 200 });
    const second = await create(shop, 'notes', { id: 'b' });
    assert.ok(second.body['revision'] > first.body['revision']);
    const { body } = await shop.send({ send: 'GET /api/v1/notes/a' });
    assert.equal(body.revision, first.body['revision']);
  });
});
