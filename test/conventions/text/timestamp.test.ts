import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { timestamp } from '../../../src/conventions/text/timestamp.ts';

describe('timestamp', () => {
  it('[REP-3] formats like the platform, in every year of RFC 3339', () => {
    const first = Date.parse('0000-01-01T00:00:00.000Z');
    const last = Date.parse('9999-12-31T23:59:59.999Z');
    fc.assert(
      fc.property(fc.integer({ min: first, max: last }), (milliseconds) => {
        assert.equal(timestamp(milliseconds), new Date(milliseconds).toISOString());
      }),
      { numRuns: 1_000, examples: [[first], [last], [0], [-1], [Date.parse('2000-02-29T00:00:00.000Z')]] },
    );
  });

  it('[REP-3] throws beyond the range of Date', () => {
    assert.throws(() => timestamp(Number.NaN), RangeError);
  });
});
