import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  decimalKey,
  keyedDecimal,
  scaledDecimal,
  scaledFloor,
  scaledInteger,
} from '../../../src/stores/sql/decimal.ts';

/** A decimal in its shortest form, from its digits and the position of its point. */
function plain(integer: bigint, places: number): string {
  const negative = integer < 0n;
  const digits = String(negative ? -integer : integer).padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places);
  const fraction = digits.slice(digits.length - places).replace(/0+$/, '');
  return `${negative ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

const PLACES = 30;
const integers = fc.oneof(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), fc.bigInt({ min: -100n, max: 100n }));
const decimals = fc.tuple(integers, fc.integer({ min: 0, max: PLACES }));

function order(one: string | bigint, other: string | bigint): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

describe('decimal keys', () => {
  it('[QRY-7] have the order of the values, and are equal for equal values', () => {
    fc.assert(
      fc.property(decimals, decimals, ([one, onePlaces], [other, otherPlaces]) => {
        const left = one * 10n ** BigInt(PLACES - onePlaces);
        const right = other * 10n ** BigInt(PLACES - otherPlaces);
        const keys = [decimalKey(plain(one, onePlaces)), decimalKey(plain(other, otherPlaces))];
        assert.equal(order(keys[0] ?? '', keys[1] ?? ''), order(left, right));
      }),
      {
        numRuns: 500,
        examples: [
          [
            [-5n, 0],
            [-51n, 1],
          ],
          [
            [5n, 0],
            [51n, 1],
          ],
          [
            [-5n, 3],
            [-5n, 4],
          ],
        ],
      },
    );
  });

  it('[REP-7] decode to the decimal in its shortest form', () => {
    fc.assert(
      fc.property(decimals, ([integer, places]) => {
        const text = plain(integer, places);
        assert.equal(keyedDecimal(decimalKey(text) ?? '', 0), text);
      }),
    );
  });

  for (const [written, shown] of [
    ['-0', '0'],
    ['0.000', '0'],
    ['007.10', '7.1'],
    ['-100', '-100'],
    ['0.001', '0.001'],
  ]) {
    it(`[REP-7] show ${written} as ${shown}`, () => {
      assert.equal(keyedDecimal(decimalKey(written ?? '') ?? '', 0), shown);
    });
  }

  it('[REP-7] decode with the digits after the point that the model declares', () => {
    assert.equal(keyedDecimal(decimalKey('-19.9') ?? '', 2), '-19.90');
    assert.equal(keyedDecimal(decimalKey('0') ?? '', 2), '0.00');
    assert.equal(keyedDecimal(decimalKey('300') ?? '', 1), '300.0');
  });

  it('[QRY-2] do not exist for an invalid decimal', () => {
    for (const text of ['', '.5', '1.', '1e3', '+1', ' 1', 'NaN', '٣']) assert.equal(decimalKey(text), undefined, text);
  });
});

describe('scaled integers', () => {
  it('[REP-7] decode to the decimal with all its digits', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.integer({ min: 0, max: 18 }), (integer, scale) => {
        assert.equal(scaledInteger(scaledDecimal(String(integer), scale), scale), integer);
      }),
    );
  });

  it('[QRY-7] are exact multiples of the scale; other values have none', () => {
    assert.equal(scaledInteger('19.9', 2), 1990n);
    assert.equal(scaledInteger('-0.05', 2), -5n);
    assert.equal(scaledInteger('19.900', 2), 1990n);
    assert.equal(scaledInteger('19.901', 2), undefined);
    assert.equal(scaledInteger('x', 2), undefined);
    assert.equal(scaledDecimal('-5', 2), '-0.05');
    assert.equal(scaledDecimal('7', 0), '7');
  });
});

describe('decimals rounded down to a scale', () => {
  it('[QRY-7] are at most one unit less, and exact where nothing was cut off', () => {
    fc.assert(
      fc.property(decimals, fc.integer({ min: 0, max: PLACES }), ([integer, places], scale) => {
        const scaled = scaledFloor(plain(integer, places), scale);
        assert.ok(scaled !== undefined);
        const cut = integer * 10n ** BigInt(PLACES - places) - scaled.floor * 10n ** BigInt(PLACES - scale);
        assert.ok(cut >= 0n && cut < 10n ** BigInt(PLACES - scale));
        assert.equal(scaled.exact, cut === 0n);
      }),
      {
        numRuns: 500,
        examples: [
          [[-1n, 3], 2],
          [[-1n, 2], 2],
          [[5n, 1], 0],
          [[-5n, 1], 0],
        ],
      },
    );
  });

  it('[QRY-7] do not exist for an invalid decimal', () => assert.equal(scaledFloor('1e3', 2), undefined));
});
