import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { temporaryDirectory } from '../../temporary-directory.ts';
import { Database } from '../../stores/sqlite/driver-under-test.ts';
import { type ApiUnderTest, apiUnderTest } from '../support/api-under-test.ts';
import { as, callerTokens, type TestCaller } from '../support/caller-tokens.ts';

const DAY = 24 * 60 * 60_000;

const SHOP = `
name: shop
resources:
  products:
    id: client
    schema: { type: object, properties: { name: { type: string } } }
    tombstones: 30d
  reviews:
    id: client
    parent: products
    on_parent_delete: cascade
    schema: { type: object, properties: { text: { type: string } } }
    tombstones: 10d
  orders:
    schema: { type: object, properties: { text: { type: string } } }
    tombstones: 30d
  notes:
    id: client
    schema: { type: object, properties: { text: { type: string } } }
`;

/** The status of a request, and the code of its error. */
async function answer(api: ApiUnderTest, send: string, caller?: TestCaller, body?: unknown): Promise<string> {
  const headers = caller === undefined ? {} : as(caller);
  const got = await api.send({ send, headers, ...(body === undefined ? {} : { body }) });
  return [got.status, ...(got.status >= 400 ? [got.body.errorCode] : [])].join(' ');
}

describe('a deleted row', () => {
  it('[MET-4b] is 410 while its tombstone lasts, then 404', async () => {
    await using api = await apiUnderTest(SHOP);
    const { body } = await api.send({ send: 'POST /api/v1/orders', body: {} });
    const path = `/api/v1/orders/${body.id}`;
    await api.newEvents();
    await api.row({ send: `DELETE ${path}`, status: 204, events: ['order.deleted'] });
    const gone = { status: 410, has: { errorCode: 'ORDER_GONE' }, expectHeaders: { 'cache-control': 'no-store' } };
    await api.row({ send: `DELETE ${path}`, ...gone });
    await api.row({ send: `GET ${path}`, ...gone });
    await api.row({ send: `PATCH ${path}`, body: { text: 'x' }, ...gone });
    await api.row({ send: `PUT ${path}`, body: { text: 'x' }, ...gone });
    await api.row({ send: `HEAD ${path}`, status: 410 });
    assert.equal(await answer(api, 'GET /api/v1/orders/0197e9a4-0000-7000-8000-000000000000'), '404 ORDER_NOT_FOUND');
    api.clock.advance(30 * DAY - 1);
    assert.equal(await answer(api, `GET ${path}`), '410 ORDER_GONE');
    api.clock.advance(1);
    assert.equal(await answer(api, `GET ${path}`), '404 ORDER_NOT_FOUND');
  });

  it('[MET-4b] is 404 where the model declares no tombstones, and after a dry run there is none', async () => {
    await using api = await apiUnderTest(SHOP);
    for (const path of ['notes/a', 'products/a']) await api.send({ send: `PUT /api/v1/${path}`, body: {} });
    await api.send({ send: 'DELETE /api/v1/notes/a' });
    assert.equal(await answer(api, 'GET /api/v1/notes/a'), '404 NOTE_NOT_FOUND');
    const dry = await api.send({ send: 'DELETE /api/v1/products/a?dry_run=true' });
    assert.equal(dry.status, 200);
    assert.equal(await answer(api, 'GET /api/v1/products/a'), '200');
  });

  it('[MET-4b] [MET-2] leaves its id free: what is created with it is there', async () => {
    await using api = await apiUnderTest(SHOP);
    for (const create of ['PUT /api/v1/products/a', 'POST /api/v1/products']) {
      assert.equal(await answer(api, create, undefined, { id: 'a' }), '201');
      assert.equal(await answer(api, 'GET /api/v1/products/a'), '200');
      assert.equal(await answer(api, 'DELETE /api/v1/products/a'), '204');
      assert.equal(await answer(api, 'PATCH /api/v1/products/a', undefined, {}), '410 PRODUCT_GONE');
    }
  });

  it('[MET-4b] [URL-7] is gone below its parent alone, and what was below it is below what is gone', async () => {
    await using api = await apiUnderTest(SHOP);
    for (const path of ['products/a', 'products/b', 'products/a/reviews/x', 'products/b/reviews/x'])
      await api.send({ send: `PUT /api/v1/${path}`, body: {} });
    await api.send({ send: 'DELETE /api/v1/products/a/reviews/x' });
    assert.equal(await answer(api, 'GET /api/v1/products/a/reviews/x'), '410 REVIEW_GONE');
    assert.equal(await answer(api, 'GET /api/v1/products/b/reviews/x'), '200');
    assert.equal(await answer(api, 'GET /api/v1/products/b/reviews/y'), '404 REVIEW_NOT_FOUND');
    await api.send({ send: 'DELETE /api/v1/products/b' });
    for (const path of ['products/b/reviews/x', 'products/b/reviews'])
      assert.equal(await answer(api, `GET /api/v1/${path}`), '410 PRODUCT_GONE');
    assert.equal(await answer(api, 'PUT /api/v1/products/b/reviews/x', undefined, {}), '410 PRODUCT_GONE');
    await api.send({ send: 'PUT /api/v1/products/b', body: {} });
    assert.equal(await answer(api, 'GET /api/v1/products/b/reviews/x'), '410 REVIEW_GONE');
    api.clock.advance(10 * DAY);
    assert.equal(await answer(api, 'GET /api/v1/products/b/reviews/x'), '404 REVIEW_NOT_FOUND');
  });

  it('[MET-4b] [MET-13] is gone within the batch that deletes it, and not after one that fails', async () => {
    await using api = await apiUnderTest(SHOP);
    await api.send({ send: 'PUT /api/v1/products/a', body: {} });
    const twice = ['a', 'b'].map(() => ({ method: 'DELETE', path: '/products/a' }));
    const failed = await api.send({ send: 'POST /api/v1/batches', body: { atomic: true, operations: twice } });
    assert.match(failed.text, /PRODUCT_GONE/);
    assert.equal(await answer(api, 'GET /api/v1/products/a'), '200');
  });

  it('[MET-4b] [VER-5a] is gone in the words of an older version', async () => {
    await using api = await apiUnderTest(`${SHOP}
version: 2.0.0
default_version: 1
versions:
  1.0.0: { changes: [{ resource: products, collection: articles, singular: article, rename: { title: name } }] }
`);
    await api.send({ send: 'PUT /api/v1/articles/a', body: { title: 'x' } });
    assert.equal(await answer(api, 'DELETE /api/v1/articles/a'), '204');
    assert.equal(await answer(api, 'GET /api/v1/articles/a'), '410 ARTICLE_GONE');
    assert.equal(await answer(api, 'GET /api/v2/products/a'), '410 PRODUCT_GONE');
    assert.equal(await answer(api, 'PATCH /api/v1/articles/a', undefined, {}), '410 ARTICLE_GONE');
  });

  it('[MET-4b] leaves nothing once its tombstone has expired', async (context) => {
    const database = `${temporaryDirectory(context)}/shop.db`;
    await using api = await apiUnderTest(SHOP, { database });
    const deleteRow = async (path: string): Promise<void> => {
      await api.send({ send: `PUT /api/v1/${path}`, body: { name: 'x' } });
      await api.send({ send: `DELETE /api/v1/${path}` });
    };
    await deleteRow('products/a');
    api.clock.advance(31 * DAY);
    await deleteRow('products/b');
    await api.close();
    const file = new Database(database, { readonly: true });
    const stored = file.prepare('select path, row from restwright_tombstones').all();
    file.close();
    // A tombstone stores only the values that a policy compares; here there are none.
    assert.deepEqual(stored, [{ path: '["b"]', row: '{}' }]);
  });
});

const DESK = `
name: desk
auth: { issuers: [{ name: test, issuer: https://id.example.com, audience: desk, hs256_secret: 0123456789abcdef0123456789abcdef }] }
limits: { rate: false }
resources:
  notes:
    id: client
    schema: { type: object, properties: { text: { type: string }, owner_id: { type: string, readOnly: true } } }
    access: { read: authenticated, write: authenticated, owner: { field: owner_id, bypass: notes:admin } }
    tombstones: 30d
  projects:
    id: client
    schema: { type: object, properties: { tenant: { type: string } } }
    access: { read: authenticated, write: authenticated, rows: { read: { tenant: $caller.claims.tenant } } }
    tombstones: 30d
  reports:
    id: client
    schema: { type: object, properties: { source_id: { type: string, x-references: projects } } }
    access: { read: authenticated, write: authenticated, rows: { read: { source.tenant: $caller.claims.tenant } } }
    tombstones: 30d
  tasks:
    id: client
    parent: projects
    schema: { type: object, properties: { text: { type: string } } }
    access: { read: authenticated, write: authenticated }
    tombstones: 30d
`;

describe('a row that was deleted, for callers with policies', () => {
  const ann: TestCaller = { subject: 'ann', claims: { tenant: 'red' } };
  const bob: TestCaller = { subject: 'bob', claims: { tenant: 'blue' } };

  it('[MET-4b] [AUTH-5a] is 410 for those who saw it, and 404 for others', async () => {
    await using api = await apiUnderTest(DESK, { tokens: callerTokens() });
    assert.equal(await answer(api, 'PUT /api/v1/notes/a', ann, {}), '201');
    assert.equal(await answer(api, 'PUT /api/v1/projects/p', ann, { tenant: 'red' }), '201');
    assert.equal(await answer(api, 'PUT /api/v1/projects/p/tasks/t', ann, {}), '201');
    for (const path of ['notes/a', 'projects/p/tasks/t'])
      assert.equal(await answer(api, `DELETE /api/v1/${path}`, ann), '204');
    const admin: TestCaller = { subject: 'root', scopes: ['notes:admin'] };
    const rows: readonly (readonly [caller: TestCaller, path: string, expected: string])[] = [
      [ann, 'notes/a', '410 NOTE_GONE'],
      [admin, 'notes/a', '410 NOTE_GONE'],
      [bob, 'notes/a', '404 NOTE_NOT_FOUND'],
      [ann, 'projects/p/tasks/t', '410 TASK_GONE'],
      [bob, 'projects/p/tasks/t', '404 PROJECT_NOT_FOUND'],
    ];
    for (const [caller, path, expected] of rows) {
      for (const method of ['GET', 'DELETE'])
        assert.equal(await answer(api, `${method} /api/v1/${path}`, caller), expected, `${caller.subject} ${path}`);
    }
    assert.equal(await answer(api, 'DELETE /api/v1/projects/p', ann), '204');
    assert.equal(await answer(api, 'GET /api/v1/projects/p/tasks/t', ann), '410 PROJECT_GONE');
    assert.equal(await answer(api, 'GET /api/v1/projects/p/tasks/t', bob), '404 PROJECT_NOT_FOUND');
  });

  it('[MET-4b] [AUTH-5a] is 410 by what the rows that it referred to held then', async () => {
    await using api = await apiUnderTest(DESK, { tokens: callerTokens() });
    await answer(api, 'PUT /api/v1/projects/p', ann, { tenant: 'red' });
    await answer(api, 'PUT /api/v1/reports/r', ann, { source_id: 'p' });
    assert.equal(await answer(api, 'DELETE /api/v1/reports/r', ann), '204');
    assert.equal(await answer(api, 'DELETE /api/v1/projects/p', ann), '204');
    assert.equal(await answer(api, 'GET /api/v1/reports/r', ann), '410 REPORT_GONE');
    assert.equal(await answer(api, 'GET /api/v1/reports/r', bob), '404 REPORT_NOT_FOUND');
  });

  it('[MET-4b] [AUTH-5a] is 404 where its id is hidden by a new row', async () => {
    await using api = await apiUnderTest(DESK, { tokens: callerTokens() });
    await answer(api, 'PUT /api/v1/notes/a', ann, {});
    assert.equal(await answer(api, 'DELETE /api/v1/notes/a', ann), '204');
    assert.equal(await answer(api, 'PUT /api/v1/notes/a', bob, {}), '201');
    assert.equal(await answer(api, 'GET /api/v1/notes/a', ann), '404 NOTE_NOT_FOUND');
  });
});
