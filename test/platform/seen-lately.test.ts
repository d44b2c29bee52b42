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

  it('is forgotten as other keys come', () => {
    const seen = new SeenLately(65_536);
    seen.again('first');
    for (let index = 0; index < 1_000_000; index += 1) seen.again(`other ${index}`);
    assert.equal(seen.again('first'), false);
  });
});
