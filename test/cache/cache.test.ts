import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { secondHit } from '../../src/cache/admission-filter.ts';
import { type Cache, createCache, GenerationalCache } from '../../src/cache/cache.ts';
import { cacheLaws } from './cache-laws.ts';

const weigh = ({ length }: string, key: string): number => length + key.length;
const value = (number: number, size: number): string => `${number}`.padEnd(Math.round(size * 100), '.');

describe('a cache', () => {
  cacheLaws({ create: () => createCache<string>({ maxWeight: 12_800, weigh }), value, weigh, maxWeight: 12_800 });

  it('keeps every entry that has room, whichever generation it is in', () => {
    const cache = createCache<string>({ maxWeight: 12_800, weigh: () => 100 });
    for (let index = 0; index < 64; index += 1) cache.set(String(index), 'x');
    for (let index = 0; index < 64; index += 1) assert.equal(cache.get(String(index)), 'x');
  });

  it('weighs a value once, and none that is not admitted', () => {
    let weighed = 0;
    const cache = createCache<string>({
      maxWeight: 12_800,
      weigh: () => {
        weighed += 1;
        return 100;
      },
      admits: (hash) => hash % 2 === 0,
    });
    for (let index = 0; index < 60; index += 1) cache.set(String(index), 'x');
    const stored = Array.from({ length: 60 }, (_, index) => cache.get(String(index))).filter((each) => each === 'x');
    assert.deepEqual([weighed, stored.length > 20], [stored.length, true]);
  });
});

describe('a cache that is keyed by the strings themselves', () => {
  const options = { maxWeight: 12_800, weigh };
  const cache = new GenerationalCache<string, string>(options, (key) => key);

  it('returns the value of each key, and none once it is cleared', () => {
    for (let index = 0; index < 50; index += 1) cache.set(`key ${index}`, `value ${index}`);
    for (let index = 0; index < 50; index += 1) assert.equal(cache.get(`key ${index}`), `value ${index}`);
    cache.clear();
    assert.equal(cache.get('key 1'), undefined);
  });
});

describe('a cache with second-hit admission', () => {
  const create = (): Cache<string> => createCache({ maxWeight: 12_800, weigh, admits: secondHit(64) });

  it('stores a key from the second time on', () => {
    const cache = create();
    cache.set('a', 'x');
    assert.equal(cache.get('a'), undefined);
    cache.set('a', 'y');
    assert.equal(cache.get('a'), 'y');
  });

  it('replaces a value that it has, also where its key is no longer recent', () => {
    const cache = create();
    for (const text of ['x', 'x']) cache.set('a', text);
    for (let index = 0; index < 1_000; index += 1) cache.set(`other ${index}`, 'x');
    cache.set('a', 'y');
    assert.equal(cache.get('a'), 'y');
  });

  it('stores a recent key again after it was cleared', () => {
    const cache = create();
    for (const text of ['x', 'y']) cache.set('a', text);
    cache.clear();
    assert.equal(cache.get('a'), undefined);
    cache.set('a', 'z');
    assert.equal(cache.get('a'), 'z');
  });

  it('admits keys that come back soon', () => {
    const cache = create();
    cache.set('a', 'x');
    for (let index = 0; index < 1_000; index += 1) cache.set(`other ${index}`, 'x');
    cache.set('a', 'y');
    assert.equal(cache.get('a'), undefined);
  });
});
