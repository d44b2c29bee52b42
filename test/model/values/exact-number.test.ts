import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { compareNumbers, decimalError, storedDecimal, storedInt64 } from '../../../src/model/values/exact-number.ts';

describe('decimals', () => {
  const canonical: readonly (readonly [text: string, scale: number | null, stored: string | null])[] = [
    ['19.99', 2, '19.99'],
    ['19.9', 2, '19.90'],
    ['19', 2, '19.00'],
    ['19.9900', 2, '19.99'],
    ['007.50', null, '7.5'],
    ['10.0', null, '10'],
    ['-0', null, '0'],
    ['-0.00', 2, '0.00'],
    ['-0.10', null, '-0.1'],
    ['100', null, '100'],
    ['5', 0, '5'],
    ['1e5', null, null],
    ['+1', null, null],
    ['.5', null, null],
    ['5.', null, null],
    ['1,5', null, null],
    [' 1', null, null],
    ['１', null, null],
    ['', null, null],
  ];
  for (const [text, scale, stored] of canonical) {
    it(`[REP-7] stores ${JSON.stringify(text)} with scale ${scale} as ${stored}`, () => {
      assert.equal(storedDecimal(text, scale), stored);
    });
  }

  const bounded: readonly (readonly [
    text: string,
    precision: number | null,
    scale: number | null,
    error: RegExp | null,
  ])[] = [
    ['9999999999.99', 12, 2, null],
    ['10000000000.00', 12, 2, /at most 10 digits before the decimal point/],
    ['19.999', 12, 2, /at most 2 decimals/],
    ['1.5', 3, 0, /no decimals/],
    ['0.05', 2, 2, null],
    ['1.00', 2, 2, /at most 0 digits before/],
    ['123.4', 4, null, null],
    ['123.45', 4, null, /at most 4 digits/],
    ['9'.repeat(1000), null, null, null],
    ['9'.repeat(1001), null, null, /at most 1000 digits/],
    [`${'0'.repeat(5000)}1`, null, null, null],
    ['1e3', null, null, /must be a decimal number as a string/],
  ];
  for (const [text, precision, scale, error] of bounded) {
    const title = `${text.slice(0, 20)} with precision ${precision} and scale ${scale}`;
    it(`[REP-7] ${error === null ? 'accepts' : 'rejects'} ${title}`, () => {
      const found = decimalError(text, { precision, scale });
      if (error === null) assert.equal(found, null);
      else assert.match(found ?? '', error);
    });
  }

  it('[QRY-7] compares by value', () => {
    const scaled = fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n });
    const text = (value: bigint): string => {
      const digits = String(value < 0n ? -value : value).padStart(4, '0');
      return `${value < 0n ? '-' : ''}${digits.slice(0, -3)}.${digits.slice(-3)}`;
    };
    fc.assert(
      fc.property(scaled, scaled, (a, b) => {
        const sign = Number(a > b) - Number(a < b);
        assert.equal(Math.sign(compareNumbers(text(a), text(b))), sign);
        assert.equal(Math.sign(compareNumbers(storedDecimal(text(a), null) ?? '', text(b))), sign);
      }),
    );
  });

  it('[REP-7] parses a long run of zeros in linear time', () => {
    const started = process.cpuUsage().user;
    assert.equal(storedDecimal(`${'0'.repeat(1_000_000)}x`, null), null);
    assert.equal(storedDecimal(`1.${'0'.repeat(1_000_000)}1`, null)?.length, 1_000_003);
    assert.ok(process.cpuUsage().user - started < 2_000_000);
  });
});

describe('storedInt64', () => {
  const rows: readonly (readonly [text: string, stored: string | null])[] = [
    ['9223372036854775807', '9223372036854775807'],
    ['9223372036854775808', null],
    ['-9223372036854775808', '-9223372036854775808'],
    ['-9223372036854775809', null],
    ['0000000000000000000000042', '42'],
    ['-0', '0'],
    ['1.0', null],
    ['1e3', null],
    ['0x10', null],
    ['', null],
    ['9'.repeat(100), null],
  ];
  for (const [text, stored] of rows) {
    it(`[REP-7] stores ${JSON.stringify(text.slice(0, 30))} as ${stored}`, () =>
      assert.equal(storedInt64(text), stored));
  }
});
