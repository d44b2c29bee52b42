import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createCache, joinCaches } from '../../src/cache/cache.ts';
import { ObjectCache } from '../../src/cache/object-cache.ts';

describe('a cache by objects', () => {
  it('finds the value of the same object, not of an equal one', () => {
    const cache = new ObjectCache<object, number>();
    const key = {};
    cache.set(key, 1);
    assert.deepEqual([cache.get(key), cache.get({})], [1, undefined]);
    assert.deepEqual(cache.statistics, { hits: 1, misses: 1, evictions: 0 });
  });

  it('is empty once it is cleared, and counts on', () => {
    const cache = new ObjectCache<object, number>();
    const key = {};
    cache.set(key, 1);
    cache.clear();
    assert.equal(cache.get(key), undefined);
    cache.set(key, 2);
    assert.equal(cache.get(key), 2);
    cache.missAfterAll();
    assert.deepEqual(cache.statistics, { hits: 0, misses: 2, evictions: 0 });
  });
});

describe('joined caches', () => {
  it('have the sums of all statistics, and are cleared together', () => {
    const one = createCache<number>({ maxWeight: 64, weigh: () => 1 });
    const other = new ObjectCache<object, number>();
    const joined = joinCaches([one, other]);
    const key = {};
    one.set('a', 1);
    other.set(key, 2);
    assert.deepEqual([one.get('a'), one.get('b'), other.get(key)], [1, undefined, 2]);
    assert.deepEqual(joined.statistics, { hits: 2, misses: 1, evictions: 0 });
    joined.clear();
    assert.deepEqual([one.get('a'), other.get(key)], [undefined, undefined]);
    assert.equal(joined.statistics.misses, 3);
  });
});
