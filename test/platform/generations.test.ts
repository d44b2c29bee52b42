import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { Generations } from '../../src/platform/generations.ts';
import { hashOf } from '../../src/platform/hash.ts';

const texts = (bound: number): Generations<string> => new Generations(bound, (text) => text.length);

/** Two texts of which the hashes are the same. */
function alike(): readonly [string, string] {
  const seen = new Map<number, string>();
  for (let count = 0; ; count += 1) {
    const text = String(count);
    const other = seen.get(hashOf(text));
    if (other !== undefined) return [other, text];
    seen.set(hashOf(text), text);
  }
}

describe('values that are kept within a bound', () => {
  it('are there until they are taken out', () => {
    const kept = texts(1_000);
    kept.set('a', 'x');
    assert.deepEqual([kept.get('a'), kept.get('b')], ['x', undefined]);
    kept.delete('a');
    assert.equal(kept.get('a'), undefined);
    kept.set('b', 'y');
    kept.clear();
    assert.equal(kept.get('b'), undefined);
  });

  it('stay as long as they are asked for, whatever comes', () => {
    const kept = texts(1_000);
    kept.set('a', 'x');
    for (let round = 0; round < 1_000; round += 1) {
      kept.set(`other ${round}`, 'x'.repeat(10));
      assert.equal(kept.get('a'), 'x', String(round));
    }
    assert.equal(kept.get('other 0'), undefined);
  });

  it('weigh nothing any more once they are replaced or taken out', () => {
    const kept = texts(1_000);
    kept.set('a', 'x');
    for (let round = 0; round < 1_000; round += 1) {
      kept.set('other', 'x'.repeat(10));
      if (round % 2 === 0) kept.delete('other');
    }
    assert.equal(kept.get('a'), 'x', 'one value at a time leaves room for another');
  });

  it('take turns where the hashes of their keys are the same', () => {
    const [one, other] = alike();
    const kept = texts(1_000);
    kept.set(one, 'x');
    assert.deepEqual([kept.get(one), kept.get(other)], ['x', undefined]);
    kept.set(other, 'y');
    assert.deepEqual([kept.get(one), kept.get(other)], [undefined, 'y']);
    kept.set(one, 'z');
    kept.delete(one);
    assert.deepEqual([kept.get(one), kept.get(other)], [undefined, undefined]);
  });

  it('are of their own family of keys: one text has another hash in each', () => {
    const families = fc.tuple(fc.integer(), fc.integer()).filter(([one, other]) => one !== other);
    fc.assert(
      fc.property(fc.string(), families, (key, [one, other]) => {
        assert.notEqual(hashOf(key, one), hashOf(key, other));
        const kept = texts(1_000);
        kept.set(key, 'x', one);
        kept.set(key, 'y', other);
        assert.deepEqual([kept.get(key, one), kept.get(key, other)], ['x', 'y']);
        kept.delete(key, one);
        assert.deepEqual([kept.get(key, one), kept.get(key, other)], [undefined, 'y']);
      }),
    );
  });

  it('are weighed once', () => {
    let weighed = 0;
    const kept = new Generations<string>(1_000, ({ length }) => {
      weighed += 1;
      return length;
    });
    for (let round = 0; round < 500; round += 1) {
      kept.set(String(round), 'x'.repeat(10));
      kept.get('0');
    }
    assert.equal(weighed, 500);
  });

  it('are weighed with their keys', () => {
    const kept = new Generations<string>(1_000, (value, key) => value.length + key.length);
    kept.set('short', 'x');
    kept.set('longer than a value may be', 'x');
    assert.deepEqual([kept.get('short'), kept.get('longer than a value may be')], ['x', undefined]);
  });

  it('are none that would fill the room by themselves', () => {
    const kept = texts(1_000);
    kept.set('a', 'x'.repeat(11));
    assert.equal(kept.get('a'), undefined);
  });

  it('never weigh more than two generations, and never are what they were before', () => {
    const key = fc.integer({ min: 0, max: 30 }).map(String);
    const step = fc.oneof(
      fc.record({ kind: fc.constant('set' as const), key, length: fc.integer({ min: 0, max: 12 }) }),
      fc.record({ kind: fc.constantFrom('get' as const, 'delete' as const), key, length: fc.constant(0) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const kept = texts(1_000);
        const latest = new Map<string, string>();
        for (const [index, { kind, key: name, length }] of steps.entries()) {
          if (kind === 'set') {
            const text = `${index}`.padEnd(length, '.').slice(0, 12);
            if (text.length <= 10) {
              kept.set(name, text);
              latest.set(name, text);
            }
          } else if (kind === 'delete') {
            kept.delete(name);
            latest.delete(name);
          }
          const found = kept.get(name);
          if (found !== undefined) assert.equal(found, latest.get(name));
        }
        const all = [...Array(31).keys()].flatMap((name) => kept.get(String(name)) ?? []);
        assert.ok(all.join('').length <= 2_000);
      }),
    );
  });
});
