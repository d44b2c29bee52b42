import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CachedItem, ItemCache, type ItemState } from '../../../src/operations/read/item-cache.ts';

const CHANGED = Date.UTC(2026, 0, 3, 3, 4, 5, 678);
const state: ItemState = { resource: 'notes', id: 'a', variant: 'json', stamp: 3, judged: [] };

/** All members of an item. */
function members(item: CachedItem | null): unknown {
  return item === null ? null : [item.revision, item.at, item.date, item.text];
}

describe('a cached item', () => {
  it('[CACHE-4] has the time of its change, to the millisecond and as Last-Modified', () => {
    const item = new CachedItem({ revision: 7, at: CHANGED, judged: '' }, () => '{}');
    assert.equal(item.date, 'Sat, 03 Jan 2026 03:04:05 GMT');
    assert.equal(item.at, CHANGED);
  });

  it('is serialized lazily and once', () => {
    let written = 0;
    const item = new CachedItem({ revision: 7, at: CHANGED, judged: '' }, () => `text ${++written}`);
    assert.equal(written, 0);
    assert.deepEqual([item.text, item.text], ['text 1', 'text 1']);
  });
});

/** Sets an item often enough to be admitted. */
function store(cache: ItemCache, of: ItemState, item: CachedItem): void {
  cache.slot(of).set(item);
  cache.slot(of).set(item);
}

describe('the item cache', () => {
  it('stores an item the second time it is set', () => {
    const cache = new ItemCache();
    let written = 0;
    const next = (): CachedItem => new CachedItem({ revision: 7, at: CHANGED, judged: '' }, () => `text ${++written}`);
    cache.slot(state).set(next());
    assert.deepEqual([cache.slot(state).get(), written], [null, 0]);
    cache.slot(state).set(next());
    assert.equal(cache.slot(state).get()?.text, 'text 1');
  });

  it('[CACHE-1] returns items as they were set, with all their members', () => {
    for (const text of ['{"name":"plain"}', '{"name":"Grüße, 東京 🗼"}', '', 'x'.repeat(10_000)]) {
      const cache = new ItemCache();
      const item = new CachedItem({ revision: 7, at: CHANGED, judged: '' }, () => text);
      store(cache, state, item);
      assert.deepEqual(members(cache.slot(state).get()), members(item));
    }
  });

  it('[CACHE-1] misses for another resource, id, variant or stamp', () => {
    const cache = new ItemCache();
    store(cache, state, new CachedItem({ revision: 7, at: CHANGED, judged: '' }, () => '{}'));
    for (const other of [{ resource: 'pads' }, { id: 'b' }, { variant: 'xml' }, { stamp: 4 }, { stamp: 2 }]) {
      assert.equal(cache.slot({ ...state, ...other }).get(), null, JSON.stringify(other));
    }
    assert.notEqual(cache.slot(state).get(), null);
  });

  it('[CACHE-1] returns the latest item of each variant', () => {
    const cache = new ItemCache();
    for (const stamp of [3, 4]) {
      for (const variant of ['json', 'xml']) {
        store(
          cache,
          { ...state, variant, stamp },
          new CachedItem({ revision: stamp, at: CHANGED, judged: '' }, () => `${variant} of ${stamp}`),
        );
      }
    }
    assert.equal(cache.slot(state).get(), null);
    assert.equal(cache.slot({ ...state, stamp: 4 }).get()?.text, 'json of 4');
    assert.equal(cache.slot({ ...state, stamp: 4, variant: 'xml' }).get()?.text, 'xml of 4');
  });

  it('[CACHE-1] stores a new state immediately if it has an old one', () => {
    const cache = new ItemCache();
    store(cache, state, new CachedItem({ revision: 7, at: CHANGED, judged: '' }, () => 'old'));
    cache.slot({ ...state, stamp: 4 }).set(new CachedItem({ revision: 8, at: CHANGED, judged: '' }, () => 'new'));
    assert.equal(cache.slot({ ...state, stamp: 4 }).get()?.text, 'new');
  });

  it('[LIM-1] evicts items above its bound', () => {
    const cache = new ItemCache();
    const isCached = (index: number): boolean => cache.slot({ ...state, id: `id ${index}` }).get() !== null;
    for (let index = 0; index < 40_000; index += 1) {
      store(
        cache,
        { ...state, id: `id ${index}` },
        new CachedItem({ revision: 7, at: CHANGED, judged: '' }, () => 'x'.repeat(1_000)),
      );
      assert.ok(isCached(index));
    }
    assert.ok(!isCached(0));
  });
});
