import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json } from '../../../src/conventions/json/json.ts';
import { store, validator } from '../validating.ts';

describe('check: the errors', () => {
  const rows: readonly (readonly [clause: string, schema: string, sent: Json, error: string])[] = [
    ['REP-4', '{ type: integer }', '5', 'a: must be an integer, not a string'],
    ['REP-4', '{ type: string }', 5, 'a: must be a string, not a number'],
    ['REP-4', '{ type: boolean }', 'true', 'a: must be a boolean, not a string'],
    ['REP-4', '{ type: number }', true, 'a: must be a number, not a boolean'],
    ['REP-4', '{ type: integer }', 1.5, 'a: must be an integer, not a number'],
    ['REP-4', '{ type: array, items: { type: string } }', 'x', 'a: must be an array, not a string'],
    ['REP-4', '{ type: object, properties: { b: { type: string } } }', [], 'a: must be an object, not an array'],
    ['REP-4', '{ type: string, format: decimal }', 5, 'a: must be a string, not a number'],
    ['REP-4', '{ type: string, format: date-time }', 5, 'a: must be a string, not a number'],
    ['REP-7', '{ type: integer }', 2 ** 53, 'a: must be at most 9007199254740991'],
    ['REP-7', '{ type: integer }', -(2 ** 53), 'a: must be at least -9007199254740991'],
    ['ERR-3', '{ type: string, minLength: 1 }', '', 'a: must be at least 1 character'],
    ['ERR-3', '{ type: string, maxLength: 2 }', '😀😀😀', 'a: must be at most 2 characters'],
    ['ERR-3', '{ type: string, pattern: "^[A-Z]{2}$" }', 'no', 'a: must match the pattern ^[A-Z]{2}$'],
    ['ERR-3', '{ type: string, enum: [EUR, USD] }', 'GBP', 'a: must be one of EUR, USD'],
    ['ERR-3', '{ type: string, const: EUR }', 'GBP', 'a: must be EUR'],
    ['ERR-3', '{ type: integer, enum: [1, 2] }', '1', 'a: must be one of 1, 2'],
    ['ERR-3', '{ type: integer, minimum: 1 }', 0, 'a: must be at least 1'],
    ['ERR-3', '{ type: integer, maximum: 5 }', 6, 'a: must be at most 5'],
    ['ERR-3', '{ type: number, exclusiveMinimum: 0 }', 0, 'a: must be greater than 0'],
    ['ERR-3', '{ type: number, exclusiveMaximum: 1 }', 1, 'a: must be less than 1'],
    ['ERR-3', '{ type: array, items: { type: string }, maxItems: 1 }', ['a', 'b'], 'a: must have at most 1 item'],
    [
      'ERR-3',
      '{ type: object, additionalProperties: { type: string }, minProperties: 1 }',
      {},
      'a: must have at least 1 entry',
    ],
    [
      'ERR-3',
      '{ type: object, additionalProperties: { type: string }, maxProperties: 1 }',
      { a: '', b: '' },
      'a: must have at most 1 entry',
    ],
    ['ERR-3', '{ type: string, format: uuid }', 'x', 'a: must be a UUID such as 0198c0de-7a1b-7c3d-8e4f-5a6b7c8d9e0f'],
    ['ERR-3', '{ type: string, format: date }', '2026-02-30', 'a: must be a date such as 2026-05-17'],
    [
      'REP-3',
      '{ type: string, format: date-time }',
      '2026-02-30T00:00:00Z',
      'a: must be a date and time with an offset, such as 2026-05-17T09:30:00Z',
    ],
    ['REP-7', '{ type: string, format: decimal, x-scale: 2 }', '1.999', 'a: must have at most 2 decimals'],
    ['REP-7', '{ type: string, format: decimal, minimum: "0.01" }', '0.00999', 'a: must be at least 0.01'],
    ['REP-7', '{ type: string, format: decimal, exclusiveMaximum: 10 }', '10.000', 'a: must be less than 10'],
    ['REP-7', '{ type: string, format: decimal, enum: ["1.50", "2"] }', '3', 'a: must be one of 1.5, 2'],
    [
      'REP-7',
      '{ type: string, format: int64, maximum: "9007199254740993" }',
      '9007199254740994',
      'a: must be at most 9007199254740993',
    ],
    ['REP-7', '{ type: string, format: int64 }', '1.5', 'a: must be an integer from -2^63 to 2^63-1, as a string'],
    [
      'ERR-3',
      '{ type: string, contentEncoding: base64 }',
      'AAE',
      'a: must be base64 with padding (RFC 4648, section 4)',
    ],
    [
      'ERR-3',
      '{ type: string, contentEncoding: base64 }',
      'AAF=',
      'a: must be base64 with padding (RFC 4648, section 4)',
    ],
    ['ERR-3', '{ type: string, contentEncoding: base64, maxLength: 4 }', 'AAECAwQF', 'a: must be at most 4 characters'],
    [
      'ERR-3',
      '{ type: array, items: { type: string }, uniqueItems: true }',
      ['a', 'b', 'a'],
      'a: must not contain duplicate items: [0] and [2] are equal',
    ],
    [
      'ERR-3',
      '{ type: array, items: { type: string, format: decimal }, uniqueItems: true }',
      ['1.0', '1'],
      'a: must not contain duplicate items: [0] and [1] are equal',
    ],
    [
      'ERR-3',
      '{ type: array, items: { type: object, additionalProperties: { type: integer } }, uniqueItems: true }',
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      'a: must not contain duplicate items: [0] and [1] are equal',
    ],
    [
      'ERR-3',
      '{ type: array, items: { type: string, minLength: 1 } }',
      ['x', 'y', ''],
      'a[2]: must be at least 1 character',
    ],
    [
      'ERR-3',
      '{ type: object, additionalProperties: { type: string } }',
      { 'a b': 1 },
      'a["a b"]: must be a string, not a number',
    ],
    ['REP-4', '{ type: array, items: { type: string } }', [null], 'a[0]: is required'],
    ['REP-4', '{ type: object, required: [b], properties: { b: { type: string } } }', {}, 'a.b: is required'],
    [
      'REP-4',
      '{ type: object, required: [b], properties: { b: { type: string, enum: [x] } } }',
      { b: null },
      'a.b: is required',
    ],
    [
      'REP-5',
      '{ type: object, properties: { city: { type: string } } }',
      { ctiy: 'Oslo' },
      'a.ctiy: is not a known field; did you mean "city"?',
    ],
  ];
  for (const [clause, schema, sent, error] of rows) {
    it(`[${clause}] of ${JSON.stringify(sent)} for ${schema}: ${error}`, () =>
      assert.deepEqual(store(schema, sent), [error]));
  }

  const required: readonly (readonly [schema: string, sent: Json | undefined, error: string])[] = [
    ['{ type: string }', undefined, 'a: is required'],
    ['{ type: string }', null, 'a: is required'],
    ['{ type: string, enum: [x], default: x }', null, 'a: is required'],
    ['{ type: array, items: { type: string }, minItems: 1 }', undefined, 'a: is required'],
    ['{ type: array, items: { type: string } }', null, 'a: is required'],
    ['{ type: [string, "null"] }', undefined, 'a: is required; null is allowed'],
  ];
  for (const [schema, sent, error] of required) {
    it(`[REP-4] of ${JSON.stringify(sent) ?? 'nothing'} for the required ${schema}`, () =>
      assert.deepEqual(store(schema, sent, 'a'), [error]));
  }

  it('[REP-4] are none for a nullable field that is null, and none for an absent field with a default', () => {
    assert.equal(store('{ type: [string, "null"] }', null, 'a'), null);
    assert.equal(store('{ type: string, default: x }', undefined, 'a'), 'x');
  });

  it('[ERR-3] are reported together, unknown fields first', () => {
    const check = validator(
      'name: { type: string }, stars: { type: integer, minimum: 1, maximum: 5 }, tags: { type: array, items: { type: string } }',
      'name',
    );
    const checked = check.check({ nam: 'x', stars: 9, tags: [1, 'a', 2] }, { unknown: 'refuse' });
    assert.ok(checked.kind === 'invalid');
    assert.deepEqual(
      checked.details.map(({ field }) => field),
      ['nam', 'name', 'stars', 'tags[0]', 'tags[2]'],
    );
    assert.equal(checked.details[0]?.message, 'is not a known field; did you mean "name"?');
  });

  it('[REP-5] for unknown fields are omitted if unknown fields are dropped', () => {
    const check = validator('a: { type: string }');
    assert.deepEqual(check.check({ a: 'x', b: 1 }, { unknown: 'drop' }), { kind: 'valid', values: { a: 'x' } });
    const nested = validator('o: { type: object, properties: { c: { type: string } } }');
    assert.deepEqual(nested.check({ o: { c: 'x', d: 1 } }, { unknown: 'drop' }), {
      kind: 'valid',
      values: { o: { c: 'x' } },
    });
    const checked = check.check({ a: 'x', zzz: 1 }, { unknown: 'refuse' });
    assert.deepEqual(checked, {
      kind: 'invalid',
      details: [{ field: 'zzz', message: 'is not a known field; remove it' }],
    });
  });

  it('[REP-11a] never contain the value', () => {
    const secret = 'hunter2';
    for (const schema of [
      '{ type: integer }',
      '{ type: string, maxLength: 1 }',
      '{ type: string, format: uuid }',
      '{ type: string, enum: [x] }',
      '{ type: string, format: decimal }',
    ]) {
      assert.doesNotMatch(JSON.stringify(store(schema, secret)), /hunter2/);
    }
  });

  it('[REP-6] do not change the candidate', () => {
    const candidate = Object.freeze({ a: Object.freeze({}) });
    const check = validator('a: { type: object, properties: { b: { type: string, default: x } } }');
    assert.deepEqual(check.check(candidate, { unknown: 'refuse' }), { kind: 'valid', values: { a: { b: 'x' } } });
    assert.deepEqual(candidate, { a: {} });
  });
});

describe('coerce', () => {
  const check = validator(
    'stars: { type: integer }, price: { type: string, format: decimal, x-scale: 2 }, o: { type: object, properties: { on: { type: boolean } } }',
  );

  it('[QRY-2] converts a string by the type of the property, also of a system field', () => {
    assert.deepEqual(check.coerce('stars', '5'), { kind: 'valid', value: 5 });
    assert.deepEqual(check.coerce('price', '5'), { kind: 'valid', value: '5.00' });
    assert.deepEqual(check.coerce('o.on', 'true'), { kind: 'valid', value: true });
    assert.deepEqual(check.coerce('id', 'abc'), { kind: 'valid', value: 'abc' });
    assert.deepEqual(check.coerce('created_at', '2026-05-17T09:30:00Z'), {
      kind: 'valid',
      value: '2026-05-17T09:30:00.000Z',
    });
    assert.deepEqual(check.coerce('revision', 'x').kind, 'invalid');
    assert.deepEqual(check.coerce('nope', 'x').kind, 'invalid');
  });
});

describe('checkId', () => {
  const any = validator('a: { type: string }', '', 'id: client');
  const rows: readonly (readonly [title: string, id: string, error: RegExp | null])[] = [
    ['accepts reserved characters', 'a/b@c+d#e%f é', null],
    ['accepts 255 characters of any plane', '😀'.repeat(255), null],
    ['rejects 256 characters', 'a'.repeat(256), /1 to 255 characters/],
    ['rejects an empty id', '', /1 to 255 characters/],
    ['rejects .', '.', /relative references/],
    ['rejects ..', '..', /relative references/],
    ['accepts ...', '...', null],
    ['rejects NUL', 'a\0b', /must not contain control characters/],
    ['rejects a line feed', 'a\n', /must not contain control characters/],
    ['rejects a C1 control', 'a\u0085', /must not contain control characters/],
    ['rejects a lone surrogate', 'a\ud800', /lone surrogates/],
  ];
  for (const [title, id, error] of rows) {
    it(`[URL-3] ${title}`, () => {
      if (error === null) assert.equal(any.checkId(id), null);
      else assert.match(any.checkId(id) ?? '', error);
    });
  }

  it('[REP-2] requires ids to match the declared pattern', () => {
    const patterned = validator('a: { type: string }', '', "id: { client: '^[a-z]{2}$' }");
    assert.equal(patterned.checkId('ab'), null);
    assert.equal(patterned.checkId('AB'), 'must match the pattern ^[a-z]{2}$');
  });
});
