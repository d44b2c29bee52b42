import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SeenLately } from '../../src/platform/seen-lately.ts';

describe('what was seen lately', () => {
  it('is what was asked for before', () => {
    const seen = new SeenLately(65_536);
    assert.deepEqual([seen.again('a'), seen.again('b'), seen.again('a'), seen.again('b')], [false, false, true, true]);
  });

  it('tells keys apart that are nearly alike', () => {
    const seen = new SeenLately(65_536);
    const keys = Array.from({ length: 1_000 }, (_, index) => `products\n0192f3a4-5b6c-7abc-8def-${index}`);
    assert.equal(keys.filter((key) => seen.again(key)).length, 0);
    // Two of a thousand keys may want one place of many; the later one has it.
    assert.ok(keys.filter((key) => seen.again(key)).length > 970);
  });

  it('is nearly all that is asked for in turn, where that is half of what there is room for', () => {
    const seen = new SeenLately(8_192);
    const keys = Array.from({ length: 4_096 }, (_, index) => `products\n0192f3a4-5b6c-7abc-8def-${index}`);
    for (const key of keys) seen.again(key);
    assert.ok(keys.filter((key) => seen.again(key)).length > 3_800);
  });

  it('is what came last of those that want one place', () => {
    const seen = new SeenLately(8);
    const keys = Array.from({ length: 9 }, (_, index) => `key ${index}`);
    for (const key of keys) seen.again(key);
    assert.deepEqual([seen.again('key 8'), seen.again('key 1'), seen.again('key 0')], [true, true, false]);
  });

  it('is forgotten as other keys come', () => {
    const seen = new SeenLately(65_536);
    seen.again('first');
    for (let index = 0; index < 1_000_000; index += 1) seen.again(`other ${index}`);
    assert.equal(seen.again('first'), false);
  });
});
