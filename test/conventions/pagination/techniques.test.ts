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

const page = (count: number, more: boolean, total: Total | null = null): FetchedPage => ({
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

  it('[PAGE-2] links pages by number, the last one with an exact total', () => {
    const pagination = pageNumberPagination(2, 20, 1000);
    assert.deepEqual(pagination.links(page(20, true, exact(95))), {
      first: [['page', '1']],
      prev: [['page', '1']],
      next: [['page', '3']],
      last: [['page', '5']],
    });
    assert.equal(pagination.links(page(20, true, { count: 10_000, exact: false })).last, null);
  });

  it('[PAGE-8] links from a page past the end to the last one', () => {
    const links = pageNumberPagination(9, 20, 1000).links(page(0, false, exact(95)));
    assert.deepEqual([links.prev, links.next], [[['page', '5']], null]);
  });

  it('[PAGE-2] links to the previous number without an exact total', () => {
    const capped = { count: 10_000, exact: false };
    assert.deepEqual(pageNumberPagination(700, 20, 100_000).links(page(20, true, capped)).prev, [['page', '699']]);
    assert.deepEqual(pageNumberPagination(700, 20, 100_000).links(page(20, true)).prev, [['page', '699']]);
  });

  it('[PAGE-8] links to a cursor if the next offset would be too large', () => {
    assert.deepEqual(pageNumberPagination(51, 20, 1000).links(page(20, true)).next, [['after', 'token-after-last']]);
  });
});

describe('offsets', () => {
  it('[PAGE-2] links pages by offset, never below zero', () => {
    assert.deepEqual(offsetPagination(10, 20, 1000).links(page(20, true, exact(31))), {
      first: [['offset', '0']],
      prev: [['offset', '0']],
      next: [['offset', '30']],
      last: [['offset', '20']],
    });
  });

  it('[PAGE-2] links back by the limit without an exact total', () => {
    const capped = { count: 10_000, exact: false };
    assert.deepEqual(offsetPagination(20_000, 20, 100_000).links(page(20, true, capped)).prev, [['offset', '19980']]);
  });

  it('[PAGE-1] has the member offset', () => {
    const pagination = offsetPagination(10, 20, 1000);
    const fetched = page(1, false);
    assert.deepEqual(pagination.members(fetched, pagination.links(fetched)), { offset: 10 });
  });
});

describe('keysets', () => {
  it('[PAGE-7] start after an id, and link forward by id, backward by cursor', () => {
    const pagination = keysetPagination('7', 20, () => 'token-end');
    assert.deepEqual(pagination.window, { kind: 'seek', after: ['7'], backward: false, limit: 20 });
    assert.deepEqual(pagination.links(page(20, true, exact(95))), {
      first: [],
      prev: [['after', 'token-before-first']],
      next: [['last_id', 'last-id']],
      last: [['after', 'token-end']],
    });
    assert.deepEqual(pagination.members(page(0, false), pagination.links(page(0, false))), { last_id: '7' });
  });

  it('[PAGE-8] have no links on an empty page', () => {
    const { prev, next } = keysetPagination('7', 20, () => 'token-end').links(page(0, false));
    assert.deepEqual([prev, next], [null, null]);
  });
});

describe('seeks', () => {
  it('[PAGE-7] start after a timestamp and an id, and link forward by both', () => {
    const key = { timestamp: '2026-01-02T03:04:05.678Z', id: '7' };
    const pagination = seekPagination(key, 'seen_at', 20, () => 'token-end');
    assert.deepEqual(pagination.window, { kind: 'seek', after: [key.timestamp, '7'], backward: false, limit: 20 });
    assert.deepEqual(pagination.links(page(20, true)).next, [
      ['after_timestamp', 'last-seen_at'],
      ['after_id', 'last-id'],
    ]);
    const members = pagination.members(page(0, false), pagination.links(page(0, false)));
    assert.deepEqual(members, { after_timestamp: key.timestamp, after_id: '7' });
  });
});

describe('times', () => {
  it('[PAGE-7] start at the first item of their range and continue by cursor', () => {
    const start = '2026-01-01T00:00:00.000Z';
    const pagination = timePagination({ start, before: null }, 20, () => 'token-end');
    assert.deepEqual(pagination.window, { kind: 'seek', after: null, backward: false, limit: 20 });
    const fetched = page(20, true);
    const links = pagination.links(fetched);
    assert.deepEqual([links.prev, links.next], [null, [['after', 'token-after-last']]]);
    assert.deepEqual(pagination.members(fetched, links), {
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
    scope: '',
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

  it('[PAGE-6] seals a state into the same token each time, and opens it', () => {
    const token = encodeCursor(state, seal);
    assert.equal(encodeCursor({ ...state }, seal), token);
    assert.deepEqual(decodeCursor(token, seal), state);
    assert.equal(decodeCursor('forged', seal), null);
  });

  it('[PAGE-3] starts at the beginning without a cursor', () => {
    const pagination = cursorPagination(null, 20, end);
    assert.deepEqual(pagination.window, { kind: 'seek', after: null, backward: false, limit: 20 });
    const fetched = page(20, true);
    assert.deepEqual(pagination.members(fetched, pagination.links(fetched)), {
      after: null,
      next_cursor: 'token-after-last',
      prev_cursor: null,
    });
  });

  it('[PAGE-1] has a null cursor at each end', () => {
    const forward = cursorPagination({ token: 't', state }, 20, end);
    const last = page(3, false);
    assert.deepEqual(forward.members(last, forward.links(last)), {
      after: 't',
      next_cursor: null,
      prev_cursor: 'token-before-first',
    });
    const backward = cursorPagination({ token: 't', state: { ...state, backward: true } }, 20, end);
    const first = page(20, false);
    assert.deepEqual(backward.members(first, backward.links(first)), {
      after: 't',
      next_cursor: 'token-after-last',
      prev_cursor: null,
    });
  });

  it('[PAGE-2] reaches the last page backward from the end, with an exact total', () => {
    assert.deepEqual(cursorPagination(null, 20, end).links(page(20, true, exact(95))).last, [['after', 'token-end']]);
    const last = cursorPagination({ token: 'token-end', state: { ...state, backward: true, after: null } }, 20, end);
    const links = last.links(page(20, true));
    assert.deepEqual([links.next, links.prev], [null, [['after', 'token-before-first']]]);
  });
});
