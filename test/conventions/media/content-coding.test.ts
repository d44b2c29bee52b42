import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Coding, negotiateCoding } from '../../../src/conventions/media/content-coding.ts';

const OFFERED: readonly Coding[] = ['br', 'zstd', 'gzip'];

describe('negotiateCoding', () => {
  const rows: readonly (readonly [accepted: string | null, coding: Coding])[] = [
    [null, 'identity'],
    ['', 'identity'],
    [' , ,', 'identity'],
    ['identity', 'identity'],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    ['br', 'br'],
    ['zstd', 'zstd'],
    ['*', 'br'],
    ['deflate', 'identity'],
    ['compress, deflate', 'identity'],
    // The values that browsers, curl and fetch send.
    ['gzip, deflate, br, zstd', 'br'],
    ['deflate, gzip, br, zstd', 'br'],
    ['gzip, deflate, br', 'br'],
    ['gzip, deflate', 'gzip'],
    // Weights.
    ['gzip;q=1.0, br;q=0.9', 'gzip'],
    ['gzip ; q=0.5 ,\tbr;Q=0.501', 'br'],
    ['gzip;q=0.001', 'gzip'],
    ['gzip;q=0', 'identity'],
    ['gzip;q=0.000', 'identity'],
    ['br;q=0, *', 'zstd'],
    ['br;q=0, *;q=0.5, gzip;q=0.6', 'gzip'],
    ['*;q=0, gzip', 'gzip'],
    ['*;q=0', 'identity'],
    // Listed identity ranks below codings of equal weight, and above those of less.
    ['identity, gzip', 'gzip'],
    ['identity;q=0.5, gzip;q=0.5', 'gzip'],
    ['identity;q=0.5, gzip;q=0.499', 'identity'],
    ['identity, *;q=0.5', 'identity'],
    ['identity;q=0, gzip;q=0.1', 'gzip'],
    // No offered coding is acceptable.
    ['identity;q=0', 'identity'],
    ['identity;q=0, *;q=0', 'identity'],
    ['gzip;q=0.2, gzip;q=0, x-gzip;q=0.9, br;q=0.5', 'gzip'],
    // An invalid field accepts only identity.
    ['br, gzip;q=2', 'identity'],
    ['br, gzip;q=0.1234', 'identity'],
    ['br, gzip;q=', 'identity'],
    ['br, gzip;level=1', 'identity'],
    ['br gzip', 'identity'],
    ['br, "gzip"', 'identity'],
    ['br, ;q=1', 'identity'],
    ['br\u00a0', 'identity'],
  ];
  for (const [accepted, coding] of rows) {
    it(`[NEG-7] answers ${accepted === null ? 'no Accept-Encoding' : JSON.stringify(accepted)} in ${coding}`, () =>
      assert.equal(negotiateCoding(accepted, OFFERED), coding));
  }

  it('[NEG-7] chooses only offered codings', () => {
    assert.equal(negotiateCoding('br, gzip;q=0.1', ['gzip']), 'gzip');
    assert.equal(negotiateCoding('*', []), 'identity');
  });

  const weight = fc.integer({ min: 0, max: 1000 }).map((thousandths) => thousandths / 1000);
  const element = fc.tuple(fc.constantFrom('br', 'gzip', 'zstd', 'identity', '*', 'deflate'), weight);

  it('[NEG-7] does not depend on the order of the field', () => {
    const law = fc.property(fc.array(element), (elements) => {
      const texts = elements.map(([name, quality]) => `${name};q=${quality}`);
      const reversed = negotiateCoding(texts.toReversed().join(', '), OFFERED);
      assert.equal(negotiateCoding(texts.join(', '), OFFERED), reversed);
    });
    fc.assert(law);
  });

  it('[NEG-7] chooses an offered coding of the greatest weight', () => {
    const law = fc.property(weight, weight, weight, weight, (br, zstd, gzip, identity) => {
      const text = `gzip;q=${gzip}, identity;q=${identity}, br;q=${br}, zstd;q=${zstd}`;
      const weights = { br, zstd, gzip, identity };
      const chosen = weights[negotiateCoding(text, OFFERED)];
      assert.equal(chosen, Math.max(br, zstd, gzip, identity));
    });
    fc.assert(law);
  });

  it('[LIM-1] reads a header-sized value in linear time', () => {
    assert.equal(negotiateCoding(`${'\t '.repeat(8000)};`, OFFERED), 'identity');
    assert.equal(negotiateCoding(`gzip${' '.repeat(16_000)}x`, OFFERED), 'identity');
    assert.equal(negotiateCoding(`${','.repeat(16_000)}br`, OFFERED), 'br');
  });
});
