import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest, type Seen } from '../../support/api-under-test.ts';
import { create, parseIds } from '../../models/shop-model.ts';

const DESK = `
name: desk
version: 1.0.0
limits: { page: { default: 2 } }
resources:
  notes:
    id: client
    time_field: seen_at
    sortable: [kind]
    schema:
      type: object
      required: [seen_at]
      properties: { kind: { type: string }, seen_at: { type: string, format: date-time } }
`;

/** Notes `a` to `g` of alternating kinds, on days of January; `c`, `d` and `e` have the same time. */
const DAYS: readonly (readonly [id: string, day: number])[] = [
  ['g', 1],
  ['f', 2],
  ['c', 3],
  ['d', 3],
  ['e', 3],
  ['b', 4],
  ['a', 5],
];
const on = (day: number): string => `2026-01-0${day}T00:00:00.000Z`;

let desk: ApiUnderTest;
before(async () => {
  desk = await apiUnderTest(DESK);
  for (const [id, day] of DAYS) {
    await create(desk, 'notes', { id, kind: id < 'd' ? 'x' : 'y', seen_at: on(day) });
  }
});
after(() => desk.close());

const get = (query: string): Promise<Seen> => desk.row({ send: `GET /api/v1/notes?${query}`, status: 200 });
const follow = (href: unknown): Promise<Seen> => desk.row({ send: `GET ${String(href)}`, status: 200 });

/** The ids of each page of a query, following `links.next`. */
async function walked(query: string, link: 'next' | 'prev' = 'next'): Promise<readonly string[]> {
  const pages: string[] = [];
  for (let seen = await get(query); ; ) {
    pages.push(parseIds(seen).join(''));
    const { [link]: next } = seen.body['links'];
    if (next === undefined) return pages;
    seen = await follow(next);
  }
}

const refused = async (query: string, errorCode: string, ...fields: readonly string[]): Promise<void> => {
  const { body } = await desk.row({ send: `GET /api/v1/notes?${query}`, status: 400, has: { errorCode } });
  assert.deepEqual(
    body['details'].map(({ field }: { field: string }) => field),
    fields,
  );
};

describe('keyset', () => {
  it('[PAGE-7] continues after an id, which need not exist', async () => {
    assert.deepEqual(await walked('last_id=bb'), ['cd', 'ef', 'g']);
    assert.deepEqual(await walked('last_id=bb&sort=id'), ['cd', 'ef', 'g']);
    assert.deepEqual(await walked('last_id=dd&sort=-id'), ['dc', 'ba']);
    assert.deepEqual(await walked('last_id='), ['ab', 'cd', 'ef', 'g']);
  });

  it('[PAGE-1] [PAGE-2] has its position, next by id, and prev and last by cursor', async () => {
    const seen = await get('last_id=b&include_total=true');
    const { page, links } = seen.body;
    assert.deepEqual(page, {
      technique: 'keyset',
      limit: 2,
      count: 2,
      has_more: true,
      last_id: 'b',
      total_count: 7,
      total_count_relation: 'eq',
      total_pages: 4,
    });
    assert.match(links.next, /last_id=d$/);
    const ids = async (href: string): Promise<string> => parseIds(await follow(href)).join('');
    assert.deepEqual([await ids(links.first), await ids(links.prev), await ids(links.last)], ['ab', 'ab', 'fg']);
  });

  it('[PAGE-4] keeps its filters', async () => {
    assert.deepEqual(await walked('last_id=b&kind=y'), ['de', 'fg']);
  });

  it('[PAGE-4] accepts only the order by id', async () => {
    for (const sort of ['kind', 'kind,id', 'seen_at']) {
      await refused(`last_id=b&sort=${sort}`, 'PAGINATION_CONFLICT', 'last_id', 'sort');
    }
  });
});

describe('seek', () => {
  const pairOf = (day: number, id: string): string => `after_timestamp=${on(day)}&after_id=${id}`;

  it('[PAGE-7] continues strictly after a time and an id, which need not exist', async () => {
    assert.deepEqual(await walked(pairOf(3, 'c')), ['de', 'ba']);
    assert.deepEqual(await walked(pairOf(3, 'cc')), ['de', 'ba']);
    assert.deepEqual(await walked(pairOf(2, 'zzz')), ['cd', 'eb', 'a']);
    assert.deepEqual(await walked(`${pairOf(3, 'd')}&sort=-seen_at`), ['cf', 'g']);
    assert.deepEqual(await walked(`${pairOf(3, 'd')}&sort=seen_at,id`), ['eb', 'a']);
  });

  it('[PAGE-1] [PAGE-2] has its position, and next by both', async () => {
    const { page, links } = (await get(pairOf(3, 'c'))).body;
    assert.deepEqual(page, {
      technique: 'seek',
      limit: 2,
      count: 2,
      has_more: true,
      after_timestamp: on(3),
      after_id: 'c',
    });
    assert.match(links.next, /after_timestamp=2026-01-03T00%3A00%3A00\.000Z&after_id=e$/);
    assert.equal(parseIds(await follow(links.prev)).join(''), 'fc');
    assert.equal(parseIds(await follow(links.first)).join(''), 'gf');
  });

  it('[PAGE-7] accepts any UTC offset, and explains a lost plus', async () => {
    assert.deepEqual(await walked('after_timestamp=2026-01-04T01:00:00%2B01:00&after_id=b'), ['a']);
    const { body } = await desk.row({
      send: 'GET /api/v1/notes?after_timestamp=2026-01-04T01:00:00+01:00&after_id=b',
      status: 400,
      has: { errorCode: 'PAGINATION_POSITION_INVALID' },
    });
    assert.match(body['details'][0].message, /%2B/);
  });

  it('[PAGE-7] requires both parameters, and accepts only its own order', async () => {
    await refused('after_id=b', 'PAGINATION_POSITION_INVALID', 'after_timestamp');
    await refused(`after_timestamp=${on(1)}`, 'PAGINATION_POSITION_INVALID', 'after_id');
    await refused(`${pairOf(1, 'a')}&sort=kind`, 'PAGINATION_CONFLICT', 'after_timestamp', 'sort');
    await refused(`${pairOf(1, 'a')}&sort=seen_at,-id`, 'PAGINATION_CONFLICT', 'after_timestamp', 'sort');
  });
});

describe('time', () => {
  const window = `start_time=${on(2)}&before=${on(4)}`;

  it('[PAGE-7] returns a time range in order, including its start and excluding its end', async () => {
    assert.deepEqual(await walked(window), ['fc', 'de']);
    assert.deepEqual(await walked(`start_time=${on(4)}`), ['ba']);
    assert.deepEqual(await walked(`before=${on(2)}`), ['g']);
  });

  it('[PAGE-1] [PAGE-4] has its window, and continues in it by cursor', async () => {
    const { page, links } = (await get(window)).body;
    assert.deepEqual(page, {
      technique: 'time',
      limit: 2,
      count: 2,
      has_more: true,
      start_time: on(2),
      before: on(4),
      next_cursor: page.next_cursor,
      prev_cursor: null,
    });
    assert.match(links.next, /\?start_time=[^&]+&before=[^&]+&limit=2&after=/);
    const second = await follow(links.next);
    assert.equal(parseIds(second).join(''), 'de');
    assert.equal(parseIds(await follow(second.body['links'].prev)).join(''), 'fc');
    const alone = await get(`after=${page.next_cursor}`);
    assert.equal(parseIds(alone).join(''), 'de', 'the cursor alone keeps the window');
  });

  it('[PAGE-4] is only a filter with another technique or another order', async () => {
    assert.deepEqual(await walked(`${window}&sort=-kind`), ['fe', 'dc']);
    assert.deepEqual((await get(`${window}&sort=-kind`)).body['page'].technique, 'cursor');
    assert.deepEqual(await walked(`${window}&page=1&sort=kind`), ['cd', 'ef']);
    assert.equal((await get(`${window}&offset=1`)).body['page'].total_count, 4);
    assert.deepEqual(await walked(`${window}&last_id=c`), ['de', 'f']);
    assert.deepEqual(await walked(`${window}&after_timestamp=${on(3)}&after_id=c`), ['de']);
    assert.deepEqual(await walked(`${window}&kind=y`), ['fd', 'e']);
  });

  it('[PAGE-7] requires valid times, start before end', async () => {
    await refused(`start_time=${on(4)}&before=${on(4)}`, 'PAGINATION_POSITION_INVALID', 'start_time');
    await refused('start_time=now', 'PAGINATION_POSITION_INVALID', 'start_time');
    await refused('before=2026-01-01', 'PAGINATION_POSITION_INVALID', 'before');
  });

  it('[PAGE-6] is part of the cursor: another window is rejected', async () => {
    const { page } = (await get(window)).body;
    await refused(`start_time=${on(1)}&after=${page.next_cursor}`, 'PAGINATION_CURSOR_MISMATCH', 'start_time');
  });
});

describe('techniques', () => {
  const groups = ['page=1', 'offset=0', 'after=x', 'last_id=x', `after_timestamp=${on(1)}&after_id=x`];
  for (const [index, one] of groups.entries()) {
    for (const other of groups.slice(index + 1)) {
      it(`[PAGE-4] cannot be combined: ${one} and ${other}`, async () => {
        await desk.row({
          send: `GET /api/v1/notes?${one}&${other}`,
          status: 400,
          has: { errorCode: 'PAGINATION_CONFLICT' },
        });
      });
    }
  }

  it('[PAGE-6] hybrid: a cursor restores filters and sort, and can be combined with the same', async () => {
    const { page } = (await get('kind=y&sort=-kind,id')).body;
    const alone = await get(`after=${page.next_cursor}`);
    assert.equal(parseIds(alone).join(''), 'fg');
    assert.equal(parseIds(await get(`kind=y&sort=-kind,id&after=${page.next_cursor}`)).join(''), 'fg');
    assert.equal(alone.body['links'].first.includes('kind=y&sort=-kind,id'), true);
  });
});
