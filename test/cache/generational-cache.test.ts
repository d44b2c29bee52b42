import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { GenerationalCache } from '../../src/cache/generational-cache.ts';
import { alike } from './equal-hashes.ts';

const texts = (bound: number): GenerationalCache<string> => new GenerationalCache(bound, (text) => text.length);

describe('values that are kept within a bound', () => {
  it('stay as long as they are asked for, whatever comes', () => {
    const kept = texts(1_000);
    kept.set('a', 'x');
    for (let round = 0; round < 1_000; round += 1) {
      kept.set(`other ${round}`, 'x'.repeat(10));
      assert.equal(kept.get('a'), 'x', String(round));
    }
    assert.equal(kept.get('other 0'), undefined);
  });

  it('weigh nothing any more once they are replaced', () => {
    const kept = texts(1_000);
    kept.set('a', 'x');
    for (let round = 0; round < 1_000; round += 1) kept.set('other', 'x'.repeat(10));
    assert.equal(kept.get('a'), 'x', 'one value at a time leaves room for another');
  });

  it('are gone when all are forgotten, the older ones too, and weigh nothing any more', () => {
    const kept = texts(1_000);
    for (let index = 0; index < 150; index += 1) kept.set(`key ${index}`, 'x'.repeat(10));
    assert.deepEqual([kept.get('key 149'), kept.get('key 60')], ['x'.repeat(10), 'x'.repeat(10)]);
    kept.clear();
    for (let index = 0; index < 150; index += 1) assert.equal(kept.get(`key ${index}`), undefined);
    for (let index = 0; index < 100; index += 1) kept.set(`key ${index}`, 'x'.repeat(10));
    for (let index = 0; index < 100; index += 1) assert.notEqual(kept.get(`key ${index}`), undefined);
  });

  it('take turns where the hashes of their keys are the same', () => {
    const [one, other] = alike();
    const kept = texts(1_000);
    kept.set(one, 'x');
    assert.deepEqual([kept.get(one), kept.get(other)], ['x', undefined]);
    kept.set(other, 'y');
    assert.deepEqual([kept.get(one), kept.get(other)], [undefined, 'y']);
  });

  it('are weighed once', () => {
    let weighed = 0;
    const kept = new GenerationalCache<string>(1_000, ({ length }) => {
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
    const kept = new GenerationalCache<string>(1_000, (value, key) => value.length + key.length);
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
    const step = fc.record({ kind: fc.constantFrom('set', 'get'), key, length: fc.integer({ min: 0, max: 12 }) });
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
