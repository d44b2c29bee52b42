import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest, type Seen } from '../support/api-under-test.ts';
import { create, parseIds } from '../models/shop-model.ts';

const LIBRARY = `
name: library
version: 1.0.0
limits: { page: { default: 2 } }
resources:
  books:
    id: client
    search: [title, blurb.text, tags]
    schema:
      type: object
      properties:
        title: { type: string }
        blurb: { type: object, properties: { text: { type: string } } }
        tags: { type: array, items: { type: string } }
        secret: { type: string, writeOnly: true }
        rank: { type: integer }
`;

let library: ApiUnderTest;
before(async () => {
  library = await apiUnderTest(LIBRARY);
  await create(library, 'books', { id: 'a', title: 'Café Tromsø', rank: 3, secret: 'treasure' });
  await create(library, 'books', { id: 'b', title: 'The cafeteria', blurb: { text: 'in TROMS county' }, rank: 2 });
  await create(library, 'books', { id: 'c', title: 'Decaf', tags: ['troms', 'cafe'], rank: 1 });
  await create(library, 'books', { id: 'd', title: '' });
});
after(() => library.close());

const get = (query: string): Promise<Seen> => library.row({ send: `GET /api/v1/books?${query}`, status: 200 });

describe('text search', () => {
  const rows: readonly (readonly [q: string, ids: string])[] = [
    ['cafe', 'abc'],
    ['CAFÉ', 'abc'],
    ['cafe troms', 'abc'],
    ['troms+caf', 'abc'],
    ['cafeteria', 'b'],
    ['decaf', 'c'],
    ['eteria', ''],
    ['tromsø', 'a'],
    ['in the', 'b'],
    ['cafe -troms', 'abc'],
    ['"cafe"*', 'abc'],
    ['cafe OR decaf', ''],
    ['treasure', ''],
  ];
  for (const [q, ids] of rows) {
    it(`[QRY-6] for ${JSON.stringify(q)} finds ${ids === '' ? 'nothing' : ids.split('').join(', ')}`, async () => {
      const found = await get(`q=${encodeURIComponent(q.replaceAll('+', ' '))}&limit=9`);
      assert.equal(parseIds(found).join(''), ids);
    });
  }

  it('[QRY-6] is a filter: it works with sort, other filters and any technique', async () => {
    assert.equal(parseIds(await get('q=cafe&sort=rank')).join(''), 'cb');
    assert.equal(parseIds(await get('q=cafe&rank[gt]=1&sort=rank')).join(''), 'ba');
    assert.equal(parseIds(await get('q=cafe&last_id=a')).join(''), 'bc');
    const page = await get('q=cafe&page=2');
    assert.deepEqual([parseIds(page).join(''), page.body['page'].total_count], ['c', 3]);
  });

  it('[PAGE-6] is part of a cursor, sent alone or together', async () => {
    const first = await get('q=cafe&sort=-rank');
    assert.match(first.body['links'].next, /\?q=cafe&sort=-rank&limit=2&after=/);
    const { next_cursor: token } = first.body['page'];
    assert.equal(parseIds(await get(`after=${token}`)).join(''), 'c');
    assert.equal(parseIds(await get(`q=CAF%C3%89&after=${token}`)).join(''), 'c', 'however it is spelt');
    await library.row({
      send: `GET /api/v1/books?q=decaf&after=${token}`,
      status: 400,
      has: { errorCode: 'PAGINATION_CURSOR_MISMATCH' },
    });
  });

  for (const q of [
    '',
    ' ',
    '!?*"',
    '%F0%9F%98%80',
    'a '.repeat(500) + 'b',
    Array.from({ length: 17 }, (_, i) => `w${i}`).join('+'),
  ]) {
    it(`[QRY-6] for ${JSON.stringify(q.slice(0, 20))} is rejected: no word, or too many`, async () => {
      const { body } = await library.row({
        send: `GET /api/v1/books?q=${q.replaceAll(' ', '+').replaceAll('"', '%22')}`,
        status: 400,
        has: { errorCode: 'QUERY_FILTER_INVALID' },
      });
      assert.equal(body['details'][0].field, 'q');
    });
  }

  it('[QRY-6] finds new rows immediately, and no deleted ones', async () => {
    await library.row({
      send: 'PATCH /api/v1/books/d',
      body: { title: 'Fresh' },
      status: 200,
      events: ['book.updated'],
    });
    assert.equal(parseIds(await get('q=fresh')).join(''), 'd');
    await library.row({ send: 'DELETE /api/v1/books/d', status: 204, events: ['book.deleted'] });
    assert.equal(parseIds(await get('q=fresh')).join(''), '');
  });
});
