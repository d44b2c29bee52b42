import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest } from '../support/api-under-test.ts';
import { as, callerTokens } from '../support/caller-tokens.ts';

/**
 * Resources that anyone may read and shared caches could store. Of some of them callers see different rows or fields.
 */
const MODEL = `
name: press
auth: { issuers: [{ name: test, issuer: https://id.example.com, audience: press, hs256_secret: 0123456789abcdef0123456789abcdef }] }
limits: { rate: false }
$defs: { text: { type: string } }
resources:
  topics:
    id: client
    cache: { max_age: 60, scope: public }
    schema: { type: object, properties: { name: { type: string } } }
    access: { read: public, write: authenticated }
  live:
    id: client
    cache: { max_age: 60, scope: public }
    schema:
      type: object
      properties:
        tenant: { type: string }
        topic_id: { type: string, x-references: { resource: topics, inverse: live } }
    access: { read: public, write: authenticated, rows: { read: { any: [{ tenant: none }, { not: { tenant: secret } }] }, update: { tenant: $caller.claims.tenant } } }
  owned:
    id: client
    cache: { max_age: 60, scope: public }
    schema: { type: object, properties: { owner_id: { type: string, readOnly: true } } }
    access: { read: public, write: authenticated, owner: owner_id }
  articles:
    id: client
    cache: { max_age: 60, scope: public }
    schema:
      type: object
      properties:
        tenant: { type: string }
        topic_id: { type: string, x-references: { resource: topics, inverse: articles } }
    access: { read: public, write: authenticated, rows: { read: { any: [{ tenant: none }, { tenant: $caller.claims.tenant }] } } }
  comments:
    id: client
    parent: articles
    cache: { max_age: 60, scope: public }
    schema: { type: object, properties: { text: { type: string } } }
  votes:
    id: client
    parent: comments
    cache: { max_age: 60, scope: public }
    schema: { type: object, properties: { text: { type: string } } }
  scoped:
    id: client
    cache: { max_age: 60, scope: public }
    schema: { type: object, properties: { team: { type: string } } }
    access: { read: public, write: authenticated, rows: { read: { any: [{ team: none }, { team: { in: $caller.scopes } }] } } }
  notes:
    id: client
    schema: { type: object, properties: { tenant: { type: string } } }
    access: { read: public, write: authenticated, rows: { read: { any: [{ tenant: none }, { tenant: $caller.claims.tenant }] } } }
`;

const ANN = as({ subject: 'ann', claims: { tenant: 'acme' } });
const BOB = as({ subject: 'bob', claims: { tenant: 'byte' } });

let api: ApiUnderTest;
before(async () => {
  api = await apiUnderTest(MODEL, { tokens: callerTokens() });
  const create = async (path: string, body: object): Promise<void> => {
    const { status, text } = await api.send({ send: `POST /api/v1/${path}`, headers: ANN, body });
    assert.equal(status, 201, text);
  };
  await create('topics', { id: 'x', name: 'News' });
  await create('live', { id: 'x', tenant: 'acme', topic_id: 'x' });
  await create('owned', { id: 'x' });
  await create('articles', { id: 'x', tenant: 'none', topic_id: 'x' });
  await create('articles/x/comments', { id: 'x', text: 'First' });
  await create('articles/x/comments/x/votes', { id: 'x', text: 'Yes' });
  await create('scoped', { id: 'x', team: 'none' });
  await create('notes', { id: 'x', tenant: 'none' });
  await api.newEvents();
});
after(() => api.close());

describe('a response that anyone may read, in a model with row policies', () => {
  const rows: readonly (readonly [target: string, isSame: boolean])[] = [
    ['topics', true],
    ['topics/x', true],
    ['topics?name=News', true],
    ['topics/x?expand=live', true],
    ['topics?live.tenant=acme', true],
    ['live', true],
    ['live/x', true],
    ['owned', true],
    ['owned/x', true],
    ['articles', false],
    ['articles/x', false],
    ['articles?limit=1&fields=tenant', false],
    ['articles/x/comments', false],
    ['articles/x/comments/x', false],
    ['articles/x/comments/x/votes', false],
    ['articles/x/comments/x/votes/x', false],
    ['scoped', false],
    ['scoped/x', false],
    ['topics/x?expand=articles', false],
    ['topics?expand=articles', false],
    ['topics?articles.tenant=acme', false],
    ['topics?any[1][articles.tenant]=acme&any[2][name]=News', false],
    ['live?expand=topic.articles', false],
  ];
  for (const [target, isSame] of rows) {
    const claim = isSame
      ? 'is public where every caller sees the same rows'
      : 'is private where callers see different rows';
    it(`[CACHE-5] [CACHE-6a] [NEG-3b] ${claim}: ${target}`, async () => {
      const etags = new Set<string | undefined>();
      for (const caller of [{}, ANN, BOB]) {
        const send = `GET /api/v1/${target}`;
        const whole = await api.row({ send, headers: caller, status: 200 });
        const known = { ...caller, 'If-None-Match': whole.headers.get('etag') ?? '' };
        const same = await api.row({ send, headers: known, status: 304 });
        const head = await api.row({ send: send.replace('GET', 'HEAD'), headers: caller, status: 200 });
        for (const { headers } of [whole, same, head]) {
          assert.equal(headers.get('cache-control'), `${isSame ? 'public' : 'private'}, max-age=60`);
          assert.equal(/Authorization/.test(headers.get('vary') ?? ''), !isSame);
        }
        etags.add(whole.headers.get('etag'));
      }
      if (isSame) assert.equal(etags.size, 1);
    });
  }

  it('[CACHE-5] [NEG-3b] names what it depends on where the model declares no caching, in errors too', async () => {
    for (const [target, status] of [
      ['notes', 200],
      ['notes/x', 200],
      ['notes/missing', 404],
      ['notes?colour=red', 400],
    ] as const) {
      const { headers } = await api.row({ send: `GET /api/v1/${target}`, status });
      assert.match(headers.get('vary') ?? '', /Authorization/);
      assert.doesNotMatch(headers.get('cache-control') ?? '', /public/);
    }
  });
});

/** A model in which callers see different fields of `products` and `suppliers`, and different links of `makers`. */
const FIELDS = `
name: shop
auth: { issuers: [{ name: test, issuer: https://id.example.com, audience: shop, hs256_secret: 0123456789abcdef0123456789abcdef }] }
limits: { rate: false }
resources:
  products:
    id: client
    cache: { max_age: 60, scope: public }
    schema:
      type: object
      properties:
        cost: { type: integer }
        maker_id: { type: string, x-references: { resource: makers, inverse: products } }
        supplier_id: { type: string, x-references: { resource: suppliers, inverse: products } }
        shelf_id: { type: string, x-references: { resource: shelves, inverse: products } }
    access: { read: public, write: authenticated, fields: { cost: { read: { scope: finance } }, maker_id: { read: authenticated } } }
  makers:
    id: client
    cache: { max_age: 60, scope: public }
    schema: { type: object, properties: { name: { type: string } } }
    access: { read: public, write: authenticated }
  suppliers:
    id: client
    cache: { max_age: 60, scope: public }
    schema: { type: object, properties: { name: { type: string }, terms: { type: string } } }
    access: { read: public, write: authenticated, fields: { terms: { write: { scope: finance } } } }
  shelves:
    id: client
    cache: { max_age: 60, scope: public }
    schema: { type: object, properties: { name: { type: string } } }
    access: { read: public, write: authenticated }
`;

const CLERK = as({ subject: 'clerk' });
const BOSS = as({ subject: 'boss', scopes: ['finance'] });

describe('a response that anyone may read, in a model with rules on fields', () => {
  let shop: ApiUnderTest;
  before(async () => {
    shop = await apiUnderTest(FIELDS, { tokens: callerTokens() });
    const create = async (path: string, body: object): Promise<void> => {
      const { status, text } = await shop.send({ send: `POST /api/v1/${path}`, headers: BOSS, body });
      assert.equal(status, 201, text);
    };
    for (const collection of ['makers', 'suppliers', 'shelves']) await create(collection, { id: 'x' });
    await create('products', { id: 'x', cost: 4, maker_id: 'x', supplier_id: 'x', shelf_id: 'x' });
    await shop.newEvents();
  });
  after(() => shop.close());

  const rows: readonly (readonly [target: string, isSame: boolean])[] = [
    ['shelves', true],
    ['shelves/x', true],
    ['shelves?fields=name', true],
    ['shelves?name[exists]=false&include_total=true', true],
    ['suppliers', true],
    ['suppliers/x', true],
    ['products', false],
    ['products/x', false],
    ['products/x?fields=supplier_id', false],
    ['makers', false],
    ['makers/x', false],
    ['shelves/x?expand=products', false],
    ['shelves?expand=products', false],
    ['shelves?products.supplier_id=x', false],
    ['shelves?expand=products.supplier', false],
  ];
  for (const [target, isSame] of rows) {
    const claim = isSame ? 'has one ETag and is public where no field is hidden' : 'is private where fields are hidden';
    it(`[CACHE-1] [CACHE-5] [NEG-3b] ${claim}: ${target}`, async () => {
      const texts = new Map<string | undefined, string>();
      for (const caller of [{}, CLERK, BOSS, {}, BOSS]) {
        const { headers, text } = await shop.row({ send: `GET /api/v1/${target}`, headers: caller, status: 200 });
        assert.equal(headers.get('cache-control'), `${isSame ? 'public' : 'private'}, max-age=60`);
        assert.equal(/Authorization/.test(headers.get('vary') ?? ''), !isSame);
        const etag = headers.get('etag');
        assert.equal(texts.get(etag) ?? text, text, 'one ETag has one text');
        texts.set(etag, text);
      }
      if (isSame) assert.equal(texts.size, 1);
    });
  }

  it('[CACHE-5] [QRY-5] is private where a lenient server ignores what a caller does not know', async () => {
    for (const target of ['shelves?products.cost=5', 'shelves?colour=red', 'shelves/x']) {
      for (const caller of [{}, BOSS]) {
        await shop.row({
          send: `GET /api/v1/${target}`,
          headers: { ...caller, Prefer: 'handling=lenient' },
          status: 200,
          expectHeaders: { 'Cache-Control': 'private, max-age=60', Vary: /Authorization/ },
        });
      }
    }
  });
});
