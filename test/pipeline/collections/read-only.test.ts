import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest, type ExchangeRow } from '../support/api-under-test.ts';

const MODEL = `
name: shop
resources:
  prices:
    id: client
    read_only: true
    schema: { type: object, properties: { value: { type: number } } }
  notes:
    id: client
    schema: { type: object, properties: { text: { type: string } } }
`;
const COLLECTION = 'GET, HEAD, QUERY, OPTIONS';
const ITEM = 'GET, HEAD, OPTIONS';

async function open(): Promise<ApiUnderTest> {
  const api = await apiUnderTest(MODEL);
  const { kind } = await api.api.importRows('prices', [{ id: 'eur', value: 1 }]);
  assert.equal(kind, 'stored');
  await api.newEvents();
  return api;
}

const REFUSED: readonly (readonly [send: string, headers: Readonly<Record<string, string>>, allow: string])[] = [
  ['POST /api/v1/prices', {}, COLLECTION],
  ['POST /api/v1/prices', { 'Content-Type': 'application/x-ndjson' }, COLLECTION],
  ['POST /api/v1/prices?dry_run=true', {}, COLLECTION],
  ['PUT /api/v1/prices/eur', {}, ITEM],
  ['PATCH /api/v1/prices/eur', { 'Content-Type': 'application/merge-patch+json' }, ITEM],
  ['DELETE /api/v1/prices/eur', {}, ITEM],
];

const ROWS: readonly ExchangeRow[] = [
  { send: 'GET /api/v1/prices/eur', status: 200, has: { id: 'eur', value: 1 } },
  { send: 'HEAD /api/v1/prices', status: 200 },
  {
    send: 'QUERY /api/v1/prices',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: 'value=1',
    status: 200,
  },
  {
    send: 'OPTIONS /api/v1/prices',
    status: 204,
    expectHeaders: { Allow: COLLECTION, 'Accept-Post': null, 'Accept-Query': /urlencoded/ },
  },
  { send: 'OPTIONS /api/v1/prices/eur', status: 204, expectHeaders: { Allow: ITEM, 'Accept-Patch': null } },
  {
    send: 'OPTIONS /api/v1/prices',
    headers: { Origin: 'https://app.example.com', 'Access-Control-Request-Method': 'POST' },
    status: 204,
    expectHeaders: { Allow: COLLECTION },
  },
];

describe('a read-only resource', () => {
  it('[MET-6] refuses every write with 405 and the methods that it has, and changes nothing', async () => {
    await using api = await open();
    for (const [send, headers, Allow] of REFUSED) {
      await api.row({
        send,
        headers,
        ...(send.startsWith('DELETE') ? {} : { body: { id: 'usd', value: 2 } }),
        status: 405,
        expectHeaders: { Allow },
        has: { errorCode: 'REQUEST_METHOD_NOT_ALLOWED' },
      });
    }
    await api.row({ send: 'GET /api/v1/prices/eur', status: 200, has: { value: 1, revision: 1 } });
  });

  it('[MET-5] is read as any other, and OPTIONS lists the methods that read', async () => {
    await using api = await open();
    for (const row of ROWS) await api.row(row);
  });

  it('[MET-13] refuses an operation of a batch, and with it all operations of an atomic one', async () => {
    await using api = await open();
    const operations = [
      { method: 'POST', path: '/notes', body: { id: 'a' } },
      { method: 'PATCH', path: '/prices/eur', body: { value: 2 } },
    ];
    const single = await api.row({
      send: 'POST /api/v1/batches',
      body: { atomic: false, operations },
      status: 201,
      events: ['note.created'],
    });
    const results: readonly { readonly status: number }[] = single.body.results;
    assert.deepEqual(
      results.map(({ status }) => status),
      [201, 405],
    );
    await api.row({
      send: 'POST /api/v1/batches',
      body: { atomic: true, operations: [{ method: 'DELETE', path: '/notes/a' }, operations[1]] },
      status: 405,
    });
    await api.row({ send: 'GET /api/v1/notes/a', status: 200 });
  });

  it('[OPS-1a] [OPS-1c] is described without operations that write', async () => {
    await using api = await open();
    for (const query of ['', '?profile=generators', '?openapi=3.2']) {
      const { body } = await api.send({ send: `GET /openapi.json${query}` });
      const methods = (path: string): readonly string[] =>
        ['get', 'post', 'put', 'patch', 'delete'].filter((name) => name in body.paths[path]);
      assert.deepEqual(methods('/api/v1/prices'), ['get']);
      assert.deepEqual(methods('/api/v1/prices/{id}'), ['get']);
      assert.ok(!JSON.stringify(body.components).includes('PriceCreate'));
    }
    const docs = (await api.send({ send: 'GET /docs', headers: { Accept: 'text/html' } })).text;
    assert.ok(docs.includes('List prices') && !docs.includes('Create a price') && docs.includes('Create a note'));
    const root = (await api.send({ send: 'GET /api', headers: { Accept: 'text/html' } })).text;
    assert.ok(root.includes('GET prices') && !root.includes('POST prices') && root.includes('POST notes'));
    assert.match((await api.send({ send: 'GET /llms.txt' })).text, /- prices \(read-only\)/);
  });
});
