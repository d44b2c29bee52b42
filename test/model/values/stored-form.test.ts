import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Json, JsonObject } from '../../../src/conventions/json/json.ts';
import { store, validator } from '../validating.ts';

describe('check: the stored form', () => {
  const list = '{ type: array, items: { type: string } }';
  const address =
    '{ type: object, properties: { city: { type: string }, zip: { type: string, default: "0" }, tags: { type: array, items: { type: string } } } }';
  const rows: readonly (readonly [clause: string, schema: string, sent: Json | undefined, stored: Json])[] = [
    ['REP-4', '{ type: string }', undefined, null],
    ['REP-4', '{ type: string }', null, null],
    ['REP-4', '{ type: string, default: x }', undefined, 'x'],
    ['REP-4', '{ type: string, default: x }', null, null],
    ['REP-4', '{ type: string, enum: [x] }', null, null],
    ['REP-4', list, undefined, []],
    ['REP-4', list, null, []],
    ['REP-4', '{ type: array, items: { type: string }, default: [x] }', undefined, ['x']],
    ['REP-4', address, null, null],
    ['REP-4', address, {}, { city: null, zip: '0', tags: [] }],
    ['REP-4', address, { tags: null, zip: null, city: 'Oslo' }, { city: 'Oslo', zip: null, tags: [] }],
    ['REP-4', '{ type: array, items: { type: [integer, "null"] } }', [1, null], [1, null]],
    ['REP-3', '{ type: string, format: date-time }', '2026-05-17T09:30:00.1+02:00', '2026-05-17T07:30:00.100Z'],
    ['REP-7', '{ type: string, format: decimal, x-scale: 2 }', '0019.9', '19.90'],
    ['REP-7', '{ type: string, format: decimal }', '-0.0', '0'],
    ['REP-7', '{ type: string, format: int64 }', '-007', '-7'],
    ['REP-7', '{ type: integer }', -0, 0],
    ['REP-7', '{ type: integer }', 5.0, 5],
    ['REP-7', '{ type: number }', -0, 0],
    ['REP-7', '{ type: integer }', Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    [
      'REP-7',
      '{ type: object, additionalProperties: { type: string, format: decimal } }',
      { b: '1.0', a: '2' },
      { b: '1', a: '2' },
    ],
    [
      'REP-7',
      '{ type: array, items: { type: object, required: [n], properties: { n: { type: string, format: int64 } } } }',
      [{ n: '01' }],
      [{ n: '1' }],
    ],
    ['REP-1', '{ type: string, contentEncoding: base64 }', 'AAE=', 'AAE='],
    ['REP-1', '{ type: string, maxLength: 2 }', '😀é', '😀é'],
    ['REP-1', '{ type: string, format: decimal, enum: ["1.50"] }', '1.5', '1.5'],
  ];
  for (const [clause, schema, sent, stored] of rows) {
    it(`[${clause}] of ${JSON.stringify(sent) ?? 'nothing'} for ${schema} is ${JSON.stringify(stored)}`, () => {
      const result = store(schema, sent);
      assert.deepEqual(result, stored);
      assert.deepEqual(store(schema, stored), stored);
    });
  }
});

describe('check: the order of a map', () => {
  it('[REP-1] is that of the UTF-8 bytes of its keys, also in lists and objects', () => {
    const map = '{ type: object, additionalProperties: { type: string } }';
    // UTF-16 puts the pairs of U+1F600 before U+FFFD, UTF-8 after it.
    const sent = { '😀': '1', '\uFFFD': '2', z: '3', é: '4', 'a b': '5', a: '6', B: '7' };
    const keys = ['B', 'a', 'a b', 'z', 'é', '\uFFFD', '😀'];
    const keysOf = (value: Json | undefined): readonly string[] => Object.keys(value ?? {});
    assert.deepEqual(keysOf(store(map, sent)), keys);
    assert.deepEqual(keysOf(Object.values(store(`{ type: array, items: ${map} }`, [sent]) ?? {})[0]), keys);
    const inside = store(`{ type: object, properties: { m: ${map} } }`, { m: sent });
    assert.deepEqual(keysOf(Object.values(inside ?? {})[0]), keys);
  });
});

describe('check: laws', () => {
  const check = validator(
    [
      'n: { type: number }',
      'i: { type: integer }',
      't: { type: string, minLength: 1 }',
      'd: { type: string, format: decimal, x-scale: 3 }',
      'e: { type: string, format: decimal }',
      'l: { type: string, format: int64 }',
      'at: { type: string, format: date-time }',
      'o: { type: object, properties: { x: { type: string, format: decimal }, y: { type: array, items: { type: number } } } }',
      'm: { type: object, additionalProperties: { type: string, format: int64 } }',
    ].join(', '),
  );
  const decimals = fc.stringMatching(/^-?0{0,3}\d{1,6}(\.\d{1,3})?$/);
  const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String);
  const instants = fc
    .tuple(
      fc.date({ min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true }),
      fc.constantFrom('Z', '+02:00', '-11:30', 'z'),
    )
    .map(([date, zone]) => date.toISOString().replace('Z', zone));
  const candidates = fc.record(
    {
      n: fc.double({ noNaN: true, noDefaultInfinity: true }),
      i: fc.maxSafeInteger(),
      t: fc.string({ minLength: 1, unit: 'grapheme' }),
      d: decimals,
      e: decimals,
      l: int64,
      at: instants,
      o: fc.record(
        { x: fc.option(decimals), y: fc.option(fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }))) },
        { requiredKeys: [] },
      ),
      m: fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), int64),
    },
    { requiredKeys: [] },
  );

  it('[REP-4] normalizing is idempotent, and the stored form survives a JSON round trip', () => {
    fc.assert(
      fc.property(candidates, (candidate) => {
        const stored = check.check(candidate, { unknown: 'refuse' });
        assert.ok(stored.kind === 'valid');
        assert.deepEqual(Object.keys(stored.values), ['n', 'i', 't', 'd', 'e', 'l', 'at', 'o', 'm']);
        const carried: JsonObject = JSON.parse(JSON.stringify(stored.values));
        assert.deepEqual(check.check(carried, { unknown: 'refuse' }), stored);
      }),
    );
  });

  it('[ERR-3] every JSON value is either stored or rejected, without an exception', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('n', 'i', 't', 'd', 'e', 'l', 'at', 'o', 'm', 'z'), fc.jsonValue()),
        (candidate) => {
          const plain: JsonObject = JSON.parse(JSON.stringify(candidate));
          const checked = check.check(plain, { unknown: 'refuse' });
          if (checked.kind === 'valid') assert.deepEqual(check.check(checked.values, { unknown: 'refuse' }), checked);
          else
            assert.ok(
              checked.details.length > 0 &&
                checked.details.every(({ field, message }) => field !== '' && message !== ''),
            );
        },
      ),
    );
  });
});
