import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest, column } from '../support/api-under-test.ts';
import { type Change, changes } from '../support/changes.ts';
import { create, SHOP } from '../models/shop-model.ts';

const JSON_PATCH = { 'Content-Type': 'application/json-patch+json' };

let shop: ApiUnderTest;
before(async () => {
  shop = await apiUnderTest(SHOP);
});
after(() => shop.close());

let made = 0;
/** Creates a new product. */
async function product(more: object = {}): Promise<Awaited<ReturnType<typeof create>>> {
  made += 1;
  return create(shop, 'products', { sku: `patches-${made}`, name: `Lamp ${made}`, price: '5', ...more });
}

describe('a JSON patch', () => {
  const rows: readonly Change[] = [
    [
      'adds, replaces and removes',
      { category: 'a', quantity: 1 },
      [
        { op: 'add', path: '/weight', value: 2 },
        { op: 'replace', path: '/quantity', value: 3 },
        { op: 'remove', path: '/category' },
      ],
      { weight: 2, quantity: 3, category: null },
    ],
    [
      'removes without restoring a default',
      { currency: 'USD' },
      [{ op: 'remove', path: '/currency' }],
      { currency: null },
    ],
    ['empties a list by removing it', { tags: ['a'] }, [{ op: 'remove', path: '/tags' }], { tags: [] }],
    [
      'inserts into a list, appends and removes',
      { tags: ['a', 'c'] },
      [
        { op: 'add', path: '/tags/1', value: 'b' },
        { op: 'add', path: '/tags/-', value: 'd' },
        { op: 'remove', path: '/tags/0' },
      ],
      { tags: ['b', 'c', 'd'] },
    ],
    [
      'moves and copies',
      { tags: ['a', 'b'], category: 'x' },
      [
        { op: 'move', from: '/tags/0', path: '/tags/1' },
        { op: 'copy', from: '/category', path: '/tags/-' },
      ],
      { tags: ['b', 'a', 'x'] },
    ],
    [
      'represents an unset field as null, which test can match',
      {},
      [
        { op: 'test', path: '/category', value: null },
        { op: 'replace', path: '/category', value: 'x' },
      ],
      { category: 'x' },
    ],
    [
      'tests values in the form that GET returns',
      { price: '5' },
      [
        { op: 'test', path: '/price', value: '5.00' },
        { op: 'replace', path: '/price', value: '6' },
      ],
      { price: '6.00' },
    ],
    [
      'tests members in any order and numbers by value',
      { labels: { a: '1', b: '2' }, weight: 2 },
      [
        { op: 'test', path: '/labels', value: { b: '2', a: '1' } },
        { op: 'test', path: '/weight', value: 2 },
        { op: 'add', path: '/weight', value: 3 },
      ],
      { weight: 3 },
    ],
    [
      'unescapes pointers',
      { labels: { 'a/b': '1', 'm~n': '2', '': '3' } },
      [
        { op: 'remove', path: '/labels/a~1b' },
        { op: 'replace', path: '/labels/m~0n', value: 'x' },
        { op: 'remove', path: '/labels/' },
      ],
      { labels: { 'm~n': 'x' } },
    ],
    [
      'can use the results of earlier operations',
      {},
      [
        { op: 'add', path: '/labels', value: {} },
        { op: 'add', path: '/labels/a', value: '1' },
        { op: 'copy', from: '/labels/a', path: '/labels/b' },
      ],
      { labels: { a: '1', b: '1' } },
    ],
    [
      'can read read-only members',
      {},
      [
        { op: 'copy', from: '/id', path: '/category' },
        { op: 'test', path: '/owner_id', value: null },
      ],
      {},
    ],
    [
      'unsets a member of an object',
      { size: { unit: 'mm', depth: 1 } },
      [{ op: 'remove', path: '/size/depth' }],
      { size: { unit: 'mm', depth: null } },
    ],
    [
      'ignores unknown members of an operation',
      {},
      [{ op: 'add', path: '/category', value: 'x', why: 1 }],
      { category: 'x' },
    ],
  ];
  for (const row of rows) it(`[MET-3] ${row[0]}`, () => changes(shop, row, JSON_PATCH));

  const conflicts: readonly (readonly [patch: readonly object[], operation: number])[] = [
    [[{ op: 'test', path: '/name', value: 'other' }], 0],
    [[{ op: 'test', path: '/price', value: '5' }], 0],
    [[{ op: 'test', path: '/quantity', value: '1' }], 0],
    [
      [
        { op: 'add', path: '/category', value: 'x' },
        { op: 'test', path: '/category', value: null },
      ],
      1,
    ],
    [[{ op: 'remove', path: '/nothing' }], 0],
    [[{ op: 'replace', path: '/nothing', value: 1 }], 0],
    [[{ op: 'replace', path: '/labels/a', value: 'x' }], 0],
    [[{ op: 'add', path: '/labels/a', value: 'x' }], 0],
    [[{ op: 'add', path: '/tags/2', value: 'x' }], 0],
    [[{ op: 'add', path: '/tags/01', value: 'x' }], 0],
    [[{ op: 'remove', path: '/tags/-' }], 0],
    [[{ op: 'remove', path: '/tags/1' }], 0],
    [[{ op: 'copy', from: '/nothing', path: '/category' }], 0],
    [[{ op: 'test', path: '/links', value: {} }], 0],
    [[{ op: 'test', path: '/links/self', value: 'x' }], 0],
    [[{ op: 'copy', from: '/links/self', path: '/category' }], 0],
    [[{ op: 'remove', path: '' }], 0],
  ];
  for (const [patch, operation] of conflicts) {
    it(`[MET-3] that does not apply is 409, names the operation, and changes nothing: ${JSON.stringify(patch)}`, async () => {
      const { id, body: old } = await product({ tags: ['a'], quantity: 1 });
      const send = `/api/v1/products/${id}`;
      const { body } = await shop.row({
        send: `PATCH ${send}`,
        headers: JSON_PATCH,
        body: patch,
        status: 409,
        has: { errorCode: 'PRODUCT_CONFLICT' },
      });
      assert.deepEqual(column(body['details'], 'field'), [`[${operation}]`]);
      await shop.row({ send: `GET ${send}`, status: 200, expectBody: old });
    });
  }

  const invalid: readonly (readonly [patch: unknown, fields: readonly string[]])[] = [
    [[{ op: 'replace', path: '/id', value: 'x' }], ['id']],
    [[{ op: 'remove', path: '/id' }], ['id']],
    [[{ op: 'replace', path: '/revision', value: 1 }], ['revision']],
    [[{ op: 'add', path: '/created_at', value: 'x' }], ['created_at']],
    [[{ op: 'add', path: '/links', value: {} }], ['links']],
    [[{ op: 'remove', path: '/links' }], ['links']],
    [[{ op: 'add', path: '/links/self', value: 'x' }], ['links']],
    [[{ op: 'replace', path: '/owner_id', value: 'me' }], ['owner_id']],
    [[{ op: 'move', from: '/owner_id', path: '/category' }], ['owner_id']],
    [[{ op: 'move', from: '/category', path: '/updated_at' }], ['updated_at']],
    [[{ op: 'copy', from: '/category', path: '/id' }], ['id']],
    [[{ op: 'add', path: '/colour', value: 'red' }], ['colour']],
    [[{ op: 'remove', path: '/name' }], ['name']],
    [[{ op: 'add', path: '/quantity', value: 1.5 }], ['quantity']],
    [[{ op: 'add', path: '/size', value: { depth: 1 } }], ['size.unit']],
    [[{ op: 'replace', path: '/sku', value: 'another' }], ['sku']],
    [[{ op: 'remove', path: '/sku' }], ['sku']],
    [[{ op: 'replace', path: '', value: 7 }], ['body']],
    [[{ op: 'dance', path: '/name' }], ['[0].op']],
    [[{ op: 'add', path: 'name', value: 1 }], ['[0].path']],
    [[{ op: 'add', path: '/a~2', value: 1 }], ['[0].path']],
    [[{ op: 'add', path: '/name' }], ['[0].value']],
    [[{ op: 'copy', path: '/name' }], ['[0].from']],
    [
      [7, { path: '/name' }],
      ['[0]', '[1].op'],
    ],
    [{ op: 'add', path: '/name', value: 'x' }, ['body']],
  ];
  for (const [patch, fields] of invalid) {
    it(`[MET-3] that is invalid for any product is 400 with the error: ${JSON.stringify(patch)}`, async () => {
      const { id, body: old } = await product({ category: 'x' });
      const send = `/api/v1/products/${id}`;
      const { body } = await shop.row({
        send: `PATCH ${send}`,
        headers: JSON_PATCH,
        body: JSON.stringify(patch),
        status: 400,
        has: { errorCode: 'PRODUCT_INVALID' },
      });
      assert.deepEqual([...new Set(column(body['details'], 'field'))].toSorted(), fields);
      await shop.row({ send: `GET ${send}`, status: 200, expectBody: old });
    });
  }

  it('[MET-3] is all or nothing: operations before a failed one are undone', async () => {
    const { id, body: old } = await product({ tags: ['a'] });
    const send = `/api/v1/products/${id}`;
    const fits = { op: 'add', path: '/tags/-', value: 'b' };
    for (const bad of [
      { op: 'test', path: '/tags/1', value: 'x' },
      { op: 'replace', path: '/id', value: 'x' },
      { op: 'remove', path: '/name' },
    ]) {
      const { status } = await shop.send({ send: `PATCH ${send}`, headers: JSON_PATCH, body: [fits, bad] });
      assert.ok(status === 409 || status === 400, String(status));
      await shop.row({ send: `GET ${send}`, status: 200, expectBody: old });
    }
  });

  it('[MET-3] may replace the whole document if read-only members stay the same', async () => {
    const { id, body: old } = await product({ category: 'x' });
    const { links, ...value } = old;
    await shop.row({
      send: `PATCH /api/v1/products/${id}`,
      headers: JSON_PATCH,
      body: [{ op: 'replace', path: '', value: { ...value, category: 'y' } }],
      status: 200,
      has: { category: 'y', links },
      events: ['product.updated'],
    });
    await shop.row({
      send: `PATCH /api/v1/products/${id}`,
      headers: JSON_PATCH,
      body: [{ op: 'replace', path: '', value: { ...value, id: 'x', revision: 1, owner_id: 'me' } }],
      status: 400,
      has: { errorCode: 'PRODUCT_INVALID' },
    });
  });

  it('[MET-3] is checked for state transitions and references like any write', async () => {
    const { id } = await product();
    const send = `PATCH /api/v1/products/${id}`;
    const replace = (path: string, value: unknown) => [{ op: 'replace', path, value }];
    await shop.row({ send, headers: JSON_PATCH, body: replace('/status', 'CLOSED'), status: 409 });
    const dangling = await shop.row({
      send,
      headers: JSON_PATCH,
      body: [...replace('/supplier_id', 'missing'), { op: 'add', path: '/related_ids/-', value: 'missing' }],
      status: 400,
    });
    assert.deepEqual(column(dangling.body['details'], 'field'), ['supplier_id', 'related_ids[0]']);
  });
});
