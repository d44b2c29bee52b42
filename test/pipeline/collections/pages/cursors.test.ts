import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import * as fc from 'fast-check';
import { type ApiUnderTest, apiUnderTest, column, type Seen } from '../../support/api-under-test.ts';
import { NOTES, sevenNotes } from '../../models/desk-model.ts';
import { create, parseIds } from '../../models/shop-model.ts';
import { runs } from '../../../extent.ts';

let desk: ApiUnderTest;
before(async () => {
  desk = await sevenNotes();
});
after(() => desk.close());

const get = (path: string): Promise<Seen> => desk.row({ send: `GET /api/v1/${path}`, status: 200 });

const LETTERS = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_');

/** Fetches the next cursor of the first page of a query. */
async function fetchCursor(path: string): Promise<string> {
  return String((await get(path)).body['page']['next_cursor']);
}

describe('a cursor', () => {
  it('[PAGE-6] is opaque: it reveals no ids, filters or sort', async () => {
    const cursor = await fetchCursor('notes?sort=rank&kind=x&limit=1');
    assert.match(cursor, /^[A-Za-z0-9_-]+$/, 'and needs no encoding in a URL');
    const bytes = Buffer.from(cursor, 'base64url').toString('latin1');
    for (const text of ['rank', 'kind', 'notes']) assert.equal(bytes.includes(text), false, text);
  });

  it('[PAGE-6] is the same for the same state, and different otherwise', async () => {
    assert.equal(await fetchCursor('notes'), await fetchCursor('notes'));
    assert.equal(await fetchCursor('notes?sort=id'), await fetchCursor('notes?sort=id&limit=3'));
    const queries = ['', '?limit=2', '?sort=id', '?sort=-id', '?kind=x', '?kind=x&kind=y', '?sort=-created_at'];
    const cursors = await Promise.all(queries.map((query) => fetchCursor(`notes${query}`)));
    assert.equal(new Set(cursors).size, queries.length);
  });

  it('[PAGE-6] is valid with any version carrier and any limit', async () => {
    const cursor = await fetchCursor('notes');
    for (const send of [`/api/notes?after=${cursor}`, `/api/notes?api_version=1&after=${cursor}`]) {
      assert.deepEqual(parseIds(await desk.row({ send: `GET ${send}`, status: 200 })), ['d', 'e', 'f']);
    }
    assert.deepEqual(parseIds(await get(`notes?limit=2&after=${cursor}`)), ['d', 'e']);
  });

  it('[PAGE-4] restores its filters and sort, also in the links', async () => {
    const cursor = await fetchCursor('notes?kind=x&sort=-id&limit=2');
    const alone = await get(`notes?after=${cursor}`);
    assert.deepEqual(parseIds(alone), ['c', 'b', 'a']);
    assert.equal(alone.body['links']['self'], `/api/v1/notes?kind=x&sort=-id&limit=3&after=${cursor}`);
    assert.equal(alone.body['links']['first'], '/api/v1/notes?kind=x&sort=-id&limit=3');
  });

  it('[PAGE-6] can be combined with its own filters and sort, in any notation', async () => {
    const cursor = await fetchCursor('notes?kind=x&kind=y&sort=-id&limit=2');
    for (const repeated of [
      '',
      '&sort=-id',
      '&kind=y&kind=x',
      '&kind[in]=x,y',
      '&filter[kind][in]=y,x&sort=-id',
      '&kind=x&kind=y&kind=x',
    ]) {
      assert.deepEqual(parseIds(await get(`notes?limit=2&after=${cursor}${repeated}`)), ['e', 'd'], repeated);
    }
  });

  const others: readonly (readonly [other: string, field: string])[] = [
    ['sort=id', 'sort'],
    ['sort=-kind', 'sort'],
    ['kind=y', 'kind'],
    ['kind=x&rank=1', 'kind'],
    ['rank=1', 'rank'],
    ['kind=x&kind=y', 'kind'],
    ['kind[in]=x,y', 'kind[in]'],
  ];
  for (const [other, field] of others) {
    it(`[PAGE-6] cannot be combined with another query: ${other}`, async () => {
      const cursor = await fetchCursor('notes?kind=x&sort=-id&limit=2');
      const { body } = await desk.row({
        send: `GET /api/v1/notes?after=${cursor}&${other}`,
        status: 400,
        has: { errorCode: 'PAGINATION_CURSOR_MISMATCH' },
      });
      assert.ok(column(body['details'], 'field').includes(field), JSON.stringify(body['details']));
    });
  }

  it('[PAGE-6] without a filter cannot be combined with one', async () => {
    const cursor = await fetchCursor('notes?limit=1');
    const has = { errorCode: 'PAGINATION_CURSOR_MISMATCH' };
    await desk.row({ send: `GET /api/v1/notes?after=${cursor}&kind=x`, status: 400, has });
    await desk.row({ send: `GET /api/v1/notes?after=${cursor}&sort=-id`, status: 400, has });
    assert.deepEqual(
      parseIds(await get(`notes?after=${cursor}&sort=created_at,id&limit=1`)),
      ['b'],
      'the explicit default',
    );
  });

  it('[PAGE-6] belongs to its collection, and in a nested collection to its parent', async () => {
    const has = {
      errorCode: 'PAGINATION_CURSOR_INVALID',
      details: [{ field: 'after', message: 'is not a valid cursor for this collection' }],
    };
    const [notes, lines] = [await fetchCursor('notes'), await fetchCursor('notes/a/lines')];
    await desk.row({ send: `GET /api/v1/notes/a/lines?after=${notes}`, status: 400, has });
    await desk.row({ send: `GET /api/v1/notes?after=${lines}`, status: 400, has });
    await desk.row({ send: `GET /api/v1/notes/b/lines?after=${lines}`, status: 400, has });
    await get(`notes/a/lines?after=${lines}`);
  });

  for (const token of ['', 'x', 'null', 'MQ', 'a'.repeat(80), '%20', 'eyJpZCI6MX0=', '%C3%A9']) {
    it(`[PAGE-6] that is not a valid token is 400: ${JSON.stringify(token)}`, async () => {
      const { body } = await desk.row({
        send: `GET /api/v1/notes?after=${token}`,
        status: 400,
        has: { errorCode: 'PAGINATION_CURSOR_INVALID' },
      });
      assert.match(body['errorMessage'], /without after/, '[ERR-4] says what to do');
    });
  }

  it('[PAGE-6] that is changed, shortened or extended is 400', async () => {
    const cursor = await fetchCursor('notes?sort=rank,kind');
    const place = fc.nat({ max: cursor.length - 1 });
    const letter = fc.constantFrom(...LETTERS);
    const forged = fc.oneof(
      fc.tuple(place, letter).map(([at, to]) => cursor.slice(0, at) + to + cursor.slice(at + 1)),
      place.map((end) => cursor.slice(0, end)),
      letter.map((more) => cursor + more),
      fc.tuple(place, letter).map(([at, more]) => cursor.slice(0, at) + more + cursor.slice(at)),
    );
    const property = fc.asyncProperty(
      forged.filter((text) => text !== cursor),
      async (token) => {
        await desk.row({
          send: `GET /api/v1/notes?after=${token}`,
          status: 400,
          has: { errorCode: 'PAGINATION_CURSOR_INVALID' },
        });
      },
    );
    await fc.assert(property, { numRuns: runs(30, 400) });
  });

  it('[PAGE-6] is rejected if the model now requires a field that its position lacks', async () => {
    const secret = 'a secret of sixteen bytes or more';
    const withRank = NOTES.replace('version: 1.0.0', `version: 1.0.0\nsecret: ${secret}`);
    await using one = await apiUnderTest(withRank);
    await create(one, 'notes', { id: 'a' });
    await create(one, 'notes', { id: 'b' });
    const { body } = await one.send({ send: 'GET /api/v1/notes?sort=rank&limit=1' });
    await using other = await apiUnderTest(
      withRank.replace(
        'type: object\n      properties: { kind',
        'type: object\n      required: [rank]\n      properties: { kind',
      ),
    );
    await other.row({
      send: `GET /api/v1/notes?after=${body['page'].next_cursor}`,
      status: 400,
      has: { errorCode: 'PAGINATION_CURSOR_INVALID' },
    });
  });

  it('[PAGE-6] of an instance with another secret is invalid', async () => {
    await using other = await apiUnderTest(NOTES);
    const cursor = await fetchCursor('notes');
    await other.row({
      send: `GET /api/v1/notes?after=${cursor}`,
      status: 400,
      has: { errorCode: 'PAGINATION_CURSOR_INVALID' },
    });
  });

  it('[PAGE-6] of an instance with the same secret is valid', async () => {
    const sealed = NOTES.replace('resources:', 'secret: 0123456789abcdef0123456789abcdef\nresources:');
    await using one = await apiUnderTest(sealed);
    await using other = await apiUnderTest(sealed);
    for (const id of ['a', 'b', 'c', 'd']) for (const api of [one, other]) await create(api, 'notes', { id });
    const { body } = await one.send({ send: 'GET /api/v1/notes' });
    assert.deepEqual(
      parseIds(await other.row({ send: `GET /api/v1/notes?after=${body['page']['next_cursor']}`, status: 200 })),
      ['d'],
    );
  });

  for (const [title, query, from, to] of [
    ['the type of a sort key', '?sort=kind', 'kind: { type: string }', 'kind: { type: integer }'],
    ['the sortable fields', '?sort=kind', 'kind: { type: string }, ', ''],
    ['the filterable fields', '?kind=x', 'kind: { type: string }, ', ''],
    ['the default order', '', '    indexes: [kind]', '    sort: -created_at'],
  ] as const) {
    it(`[PAGE-6] is invalid after the model changes ${title}`, async () => {
      const secret = 'secret: 0123456789abcdef0123456789abcdef\nresources:';
      const document = NOTES.replace('resources:', secret);
      const changed = (from.startsWith(' ') ? document : document.replace('    indexes: [kind]\n', '')).replace(
        from,
        to,
      );
      await using early = await apiUnderTest(document);
      await using late = await apiUnderTest(changed);
      for (const id of ['a', 'b', 'c', 'd']) await create(early, 'notes', { id, kind: 'x' });
      const { body } = await early.send({ send: `GET /api/v1/notes${query}` });
      await late.row({
        send: `GET /api/v1/notes?after=${body['page']['next_cursor']}`,
        status: 400,
        has: { errorCode: 'PAGINATION_CURSOR_INVALID' },
      });
    });
  }

  it('[PAGE-5] keeps its position after its row is deleted or changed', async () => {
    await using api = await apiUnderTest(NOTES);
    for (const [index, id] of ['a', 'b', 'c', 'd', 'e'].entries()) await create(api, 'notes', { id, rank: index });
    const { body } = await api.send({ send: 'GET /api/v1/notes?sort=rank&limit=2' });
    const next = `GET ${body['links']['next']}`;
    await api.send({ send: 'PATCH /api/v1/notes/b', body: { rank: 9 } });
    assert.deepEqual(parseIds(await api.send({ send: next })), ['c', 'd']);
    await api.send({ send: 'DELETE /api/v1/notes/b' });
    assert.deepEqual(parseIds(await api.send({ send: next })), ['c', 'd']);
    await create(api, 'notes', { id: 'between', rank: 1 });
    assert.deepEqual(parseIds(await api.send({ send: next })), ['between', 'c']);
  });

  it('[PAGE-8] past the end is an empty page, not the first one', async () => {
    await using api = await apiUnderTest(NOTES);
    for (const id of ['a', 'b', 'c', 'd']) await create(api, 'notes', { id });
    const { body } = await api.send({ send: 'GET /api/v1/notes' });
    await api.send({ send: 'DELETE /api/v1/notes/d' });
    await api.newEvents();
    const empty = await api.row({ send: `GET ${body['links']['next']}`, status: 200 });
    assert.deepEqual([empty.body['data'], empty.body['page']['has_more']], [[], false]);
  });
});
