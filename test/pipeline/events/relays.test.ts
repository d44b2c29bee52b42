import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RelayState } from '../../../src/events/relays/relay-rows.ts';
import { type ApiUnderTest, apiUnderTest } from '../support/api-under-test.ts';
import { fakeTokens } from '../support/fake-tokens.ts';

const MODEL = `
name: shop
auth:
  issuers: [{ name: test, issuer: https://id.example.com, audience: shop, hs256_secret: 0123456789abcdef0123456789abcdef }]
events: { relays: [{ name: shop, nats: 'nats://u:s3cret@127.0.0.1:4222' }, { name: search, redis: 'redis://127.0.0.1' }] }
resources:
  products: { id: client, schema: { type: object, properties: { name: { type: string } } } }
`;
const READER = { Authorization: 'Bearer ann.relays_read' };
const WRITER = { Authorization: 'Bearer ann.relays_read+relays_write+products_write' };

const SHOP: RelayState = {
  name: 'shop',
  broker: 'nats',
  address: '127.0.0.1:4222',
  destination: 'shop.{type}',
  format: 'native',
  version: '1.0.0',
  types: ['*'],
  position: 7,
  lag: 3,
  state: 'failing',
  lastError: { text: 'connection refused', at: Date.parse('2026-01-02T03:04:00.000Z') },
  sentAt: null,
};

async function open(): Promise<ApiUnderTest> {
  const api = await apiUnderTest(MODEL, { tokens: fakeTokens });
  await api.api.relays.rows?.write(SHOP);
  await api.api.relays.rows?.write({
    ...SHOP,
    name: 'search',
    broker: 'redis',
    state: 'running',
    lag: 0,
    lastError: null,
  });
  return api;
}

describe('/relays', () => {
  it('[EVT-9e] shows callers with relays:read the position, lag and last error of each relay, by name', async () => {
    await using api = await open();
    const { body } = await api.row({ send: 'GET /api/v1/relays', headers: READER, status: 200, events: [] });
    const names: readonly string[] = body.data.map(({ id }: { readonly id: string }) => id);
    assert.deepEqual(names, ['search', 'shop']);
    await api.row({
      send: 'GET /api/v1/relays/shop',
      headers: READER,
      status: 200,
      has: {
        id: 'shop',
        broker: 'nats',
        address: '127.0.0.1:4222',
        destination: 'shop.{type}',
        position: '00000000000000000007',
        lag: 3,
        state: 'failing',
        last_error: 'connection refused',
        last_error_at: '2026-01-02T03:04:00.000Z',
        sent_at: null,
      },
    });
    await api.api.relays.rows?.write({ ...SHOP, position: 9 });
    await api.row({
      send: 'GET /api/v1/relays/shop',
      headers: READER,
      status: 200,
      has: { position: '00000000000000000009' },
    });
    const failing = await api.send({ send: 'GET /api/v1/relays?state=failing', headers: READER });
    assert.equal(failing.body.data.length, 1);
  });

  it('[EVT-9e] needs credentials, and the scope', async () => {
    await using api = await open();
    await api.row({ send: 'GET /api/v1/relays', status: 401 });
    const headers = { Authorization: 'Bearer ann.products_read' };
    await api.row({ send: 'GET /api/v1/relays', headers, status: 403, has: { errorCode: 'AUTH_SCOPE_INSUFFICIENT' } });
  });

  it('[EVT-9e] cannot be written by any caller', async () => {
    await using api = await open();
    const expectHeaders = { Allow: 'GET, HEAD, OPTIONS' };
    await api.row({ send: 'DELETE /api/v1/relays/shop', headers: WRITER, status: 405, expectHeaders });
    await api.row({
      send: 'POST /api/v1/relays',
      headers: WRITER,
      body: { id: 'mine' },
      status: 405,
      expectHeaders: { Allow: 'GET, HEAD, QUERY, OPTIONS' },
    });
  });
});

describe('/readyz?verbose', () => {
  it('[OPS-2a] [EVT-9e] has name, state and lag of each relay, and no error; a relay that fails leaves it ready', async () => {
    await using api = await open();
    await api.row({
      send: 'GET /readyz?verbose',
      status: 200,
      expectBody: {
        status: 'ok',
        relays: [
          { name: 'search', state: 'running', lag: 0 },
          { name: 'shop', state: 'failing', lag: 3 },
        ],
      },
    });
    for (const query of ['', '?pretty'])
      await api.row({ send: `GET /readyz${query}`, status: 200, expectBody: { status: 'ok' } });
  });

  it('[OPS-2a] is as without the parameter where the model has no relays', async () => {
    await using api = await apiUnderTest('name: shop\nresources: { products: { schema: { type: object } } }\n');
    await api.row({ send: 'GET /readyz?verbose', status: 200, expectBody: { status: 'ok' } });
  });
});
