import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest, type Seen } from '../../support/api-under-test.ts';
import { NOTES, sevenNotes } from '../../models/desk-model.ts';
import { create } from '../../models/shop-model.ts';

let desk: ApiUnderTest;
before(async () => {
  desk = await sevenNotes();
});
after(() => desk.close());

const get = (query: string): Promise<Seen> => desk.row({ send: `GET /api/v1/notes${query}`, status: 200 });

describe('a total', () => {
  const rows: readonly (readonly [query: string, total: readonly unknown[] | null])[] = [
    ['', null],
    ['?include_total=false', null],
    ['?include_total=true', [7, 'eq', 3]],
    ['?page=1', [7, 'eq', 3]],
    ['?offset=1', [7, 'eq', 3]],
    ['?page=1&include_total=true', [7, 'eq', 3]],
    ['?page=1&include_total=false', null],
    ['?page=1&limit=5', [7, 'eq', 2]],
    ['?kind=y&page=1', [2, 'eq', 1]],
    ['?kind=x&page=1', [4, 'gte', undefined]],
    ['?kind=none&page=1', [0, 'eq', 0]],
    ['?kind=x', null],
    ['?kind=x&include_total=true', [4, 'gte', undefined]],
    ['/a/lines?page=1', [4, 'gte', undefined]],
    ['/b/lines?page=1', [0, 'eq', 0]],
  ];
  for (const [query, total] of rows) {
    it(`[PAGE-1] [PAGE-9a, PAGE-9b, PAGE-9c] of ${query} is ${total === null ? 'not counted' : total.join(' ')}`, async () => {
      const { page } = (await get(query)).body;
      const members = ['total_count', 'total_count_relation', 'total_pages'];
      assert.deepEqual(
        members.map((name) => page[name]),
        total ?? [undefined, undefined, undefined],
      );
    });
  }

  it('[PAGE-9c] is exact up to the cap, and the cap above it', async () => {
    await using few = await apiUnderTest(NOTES);
    const seen: unknown[] = [];
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) {
      await create(few, 'notes', { id, kind: 'x' });
      const { page } = (await few.send({ send: 'GET /api/v1/notes?kind=x&page=1' })).body;
      seen.push(`${page['total_count']} ${page['total_count_relation']}`);
    }
    assert.deepEqual(seen, ['1 eq', '2 eq', '3 eq', '4 eq', '4 gte', '4 gte']);
  });

  for (const value of ['', '1', 'TRUE', 'yes']) {
    it(`[PAGE-9a] is requested with true or false, not with ${JSON.stringify(value)}`, async () => {
      await desk.row({
        send: `GET /api/v1/notes?include_total=${value}`,
        status: 400,
        has: {
          errorCode: 'REQUEST_PARAMETER_INVALID',
          details: [{ field: 'include_total', message: 'must be true or false' }],
        },
      });
    });
  }

  it('[PAGE-2] [PAGE-9a] has its include_total in every link', async () => {
    const asked = await get('?include_total=true&limit=3');
    const refused = await get('?page=1&include_total=false');
    for (const [{ body }, has] of [
      [asked, true],
      [refused, false],
    ] as const) {
      for (const rel of ['self', 'next']) {
        const { body: at } = await desk.row({ send: `GET ${body['links'][rel]}`, status: 200 });
        assert.equal('total_count' in at['page'], has, rel);
      }
    }
  });
});
