import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { lazy, memoize, memoizeLast, weakMemoize } from '../../src/cache/memoize.ts';

describe('a memoized function', () => {
  it('is called once for each string', () => {
    const calls: string[] = [];
    const length = memoize((text) => {
      calls.push(text);
      return text.length;
    });
    assert.deepEqual(['a', 'bb', 'a', 'bb'].map(length), [1, 2, 1, 2]);
    assert.deepEqual(calls, ['a', 'bb']);
  });

  it('remembers null and undefined', () => {
    let calls = 0;
    const results: readonly (string | null | undefined)[] = [null, undefined];
    for (const result of results) {
      const constant = memoize(() => {
        calls += 1;
        return result;
      });
      assert.deepEqual([constant('a'), constant('a')], [result, result]);
    }
    assert.equal(calls, 2);
  });

  it('throws again each time', () => {
    const failing = memoize(() => {
      throw new Error('no');
    });
    assert.throws(() => failing('a'), /no/);
    assert.throws(() => failing('a'), /no/);
  });

  it('[law] returns what the function returns, however many strings there are', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 12 }), { maxLength: 100 }), (texts) => {
        const reverse = (text: string): string => Array.from(text).toReversed().join('');
        const memoized = memoize(reverse, 6_400);
        for (const text of [...texts, ...texts]) assert.equal(memoized(text), reverse(text));
      }),
    );
  });

  it('[LIM-1] remembers no more than one very long string', () => {
    let calls = 0;
    const length = memoize((text) => {
      calls += 1;
      return text.length;
    });
    for (const letter of ['x', 'x', 'y', 'x']) assert.equal(length(letter.repeat(1_000)), 1_000);
    assert.equal(calls, 3);
  });
});

describe('a function that is memoized by object', () => {
  it('is called once for each object', () => {
    let calls = 0;
    const named = weakMemoize(({ name }: { readonly name: string }) => {
      calls += 1;
      return name;
    });
    const [a, b] = [{ name: 'a' }, { name: 'b' }];
    assert.deepEqual([named(a), named(b), named(a), calls], ['a', 'b', 'a', 2]);
  });
});

describe('a lazy value', () => {
  it('is computed once, when it is first needed', () => {
    let calls = 0;
    const value = lazy(() => {
      calls += 1;
      return undefined;
    });
    assert.equal(calls, 0);
    assert.deepEqual([value(), value(), calls], [undefined, undefined, 1]);
  });

  it('is computed again after an error', () => {
    let calls = 0;
    const value = lazy(() => {
      calls += 1;
      if (calls === 1) throw new Error('no');
      return calls;
    });
    assert.throws(value, /no/);
    assert.deepEqual([value(), value()], [2, 2]);
  });
});

describe('a function whose last result is memoized', () => {
  it('is called again for each other argument alone', () => {
    const calls: number[] = [];
    const double = memoizeLast((value: number) => {
      calls.push(value);
      return value * 2;
    });
    assert.deepEqual([1, 1, 2, 1].map(double), [2, 2, 4, 2]);
    assert.deepEqual(calls, [1, 2, 1]);
  });
});
