import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import * as fc from 'fast-check';
import { type ApiUnderTest, apiUnderTest } from '../support/api-under-test.ts';
import { create, SHOP } from '../models/shop-model.ts';
import { runs } from '../../extent.ts';

let shop: ApiUnderTest;
before(async () => {
  shop = await apiUnderTest(SHOP);
});
after(() => shop.close());

describe('an id in a URL', () => {
  const DATA = 'a/b@c+d#e%f é';
  const ENCODED = 'a%2Fb%40c%2Bd%23e%25f%20%C3%A9';

  it('[URL-3] is decoded once, and encoded once in responses', async () => {
    await using own = await apiUnderTest(SHOP);
    const self = `/api/v1/notes/${ENCODED}`;
    await own.row({
      send: 'POST /api/v1/notes',
      body: { id: DATA, text: 'x' },
      status: 201,
      expectHeaders: { Location: self, 'Content-Location': self },
      events: ['note.created'],
    });
    const { body } = await own.row({ send: `GET ${self}`, status: 200, has: { id: DATA } });
    assert.equal(body['links']?.['self'], self);
    await own.row({ send: 'GET /api/v1/notes/a%2fb@c+d%23e%25f%20%c3%a9', status: 200, has: { id: DATA } });
    await own.row({ send: 'GET /api/v1/notes/a/b@c+d%23e%25f%20%C3%A9', status: 404 });
    await own.row({ send: 'GET /api/v1/notes/a%252Fb%40c%2Bd%23e%25f%20%C3%A9', status: 404 });
  });

  it('[URL-9] is the same in the URL of an event and in Location', async () => {
    await using own = await apiUnderTest(SHOP);
    await own.send({ send: `PUT /api/v1/notes/${ENCODED}`, body: {} });
    const [event] = await own.newEvents();
    assert.equal(event?.payload.resource.id, DATA);
    assert.equal(event?.payload.resource.url, `http://127.0.0.1:3000/api/v1/notes/${ENCODED}`);
  });

  it('[URL-3] round-trips any value through body, Location, path and event', async () => {
    await using own = await apiUnderTest(SHOP);
    const id = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
      .filter((text) => text.isWellFormed() && !/\p{Cc}/u.test(text) && text !== '.' && text !== '..');
    const property = fc.asyncProperty(id, async (text) => {
      const { status, headers } = await own.send({ send: `PUT /api/v1/notes/${encodeURIComponent(text)}`, body: {} });
      assert.ok(status === 201 || status === 200, String(status));
      const self = headers.get('content-location') ?? '';
      assert.match(self, /^\/api\/v1\/notes\/(?:[A-Za-z0-9._~-]|%[0-9A-F]{2})+$/);
      const { body } = await own.send({ send: `GET ${self}` });
      assert.equal(body['id'], text);
    });
    await fc.assert(property, { numRuns: runs(10, 120) });
  });

  it('[URL-3] is never normalized, case-folded or trimmed', async () => {
    await using own = await apiUnderTest(SHOP);
    const spellings = ['%C3%A9', 'e%CC%81', 'E%CC%81', '%20e', 'e%20', 'e', '1', '01', '%F0%9F%92%A9', '...', '%5C'];
    for (const each of spellings) {
      await own.row({ send: `PUT /api/v1/notes/${each}`, body: {}, status: 201, events: ['note.created'] });
    }
  });

  const lengths: readonly (readonly [what: string, id: string, status: number])[] = [
    ['255 characters', 'a'.repeat(255), 201],
    ['255 characters outside the basic multilingual plane', '\u{1F4A9}'.repeat(255), 201],
    ['256 characters', 'a'.repeat(256), 400],
    ['no characters', '', 400],
    ['.', '.', 400],
    ['..', '..', 400],
    ['a line feed', 'a\nb', 400],
    ['DEL', 'a\u{7F}', 400],
    ['a C1 control', 'a\u{85}', 400],
  ];
  for (const [what, id, status] of lengths) {
    it(`[URL-3] from a client with ${what} is ${status}`, async () => {
      await using own = await apiUnderTest(SHOP);
      const { body } = await own.row({
        send: 'POST /api/v1/notes',
        body: { id },
        status,
        events: status === 201 ? ['note.created'] : [],
      });
      if (status === 400) assert.equal(body['details']?.[0]?.['field'], 'id');
    });
  }

  const impossible: readonly string[] = [
    'notes/a%0Ab',
    'notes/%7F',
    'notes/.',
    'notes/..',
    'notes/%2E%2E',
    `notes/${'a'.repeat(256)}`,
    'products/1',
    'products/not-a-uuid',
    'products/%F0%9F%92%A9',
    'products/019b7ca9-8f2e-7670-98b3-7b6a4aa9160b',
    'products/..',
    "products/'%20OR%201=1--",
    'products/null',
    'products/__proto__',
    'products/constructor',
  ];
  for (const path of impossible) {
    it(`[URL-6] that cannot exist is 404 for every method: ${path.slice(0, 40)}`, async () => {
      const errorCode = path.startsWith('notes') ? 'NOTE_NOT_FOUND' : 'PRODUCT_NOT_FOUND';
      for (const method of ['GET', 'HEAD', 'DELETE']) {
        await shop.row({ send: `${method} /api/v1/${path}`, status: 404, has: { errorCode } });
      }
      for (const method of ['PUT', 'PATCH']) {
        await shop.row({ send: `${method} /api/v1/${path}`, body: {}, status: 404, has: { errorCode } });
      }
    });
  }
});

describe('a URL of nested resources', () => {
  let lamp: string;
  let chair: string;
  let review: string;
  let other: string;
  let comment: string;
  before(async () => {
    ({ id: lamp } = await create(shop, 'products', { sku: 'lamp', name: 'Lamp', price: '5' }));
    ({ id: chair } = await create(shop, 'products', { sku: 'chair', name: 'Chair', price: '5' }));
    ({ id: review } = await create(shop, `products/${lamp}/reviews`, { stars: 5 }));
    ({ id: other } = await create(shop, `products/${lamp}/reviews`, { stars: 4 }));
    ({ id: comment } = await create(shop, `products/${lamp}/reviews/${review}/comments`, { text: 'x' }));
  });

  it('[URL-7] has up to three levels, and `self` is the nested URL', async () => {
    const self = `/api/v1/products/${lamp}/reviews/${review}/comments/${comment}`;
    const { body } = await shop.row({ send: `GET ${self}`, status: 200, has: { review_id: review } });
    const above = `/api/v1/products/${lamp}/reviews/${review}`;
    assert.deepEqual(body['links'], { self, collection: `${above}/comments`, up: above });
    const parent = await shop.row({ send: `GET ${above}`, status: 200 });
    assert.equal(parent.body['links']?.['comments'], `${above}/comments`);
  });

  const NONE = '019b7ca9-8f2e-7670-98b3-7b6a4aa9160b';
  /** Paths below wrong parents, with the missing resource. Functions, because the ids are assigned later. */
  const wrong: readonly (readonly [what: string, path: () => string, code: string])[] = [
    ['a child under another parent', () => `${chair}/reviews/${review}`, 'REVIEW'],
    ['a child under a missing parent', () => `${NONE}/reviews/${review}`, 'PRODUCT'],
    ['a grandchild under another child', () => `${lamp}/reviews/${other}/comments/${comment}`, 'COMMENT'],
    ['a grandchild under a missing child', () => `${lamp}/reviews/${NONE}/comments/${comment}`, 'REVIEW'],
    ['a grandchild under its parent under another', () => `${chair}/reviews/${review}/comments/${comment}`, 'REVIEW'],
    ['a grandchild under missing ancestors', () => `${NONE}/reviews/${NONE}/comments/${NONE}`, 'PRODUCT'],
    [
      'a grandchild under its parent under a missing one',
      () => `${NONE}/reviews/${review}/comments/${comment}`,
      'PRODUCT',
    ],
  ];
  for (const [what, path, code] of wrong) {
    it(`[URL-7] is 404 for ${what}, for any method and body`, async () => {
      const has = { errorCode: `${code}_NOT_FOUND` };
      for (const method of ['GET', 'HEAD', 'DELETE']) {
        await shop.row({ send: `${method} /api/v1/products/${path()}`, status: 404, has });
      }
      for (const body of [{ stars: 1, text: 'y' }, { stars: 99 }, '{']) {
        for (const method of ['PUT', 'PATCH']) {
          await shop.row({ send: `${method} /api/v1/products/${path()}`, body, status: 404, has });
        }
      }
    });
  }

  const above: readonly (readonly [what: string, path: () => string, code: string])[] = [
    ['a missing parent', () => `${NONE}/reviews`, 'PRODUCT'],
    ['a missing grandparent', () => `${NONE}/reviews/${review}/comments`, 'PRODUCT'],
    ['a parent under another', () => `${chair}/reviews/${review}/comments`, 'REVIEW'],
    ['an invalid parent id', () => `${lamp}/reviews/%0A/comments`, 'REVIEW'],
  ];
  for (const [what, path, code] of above) {
    it(`[URL-7] of a collection under ${what} is the 404 of that parent, for any request`, async () => {
      const has = { errorCode: `${code}_NOT_FOUND` };
      for (const query of ['', '?page=2', '?limit=1&include_total=true']) {
        await shop.row({ send: `GET /api/v1/products/${path()}${query}`, status: 404, has });
      }
      const reference = { stars: 1, text: 'y', supplier_id: NONE };
      for (const body of [{ stars: 1 }, { text: 'y' }, reference, { stars: 99 }, '{', undefined]) {
        await shop.row({ send: `POST /api/v1/products/${path()}`, body, status: 404, has });
      }
    });
  }

  it('[URL-7] contains only the children of its parent', async () => {
    const { body } = await shop.row({ send: `GET /api/v1/products/${lamp}/reviews?include_total=true`, status: 200 });
    assert.equal(body['page']?.['total_count'], 2);
    await shop.row({ send: `GET /api/v1/products/${chair}/reviews`, status: 200, has: { data: [] } });
  });

  it('[URL-7] determines the parent, not the body', async () => {
    const { body } = await shop.row({
      send: `POST /api/v1/products/${chair}/reviews`,
      body: { stars: 1, product_id: lamp },
      status: 201,
      has: { product_id: chair },
      events: ['review.created'],
    });
    const self = `/api/v1/products/${chair}/reviews/${String(body['id'])}`;
    await shop.row({ send: `PATCH ${self}`, body: { product_id: lamp }, status: 200, has: { product_id: chair } });
  });
});
