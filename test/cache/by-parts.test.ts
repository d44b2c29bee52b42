import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ByParts } from '../../src/cache/by-parts.ts';

describe('what is made of some texts', () => {
  it('is made once while it is remembered', () => {
    const made: string[] = [];
    const names = new ByParts(2, (parts) => {
      made.push(parts.join('+'));
      return made.length;
    });
    const told = [['a'], ['a', 'b'], ['a'], ['a', 'b'], ['b'], ['a'], []].map((parts) => names.of(parts));
    assert.deepEqual(made, ['a', 'a+b', 'b', 'a', '']);
    assert.deepEqual(told, [1, 2, 1, 2, 3, 4, 5]);
  });

  it('is that of these texts in this order, whatever was asked for before', () => {
    const part = fc.constantFrom('', 'a', 'b', 'ab', '__proto__');
    fc.assert(
      fc.property(fc.array(fc.array(part, { maxLength: 4 })), fc.integer({ min: 1, max: 5 }), (asked, most) => {
        const texts = new ByParts(most, (parts) => JSON.stringify(parts));
        for (const parts of asked) assert.equal(texts.of(parts), JSON.stringify(parts));
      }),
    );
  });
});
