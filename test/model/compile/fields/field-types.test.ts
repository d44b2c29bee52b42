import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Field } from '../../../../src/model/model.ts';
import { listProblems, itemsDocument, load, resource } from '../../loading.ts';

function field(schema: string, required = ''): Field | undefined {
  const text = itemsDocument(`a: ${schema}`, '', required);
  return resource(load(text).model, 'items').field.get('a');
}

describe('the type of a field', () => {
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
    it(`follows from ${schema}`, () => assert.deepEqual(field(schema)?.type, type));
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

  it('[REP-4] stores a default in its stored form, also a declared null', () => {
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

  it('accepts annotations, and strings as bounds of exact numbers', () => {
    const schema =
      '{ type: string, format: int64, minimum: "-9223372036854775808", maximum: 9, title: t, description: d, examples: ["1"], deprecated: true, $comment: c }';
    assert.deepEqual(listProblems(itemsDocument(`a: ${schema}`)), []);
  });
});
