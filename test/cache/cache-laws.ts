import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import type { Cache } from '../../src/cache/cache.ts';
import { equalHashes } from './equal-hashes.ts';

/** A cache under test, and what the laws need to know of it. */
export interface CacheUnderTest<V> {
  /** A small cache that admits every key. */
  readonly create: () => Cache<V>;
  /** A value for a number, another one for each. @param size 0 to 1: of the largest value that is stored */
  readonly value: (number: number, size: number) => V;
  readonly weigh: (value: V, key: string) => number;
  readonly maxWeight: number;
}

type Step =
  | { readonly kind: 'set'; readonly key: string; readonly size: number }
  | { readonly kind: 'get'; readonly key: string }
  | { readonly kind: 'clear' };

const [one, other] = equalHashes();
const KEYS = [one, other, 'a', 'b', '', 'ab', 'ÿ', '東', '__proto__', '01890a5d-ac96-774b-bcce-b302099a8057'];

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.record({
      kind: fc.constant('set'),
      key: fc.constantFrom(...KEYS),
      size: fc.double({ min: 0, max: 1.5, noNaN: true }),
    }),
  },
  { weight: 10, arbitrary: fc.record({ kind: fc.constant('get'), key: fc.constantFrom(...KEYS) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('clear') }) },
);

/** The laws of the contract, for one implementation. */
export function cacheLaws<V>({ create, value, weigh, maxWeight }: CacheUnderTest<V>): void {
  it('[law] [CACHE-1] returns the value that was last set under the very key, or none', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const cache = create();
        const last = new Map<string, V>();
        for (const [index, each] of steps.entries()) {
          if (each.kind === 'clear') {
            cache.clear();
            last.clear();
          } else if (each.kind === 'set') {
            const set = value(index, each.size);
            cache.set(each.key, set);
            last.set(each.key, set);
          }
          for (const key of each.kind === 'get' ? [each.key] : KEYS) {
            const found = cache.get(key);
            if (found !== undefined) assert.deepEqual(found, last.get(key), key);
          }
        }
      }),
    );
  });

  it('[law] [LIM-1] holds no more than its bound', () => {
    const entry = fc.tuple(fc.nat(50).map(String), fc.double({ min: 0, max: 1.5, noNaN: true }));
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 300 }), (entries) => {
        const cache = create();
        for (const [index, [key, size]] of entries.entries()) cache.set(key, value(index, size));
        const held = [...new Set(entries.map(([key]) => key))].flatMap((key) => {
          const found = cache.get(key);
          return found === undefined ? [] : [weigh(found, key)];
        });
        assert.ok(held.reduce((sum, weight) => sum + weight, 0) <= maxWeight);
      }),
    );
  });

  it('[law] [LIM-1] is empty once it is cleared, and stores as before from then on', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1_000).map(String), { maxLength: 300 }), (keys) => {
        const cache = create();
        for (const [index, key] of keys.entries()) cache.set(key, value(index, 0.5));
        cache.clear();
        for (const key of keys) assert.equal(cache.get(key), undefined);
        cache.set('a', value(7, 0.5));
        assert.deepEqual(cache.get('a'), value(7, 0.5));
      }),
    );
  });

  it('keeps an entry that is used, whatever else is set', () => {
    const cache = create();
    cache.set('used', value(-1, 0.5));
    for (let index = 0; index < 1_000; index += 1) {
      cache.set(`other ${index}`, value(index, 0.5));
      assert.deepEqual(cache.get('used'), value(-1, 0.5), String(index));
    }
    assert.equal(cache.get('other 0'), undefined);
  });

  it('keeps one of two keys with one hash', () => {
    const cache = create();
    cache.set(one, value(1, 0.5));
    assert.deepEqual([cache.get(one), cache.get(other)], [value(1, 0.5), undefined]);
    cache.set(other, value(2, 0.5));
    assert.deepEqual([cache.get(one), cache.get(other)], [undefined, value(2, 0.5)]);
  });

  it('[LIM-1] stores no value that would fill it', () => {
    const cache = create();
    cache.set('a', value(1, 1));
    cache.set('a', value(2, 64));
    assert.equal(cache.get('a'), undefined);
  });
}
