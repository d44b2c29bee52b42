import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isTime, storedDateTime } from '../../../src/model/values/date-time.ts';

describe('storedDateTime', () => {
  const rows: readonly (readonly [text: string, stored: string | null])[] = [
    ['2026-05-17T09:30:00Z', '2026-05-17T09:30:00.000Z'],
    ['2026-05-17t09:30:00z', '2026-05-17T09:30:00.000Z'],
    ['2026-05-17T09:30:00.1239999Z', '2026-05-17T09:30:00.123Z'],
    ['1969-12-31T23:59:59.9999Z', '1969-12-31T23:59:59.999Z'],
    ['2026-05-17T01:30:00+02:00', '2026-05-16T23:30:00.000Z'],
    ['2026-12-31T23:30:00-01:30', '2027-01-01T01:00:00.000Z'],
    ['2026-05-17T09:30:00-00:00', '2026-05-17T09:30:00.000Z'],
    ['2026-05-17T09:30:00+23:59', '2026-05-16T09:31:00.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000Z'],
    ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
    ['0050-01-01T01:00:00+01:00', '0050-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['2016-12-31T23:59:60Z', '2016-12-31T23:59:59.999Z'],
    ['2017-01-01T01:59:60.5+02:00', '2016-12-31T23:59:59.999Z'],
    ['2016-12-31T23:58:60Z', null],
    ['2016-12-30T23:59:60Z', null],
    ['2016-12-31T23:59:61Z', null],
    ['0000-01-01T00:00:00+00:01', null],
    ['9999-12-31T23:59:59-00:01', null],
    ['2025-02-29T00:00:00Z', null],
    ['1900-02-29T00:00:00Z', null],
    ['2026-04-31T00:00:00Z', null],
    ['2026-13-01T00:00:00Z', null],
    ['2026-00-01T00:00:00Z', null],
    ['2026-01-00T00:00:00Z', null],
    ['2026-05-17T24:00:00Z', null],
    ['2026-05-17T09:60:00Z', null],
    ['2026-05-17T09:30:00+24:00', null],
    ['2026-05-17T09:30:00+00:60', null],
    ['2026-05-17T09:30:00', null],
    ['2026-05-17T09:30Z', null],
    ['2026-05-17T09:30:00.Z', null],
    ['2026-05-17 09:30:00Z', null],
    ['2026-05-17T09:30:00+0200', null],
    ['2026-05-17', null],
    ['+002026-05-17T09:30:00Z', null],
    ['2026-05-17T09:30:00Z\n', null],
    ['', null],
  ];
  for (const [text, stored] of rows) {
    it(`[REP-3] ${stored === null ? 'refuses' : 'reads'} ${JSON.stringify(text)}`, () => {
      assert.equal(storedDateTime(text), stored);
    });
  }

  const micros: readonly (readonly [text: string, stored: string | null])[] = [
    ['2026-05-17T09:30:00Z', '2026-05-17T09:30:00.000Z'],
    ['2026-05-17T09:30:00.123Z', '2026-05-17T09:30:00.123Z'],
    ['2026-05-17T09:30:00.123000Z', '2026-05-17T09:30:00.123Z'],
    ['2026-05-17T09:30:00.1234Z', '2026-05-17T09:30:00.123400Z'],
    ['2026-05-17T01:30:00.000001+02:00', '2026-05-16T23:30:00.000001Z'],
    ['1969-12-31T23:59:59.9999999Z', '1969-12-31T23:59:59.999999Z'],
    ['2016-12-31T23:59:60.123456Z', '2016-12-31T23:59:59.999Z'],
    ['2026-05-17T09:30:00.1234', null],
  ];
  for (const [text, stored] of micros) {
    it(`[REP-3] ${stored === null ? 'refuses' : 'reads'} ${JSON.stringify(text)} with microseconds`, () => {
      assert.equal(storedDateTime(text, { micros: true }), stored);
    });
  }

  it('[REP-3] keeps the instant, cut to the millisecond, whatever the offset', () => {
    const offset = fc.integer({ min: -1439, max: 1439 });
    const instant = fc.date({ min: new Date('0002-01-01'), max: new Date('9998-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(instant, offset, fc.stringMatching(/^\d{0,4}$/), (date, minutes, finer) => {
        const local = new Date(date.getTime() + minutes * 60_000).toISOString().slice(0, -1);
        const [hour, minute] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
        const zone = `${minutes < 0 ? '-' : '+'}${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
        assert.equal(storedDateTime(`${local}${finer}${zone}`), date.toISOString());
      }),
    );
  });
});

describe('isTime', () => {
  it('[ERR-3] recognizes a leap second by the time in UTC', () => {
    assert.ok(isTime('23:59:60Z') && isTime('00:29:60+00:30') && !isTime('23:59:60+00:30'));
  });
});
