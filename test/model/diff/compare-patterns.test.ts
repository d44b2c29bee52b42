import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { patternContains } from '../../../src/model/diff/compare-patterns.ts';

const ROWS: readonly (readonly [outer: string, inner: string, contains: boolean, reverse: boolean])[] = [
  ['^a$', '^a$', true, true],
  ['^(a|b)$', '^(b)$', true, false],
  ['^(a|b)$', '^(b|a)$', true, true],
  ['^a$|^b$', '^b$', true, false],
  ['^(x(a|b)|y(c|d))+$', '^(y(d)|x(b))+$', true, false],
  ['^(a|b|c){2}z$', '^(c|a){2}z$', true, false],
  [String.raw`^(a\|b)$`, '^(a)$', false, false],
  ['^[(|]a(b|c)$', '^[(|]a(b)$', true, false],
  ['^(a|b)$', '^(c)$', false, false],
  // Further alternatives of these make a pattern narrower.
  ['^(?!a|b)c', '^(?!a)c', false, false],
  ['^(a', '^(a', false, false],
  ['^a)', '^a)', false, false],
  [`^(${'a|'.repeat(20_000)}b)$`, '^(b)$', false, false],
  [`${'('.repeat(50)}a${')'.repeat(50)}`, 'a', false, false],
];

describe('whether a pattern contains another one', () => {
  for (const [outer, inner, contains, reverse] of ROWS) {
    it(`[VER-6a] ${outer.slice(0, 40)} and ${inner.slice(0, 40)}`, () => {
      assert.deepEqual([patternContains(outer, inner), patternContains(inner, outer)], [contains, reverse]);
    });
  }
});
