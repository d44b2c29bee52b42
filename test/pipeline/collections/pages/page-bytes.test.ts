import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { type ApiUnderTest, apiUnderTest, type Seen, START } from '../../support/api-under-test.ts';
import { parseIds } from '../../models/shop-model.ts';
import { runs } from '../../../extent.ts';

const BYTES = 4_096;

const DESK = `
name: desk
version: 1.0.0
limits: { page: { default: 8, max: 20, bytes: 4KiB } }
resources:
  folders:
    id: client
    schema: { type: object, properties: { text: { type: string } } }
  notes:
    id: client
    indexes: [rank]
    schema:
      type: object
      properties:
        rank: { type: integer }
        text: { type: string }
        folder_id: { type: string, x-references: folders }
        secret: { type: string, writeOnly: true }
`;

interface Note {
  readonly id: string;
  readonly rank: number;
  readonly text: string;
  readonly folder_id?: string | null;
}

/** Opens a desk with notes. Every three consecutive notes share one millisecond. */
async function openDesk(notes: readonly Note[]): Promise<ApiUnderTest> {
  const desk = await apiUnderTest(DESK);
  const rows = notes.map((note, index) => {
    const at = new Date(START + Math.floor(index / 3)).toISOString();
    return { ...note, created_at: at, updated_at: at };
  });
  const outcome = await desk.api.importRows('notes', rows);
  assert.equal(outcome.kind, 'stored', JSON.stringify(outcome));
  return desk;
}

const get = (desk: ApiUnderTest, target: string): Promise<Seen> => desk.send({ send: `GET ${target}` });

function assertFits(seen: Seen): void {
  assert.equal(seen.status, 200, seen.text);
  const { data, page } = seen.body;
  const message = `${Buffer.byteLength(seen.text)} bytes in ${page.count} items of ${page.limit}`;
  assert.equal(page.count, data.length);
  assert.ok(data.length <= 1 || Buffer.byteLength(seen.text) <= BYTES, message);
}

/** The ids of all pages, by one link. */
async function walk(desk: ApiUnderTest, target: string, link: 'next' | 'prev' = 'next'): Promise<readonly string[]> {
  const pages: (readonly string[])[] = [];
  for (let href: string | undefined = target; href !== undefined; ) {
    assert.ok(pages.length < 60, `the walk of ${target} does not end`);
    const seen: Seen = await get(desk, href);
    assertFits(seen);
    const { page, links } = seen.body;
    assert.equal(page.has_more, 'next' in links, href);
    if (page.technique === 'offset' && 'next' in links) {
      assert.match(links.next, new RegExp(`offset=${page.offset + page.count}$`));
    }
    pages.push(parseIds(seen));
    href = links[link];
  }
  return (link === 'next' ? pages : pages.toReversed()).flat();
}

const text = fc
  .tuple(fc.constantFrom('x', 'é', '\u0001', '"', '\u{1f600}'), fc.constantFrom(0, 1, 40, 300, 900, 1_500, 5_000))
  .map(([character, length]) => character.repeat(length));
const notes = fc
  .array(fc.record({ text, rank: fc.integer({ min: 0, max: 3 }) }), { minLength: 1, maxLength: 24 })
  .map((all) => all.map((note, index): Note => ({ ...note, id: `n${String((index * 7) % 25).padStart(2, '0')}` })));
const limits = fc.constantFrom(1, 2, 5, 8, 20);
const query = (limit: number, ...more: readonly string[]): string =>
  `/api/v1/notes?${[`limit=${limit}`, ...more].join('&')}`;

const ids = (all: readonly Note[]): readonly string[] => all.map(({ id }) => id);
const byTime = (all: readonly Note[]): readonly string[] =>
  all
    .map((note, index) => ({ ...note, at: Math.floor(index / 3) }))
    .sort((one, other) => one.at - other.at || (one.id < other.id ? -1 : 1))
    .map(({ id }) => id);
const byRank = (all: readonly Note[]): readonly string[] =>
  ids(all.toSorted((one, other) => other.rank - one.rank || (one.id > other.id ? -1 : 1)));

const START_TIME = new Date(START).toISOString();

const WALKS: readonly {
  readonly title: string;
  readonly from: string;
  readonly order: (all: readonly Note[]) => readonly string[];
}[] = [
  { title: 'cursor', from: '', order: byTime },
  { title: 'cursor in an indexed order', from: 'sort=-rank', order: byRank },
  { title: 'cursor of a scan', from: 'sort=-rank&text[ne]=zzz', order: byRank },
  { title: 'offset', from: 'offset=0', order: byTime },
  { title: 'keyset', from: 'last_id=', order: (all) => ids(all).toSorted() },
  { title: 'seek', from: `after_timestamp=2020-01-01T00:00:00Z&after_id=a`, order: byTime },
  { title: 'time', from: `start_time=${START_TIME}`, order: byTime },
];

describe('a page of large items', () => {
  for (const { title, from, order } of WALKS) {
    it(`[LIM-1] [PAGE-1] [PAGE-5] ends early, and a walk by ${title} repeats and misses no item`, () =>
      fc.assert(
        fc.asyncProperty(notes, limits, async (all, limit) => {
          await using desk = await openDesk(all);
          assert.deepEqual(await walk(desk, query(limit, from)), order(all));
        }),
        { numRuns: runs(3, 40) },
      ));
  }

  it('[LIM-1] [PAGE-6] ends early backward too, next to the page before which it stands', () =>
    fc.assert(
      fc.asyncProperty(notes, limits, async (all, limit) => {
        await using desk = await openDesk(all);
        const { body } = await get(desk, query(limit, 'include_total=true'));
        assert.deepEqual(await walk(desk, body.links.last ?? '', 'prev'), byTime(all));
        assert.deepEqual([body.page.total_count, body.page.total_count_relation], [all.length, 'eq']);
      }),
      { numRuns: runs(3, 40) },
    ));

  it('[LIM-1] by number is rejected with a limit that fits', () =>
    fc.assert(
      fc.asyncProperty(notes, limits, async (all, first) => {
        await using desk = await openDesk(all);
        let limit: number = first;
        let seen = await get(desk, query(limit, 'page=1'));
        for (; seen.status === 400; seen = await get(desk, query(limit, 'page=1'))) {
          assert.equal(seen.body.errorCode, 'PAGINATION_LIMIT_INVALID');
          const named = Number(/send limit=(\d+)/.exec(seen.body.errorMessage)?.[1]);
          assert.ok(named >= 1 && named < limit, seen.text);
          limit = named;
        }
        assertFits(seen);
        assert.deepEqual(parseIds(seen), byTime(all).slice(0, limit));
      }),
      { numRuns: runs(3, 40) },
    ));
});

const long = (count: number, length = 700): readonly Note[] =>
  Array.from({ length: count }, (_, index) => ({ id: `n${index}`, rank: index, text: 'x'.repeat(length) }));

describe('the bound of a page', () => {
  it('[LIM-1] is the same for every format, and counts the item as JSON', async () => {
    await using desk = await openDesk(long(8));
    const accept = (type: string): Promise<Seen> => desk.send({ send: 'GET /api/v1/notes', headers: { Accept: type } });
    assert.equal((await accept('application/json')).body.data.length, 3);
    assert.equal((await accept('application/xml')).text.match(/<note>/g)?.length, 3);
    assert.equal((await accept('application/x-ndjson')).text.trim().split('\n').length, 3);
    const csv = await accept('text/csv');
    assert.equal(csv.text.trim().split('\r\n').length, 4);
    assert.ok(csv.headers.has('x-next-cursor'));
    assert.equal((await accept('text/plain')).text.split('\n\n').length, 3);
  });

  it('[LIM-1] counts escapes, of which a stored text has none', async () => {
    await using desk = await openDesk(long(8).map((note) => ({ ...note, text: '\u0001'.repeat(600) })));
    const seen = await get(desk, '/api/v1/notes');
    assertFits(seen);
    assert.equal(seen.body.data.length, 1);
  });

  it('[LIM-1] counts only the fields that are shown', async () => {
    await using desk = await openDesk(long(8));
    assert.equal((await get(desk, '/api/v1/notes?fields=rank')).body.page.count, 8);
    assert.ok((await get(desk, '/api/v1/notes?fields=text')).body.page.count < 8);
  });

  it('[LIM-1] holds for pages and items from a cache, with one ETag', async () => {
    await using desk = await openDesk(long(8, 400));
    for (const { id } of long(8, 400)) {
      for (let read = 0; read < 3; read += 1) await get(desk, `/api/v1/notes/${id}`);
    }
    const pages = await Promise.all(Array.from({ length: 4 }, () => get(desk, '/api/v1/notes')));
    for (const page of pages) {
      assertFits(page);
      assert.deepEqual(page.bytes, pages[0]?.bytes);
      assert.equal(page.headers.get('etag'), pages[0]?.headers.get('etag'));
    }
    const { 'if-none-match': _, ...etag } = {
      'if-none-match': '',
      'If-None-Match': pages[0]?.headers.get('etag') ?? '',
    };
    assert.equal((await desk.send({ send: 'GET /api/v1/notes', headers: etag })).status, 304);
  });

  it('[LIM-1] lets a single item of any size through, and says whether more follow', async () => {
    await using desk = await openDesk([...long(1, 9_000), { id: 'z', rank: 1, text: '' }]);
    const { body } = await get(desk, '/api/v1/notes');
    assert.deepEqual([body.page.count, body.page.has_more], [1, true]);
    assert.equal((await get(desk, body.links.next)).body.page.count, 1);
    assert.equal((await get(desk, '/api/v1/notes?page=1')).status, 400);
    assert.equal((await get(desk, '/api/v1/notes?page=1&limit=1')).status, 200);
  });

  it('[PAGE-1] before another by offset is one limit before, and its next links lead to the rest', async () => {
    await using desk = await openDesk(long(20));
    const { body } = await get(desk, '/api/v1/notes?sort=rank&offset=12&limit=8');
    const before = await get(desk, body.links.prev);
    assert.match(body.links.prev, /offset=4$/);
    assert.deepEqual([before.body.page.has_more, before.body.page.count < 8], [true, true]);
    assert.deepEqual(await walk(desk, body.links.prev), ids(long(20)).slice(4));
  });

  it('[LIM-1] is the same for HEAD and QUERY', async () => {
    await using desk = await openDesk(long(8));
    const page = await get(desk, '/api/v1/notes');
    const head = await desk.send({ send: 'HEAD /api/v1/notes' });
    assert.equal(head.headers.get('link'), page.headers.get('link'));
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const queried = await desk.send({ send: 'QUERY /api/v1/notes', headers: form, body: 'limit=8' });
    assert.equal(queried.body.page.count, 3);
    assert.equal((await desk.send({ send: 'HEAD /api/v1/notes?page=1' })).status, 400);
  });

  it('[LIM-1] is 16 MiB by default, however large the items are', async () => {
    await using desk = await apiUnderTest(DESK.replace(/^limits:.*$/m, ''));
    const rows = Array.from({ length: 24 }, (_, index) => ({ id: `n${index}`, text: '\u0001'.repeat(880_000) }));
    for (const row of rows) await desk.api.importRows('notes', [row]);
    const seen = await get(desk, '/api/v1/notes?limit=100');
    assert.equal(seen.body.page.count, 3);
    assert.ok(seen.bytes.length <= 16_777_216);
    const { body } = await get(desk, '/api/v1/notes?limit=100&page=1');
    assert.match(body.errorMessage, /send limit=3,/);
  });
});

describe('related resources on a page', () => {
  it('[LIM-1] [QRY-4] count where they are shown, and the page ends early for them', async () => {
    await using desk = await apiUnderTest(DESK);
    const folders = Array.from({ length: 6 }, (_, index) => ({ id: `f${index}`, text: 'x'.repeat(900) }));
    await desk.api.importRows('folders', folders);
    await desk.api.importRows(
      'notes',
      long(12, 10).map((note, index) => ({ ...note, folder_id: `f${index % 6}` })),
    );
    const walked = await walk(desk, '/api/v1/notes?expand=folder&limit=20&sort=rank');
    assert.deepEqual(walked, ids(long(12)));
    const { body } = await get(desk, '/api/v1/notes?expand=folder&sort=rank');
    assert.ok(body.page.count >= 2 && body.page.count <= 3, JSON.stringify(body.page));
    assert.equal(body.data[0].folder.id, 'f0');
    const back = await get(desk, '/api/v1/notes?expand=folder&sort=rank&include_total=true');
    assert.deepEqual(await walk(desk, back.body.links.last, 'prev'), ids(long(12)));
  });

  it('[LIM-1] [QRY-4] of one item are rejected where they are too large', async () => {
    await using desk = await apiUnderTest(DESK);
    await desk.api.importRows('folders', [{ id: 'f', text: 'x'.repeat(5_000) }]);
    await desk.api.importRows('notes', [{ id: 'n', folder_id: 'f' }]);
    for (const target of ['notes?expand=folder', 'notes/n?expand=folder']) {
      const { status, body } = await get(desk, `/api/v1/${target}`);
      assert.deepEqual([status, body.errorCode], [400, 'QUERY_EXPAND_INVALID']);
    }
  });
});
