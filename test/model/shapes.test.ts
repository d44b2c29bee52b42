import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Field } from '../../src/model/model.ts';
import { faultsOf, itemsDocument, load, refusesEach, refusesProperties, resource } from './loading.ts';

function field(schema: string, required = ''): Field | undefined {
  const text = itemsDocument(`a: ${schema}`, '', required);
  return resource(load(text).model, 'items').field.get('a');
}

describe('the shape of a field', () => {
  const rows: readonly (readonly [schema: string, type: object])[] = [
    ['{ type: string }', { kind: 'text', format: null }],
    ['{ type: string, format: uuid }', { kind: 'text', format: 'uuid' }],
    ['{ type: string, format: date-time }', { kind: 'date-time' }],
    ['{ type: string, format: int64 }', { kind: 'int64' }],
    ['{ type: string, format: decimal }', { kind: 'decimal', precision: null, scale: null }],
    ['{ type: string, format: decimal, x-precision: 12, x-scale: 2 }', { kind: 'decimal', precision: 12, scale: 2 }],
    ['{ type: string, contentEncoding: base64 }', { kind: 'binary', mediaType: null }],
    [
      '{ type: string, contentEncoding: base64, contentMediaType: image/png }',
      { kind: 'binary', mediaType: 'image/png' },
    ],
    ['{ type: integer }', { kind: 'integer' }],
    ['{ type: number }', { kind: 'number' }],
    ['{ type: boolean }', { kind: 'boolean' }],
    [
      '{ type: array, items: { type: integer } }',
      { kind: 'array', item: { type: { kind: 'integer' }, nullable: false } },
    ],
    [
      '{ type: array, items: { type: [integer, "null"] } }',
      { kind: 'array', item: { type: { kind: 'integer' }, nullable: true } },
    ],
    [
      '{ type: object, additionalProperties: { type: boolean } }',
      { kind: 'map', value: { type: { kind: 'boolean' }, nullable: false } },
    ],
    [
      '{ type: object, required: [b], properties: { b: { type: integer }, c: { type: boolean } } }',
      {
        kind: 'object',
        members: [
          { name: 'b', type: { kind: 'integer' }, nullable: false, required: true },
          { name: 'c', type: { kind: 'boolean' }, nullable: true, required: false },
        ],
      },
    ],
  ];
  for (const [schema, type] of rows) {
    it(`is what ${schema} declares`, () => assert.deepEqual(field(schema)?.type, type));
  }

  const nullability: readonly (readonly [schema: string, required: string, nullable: boolean])[] = [
    ['{ type: string }', '', true],
    ['{ type: string }', 'a', false],
    ['{ type: [string, "null"] }', 'a', true],
    ['{ type: array, items: { type: string } }', '', false],
    ['{ type: array, items: { type: string } }', 'a', false],
    ['{ type: object, additionalProperties: { type: string } }', '', true],
  ];
  for (const [schema, required, nullable] of nullability) {
    it(`[REP-4] is ${nullable ? '' : 'not '}nullable for ${schema}${required === '' ? '' : ', required'}`, () => {
      assert.equal(field(schema, required)?.nullable, nullable);
    });
  }

  it('[REP-4] keeps a default in its stored form, a declared null too', () => {
    assert.equal(field('{ type: string, format: decimal, x-scale: 2, default: "5" }')?.default, '5.00');
    assert.equal(
      field('{ type: string, format: date-time, default: 2026-01-01T01:00:00+01:00 }')?.default,
      '2026-01-01T00:00:00.000Z',
    );
    assert.deepEqual(field('{ type: object, properties: { b: { type: string, default: x } }, default: {} }')?.default, {
      b: 'x',
    });
    assert.equal(field('{ type: string, default: null }')?.default, null);
    assert.equal(Object.hasOwn(field('{ type: string }') ?? {}, 'default'), false);
  });

  it('takes annotations and bounds as text for exact numbers', () => {
    const schema =
      '{ type: string, format: int64, minimum: "-9223372036854775808", maximum: 9, title: t, description: d, examples: ["1"], deprecated: true, $comment: c }';
    assert.deepEqual(faultsOf(itemsDocument(`a: ${schema}`)), []);
  });
});

describe('a faulty schema', () => {
  refusesProperties([
    ['has a type', 'a: { minLength: 1 }', 'a', /has no type/, /type: string/],
    ['has one type', 'a: { type: [string, integer] }', 'a.type', /no one type/, /one type/],
    ['is not only null', 'a: { type: ["null"] }', 'a.type', /no one type/, /one type/],
    ['has a known type', 'a: { type: strin }', 'a.type', /none of the forms/, /One of string, integer/],
    ['has a known format', 'a: { type: string, format: dat }', 'a.format', /must be one of date-time, date/, /format/],
    ['is an object', 'a: 5', 'a', /must be an object, not a number/, /JSON Schema/],
    [
      'splits into resources what has several shapes',
      'a: { type: string, oneOf: [] }',
      'a.oneOf',
      /not known/,
      /split the resource/,
    ],
    ['has no anyOf', 'a: { type: string, anyOf: [] }', 'a.anyOf', /not known/, /split the resource/],
    ['has no if', 'a: { type: string, if: {} }', 'a.if', /not known/, /split the resource/],
    ['has no not', 'a: { type: string, not: {} }', 'a.not', /not known/, /split the resource/],
    [
      'has no patternProperties',
      'a: { type: object, properties: {}, patternProperties: {} }',
      'a.patternProperties',
      /not known/,
      /map/,
    ],
    ['spells its keywords', 'a: { type: string, minLenght: 1 }', 'a.minLenght', /not known/, /minLength/],
    [
      'says nothing that does not apply',
      'a: { type: integer, minLength: 1 }',
      'a.minLength',
      /nothing about a value of kind integer/,
      /remove/,
    ],
    ['has no format but for text', 'a: { type: integer, format: date }', 'a.format', /nothing about/, /remove/],
    ['has a scale for decimals alone', 'a: { type: string, x-scale: 2 }', 'a.x-scale', /nothing about/, /remove/],
    [
      'has a media type for base64 alone',
      'a: { type: string, contentMediaType: image/png }',
      'a.contentMediaType',
      /nothing about/,
      /remove/,
    ],
    [
      'has no values listed for lists',
      'a: { type: array, items: { type: string }, enum: [[a]] }',
      'a.enum',
      /nothing about/,
      /remove/,
    ],
    [
      'counts entries in maps alone',
      'a: { type: object, properties: { b: { type: string } }, maxProperties: 1 }',
      'a.maxProperties',
      /nothing about a value of kind object/,
      /remove/,
    ],
    [
      'has bounds in order',
      'a: { type: integer, minimum: 5, maximum: 4 }',
      'a.minimum',
      /greater than maximum/,
      /bounds/,
    ],
    [
      'has exact bounds in order',
      'a: { type: string, format: decimal, minimum: "0.3", maximum: "0.29" }',
      'a.minimum',
      /greater than maximum/,
      /bounds/,
    ],
    ['has lengths in order', 'a: { type: string, minLength: 5, maxLength: 4 }', 'a.minLength', /greater/, /bounds/],
    [
      'has no scale above its precision',
      'a: { type: string, format: decimal, x-precision: 2, x-scale: 3 }',
      'a.x-scale',
      /greater than x-precision/,
      /bounds/,
    ],
    [
      'has numbers as bounds of numbers',
      'a: { type: number, minimum: "1" }',
      'a.minimum',
      /text, which only decimal and int64/,
      /number/,
    ],
    [
      'has digits as bounds of decimals',
      'a: { type: string, format: decimal, minimum: 1e30 }',
      'a.minimum',
      /no decimal number/,
      /digits/,
    ],
    ['has counts that are not negative', 'a: { type: string, minLength: -1 }', 'a.minLength', /at least 0/, /correct/],
    ['has a valid pattern', 'a: { type: string, pattern: "[a-" }', 'a.pattern', /no regular expression/, /ECMAScript/],
    [
      'has a pattern that is valid under the u flag',
      'a: { type: string, pattern: "\\\\-" }',
      'a.pattern',
      /no regular expression/,
      /u flag/,
    ],
    [
      'lists values that it allows',
      'a: { type: string, enum: [abc, abcd], maxLength: 3 }',
      'a.enum[1]',
      /at most 3 characters/,
      /allows/,
    ],
    [
      'has a constant that it allows',
      'a: { type: integer, const: x }',
      'a.const',
      /must be an integer, not text/,
      /allows/,
    ],
    [
      'lists values or has a constant',
      'a: { type: string, enum: [x], const: x }',
      'a.const',
      /exclude each other/,
      /one/,
    ],
    ['lists one value or more', 'a: { type: string, enum: [] }', 'a.enum', /at least 1 item/, /allowed/],
    ['allows its default', 'a: { type: string, enum: [x, y], default: z }', 'a.default', /one of x, y/, /allows/],
    [
      'allows its default by value',
      'a: { type: string, format: decimal, x-scale: 1, default: "0.25" }',
      'a.default',
      /at most 1 decimal/,
      /allows/,
    ],
    [
      'has no null for a default of a list',
      'a: { type: array, items: { type: string }, default: null }',
      'a.default',
      /required/,
      /allows/,
    ],
    ['says what its items are', 'a: { type: array }', 'a', /what its items are/, /items/],
    [
      'is no list that is null',
      'a: { type: [array, "null"], items: { type: string } }',
      'a.type',
      /never null/,
      /empty/,
    ],
    [
      'asks for items only where the list is required',
      'a: { type: array, items: { type: string }, minItems: 1 }',
      'a.minItems',
      /may be unset/,
      /required/,
    ],
    [
      'has defaults for members alone',
      'a: { type: array, items: { type: string, default: x } }',
      'a.items.default',
      /only a field/,
      /remove/,
    ],
    ['says what an object holds', 'a: { type: object }', 'a', /no properties/, /map/],
    [
      'is either an object or a map',
      'a: { type: object, properties: { b: { type: string } }, additionalProperties: { type: string } }',
      'a.additionalProperties',
      /either properties or any names/,
      /map/,
    ],
    [
      '[REP-5] is closed',
      'a: { type: object, properties: { b: { type: string } }, additionalProperties: true }',
      'a.additionalProperties',
      /always refused/,
      /map/,
    ],
    [
      'requires what it declares',
      'a: { type: object, properties: { city: { type: string } }, required: [ciyt] }',
      'a.required[0]',
      /no property ciyt/,
      /write city/,
    ],
    [
      '[REP-12] names members in snake_case',
      'a: { type: object, properties: { zipCode: { type: string } } }',
      'a.properties.zipCode',
      /not in snake_case/,
      /a-z/,
    ],
    [
      '[REP-7] names no member that bodies may not hold',
      'a: { type: object, properties: { constructor: { type: string } } }',
      'a.properties.constructor',
      /no body may hold/,
      /another name/,
    ],
    [
      'finds faults at any depth',
      'a: { type: array, items: { type: object, properties: { b: { type: object, additionalProperties: { type: strng } } } } }',
      'a.items.properties.b.additionalProperties.type',
      /none of the forms/,
      /string/,
    ],
    [
      'leaves x-unique to fields',
      'a: { type: object, properties: { b: { type: string, x-unique: true } } }',
      'a.properties.b.x-unique',
      /belongs to a field/,
      /on the field/,
    ],
    [
      'leaves readOnly to fields',
      'a: { type: array, items: { type: string, readOnly: true } }',
      'a.items.readOnly',
      /belongs to a field/,
      /on the field/,
    ],
    [
      'leaves x-references to fields and their items',
      'a: { type: object, properties: { b_id: { type: string, x-references: items } } }',
      'a.properties.b_id.x-references',
      /belongs to a field/,
      /on the field/,
    ],
  ]);

  it('brings every fault of a document at once, in the order of the lines', () => {
    const text = itemsDocument(
      'a: { type: strin }, b: { type: integer, minLength: 1 }',
      'sortt: a\nsort: c\nevents: thick',
    );
    assert.deepEqual(
      faultsOf(text).map(({ line, path }) => `${line} ${path}`),
      [
        '4 resources.items.schema.properties.a.type',
        '4 resources.items.schema.properties.b.minLength',
        '5 resources.items.sortt',
        '6 resources.items.sort',
        '7 resources.items.events',
      ],
    );
  });
});

describe('a faulty root', () => {
  refusesEach([
    {
      title: 'describes an object',
      text: 'name: shop\nresources:\n  items:\n    schema: { type: string }\n',
      path: 'resources.items.schema.type',
      line: 4,
      cause: /describes an object/,
      fix: /type: object/,
    },
    {
      title: '[REP-5] takes no unknown fields',
      text: 'name: shop\nresources:\n  items:\n    schema: { type: object, properties: {}, additionalProperties: { type: string } }\n',
      path: 'resources.items.schema.additionalProperties',
      line: 4,
      cause: /always refused/,
      fix: /leave it out/,
    },
    {
      title: 'has no default of its own',
      text: 'name: shop\nresources:\n  items:\n    schema: { type: object, properties: {}, default: {} }\n',
      path: 'resources.items.schema.default',
      line: 4,
      cause: /nothing about a resource/,
      fix: /remove/,
    },
  ]);
});
