import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SecondHitCache } from '../../src/cache/second-hit-cache.ts';

const texts = (): SecondHitCache<string> =>
  new SecondHitCache({ bound: 1_000, weigh: ({ length }) => length, keys: 64 });

describe('values that come again', () => {
  it('are kept from the second time on', () => {
    const kept = texts();
    kept.set('a', 'x');
    assert.equal(kept.get('a'), undefined);
    kept.set('a', 'y');
    assert.equal(kept.get('a'), 'y');
  });

  it('are as they came last', () => {
    const kept = texts();
    for (const value of ['x', 'y', 'z']) kept.set('a', value);
    assert.equal(kept.get('a'), 'z');
  });

  it('are gone when all are forgotten, and kept as ever from then on', () => {
    const kept = texts();
    for (const value of ['x', 'y']) kept.set('a', value);
    kept.clear();
    assert.equal(kept.get('a'), undefined);
    kept.set('a', 'z');
    assert.equal(kept.get('a'), 'z');
  });

  it('are those that come again lately', () => {
    const kept = texts();
    kept.set('a', 'x');
    for (let index = 0; index < 1_000; index += 1) kept.set(`other ${index}`, 'x');
    kept.set('a', 'y');
    assert.equal(kept.get('a'), undefined);
  });
});
