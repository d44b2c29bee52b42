import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { apiUnderTest, type Setting } from '../support/api-under-test.ts';
import { fakeTokens } from '../support/fake-tokens.ts';

const MODEL = `
name: shop
auth: { issuers: [{ name: test, issuer: https://id.example.com, audience: shop, hs256_secret: 0123456789abcdef0123456789abcdef }] }
limits: { rate: { requests: 4 } }
resources:
  products:
    access: { read: public }
    schema: { type: object, properties: { name: { type: string } } }
  secrets:
    schema: { type: object, properties: { text: { type: string } } }
`;
const PAGE = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const WRITER = { Authorization: 'Bearer all-scopes' };

async function shop(text = MODEL, setting: Setting = { tokens: fakeTokens }) {
  const api = await apiUnderTest(text, setting);
  for (const path of ['products', 'products', 'secrets'])
    assert.equal((await api.send({ send: `POST /api/v1/${path}`, headers: WRITER, body: {} })).status, 201);
  await api.newEvents();
  return api;
}

describe('/', () => {
  const callers: readonly Readonly<Record<string, string>>[] = [
    {},
    { Authorization: 'Bearer bad' },
    { Authorization: 'Bearer' },
    { Accept: 'image/png' },
    { Accept: 'application/vnd.shop.v9+json' },
  ];
  for (const headers of callers) {
    it(`[URL-1] [AUTH-4a] answers 308 to the root without credentials: ${JSON.stringify(headers)}`, async () => {
      await using api = await shop();
      // More often than an address may: a redirect takes nothing.
      for (let count = 0; count < 5; count += 1) {
        await api.row({
          send: 'GET /?x=1',
          headers,
          status: 308,
          expectHeaders: { Location: '/api?x=1', 'WWW-Authenticate': null },
        });
      }
      await api.row({ send: 'GET /api', status: 401 });
    });
  }

  it('[URL-1] [AUTH-4a] is a page without counts for browsers, the same with and without credentials', async () => {
    await using api = await shop();
    const page = await api.row({ send: 'GET /', headers: PAGE, status: 200 });
    assert.ok(page.text.includes('/api/v1/products') && page.text.includes('/api/v1/secrets'));
    assert.doesNotMatch(page.text, /<span class="count">[^<]/);
    const { text } = await api.row({ send: 'GET /', headers: { ...PAGE, Authorization: 'Bearer bad' }, status: 200 });
    assert.equal(text, page.text);
    for (const status of [200, 200, 429]) await api.row({ send: 'GET /', headers: PAGE, status });
  });

  it('[URL-1] [OPS-1a] lists only public collections where descriptions need credentials', async () => {
    await using api = await shop(`descriptions: authenticated${MODEL}`);
    const { text } = await api.row({ send: 'GET /', headers: PAGE, status: 200 });
    assert.deepEqual([text.includes('/api/v1/products'), text.includes('/api/v1/secrets')], [true, false]);
  });

  it('[URL-1] is a page with counts where nothing needs credentials', async () => {
    await using api = await shop(MODEL.replace(/\nauth: .*/, '').replace(/ {4}access: .*\n/, ''), {});
    const { text } = await api.row({ send: 'GET /', headers: PAGE, status: 200 });
    assert.match(text, /<span class="count">2 /);
  });
});

describe('a 415 of QUERY', () => {
  for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded; charset=latin1', 'bad']) {
    it(`[NEG-2] [MET-9] has Accept-Query: ${type}`, async () => {
      await using api = await shop();
      await api.row({
        send: 'QUERY /api/v1/products',
        headers: { ...WRITER, 'Content-Type': type },
        body: '{}',
        status: 415,
        expectHeaders: {
          Accept: 'application/x-www-form-urlencoded',
          'Accept-Query': 'application/x-www-form-urlencoded',
        },
      });
    });
  }
});
