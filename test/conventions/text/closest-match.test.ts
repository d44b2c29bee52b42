import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { closestMatch } from '../../../src/conventions/text/closest-match.ts';

describe('closestMatch', () => {
  const known = [
    'limit',
    'page',
    'per_page',
    'sort',
    'fields',
    'expand',
    'created_at',
    'q',
    'category',
    'price',
    'prices',
  ];
  const rows: readonly (readonly [name: string, meant: string | null])[] = [
    ['limt', 'limit'],
    ['lmiit', 'limit'],
    ['limits', 'limit'],
    ['LIMIT', 'limit'],
    ['pgae', 'page'],
    ['perPage', 'per_page'],
    ['createdAt', 'created_at'],
    ['catgeory', 'category'],
    ['prce', 'price'],
    ['pricess', 'prices'],
    ['feilsd', 'fields'],
    ['crtedat', 'created_at'],
    ['crtdat', null],
    ['sxxt', null],
    ['x', null],
    ['', null],
    ['zz', null],
    ['colour', null],
    ['limit_of_all', null],
    ['constructor', null],
    ['a'.repeat(5_000), null],
  ];
  for (const [name, meant] of rows) {
    it(`[QRY-5] takes "${name.slice(0, 20)}" for ${meant}`, () => assert.equal(closestMatch(name, known), meant));
  }

  it('[QRY-5] ignores the case of both names', () => {
    assert.equal(closestMatch('abc', ['ABC']), 'ABC');
    assert.equal(closestMatch('ABC', ['abc']), 'abc');
  });

  it('[QRY-5] takes the first on a tie', () => {
    assert.equal(closestMatch('cart', ['card', 'care']), 'card');
    assert.equal(closestMatch('cart', new Set(['care', 'card'])), 'care');
  });

  it('[QRY-5] finds an exact match', () => {
    for (const name of known) assert.equal(closestMatch(name, known), name);
  });

  it('[QRY-5] finds a name with two swapped letters or one missing letter', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{6,12}$/), fc.nat(4), (name, at) => {
        const swapped = name.slice(0, at) + name.charAt(at + 1) + name.charAt(at) + name.slice(at + 2);
        assert.equal(closestMatch(swapped, [name]), name);
        assert.equal(closestMatch(name.slice(0, at) + name.slice(at + 1), [name]), name);
      }),
    );
  });
});
