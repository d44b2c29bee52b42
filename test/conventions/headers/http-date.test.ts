import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { httpDate, parseHttpDate } from '../../../src/conventions/headers/http-date.ts';

const NOW = Date.UTC(2026, 10, 20);

describe('HTTP dates', () => {
  const instant = Date.UTC(1994, 10, 6, 8, 49, 37);
  for (const text of ['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994']) {
    it(`[CACHE-3] parses ${text}`, () => assert.equal(parseHttpDate(text, NOW), instant));
  }

  it('[CACHE-3] parses a leap second', () =>
    assert.equal(parseHttpDate('Sat, 31 Dec 2016 23:59:60 GMT', NOW), Date.UTC(2017, 0, 1)));

  for (const [digits, year] of [
    ['94', 1994],
    ['26', 2026],
    ['76', 2076],
    ['77', 1977],
  ] as const) {
    it(`[CACHE-3] reads the year ${digits} in November 2026 as ${year}`, () =>
      assert.equal(parseHttpDate(`Sunday, 06-Nov-${digits} 08:49:37 GMT`, NOW), Date.UTC(year, 10, 6, 8, 49, 37)));
  }

  it('[CACHE-3] reads a two-digit year that is over 50 years ahead as past, to the day', () => {
    const readYear = (day: string) =>
      new Date(parseHttpDate(`Friday, ${day}-76 00:00:00 GMT`, NOW) ?? 0).getUTCFullYear();
    assert.deepEqual(['20-Nov', '21-Nov', '31-Dec'].map(readYear), [2076, 1976, 1976]);
  });

  for (const text of [
    '',
    '0',
    '1994-11-06T08:49:37Z',
    'Sun, 06 Nov 1994 08:49:37',
    'Sun, 06 Nov 1994 08:49:37 UTC',
    'Sun, 6 Nov 1994 08:49:37 GMT',
    'sun, 06 nov 1994 08:49:37 gmt',
    'Sun, 31 Feb 2025 08:49:37 GMT',
    'Sun, 00 Nov 1994 08:49:37 GMT',
    'Sun, 06 Nov 1994 24:00:00 GMT',
    'Sun, 06 Nov 1994 08:60:00 GMT',
    'Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT',
  ]) {
    it(`[CACHE-3] rejects ${JSON.stringify(text)}`, () => assert.equal(parseHttpDate(text, NOW), null));
  }

  it('[CACHE-4] formats any time like the platform', () => {
    const years = { min: -62_135_596_800_000, max: 253_402_300_799_999 };
    const law = fc.property(fc.integer(years), (time) => assert.equal(httpDate(time), new Date(time).toUTCString()));
    fc.assert(law, { numRuns: 1_000 });
  });

  it('[CACHE-4] parses what it formats, to the second', () => {
    const law = fc.property(fc.integer({ min: 0, max: 253_402_300_799_999 }), (time) =>
      assert.equal(parseHttpDate(httpDate(time), NOW), time - (time % 1000)),
    );
    fc.assert(law);
  });
});
