import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type CursorState,
  cursorPagination,
  decodeCursor,
  encodeCursor,
} from '../../../src/conventions/pagination/cursor.ts';
import { keysetPagination } from '../../../src/conventions/pagination/keyset.ts';
import { offsetPagination } from '../../../src/conventions/pagination/offset.ts';
import { pageNumberPagination } from '../../../src/conventions/pagination/page-number.ts';
import type { Total, FetchedPage } from '../../../src/conventions/pagination/pagination.ts';
import { seekPagination } from '../../../src/conventions/pagination/seek.ts';
import { timePagination } from '../../../src/conventions/pagination/time.ts';

const walked = (count: number, more: boolean, total: Total | null = null): FetchedPage => ({
  count,
  hasMore: more,
  total,
  cursor: (edge) => `token-${edge}`,
  last: (path) => `last-${path}`,
});
const exact = (count: number): Total => ({ count, exact: true });

describe('page numbers', () => {
  it('[PAGE-4] reads page n at offset (n - 1) * limit', () => {
    assert.deepEqual(pageNumberPagination(3, 20, 1000).window, { kind: 'offset', offset: 40, limit: 20 });
  });

  it('[PAGE-2] names the pages around it by number, the last one from an exact total', () => {
    const position = pageNumberPagination(2, 20, 1000);
    assert.deepEqual(position.links(walked(20, true, exact(95))), {
      first: [['page', '1']],
      prev: [['page', '1']],
      next: [['page', '3']],
      last: [['page', '5']],
    });
    assert.equal(position.links(walked(20, true, { count: 10_000, exact: false })).last, null);
  });

  it('[PAGE-8] leads from a page past the end back to the last one', () => {
    const neighbours = pageNumberPagination(9, 20, 1000).links(walked(0, false, exact(95)));
    assert.deepEqual([neighbours.prev, neighbours.next], [[['page', '5']], null]);
  });

  it('[PAGE-2] leads back by one page where it is not known how many there are', () => {
    const capped = { count: 10_000, exact: false };
    assert.deepEqual(pageNumberPagination(700, 20, 100_000).links(walked(20, true, capped)).prev, [['page', '699']]);
    assert.deepEqual(pageNumberPagination(700, 20, 100_000).links(walked(20, true)).prev, [['page', '699']]);
  });

  it('[PAGE-8] goes on by cursor where the next offset would be refused', () => {
    assert.deepEqual(pageNumberPagination(51, 20, 1000).links(walked(20, true)).next, [['after', 'token-after-last']]);
  });
});

describe('offsets', () => {
  it('[PAGE-2] names the pages around it by offset, and never below zero', () => {
    assert.deepEqual(offsetPagination(10, 20, 1000).links(walked(20, true, exact(31))), {
      first: [['offset', '0']],
      prev: [['offset', '0']],
      next: [['offset', '30']],
      last: [['offset', '20']],
    });
  });

  it('[PAGE-2] leads back by the limit where it is not known how many items there are', () => {
    const capped = { count: 10_000, exact: false };
    assert.deepEqual(offsetPagination(20_000, 20, 100_000).links(walked(20, true, capped)).prev, [['offset', '19980']]);
  });

  it('[PAGE-1] shows the offset under its own name', () => {
    const position = offsetPagination(10, 20, 1000);
    const here = walked(1, false);
    assert.deepEqual(position.members(here, position.links(here)), { offset: 10 });
  });
});

describe('keysets', () => {
  it('[PAGE-7] start after an id, and name the pages after it by theirs, those before by cursor', () => {
    const position = keysetPagination('7', 20, () => 'token-end');
    assert.deepEqual(position.window, { kind: 'seek', after: ['7'], backward: false, limit: 20 });
    assert.deepEqual(position.links(walked(20, true, exact(95))), {
      first: [],
      prev: [['after', 'token-before-first']],
      next: [['last_id', 'last-id']],
      last: [['after', 'token-end']],
    });
    assert.deepEqual(position.members(walked(0, false), position.links(walked(0, false))), { last_id: '7' });
  });

  it('[PAGE-8] lead nowhere from an empty page', () => {
    const { prev, next } = keysetPagination('7', 20, () => 'token-end').links(walked(0, false));
    assert.deepEqual([prev, next], [null, null]);
  });
});

describe('seeks', () => {
  it('[PAGE-7] start after a moment and an id, and name the pages after it by both', () => {
    const pair = { timestamp: '2026-01-02T03:04:05.678Z', id: '7' };
    const position = seekPagination(pair, 'seen_at', 20, () => 'token-end');
    assert.deepEqual(position.window, { kind: 'seek', after: [pair.timestamp, '7'], backward: false, limit: 20 });
    assert.deepEqual(position.links(walked(20, true)).next, [
      ['after_timestamp', 'last-seen_at'],
      ['after_id', 'last-id'],
    ]);
    const members = position.members(walked(0, false), position.links(walked(0, false)));
    assert.deepEqual(members, { after_timestamp: pair.timestamp, after_id: '7' });
  });
});

describe('times', () => {
  it('[PAGE-7] start at the first item of their window and go on by cursor', () => {
    const start = '2026-01-01T00:00:00.000Z';
    const position = timePagination({ start, before: null }, 20, () => 'token-end');
    assert.deepEqual(position.window, { kind: 'seek', after: null, backward: false, limit: 20 });
    const here = walked(20, true);
    const neighbours = position.links(here);
    assert.deepEqual([neighbours.prev, neighbours.next], [null, [['after', 'token-after-last']]]);
    assert.deepEqual(position.members(here, neighbours), {
      start_time: start,
      before: null,
      next_cursor: 'token-after-last',
      prev_cursor: null,
    });
  });
});

describe('cursors', () => {
  const seal = {
    seal: (plain: string) => `sealed:${plain}`,
    open: (token: string) => (token.startsWith('sealed:') ? token.slice('sealed:'.length) : null),
  };
  const state: CursorState = {
    collection: 'cities',
    fingerprint: 'name:text id:text  country_id:text',
    query: [
      ['country_id', 'NO'],
      ['sort', ['name']],
    ],
    backward: false,
    after: ['Oslo', '1'],
  };
  const end = (): string => 'token-end';

  it('[PAGE-6] gives the same token for the same state, and the state back from the token', () => {
    const token = encodeCursor(state, seal);
    assert.equal(encodeCursor({ ...state }, seal), token);
    assert.deepEqual(decodeCursor(token, seal), state);
    assert.equal(decodeCursor('forged', seal), null);
  });

  it('[PAGE-3] starts at the beginning where there is no cursor', () => {
    const position = cursorPagination(null, 20, end);
    assert.deepEqual(position.window, { kind: 'seek', after: null, backward: false, limit: 20 });
    const here = walked(20, true);
    assert.deepEqual(position.members(here, position.links(here)), {
      after: null,
      next_cursor: 'token-after-last',
      prev_cursor: null,
    });
  });

  it('[PAGE-1] has a null cursor at each end', () => {
    const onward = cursorPagination({ token: 't', state }, 20, end);
    const last = walked(3, false);
    assert.deepEqual(onward.members(last, onward.links(last)), {
      after: 't',
      next_cursor: null,
      prev_cursor: 'token-before-first',
    });
    const back = cursorPagination({ token: 't', state: { ...state, backward: true } }, 20, end);
    const first = walked(20, false);
    assert.deepEqual(back.members(first, back.links(first)), {
      after: 't',
      next_cursor: 'token-after-last',
      prev_cursor: null,
    });
  });

  it('[PAGE-2] reaches the last page backward from the end, once an exact total was asked for', () => {
    assert.deepEqual(cursorPagination(null, 20, end).links(walked(20, true, exact(95))).last, [['after', 'token-end']]);
    const last = cursorPagination({ token: 'token-end', state: { ...state, backward: true, after: null } }, 20, end);
    const neighbours = last.links(walked(20, true));
    assert.deepEqual([neighbours.next, neighbours.prev], [null, [['after', 'token-before-first']]]);
  });
});
