import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json } from '../../src/conventions/json/json.ts';
import type { ValueType } from '../../src/model/model.ts';
import { compileComparison } from '../../src/plan/value-order.ts';

describe('the order of values', () => {
  const rows: readonly (readonly [type: ValueType, ascending: readonly Json[]])[] = [
    [{ kind: 'text', format: null }, ['', '"', 'B', 'a', 'é', '\u{ffff}', '\u{1f600}']],
    [{ kind: 'integer' }, [-10, -9, 0, 9, 10]],
    [{ kind: 'number' }, [-1.5, 0.1, 0.25, 1e21]],
    [{ kind: 'boolean' }, [false, true]],
    [{ kind: 'decimal', precision: 12, scale: 2 }, ['-10', '-9.995', '-9.99', '0', '1.005', '9', '10']],
    [{ kind: 'int64' }, ['-9223372036854775809', '-10', '-9', '9', '10', '9223372036854775808']],
    [{ kind: 'date-time' }, ['0001-01-01T00:00:00.000Z', '1969-12-31T23:59:59.999Z', '2026-01-01T00:00:00.000Z']],
    [
      { kind: 'date-time', micros: true },
      [
        '1969-12-31T23:59:59.999999Z',
        '2026-01-01T00:00:00.123Z',
        '2026-01-01T00:00:00.123001Z',
        '2026-01-01T00:00:01.000Z',
      ],
    ],
    [{ kind: 'binary', mediaType: null }, ['', 'AA==', 'AAA=', 'Zg==', '/w==']],
    [{ kind: 'array', item: { type: { kind: 'integer' }, nullable: false } }, [[1], [2]]],
  ];
  for (const [type, ascending] of rows) {
    it(`[QRY-7] is by value for ${JSON.stringify(type)}`, () => {
      const compare = compileComparison(type);
      for (const [place, one] of ascending.entries()) {
        for (const [other, value] of ascending.entries()) {
          assert.equal(Math.sign(compare(one, value)), Math.sign(place - other), JSON.stringify([one, value]));
        }
      }
    });
  }

  it('[QRY-7] treats all forms of a decimal as equal', () => {
    assert.equal(compileComparison({ kind: 'decimal', precision: 12, scale: 2 })('1.50', '1.5'), 0);
  });
});
