import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fnv1a } from '../../src/cache/fnv1a.ts';
import { AdmissionFilter } from '../../src/cache/admission-filter.ts';

const again = (seen: AdmissionFilter, key: string): boolean => seen.admits(fnv1a(key));

describe('what was seen lately', () => {
  it('is what was asked for before', () => {
    const seen = new AdmissionFilter(65_536);
    assert.deepEqual(
      [again(seen, 'a'), again(seen, 'b'), again(seen, 'a'), again(seen, 'b')],
      [false, false, true, true],
    );
  });

  it('tells keys apart that are nearly alike', () => {
    const seen = new AdmissionFilter(65_536);
    const keys = Array.from({ length: 1_000 }, (_, index) => `products\n0192f3a4-5b6c-7abc-8def-${index}`);
    assert.equal(keys.filter((key) => again(seen, key)).length, 0);
    // Two of a thousand keys may want one place of many; the later one has it.
    assert.ok(keys.filter((key) => again(seen, key)).length > 970);
  });

  it('is nearly all that is asked for in turn, where that is half of what there is room for', () => {
    const seen = new AdmissionFilter(8_192);
    const keys = Array.from({ length: 4_096 }, (_, index) => `products\n0192f3a4-5b6c-7abc-8def-${index}`);
    for (const key of keys) again(seen, key);
    assert.ok(keys.filter((key) => again(seen, key)).length > 3_800);
  });

  it('is what came last of those that want one place', () => {
    const seen = new AdmissionFilter(8);
    const keys = Array.from({ length: 9 }, (_, index) => `key ${index}`);
    for (const key of keys) again(seen, key);
    assert.deepEqual([again(seen, 'key 8'), again(seen, 'key 1'), again(seen, 'key 0')], [true, true, false]);
  });

  it('is forgotten as other keys come', () => {
    const seen = new AdmissionFilter(65_536);
    again(seen, 'first');
    for (let index = 0; index < 1_000_000; index += 1) again(seen, `other ${index}`);
    assert.equal(again(seen, 'first'), false);
  });
});
