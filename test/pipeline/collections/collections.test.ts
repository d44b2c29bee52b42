import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUnderTest, column, type Seen } from '../support/api-under-test.ts';
import { NOTES, sevenNotes } from '../models/desk-model.ts';
import { parseIds } from '../models/shop-model.ts';

let desk: ApiUnderTest;
before(async () => {
  desk = await sevenNotes();
});
after(() => desk.close());

const get = (query: string): Promise<Seen> => desk.row({ send: `GET /api/v1/notes${query}`, status: 200 });

/** Parses a `Link` field into targets by relation. */
function linksIn(field: string | undefined): Readonly<Record<string, string>> {
  const links = [...(field ?? '').matchAll(/<([^>]*)>; rel="([^"]*)"/g)];
  return Object.fromEntries(links.map(([, href = '', rel = '']) => [rel, href]));
}

/** The expected page, and the query string of each link. */
interface Expected {
  readonly query: string;
  readonly ids: string;
  readonly page: object;
  readonly links: Readonly<Record<string, string>>;
}

const counted = { total_count: 7, total_count_relation: 'eq', total_pages: 3 };
const PLACES: readonly Expected[] = [
  {
    query: '?page=1',
    ids: 'abc',
    page: { technique: 'page', limit: 3, count: 3, has_more: true, page: 1, ...counted },
    links: { self: 'limit=3&page=1', first: 'limit=3&page=1', next: 'limit=3&page=2', last: 'limit=3&page=3' },
  },
  {
    query: '?page=2',
    ids: 'def',
    page: { technique: 'page', limit: 3, count: 3, has_more: true, page: 2, ...counted },
    links: {
      self: 'limit=3&page=2',
      first: 'limit=3&page=1',
      prev: 'limit=3&page=1',
      next: 'limit=3&page=3',
      last: 'limit=3&page=3',
    },
  },
  {
    query: '?page=3',
    ids: 'g',
    page: { technique: 'page', limit: 3, count: 1, has_more: false, page: 3, ...counted },
    links: { self: 'limit=3&page=3', first: 'limit=3&page=1', prev: 'limit=3&page=2', last: 'limit=3&page=3' },
  },
  {
    query: '?page=4&limit=2',
    ids: 'g',
    page: { technique: 'page', limit: 2, count: 1, has_more: false, page: 4, ...counted, total_pages: 4 },
    links: { self: 'limit=2&page=4', first: 'limit=2&page=1', prev: 'limit=2&page=3', last: 'limit=2&page=4' },
  },
  {
    query: '?offset=0&per_page=2',
    ids: 'ab',
    page: { technique: 'offset', limit: 2, count: 2, has_more: true, offset: 0, ...counted, total_pages: 4 },
    links: { self: 'limit=2&offset=0', first: 'limit=2&offset=0', next: 'limit=2&offset=2', last: 'limit=2&offset=6' },
  },
  {
    query: '?offset=4',
    ids: 'efg',
    page: { technique: 'offset', limit: 3, count: 3, has_more: false, offset: 4, ...counted },
    links: { self: 'limit=3&offset=4', first: 'limit=3&offset=0', prev: 'limit=3&offset=1', last: 'limit=3&offset=6' },
  },
  {
    query: '?kind=y&page=1',
    ids: 'fg',
    page: {
      technique: 'page',
      limit: 3,
      count: 2,
      has_more: false,
      page: 1,
      total_count: 2,
      total_count_relation: 'eq',
      total_pages: 1,
    },
    links: { self: 'kind=y&limit=3&page=1', first: 'kind=y&limit=3&page=1', last: 'kind=y&limit=3&page=1' },
  },
];

describe('a page', () => {
  for (const { query, ids, page, links } of PLACES) {
    it(`[PAGE-1] [PAGE-2] with ${query} has its position and its links`, async () => {
      const seen = await get(query);
      assert.deepEqual(Object.keys(seen.body), ['data', 'page', 'links']);
      assert.equal(parseIds(seen).join(''), ids);
      assert.deepEqual(seen.body['page'], page);
      const hrefs = Object.fromEntries(Object.entries(links).map(([rel, text]) => [rel, `/api/v1/notes?${text}`]));
      assert.deepEqual(seen.body['links'], hrefs);
      assert.deepEqual(linksIn(seen.headers.get('link')), hrefs, 'the header says the same');
      const again = await desk.send({ send: `GET ${hrefs['self'] ?? ''}` });
      assert.equal(again.text, seen.text, 'self is this page');
    });
  }

  it('[CACHE-2] has the same bytes with and without cached items', async () => {
    const dataJson: string[] = [];
    for (const [query, next] of [
      ['', 'a'],
      ['?offset=0', 'b'],
      ['?page=1', 'c'],
      ['?include_total=true', 'd'],
    ] as const) {
      const { text } = await get(query);
      dataJson.push(text.slice(0, text.indexOf(',"page":')));
      for (let time = 0; time < 3; time += 1) await desk.send({ send: `GET /api/v1/notes/${next}` });
    }
    assert.match(dataJson[0] ?? '', /^\{"data":\[\{"id":"a".*"id":"b".*"id":"c".*\]$/);
    assert.deepEqual(
      dataJson,
      dataJson.map(() => dataJson[0]),
    );
  });

  it('[PAGE-3] without a position is the first, by cursor', async () => {
    const { body } = await get('');
    const { next_cursor, ...page } = body['page'];
    assert.deepEqual(page, { technique: 'cursor', limit: 3, count: 3, has_more: true, after: null, prev_cursor: null });
    assert.deepEqual(body['links'], {
      self: '/api/v1/notes?limit=3',
      first: '/api/v1/notes?limit=3',
      next: `/api/v1/notes?limit=3&after=${next_cursor}`,
    });
  });

  it('[PAGE-1] by cursor has its own cursor and those of its neighbours, null at the ends', async () => {
    const first = await get('');
    const second = await get(`?after=${first.body['page']['next_cursor']}`);
    const third = await get(`?after=${second.body['page']['next_cursor']}`);
    assert.deepEqual(
      [first, second, third].map((seen) => parseIds(seen).join('')),
      ['abc', 'def', 'g'],
    );
    assert.equal(second.body['page']['after'], first.body['page']['next_cursor']);
    assert.equal(third.body['page']['next_cursor'], null);
    assert.deepEqual([third.body['page']['has_more'], 'next' in third.body['links']], [false, false]);
    const back = await get(`?after=${third.body['page']['prev_cursor']}`);
    assert.equal(parseIds(back).join(''), 'def');
    const start = await get(`?after=${back.body['page']['prev_cursor']}`);
    assert.deepEqual([parseIds(start).join(''), start.body['page']['prev_cursor']], ['abc', null]);
    assert.deepEqual([start.body['page']['has_more'], 'prev' in start.body['links']], [true, false]);
  });

  it('[PAGE-2] has filters and sort in every link, normalized', async () => {
    const { body } = await get('?sort=-kind,id&kind=x&kind=y&limit=2&page=2');
    for (const href of Object.values(body['links'])) {
      assert.match(String(href), /^\/api\/v1\/notes\?(?:kind=x&kind=y&sort=-kind,id)&limit=2&page=\d$/);
    }
  });

  it('[PAGE-2] percent-encodes its links', async () => {
    const value = 'a b&c=d+e,f/é';
    const seen = await get(`?kind=${encodeURIComponent(value)}&page=1`);
    assert.equal(seen.body['links']['self'], '/api/v1/notes?kind=a%20b%26c%3Dd%2Be%2Cf%2F%C3%A9&limit=3&page=1');
    assert.equal((await desk.send({ send: `GET ${seen.body['links']['self']}` })).text, seen.text);
  });

  it('[PAGE-2] omits the Link field above 4 KiB, and links above 8,192 bytes', async () => {
    const long = await get(`?kind[in]=x,${'z'.repeat(1500)}&page=1`);
    assert.deepEqual([long.headers.get('link'), 'next' in long.body['links']], [undefined, true]);
    const longer = await get(`?kind[in]=x,${'z'.repeat(4500)}`);
    assert.deepEqual(Object.keys(longer.body['links']), ['self', 'first', 'next']);
    assert.match(longer.body['links'].next, /^\/api\/v1\/notes\?limit=3&after=/, 'only the cursor contains the filter');
    assert.equal(parseIds(await desk.row({ send: `GET ${longer.body['links'].next}`, status: 200 })).join(''), 'de');
    const longest = await desk.row({
      send: 'QUERY /api/v1/notes',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: `kind[in]=x,${'z'.repeat(9000)}`,
      status: 200,
    });
    assert.deepEqual(Object.keys(longest.body['links']), []);
    assert.equal(longest.body['page']['has_more'], false, '[PAGE-1] as there is no next link');
  });

  for (const [target, document] of [
    [8_192, NOTES],
    [1_024, NOTES.replace('limits: {', 'limits: { target: 1KiB,')],
  ] as const) {
    it(`[PAGE-2] sends links of ${target} bytes, which can be requested, and none of ${target + 1}`, async () => {
      await using api = await sevenNotes(document);
      const query = (length: number): Promise<Seen> => {
        const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
        return api.row({
          send: 'QUERY /api/v1/notes',
          headers,
          body: `page=1&kind[in]=x,${'z'.repeat(length)}`,
          status: 200,
        });
      };
      const { body: short } = await query(1);
      const padding = target - short['links'].self.length + 1;
      const { body } = await query(padding);
      assert.deepEqual(
        Object.entries<string>(body['links']).map(([rel, href]) => [rel, href.length]),
        ['self', 'first', 'next'].map((rel) => [rel, target]),
      );
      for (const href of Object.values(body['links'])) await api.row({ send: `GET ${String(href)}`, status: 200 });
      const { body: longer } = await query(padding + 1);
      assert.deepEqual(longer['links'], {});
    });
  }

  it('[PAGE-2] omits links above the configured limit of a request target', async () => {
    await using small = await sevenNotes(NOTES.replace('limits: {', 'limits: { target: 1KiB,'));
    const asked = (length: number): Promise<Seen> =>
      small.row({ send: `GET /api/v1/notes?kind[in]=x,${'z'.repeat(length)}`, status: 200 });
    const { body } = await asked(500);
    assert.deepEqual(Object.keys(body['links']), ['self', 'first', 'next']);
    assert.equal(parseIds(await small.row({ send: `GET ${body['links'].next}`, status: 200 })).join(''), 'de');
    const { body: longer } = await asked(900);
    assert.deepEqual([Object.keys(longer['links']), longer['page']['has_more']], [['self', 'first'], false]);
  });

  it('[PAGE-2] has no last without an exact total', async () => {
    for (const query of ['?page=1&include_total=false', '?page=1&kind=x', '']) {
      assert.equal('last' in (await get(query)).body['links'], false, query);
    }
    assert.equal('last' in (await get('?include_total=true')).body['links'], true);
  });

  it('[PAGE-2] by cursor ends at the last link', async () => {
    const { body } = await get('?include_total=true');
    const last = await desk.row({ send: `GET ${body['links']['last']}`, status: 200 });
    assert.deepEqual([parseIds(last).join(''), last.body['page']['has_more']], ['efg', false]);
    const earlier = await desk.row({ send: `GET ${last.body['links']['prev']}`, status: 200 });
    assert.equal(parseIds(earlier).join(''), 'bcd');
  });
});

describe('a position', () => {
  for (const query of [
    'page=1&offset=0',
    'page=1&after=x',
    'offset=0&after=x',
    'page=1&offset=0&after=x',
    'limit=1&per_page=1',
  ]) {
    it(`[PAGE-4] cannot be combined: ${query}`, async () => {
      const names = query.split('&').map((pair) => pair.replace(/=.*/, ''));
      const { body } = await desk.row({
        send: `GET /api/v1/notes?${query}`,
        status: 400,
        has: { errorCode: 'PAGINATION_CONFLICT' },
      });
      assert.deepEqual(column(body['details'], 'field'), names);
    });
  }

  for (const query of [
    'page=0',
    'page=-1',
    'page=1.5',
    'page=',
    'page=x',
    'page=%201',
    'offset=-1',
    'offset=x',
    'offset=',
    'offset=1e3',
  ]) {
    it(`[PAGE-4] that is invalid is 400: ${query}`, async () => {
      const { body } = await desk.row({
        send: `GET /api/v1/notes?${query}`,
        status: 400,
        has: { errorCode: 'PAGINATION_POSITION_INVALID' },
      });
      assert.match(body['details'][0]['message'], /integer/);
    });
  }

  for (const query of [
    'offset=7',
    'page=4',
    'page=3&limit=5',
    'offset=99999999999999999999',
    'page=99999999999999999999',
  ]) {
    it(`[PAGE-8] above the maximum is 400 and suggests the cursor: ${query}`, async () => {
      const { body } = await desk.row({
        send: `GET /api/v1/notes?${query}`,
        status: 400,
        has: { errorCode: 'PAGINATION_POSITION_INVALID' },
      });
      assert.match(body['errorMessage'], /cursor/);
    });
  }

  for (const query of ['page=2&kind=y', 'offset=2&kind=y', 'page=3&kind=none', 'kind=none']) {
    it(`[PAGE-8] past the end is an empty page: ${query}`, async () => {
      const { body } = await get(`?${query}`);
      assert.deepEqual([body['data'], body['page']['count'], body['page']['has_more']], [[], 0, false]);
      assert.equal('next' in body['links'], false);
    });
  }

  it('[PAGE-8] past the end links to the last page', async () => {
    const { body } = await get('?page=3&kind=y');
    assert.equal(body['links']['prev'], '/api/v1/notes?kind=y&limit=3&page=1');
    const offset = await get('?offset=6&kind=y');
    assert.equal(offset.body['links']['prev'], '/api/v1/notes?kind=y&limit=3&offset=0');
  });

  it('[PAGE-2] before the maximum offset links to a cursor, so that next reaches every item', async () => {
    await using near = await sevenNotes(NOTES.replace('max_offset: 6', 'max_offset: 3'));
    for (const [start, ids] of [
      ['?page=1&limit=2&sort=-id', 'gfedcba'],
      ['?offset=1&limit=1', 'bcdefg'],
      ['?page=1&limit=3&kind=x', 'abcde'],
    ] as const) {
      const seen: string[] = [];
      for (let next: string | undefined = `/api/v1/notes${start}`; next !== undefined; ) {
        const page = await near.row({ send: `GET ${next}`, status: 200 });
        seen.push(...parseIds(page));
        assert.ok(seen.length < 20, 'the walk ends');
        next = page.body['links']['next'];
      }
      assert.equal(seen.join(''), ids, start);
    }
  });
});

describe('a collection below a parent', () => {
  it('[PAGE-1] [URL-7] contains the rows of that parent only, under its own URL', async () => {
    const seen = await get('/a/lines?limit=4&page=2');
    assert.deepEqual(parseIds(seen), ['a5', 'a6']);
    assert.equal(seen.body['links']['prev'], '/api/v1/notes/a/lines?limit=4&page=1');
    assert.deepEqual(parseIds(await get('/b/lines')), []);
  });
});
