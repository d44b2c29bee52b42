import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { secondHit } from '../../src/cache/admission-filter.ts';
import { fnv1a } from '../../src/cache/fnv1a.ts';

function makeFilter(keys: number): (key: string) => boolean {
  const admits = secondHit(keys);
  return (key) => admits(fnv1a(key));
}

describe('second-hit admission', () => {
  it('admits a key from the second time on', () => {
    const admits = makeFilter(65_536);
    assert.deepEqual(
      [admits('a'), admits('b'), admits('a'), admits('b'), admits('a')],
      [false, false, true, true, true],
    );
  });

  it('distinguishes similar keys', () => {
    const admits = makeFilter(65_536);
    const keys = Array.from({ length: 1_000 }, (_, index) => `products\n0192f3a4-5b6c-7abc-8def-${index}`);
    assert.equal(keys.filter(admits).length, 0);
    // Two of a thousand keys may share a slot, which the later one has.
    assert.ok(keys.filter(admits).length > 970);
  });

  it('admits nearly all keys that come again after half as many as it knows', () => {
    const admits = makeFilter(8_192);
    const keys = Array.from({ length: 4_096 }, (_, index) => `products\n0192f3a4-5b6c-7abc-8def-${index}`);
    for (const key of keys) admits(key);
    assert.ok(keys.filter(admits).length > 3_800);
  });

  it('knows the most recent of the keys that share a bucket', () => {
    const admits = makeFilter(8);
    for (let index = 0; index < 9; index += 1) admits(`key ${index}`);
    assert.deepEqual([admits('key 8'), admits('key 1'), admits('key 0')], [true, true, false]);
  });

  it('knows no key that came before many others', () => {
    const admits = makeFilter(65_536);
    admits('first');
    for (let index = 0; index < 1_000_000; index += 1) admits(`other ${index}`);
    assert.equal(admits('first'), false);
  });
});
