import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRandom } from '../../src/platform/random.ts';

describe('random', () => {
  it('returns two lower-case digits for each byte, across and beyond its pool', () => {
    const random = createRandom();
    for (const bytes of [0, 1, 8, 16, 4_095, 4_096, 4_097, 10_000]) {
      assert.match(random.hex(bytes), new RegExp(`^[0-9a-f]{${bytes * 2}}$`));
    }
  });

  it('returns no byte twice', () => {
    const random = createRandom();
    const strings = Array.from({ length: 3_000 }, () => random.hex(16));
    assert.equal(new Set(strings).size, strings.length);
  });
});
