import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Recurring } from '../../src/platform/recurring.ts';

const texts = (): Recurring<string> => new Recurring({ bound: 1_000, weigh: ({ length }) => length, keys: 64 });

describe('values that come again', () => {
  it('are kept from the second time on', () => {
    const kept = texts();
    kept.offer('a', 'x');
    assert.equal(kept.get('a'), undefined);
    kept.offer('a', 'y');
    assert.equal(kept.get('a'), 'y');
  });

  it('are as they came last', () => {
    const kept = texts();
    for (const value of ['x', 'y', 'z']) kept.offer('a', value);
    assert.equal(kept.get('a'), 'z');
  });

  it('are gone when all are forgotten, and kept as ever from then on', () => {
    const kept = texts();
    for (const value of ['x', 'y']) kept.offer('a', value);
    kept.forget();
    assert.equal(kept.get('a'), undefined);
    kept.offer('a', 'z');
    assert.equal(kept.get('a'), 'z');
  });

  it('are those that come again lately', () => {
    const kept = texts();
    kept.offer('a', 'x');
    for (let index = 0; index < 1_000; index += 1) kept.offer(`other ${index}`, 'x');
    kept.offer('a', 'y');
    assert.equal(kept.get('a'), undefined);
  });
});
