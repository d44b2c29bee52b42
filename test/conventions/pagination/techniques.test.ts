import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type CursorState,
  cursorPosition,
  readCursor,
  writeCursor,
} from '../../../src/conventions/pagination/cursor.ts';
import { offsetPosition } from '../../../src/conventions/pagination/offset.ts';
import { pagePosition } from '../../../src/conventions/pagination/page.ts';
import type { Total, Walked } from '../../../src/conventions/pagination/position.ts';

const walked = (count: number, more: boolean, total: Total | null = null): Walked => ({
  count,
  more,
  total,
  cursor: (edge) => `token-${edge}`,
});
const exact = (count: number): Total => ({ count, exact: true });

describe('page numbers', () => {
  it('[PAGE-4] reads page n at offset (n - 1) * limit', () => {
    assert.deepEqual(pagePosition(3, 20, 1000).window, { kind: 'offset', offset: 40, limit: 20 });
  });

  it('[PAGE-2] names the pages around it by number, the last one from an exact total', () => {
    const position = pagePosition(2, 20, 1000);
    assert.deepEqual(position.neighbours(walked(20, true, exact(95))), {
      first: [['page', '1']],
      prev: [['page', '1']],
      next: [['page', '3']],
      last: [['page', '5']],
    });
    assert.equal(position.neighbours(walked(20, true, { count: 10_000, exact: false })).last, null);
  });

  it('[PAGE-8] leads from a page past the end back to the last one', () => {
    const neighbours = pagePosition(9, 20, 1000).neighbours(walked(0, false, exact(95)));
    assert.deepEqual([neighbours.prev, neighbours.next], [[['page', '5']], null]);
  });

  it('[PAGE-8] goes on by cursor where the next offset would be refused', () => {
    assert.deepEqual(pagePosition(51, 20, 1000).neighbours(walked(20, true)).next, [['after', 'token-after-last']]);
  });
});

describe('offsets', () => {
  it('[PAGE-2] names the pages around it by offset, and never below zero', () => {
    assert.deepEqual(offsetPosition(10, 20, 1000).neighbours(walked(20, true, exact(31))), {
      first: [['offset', '0']],
      prev: [['offset', '0']],
      next: [['offset', '30']],
      last: [['offset', '20']],
    });
  });

  it('[PAGE-1] shows the offset under its own name', () => {
    const position = offsetPosition(10, 20, 1000);
    const here = walked(1, false);
    assert.deepEqual(position.members(here, position.neighbours(here)), { offset: 10 });
  });
});

describe('cursors', () => {
  const seal = {
    seal: (plain: string) => `sealed:${plain}`,
    open: (token: string) => (token.startsWith('sealed:') ? token.slice('sealed:'.length) : null),
  };
  const state: CursorState = {
    collection: 'cities',
    sort: 'name,id',
    filter: '["country_id",["NO"]]',
    query: [
      ['country_id', 'NO'],
      ['sort', ['name']],
    ],
    backward: false,
    after: ['Oslo', '1'],
  };
  const end = (): string => 'token-end';

  it('[PAGE-6] gives the same token for the same state, and the state back from the token', () => {
    const token = writeCursor(state, seal);
    assert.equal(writeCursor({ ...state }, seal), token);
    assert.deepEqual(readCursor(token, seal), state);
    assert.equal(readCursor('forged', seal), null);
  });

  it('[PAGE-3] starts at the beginning where there is no cursor', () => {
    const position = cursorPosition(null, 20, end);
    assert.deepEqual(position.window, { kind: 'seek', after: null, backward: false, limit: 20 });
    const here = walked(20, true);
    assert.deepEqual(position.members(here, position.neighbours(here)), {
      after: null,
      next_cursor: 'token-after-last',
      prev_cursor: null,
    });
  });

  it('[PAGE-1] has a null cursor at each end', () => {
    const onward = cursorPosition({ token: 't', state }, 20, end);
    const last = walked(3, false);
    assert.deepEqual(onward.members(last, onward.neighbours(last)), {
      after: 't',
      next_cursor: null,
      prev_cursor: 'token-before-first',
    });
    const back = cursorPosition({ token: 't', state: { ...state, backward: true } }, 20, end);
    const first = walked(20, false);
    assert.deepEqual(back.members(first, back.neighbours(first)), {
      after: 't',
      next_cursor: 'token-after-last',
      prev_cursor: null,
    });
  });

  it('[PAGE-2] reaches the last page backward from the end, once an exact total was asked for', () => {
    assert.deepEqual(cursorPosition(null, 20, end).neighbours(walked(20, true, exact(95))).last, [
      ['after', 'token-end'],
    ]);
    const last = cursorPosition({ token: 'token-end', state: { ...state, backward: true, after: null } }, 20, end);
    const neighbours = last.neighbours(walked(20, true));
    assert.deepEqual([neighbours.next, neighbours.prev], [null, [['after', 'token-before-first']]]);
  });
});
