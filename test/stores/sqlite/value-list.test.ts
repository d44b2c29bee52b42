import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import fc from 'fast-check';
import { BindParameters, type SqlValue } from '../../../src/stores/sql/dialect.ts';
import { sqlite } from '../../../src/stores/sqlite/dialect/sqlite-dialect.ts';
import { SqliteConnection } from '../../../src/stores/sqlite/connection/sqlite-connection.ts';
import { driver } from './driver-under-test.ts';

/** Creates a check that SQLite finds a bound value in a list that is bound as one parameter. */
function finder(context: TestContext): (value: SqlValue, listed: readonly SqlValue[]) => boolean {
  const connection = SqliteConnection.writer(':memory:', driver);
  context.after(() => connection.close());
  return (value, listed) => {
    const parameters = new BindParameters(sqlite);
    const text = `select ${sqlite.inList(parameters.add(value), listed, parameters)} as found`;
    return connection.get(text, parameters.values)?.['found'] === 1;
  };
}

const KINDS = {
  'numbers, those beyond 2^53 too': fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.double({ min: -1e19, max: 1e19, noNaN: true }),
    fc.integer(),
    fc.constantFrom(548_819_256_574_345_000, 2 ** 53, -(2 ** 53) - 2, 1e21, 5e-324, -0),
  ),
  'integers of 64 bits': fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  'texts, those with lone surrogates too': fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('', 'a\u0000b', '"\\', '\ud800x', 'x\udc00', '\u{1f600}', '\u2028', '[1]', 'null'),
  ),
  bytes: fc.uint8Array(),
} as const;

describe('a list of values as one parameter', () => {
  for (const [kind, values] of Object.entries<fc.Arbitrary<SqlValue>>(KINDS)) {
    it(`[QRY-7] has each value as if it were bound alone: ${kind}`, (context) => {
      const finds = finder(context);
      fc.assert(
        fc.property(values, fc.array(values, { maxLength: 3 }), (value, others) => {
          assert.ok(finds(value, [...others, value]));
        }),
        { numRuns: 500 },
      );
    });
  }

  it('[QRY-7] has no other value', (context) => {
    const finds = finder(context);
    assert.equal(finds('1', ['2', '11', '']), false);
    assert.equal(finds(9_223_372_036_854_775_807n, [9_223_372_036_854_775_806n, -9_223_372_036_854_775_808n]), false);
    assert.equal(finds(0.1, [0.2, 0.100_000_000_000_000_02]), false);
    assert.equal(finds('1', [1, 2]), false);
    assert.equal(finds(new Uint8Array([1]), [new Uint8Array([1, 0]), new Uint8Array()]), false);
  });
});
