import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { compareUtf8, orderedMembers } from '../../../src/conventions/text/utf8-order.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 8 });

describe('compareUtf8', () => {
  it('[QRY-7] compares as the UTF-8 bytes do', () => {
    const bytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));
    const near = fc.tuple(text, fc.constantFrom('', '\u{FFFD}', '\u{E000}', '\u{10000}', '\u{D7FF}', '~'), text);
    const joined = near.map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.oneof(text, joined), fc.oneof(text, joined), (one, other) => {
        assert.equal(Math.sign(compareUtf8(one, other)), Math.sign(bytes(one, other)));
        assert.equal(Math.sign(compareUtf8(`x${one}\u{E000}`, `x${one}\u{10000}`)), -1);
      }),
    );
  });
});

describe('orderedMembers', () => {
  it('[REP-1] has keys that are array indexes in the order of their bytes', () => {
    const map = { b: 1, '10': 2, '7': 3, '-1': 4, '01': 5, a: 6, '4294967295': 7 };
    const keys = orderedMembers(map).map(([key]) => key);
    assert.deepEqual(keys, ['-1', '01', '10', '4294967295', '7', 'a', 'b']);
  });

  it('[REP-1] has other members as they are', () => {
    assert.deepEqual(orderedMembers({ b: 1, a: 2 }), [
      ['b', 1],
      ['a', 2],
    ]);
  });
});
