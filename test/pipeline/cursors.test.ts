import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import * as fc from 'fast-check';
import { type ApiUnderTest, apiUnderTest, column, type Seen } from './api-under-test.ts';
import { NOTES, sevenNotes } from './desk-model.ts';
import { create, idsOf } from './shop-model.ts';

let desk: ApiUnderTest;
before(async () => {
  desk = await sevenNotes();
});
after(() => desk.close());

const get = (path: string): Promise<Seen> => desk.row({ send: `GET /api/v1/${path}`, status: 200 });

/** The cursor behind the first page of a query. */
async function cursorOf(path: string): Promise<string> {
  return String((await get(path)).body['page']['next_cursor']);
}

describe('a cursor', () => {
  it('[PAGE-6] is opaque: it shows neither ids nor filters nor the sort', async () => {
    const cursor = await cursorOf('notes?sort=rank&kind=x&limit=1');
    assert.match(cursor, /^[A-Za-z0-9_-]+$/, 'and needs no encoding in a URL');
    const bytes = Buffer.from(cursor, 'base64url').toString('latin1');
    for (const text of ['rank', 'kind', 'notes', 'x"']) assert.equal(bytes.includes(text), false, text);
  });

  it('[PAGE-6] is the same for the same state, and another for another', async () => {
    assert.equal(await cursorOf('notes'), await cursorOf('notes'));
    assert.equal(await cursorOf('notes?sort=id'), await cursorOf('notes?sort=id&limit=3'));
    const queries = ['', '?limit=2', '?sort=id', '?sort=-id', '?kind=x', '?kind=x&kind=y', '?sort=-created_at'];
    const cursors = await Promise.all(queries.map((query) => cursorOf(`notes${query}`)));
    assert.equal(new Set(cursors).size, queries.length);
  });

  it('[PAGE-6] holds wherever the version stands, and for another limit', async () => {
    const cursor = await cursorOf('notes');
    for (const send of [`/api/notes?after=${cursor}`, `/api/notes?api_version=1&after=${cursor}`]) {
      assert.deepEqual(idsOf(await desk.row({ send: `GET ${send}`, status: 200 })), ['d', 'e', 'f']);
    }
    assert.deepEqual(idsOf(await get(`notes?limit=2&after=${cursor}`)), ['d', 'e']);
  });

  it('[PAGE-4] restores the filters and the sort that it was made with, and its links carry them', async () => {
    const cursor = await cursorOf('notes?kind=x&sort=-id&limit=2');
    const alone = await get(`notes?after=${cursor}`);
    assert.deepEqual(idsOf(alone), ['c', 'b', 'a']);
    assert.equal(alone.body['links']['self'], `/api/v1/notes?kind=x&sort=-id&limit=3&after=${cursor}`);
    assert.equal(alone.body['links']['first'], '/api/v1/notes?kind=x&sort=-id&limit=3');
  });

  it('[PAGE-6] takes its own filters and sort beside it, however they are spelt', async () => {
    const cursor = await cursorOf('notes?kind=x&kind=y&sort=-id&limit=2');
    for (const beside of [
      '',
      '&sort=-id',
      '&kind=y&kind=x',
      '&kind[in]=x,y',
      '&filter[kind][in]=y,x&sort=-id',
      '&kind=x&kind=y&kind=x',
    ]) {
      assert.deepEqual(idsOf(await get(`notes?limit=2&after=${cursor}${beside}`)), ['e', 'd'], beside);
    }
  });

  const others: readonly (readonly [beside: string, field: string])[] = [
    ['sort=id', 'sort'],
    ['sort=-id,kind', ''],
    ['sort=-kind', 'sort'],
    ['kind=y', 'kind'],
    ['kind=x&rank=1', 'kind'],
    ['rank=1', 'rank'],
    ['kind=x&kind=y', 'kind'],
    ['kind[in]=x,y', 'kind[in]'],
  ];
  for (const [beside, field] of others) {
    if (field === '') continue;
    it(`[PAGE-6] takes no other query beside it: ${beside}`, async () => {
      const cursor = await cursorOf('notes?kind=x&sort=-id&limit=2');
      const { body } = await desk.row({
        send: `GET /api/v1/notes?after=${cursor}&${beside}`,
        status: 400,
        has: { errorCode: 'PAGINATION_CURSOR_MISMATCH' },
      });
      assert.ok(column(body['details'], 'field').includes(field), JSON.stringify(body['details']));
    });
  }

  it('[PAGE-6] made without a filter takes none beside it', async () => {
    const cursor = await cursorOf('notes?limit=1');
    const has = { errorCode: 'PAGINATION_CURSOR_MISMATCH' };
    await desk.row({ send: `GET /api/v1/notes?after=${cursor}&kind=x`, status: 400, has });
    await desk.row({ send: `GET /api/v1/notes?after=${cursor}&sort=-id`, status: 400, has });
    assert.deepEqual(
      idsOf(await get(`notes?after=${cursor}&sort=created_at,id&limit=1`)),
      ['b'],
      'the default, spelt out',
    );
  });

  it('[PAGE-6] belongs to its collection, and below a parent to that parent', async () => {
    const has = {
      errorCode: 'PAGINATION_CURSOR_INVALID',
      details: [{ field: 'after', message: 'is not a cursor of this collection' }],
    };
    const [notes, lines] = [await cursorOf('notes'), await cursorOf('notes/a/lines')];
    await desk.row({ send: `GET /api/v1/notes/a/lines?after=${notes}`, status: 400, has });
    await desk.row({ send: `GET /api/v1/notes?after=${lines}`, status: 400, has });
    await desk.row({ send: `GET /api/v1/notes/b/lines?after=${lines}`, status: 400, has });
    await get(`notes/a/lines?after=${lines}`);
  });

  for (const after of ['', 'x', 'null', 'MQ', 'a'.repeat(80), '%20', 'eyJpZCI6MX0=', '%C3%A9']) {
    it(`[PAGE-6] that was never made is 400: ${JSON.stringify(after)}`, async () => {
      const { body } = await desk.row({
        send: `GET /api/v1/notes?after=${after}`,
        status: 400,
        has: { errorCode: 'PAGINATION_CURSOR_INVALID' },
      });
      assert.match(body['errorMessage'], /without after/, '[ERR-4] says what to do');
    });
  }

  it('[PAGE-6] that is changed anywhere, cut or continued is 400', async () => {
    const cursor = await cursorOf('notes?sort=rank,kind');
    const place = fc.nat({ max: cursor.length - 1 });
    const letter = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_');
    const forged = fc.oneof(
      fc.tuple(place, letter).map(([at, to]) => cursor.slice(0, at) + to + cursor.slice(at + 1)),
      place.map((end) => cursor.slice(0, end)),
      letter.map((more) => cursor + more),
      fc.tuple(place, letter).map(([at, more]) => cursor.slice(0, at) + more + cursor.slice(at)),
    );
    const property = fc.asyncProperty(
      forged.filter((text) => text !== cursor),
      async (after) => {
        await desk.row({
          send: `GET /api/v1/notes?after=${after}`,
          status: 400,
          has: { errorCode: 'PAGINATION_CURSOR_INVALID' },
        });
      },
    );
    await fc.assert(property, { numRuns: 200 });
  });

  it('[PAGE-6] of another instance without the same secret is forged', async () => {
    await using other = await apiUnderTest(NOTES);
    const cursor = await cursorOf('notes');
    await other.row({
      send: `GET /api/v1/notes?after=${cursor}`,
      status: 400,
      has: { errorCode: 'PAGINATION_CURSOR_INVALID' },
    });
  });

  it('[PAGE-6] of an instance with the same secret is its own', async () => {
    const sealed = NOTES.replace('resources:', 'secret: 0123456789abcdef0123456789abcdef\nresources:');
    await using one = await apiUnderTest(sealed);
    await using other = await apiUnderTest(sealed);
    for (const id of ['a', 'b', 'c', 'd']) for (const api of [one, other]) await create(api, 'notes', { id });
    const { body } = await one.send({ send: 'GET /api/v1/notes' });
    assert.deepEqual(
      idsOf(await other.row({ send: `GET /api/v1/notes?after=${body['page']['next_cursor']}`, status: 200 })),
      ['d'],
    );
  });

  it('[PAGE-5] stands where its row stood, though the row is gone or says something else', async () => {
    await using api = await apiUnderTest(NOTES);
    for (const [index, id] of ['a', 'b', 'c', 'd', 'e'].entries()) await create(api, 'notes', { id, rank: index });
    const { body } = await api.send({ send: 'GET /api/v1/notes?sort=rank&limit=2' });
    const next = `GET ${body['links']['next']}`;
    await api.send({ send: 'PATCH /api/v1/notes/b', body: { rank: 9 } });
    assert.deepEqual(idsOf(await api.send({ send: next })), ['c', 'd']);
    await api.send({ send: 'DELETE /api/v1/notes/b' });
    assert.deepEqual(idsOf(await api.send({ send: next })), ['c', 'd']);
    await create(api, 'notes', { id: 'between', rank: 1 });
    assert.deepEqual(idsOf(await api.send({ send: next })), ['between', 'c']);
  });

  it('[PAGE-8] behind everything is an empty page, and not the first one', async () => {
    await using api = await apiUnderTest(NOTES);
    for (const id of ['a', 'b', 'c', 'd']) await create(api, 'notes', { id });
    const { body } = await api.send({ send: 'GET /api/v1/notes' });
    await api.send({ send: 'DELETE /api/v1/notes/d' });
    await api.newEvents();
    const empty = await api.row({ send: `GET ${body['links']['next']}`, status: 200 });
    assert.deepEqual([empty.body['data'], empty.body['page']['has_more']], [[], false]);
  });
});

/** One row for each kind of value, with ties and with nothing set. */
const KINDS = `
name: kinds
version: 1.0.0
resources:
  rows:
    id: client
    schema:
      type: object
      properties:
        text: { type: string }
        number: { type: number }
        truth: { type: boolean }
        money: { type: string, format: decimal }
        big: { type: string, format: int64 }
        at: { type: string, format: date-time }
        part: { type: object, properties: { name: { type: string } } }
`;

/** Values in their order, the unset first (PAGE-5, QRY-7). */
const ORDERS: readonly (readonly [path: string, values: readonly unknown[]])[] = [
  ['text', [null, '', 'A', 'Z', 'a', 'a\u0301', 'z', 'é', '\uFFFD', '😀']],
  ['number', [null, -1e300, -1.5, -1, 0, 1e-300, 1, 1.5, 2, 10, 1e300]],
  ['truth', [null, false, true]],
  ['money', [null, '-100', '-9.5', '-9.49', '0', '0.001', '9', '10', '99999999999999999999.5']],
  ['big', [null, '-9223372036854775808', '-10', '-9', '0', '9', '10', '9007199254740993', '9223372036854775807']],
  [
    'at',
    [null, '1969-12-31T23:59:59.999Z', '2026-01-01T00:00:00+02:00', '2025-12-31T23:00:00Z', '2026-01-01T00:00:00.001Z'],
  ],
  ['part.name', [null, '', 'a', 'b']],
];

/** Walks from a URL along one relation; the ids of each page. */
async function walk(
  api: ApiUnderTest,
  from: string,
  rel: 'next' | 'prev',
): Promise<{ pages: string[][]; last: string }> {
  const pages: string[][] = [];
  let last = from;
  for (let at: string | undefined = from; at !== undefined; ) {
    const page: Seen = await api.row({ send: `GET ${at}`, status: 200 });
    pages.push([...idsOf(page)]);
    last = at;
    at = page.body['links'][rel];
  }
  return { pages, last };
}

describe('a walk by cursor', () => {
  for (const [path, values] of ORDERS) {
    for (const sign of ['', '-']) {
      it(`[PAGE-5] [QRY-7] goes through ${sign}${path} in the order of its values, nulls first ascending, and back`, async () => {
        await using api = await apiUnderTest(KINDS);
        const wanted: string[] = [];
        for (const [index, value] of values.entries()) {
          for (const tie of ['1', '2']) {
            const [outer, inner] = path.split('.');
            const id = `${String(index).padStart(2, '0')}${tie}`;
            const field =
              value === null && tie === '2' ? {} : { [outer ?? '']: inner === undefined ? value : { [inner]: value } };
            await create(api, 'rows', { id, ...field });
            wanted.push(id);
          }
        }
        if (sign === '-') wanted.reverse();
        const forward = await walk(api, `/api/v1/rows?sort=${sign}${path}&limit=3`, 'next');
        assert.deepEqual(forward.pages.flat(), wanted);
        const back = await walk(api, forward.last, 'prev');
        assert.deepEqual(back.pages.reverse().flat(), wanted);
      });
    }
  }

  it('[PAGE-5] orders ties by the id, in the direction of the last key', async () => {
    await using api = await apiUnderTest(KINDS);
    for (const id of ['b', 'a', 'c']) await create(api, 'rows', { id, number: 1 });
    for (const [sort, ids] of [
      ['number', 'abc'],
      ['-number', 'cba'],
      ['-number,text', 'abc'],
      ['number,-text', 'cba'],
      ['number,-id', 'cba'],
      ['-number,id', 'abc'],
      ['-id,number', 'cba'],
    ] as const) {
      assert.equal(idsOf(await api.send({ send: `GET /api/v1/rows?sort=${sort}` })).join(''), ids, sort);
    }
  });

  it('[PAGE-5] goes by creation and id where nothing else is asked, many rows of one instant included', async () => {
    await using api = await apiUnderTest(KINDS);
    for (const id of ['c', 'a']) await create(api, 'rows', { id });
    api.clock.advance(1);
    for (const id of ['d', 'b']) await create(api, 'rows', { id });
    assert.deepEqual((await walk(api, '/api/v1/rows?limit=1', 'next')).pages.flat(), ['a', 'c', 'b', 'd']);
  });
});
