import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listProblems, itemsDocument, rejectsEach, rejectsProperties } from '../loading.ts';

describe('the schema of a field', () => {
  rejectsProperties([
    ['has a type', 'a: { minLength: 1 }', 'a', /has no type/, /type: string/],
    ['has one type', 'a: { type: [string, integer] }', 'a.type', /exactly one type/, /one type/],
    ['cannot be only null', 'a: { type: ["null"] }', 'a.type', /exactly one type/, /one type/],
    ['has a known type', 'a: { type: strin }', 'a.type', /there is no type of this name/, /write type: string/],
    [
      'has a known type, whatever it is',
      'a: { type: zzzzzzzz }',
      'a.type',
      /none of the allowed forms/,
      /one of string, integer/,
    ],
    ['has a known format', 'a: { type: string, format: dat }', 'a.format', /must be one of date-time, date/, /format/],
    ['is an object', 'a: 5', 'a', /must be an object, not a number/, /JSON Schema/],
    ['has no oneOf', 'a: { type: string, oneOf: [] }', 'a.oneOf', /not supported/, /separate resource/],
    ['has no anyOf', 'a: { type: string, anyOf: [] }', 'a.anyOf', /not supported/, /separate resource/],
    ['has no if', 'a: { type: string, if: {} }', 'a.if', /not supported/, /separate resource/],
    ['has no not', 'a: { type: string, not: {} }', 'a.not', /not supported/, /separate resource/],
    [
      'has no patternProperties',
      'a: { type: object, properties: {}, patternProperties: {} }',
      'a.patternProperties',
      /not supported/,
      /map/,
    ],
    ['spells its keywords', 'a: { type: string, minLenght: 1 }', 'a.minLenght', /unknown key/, /minLength/],
    [
      'has only keywords that apply to its type',
      'a: { type: integer, minLength: 1 }',
      'a.minLength',
      /does not apply to integer values/,
      /remove/,
    ],
    ['has a format for strings only', 'a: { type: integer, format: date }', 'a.format', /does not apply/, /remove/],
    ['has a scale for decimals only', 'a: { type: string, x-scale: 2 }', 'a.x-scale', /does not apply/, /remove/],
    [
      'has a media type for base64 only',
      'a: { type: string, contentMediaType: image/png }',
      'a.contentMediaType',
      /does not apply/,
      /remove/,
    ],
    [
      'has no enum for arrays',
      'a: { type: array, items: { type: string }, enum: [[a]] }',
      'a.enum',
      /does not apply/,
      /remove/,
    ],
    [
      'counts entries in maps only',
      'a: { type: object, properties: { b: { type: string } }, maxProperties: 1 }',
      'a.maxProperties',
      /does not apply to object values/,
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
      'has a scale of at most its precision',
      'a: { type: string, format: decimal, x-precision: 2, x-scale: 3 }',
      'a.x-scale',
      /greater than x-precision/,
      /bounds/,
    ],
    [
      'has numbers as bounds of numbers',
      'a: { type: number, minimum: "1" }',
      'a.minimum',
      /a string, which only decimal and int64/,
      /number/,
    ],
    [
      'has digits as bounds of decimals',
      'a: { type: string, format: decimal, minimum: 1e-7 }',
      'a.minimum',
      /not a decimal number/,
      /digits/,
    ],
    ['has counts that are not negative', 'a: { type: string, minLength: -1 }', 'a.minLength', /at least 0/, /correct/],
    [
      'has a valid pattern',
      'a: { type: string, pattern: "[a-" }',
      'a.pattern',
      /not a valid regular expression/,
      /ECMAScript/,
    ],
    [
      'has a pattern that is valid under the u flag',
      'a: { type: string, pattern: "\\\\-" }',
      'a.pattern',
      /not a valid regular expression/,
      /u flag/,
    ],
    [
      'allows all values of its enum',
      'a: { type: string, enum: [abc, abcd], maxLength: 3 }',
      'a.enum[1]',
      /at most 3 characters/,
      /allows/,
    ],
    ['allows its const', 'a: { type: integer, const: x }', 'a.const', /must be an integer, not a string/, /allows/],
    ['has either enum or const', 'a: { type: string, enum: [x], const: x }', 'a.const', /mutually exclusive/, /one/],
    ['has a non-empty enum', 'a: { type: string, enum: [] }', 'a.enum', /at least 1 item/, /allowed/],
    ['allows its default', 'a: { type: string, enum: [x, y], default: z }', 'a.default', /one of x, y/, /allows/],
    [
      'allows its default by value',
      'a: { type: string, format: decimal, x-scale: 1, default: "0.25" }',
      'a.default',
      /at most 1 decimal/,
      /allows/,
    ],
    [
      'has no null default for an array',
      'a: { type: array, items: { type: string }, default: null }',
      'a.default',
      /required/,
      /allows/,
    ],
    ['has items for an array', 'a: { type: array }', 'a', /no items schema/, /items/],
    [
      'is not a nullable array',
      'a: { type: [array, "null"], items: { type: string } }',
      'a.type',
      /cannot be null/,
      /empty/,
    ],
    [
      'has minItems for required arrays only',
      'a: { type: array, items: { type: string }, minItems: 1 }',
      'a.minItems',
      /optional array/,
      /required/,
    ],
    [
      'has defaults for members only',
      'a: { type: array, items: { type: string, default: x } }',
      'a.items.default',
      /only fields/,
      /remove/,
    ],
    ['has properties for an object', 'a: { type: object }', 'a', /no properties/, /map/],
    [
      'is either an object or a map',
      'a: { type: object, properties: { b: { type: string } }, additionalProperties: { type: string } }',
      'a.additionalProperties',
      /both properties and additionalProperties/,
      /map/,
    ],
    [
      '[REP-5] is closed',
      'a: { type: object, properties: { b: { type: string } }, additionalProperties: true }',
      'a.additionalProperties',
      /always rejected/,
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
      '[REP-7] rejects member names that bodies cannot contain',
      'a: { type: object, properties: { constructor: { type: string } } }',
      'a.properties.constructor',
      /not allowed in bodies/,
      /another name/,
    ],
    [
      'is checked at any depth',
      'a: { type: array, items: { type: object, properties: { b: { type: object, additionalProperties: { type: strng } } } } }',
      'a.items.properties.b.additionalProperties.type',
      /there is no type of this name/,
      /string/,
    ],
    [
      'has x-unique on fields only',
      'a: { type: object, properties: { b: { type: string, x-unique: true } } }',
      'a.properties.b.x-unique',
      /on fields of a resource only/,
      /on the field/,
    ],
    [
      'has readOnly on fields only',
      'a: { type: array, items: { type: string, readOnly: true } }',
      'a.items.readOnly',
      /on fields of a resource only/,
      /on the field/,
    ],
    [
      'has x-references on fields and their items only',
      'a: { type: object, properties: { b_id: { type: string, x-references: items } } }',
      'a.properties.b_id.x-references',
      /on fields of a resource only/,
      /on the field/,
    ],
  ]);

  it('reports all problems of a document, in the order of the lines', () => {
    const text = itemsDocument(
      'a: { type: strin }, b: { type: integer, minLength: 1 }',
      'sortt: a\nsort: c\nevents: thick',
    );
    assert.deepEqual(
      listProblems(text).map(({ line, path }) => `${line} ${path}`),
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

describe('the schema of a resource', () => {
  rejectsEach([
    {
      title: 'describes an object',
      text: 'name: shop\nresources:\n  items:\n    schema: { type: string }\n',
      path: 'resources.items.schema.type',
      line: 4,
      cause: /must describe an object/,
      fix: /type: object/,
    },
    {
      title: '[REP-5] accepts no unknown fields',
      text:
        'name: shop\nresources:\n  items:\n' +
        '    schema: { type: object, properties: {}, additionalProperties: { type: string } }\n',
      path: 'resources.items.schema.additionalProperties',
      line: 4,
      cause: /always rejected/,
      fix: /remove it/,
    },
    {
      title: 'has no default',
      text: 'name: shop\nresources:\n  items:\n    schema: { type: object, properties: {}, default: {} }\n',
      path: 'resources.items.schema.default',
      line: 4,
      cause: /does not apply to a resource/,
      fix: /remove/,
    },
  ]);
});
