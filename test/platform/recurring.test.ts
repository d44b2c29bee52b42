import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Recurring } from '../../src/platform/recurring.ts';

const texts = (): Recurring<string> => new Recurring({ bound: 1_000, weigh: ({ length }) => length, keys: 64 });

describe('values that come again', () => {
  it('are kept from the second time on', () => {
    const kept = texts();
    assert.deepEqual([kept.offer('a', 'x'), kept.get('a')], [false, undefined]);
    assert.deepEqual([kept.offer('a', 'y'), kept.get('a')], [true, 'y']);
  });

  it('are kept later where they are to come again more often, each time lately', () => {
    const kept = new Recurring<string>({ bound: 1_000, weigh: () => 1, keys: 64, recurrences: 2 });
    assert.deepEqual([kept.offer('a', 'x'), kept.offer('a', 'x'), kept.get('a')], [false, false, undefined]);
    assert.deepEqual([kept.offer('a', 'y'), kept.get('a')], [true, 'y']);
    kept.delete('a');
    for (let index = 0; index < 1_000; index += 1) kept.offer(`other ${index}`, 'x');
    assert.equal(kept.offer('a', 'z'), false, 'what came lately is no more');
  });

  it('are kept at once where that is asked for', () => {
    const kept = texts();
    kept.set('a', 'x');
    assert.equal(kept.get('a'), 'x');
  });

  it('are gone once they are taken out, and come back the next time', () => {
    const kept = texts();
    kept.set('a', 'x');
    kept.set('b', 'x');
    kept.offer('a', 'x');
    kept.delete('a');
    assert.deepEqual([kept.get('a'), kept.get('b')], [undefined, 'x']);
    kept.clear();
    assert.equal(kept.get('b'), undefined);
    assert.equal(kept.offer('a', 'y'), true);
  });
});
