import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest, type ExchangeRow } from '../support/api-under-test.ts';
import { NOTES } from '../support/raced-notes.ts';
import { create, parseIds, SHOP } from '../models/shop-model.ts';

const JSON_PATCH = { 'Content-Type': 'application/json-patch+json' };

type Request = Pick<ExchangeRow, 'send' | 'headers' | 'body'>;

/** The sorted statuses of concurrent requests. */
async function together(api: ApiUnderTest, requests: readonly Request[]): Promise<readonly number[]> {
  const seen = await Promise.all(requests.map((request) => api.send(request)));
  return seen.map(({ status }) => status).toSorted((a, b) => a - b);
}

const times = <T>(count: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => make(index));

describe('concurrent requests', () => {
  it('[CACHE-3] with one ETag: the first succeeds, the others get 412', async () => {
    await using shop = await apiUnderTest(SHOP);
    const { headers } = await create(shop, 'notes', { id: 'a' });
    const tag = { 'If-Match': headers.get('etag') ?? '' };
    const patches = times(8, (index) => ({ send: 'PATCH /api/v1/notes/a', headers: tag, body: { text: `${index}` } }));
    assert.deepEqual(await together(shop, patches), [200, ...times(7, () => 412)]);
    assert.equal((await shop.newEvents()).length, 1);
  });

  it('[CACHE-3] with the ETag of a collection: the first creates, the others get 412', async () => {
    await using shop = await apiUnderTest(SHOP);
    const { headers } = await shop.send({ send: 'GET /api/v1/notes' });
    const tag = { 'If-Match': headers.get('etag') ?? '' };
    const posts = times(8, (index) => ({ send: 'POST /api/v1/notes', headers: tag, body: { id: `${index}` } }));
    assert.deepEqual(await together(shop, posts), [201, ...times(7, () => 412)]);
    assert.equal((await shop.newEvents()).length, 1);
  });

  it('[MET-3] without an ETag: each applies to the result of the previous one, none is lost', async () => {
    await using desk = await apiUnderTest(NOTES);
    await create(desk, 'notes', { id: 'a' });
    const add = (value: string) => [{ op: 'add', path: '/list/-', value }];
    const send = 'PATCH /api/v1/notes/a';
    const patches = times(20, (index) => ({ send, headers: JSON_PATCH, body: add(`${index}`) }));
    assert.deepEqual(
      await together(desk, patches),
      times(20, () => 200),
    );
    const { body } = await desk.send({ send: 'GET /api/v1/notes/a' });
    assert.equal(new Set(body['list']).size, 20);
    const revisions = (await desk.newEvents()).length;
    assert.equal(revisions, 20);
  });

  it('[MET-3] merge patches of different members are combined', async () => {
    await using shop = await apiUnderTest(SHOP);
    const { id } = await create(shop, 'products', { sku: 'a', name: 'A', price: '1' });
    const patches = times(16, (index) => ({
      send: `PATCH /api/v1/products/${id}`,
      body: { labels: { [`k${index}`]: 'x' } },
    }));
    assert.deepEqual(
      await together(shop, patches),
      times(16, () => 200),
    );
    const { body } = await shop.send({ send: `GET /api/v1/products/${id}` });
    assert.equal(Object.keys(body['labels']).length, 16);
  });

  it('[MET-11] a state transition happens once; repeated requests find the new state', async () => {
    await using desk = await apiUnderTest(NOTES);
    await create(desk, 'notes', { id: 'a' });
    const patches = times(4, () => ({ send: 'PATCH /api/v1/notes/a', body: { phase: 'OPEN' } }));
    assert.deepEqual(await together(desk, patches), [200, 200, 200, 200]);
    assert.equal((await desk.newEvents()).length, 1);
  });

  it('[MET-1] 32 creates make 32 resources, 32 events, ids in order, and a total of 32', async () => {
    await using shop = await apiUnderTest(SHOP);
    const posts = times(32, (index) => ({ send: 'POST /api/v1/suppliers', body: { name: `${index}` } }));
    assert.deepEqual(
      await together(shop, posts),
      times(32, () => 201),
    );
    const { body } = await shop.send({ send: 'GET /api/v1/suppliers?page=1&limit=100' });
    assert.equal(body['page']['total_count'], 32);
    const revisions = body['data'].map((row: { revision: number }) => row.revision);
    assert.equal(new Set(revisions).size, 32, '[REP-8]');
    const sequences = (await shop.newEvents()).map(({ metadata }) => Number(metadata.sequence));
    assert.deepEqual(
      sequences,
      times(32, (index) => index + 1),
      '[EVT-3b] no gap, no repetition',
    );
  });

  it('[MET-10] 32 creates of one id or one unique value make one', async () => {
    await using desk = await apiUnderTest(NOTES);
    const one = times(32, () => ({ send: 'POST /api/v1/notes', body: { id: 'same' } }));
    assert.deepEqual(await together(desk, one), [201, ...times(31, () => 409)]);
    const code = times(32, (index) => ({ send: 'POST /api/v1/notes', body: { id: `n${index}`, code: 'same' } }));
    assert.deepEqual(await together(desk, code), [201, ...times(31, () => 409)]);
    assert.equal((await desk.newEvents()).length, 2);
  });

  it('[MET-2] 8 PUTs to a new id create once and replace after that', async () => {
    await using shop = await apiUnderTest(SHOP);
    const puts = times(8, (index) => ({ send: 'PUT /api/v1/notes/a', body: { text: `${index}` } }));
    assert.deepEqual(await together(shop, puts), [...times(7, () => 200), 201]);
    const types = (await shop.newEvents()).map(({ type }) => type);
    assert.deepEqual(types, ['note.created', ...times(7, () => 'note.updated')]);
  });

  it('[CACHE-3] of 8 PUTs with If-None-Match: *, one creates', async () => {
    await using shop = await apiUnderTest(SHOP);
    const headers = { 'If-None-Match': '*' };
    const puts = times(8, (index) => ({ send: 'PUT /api/v1/notes/a', headers, body: { text: `${index}` } }));
    assert.deepEqual(await together(shop, puts), [201, ...times(7, () => 412)]);
  });

  it('[MET-4a] of 8 deletes, one succeeds and the others return 404', async () => {
    await using shop = await apiUnderTest(SHOP);
    await create(shop, 'notes', { id: 'a' });
    assert.deepEqual(
      await together(
        shop,
        times(8, () => ({ send: 'DELETE /api/v1/notes/a' })),
      ),
      [204, ...times(7, () => 404)],
    );
    assert.deepEqual(
      (await shop.newEvents()).map(({ type }) => type),
      ['note.deleted'],
    );
  });

  it('[MET-4c] a delete and concurrent references to its row leave no dangling reference', async () => {
    await using desk = await apiUnderTest(NOTES);
    await create(desk, 'notes', { id: 'a' });
    const posts = times(6, (index) => ({ send: 'POST /api/v1/taken', body: { id: `${index}`, note_id: 'a' } }));
    await together(desk, [...posts.slice(0, 3), { send: 'DELETE /api/v1/notes/a' }, ...posts.slice(3)]);
    const gone = (await desk.send({ send: 'GET /api/v1/notes/a' })).status === 404;
    const left = parseIds(await desk.send({ send: 'GET /api/v1/taken' }));
    assert.ok(gone ? left.length === 0 : left.length === 6, `${left.length} left`);
  });

  it('[CACHE-3] a rejected write does not affect the others', async () => {
    await using desk = await apiUnderTest(NOTES);
    await create(desk, 'notes', { id: 'taken', code: 'x' });
    const bodies = times(10, (index) => ({ id: `n${index}`, ...(index % 3 === 0 ? { code: 'x' } : {}) }));
    const requests = bodies.map((body) => ({ send: 'POST /api/v1/notes', body }));
    assert.deepEqual(await together(desk, requests), [...times(6, () => 201), ...times(4, () => 409)]);
    const { body } = await desk.send({ send: 'GET /api/v1/notes?page=1' });
    assert.equal(body['page']['total_count'], 7);
  });
});
