import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import { Type } from 'typebox';
import * as v from 'valibot';
import { z } from 'zod';
import { formatProblem, ProblemList } from '../../../src/model/document/model-error.ts';
import { plainSchema } from '../../../src/model/typescript/library-schema.ts';

function convertSchema(schema: unknown): { readonly plain: unknown; readonly problems: readonly string[] } {
  const list = new ProblemList('shop.ts', () => ({ line: 0, column: 0 }));
  const plain = plainSchema(schema, ['schema'], list.report);
  return { plain, problems: list.sorted().map(formatProblem) };
}

/** One field in an object, and its converted schema. */
function field(schema: unknown): unknown {
  const { plain, problems } = convertSchema(schema);
  assert.deepEqual(problems, []);
  assert.ok(typeof plain === 'object' && plain !== null && 'properties' in plain);
  return Object(plain.properties).a;
}

const zod = (a: z.ZodType): unknown => field(z.object({ a }));
const box = (a: Parameters<typeof Type.Object>[0][string]): unknown => field(Type.Object({ a }));

describe('a schema of another library', () => {
  const said: readonly (readonly [title: string, schema: unknown, plain: object])[] = [
    ['a nullable string of Zod', zod(z.string().nullable()), { type: ['string', 'null'] }],
    ['an integer of Zod, without the bounds of its type', zod(z.int()), { type: 'integer' }],
    ['a bounded integer of Zod', zod(z.int().min(1).max(5)), { type: 'integer', minimum: 1, maximum: 5 }],
    ['a literal of Zod', zod(z.literal('A')), { type: 'string', const: 'A' }],
    [
      'a union of literals of Zod',
      zod(z.union([z.literal('A'), z.literal('B')])),
      { type: 'string', enum: ['A', 'B'] },
    ],
    ['a nullable choice of Zod', zod(z.enum(['A', 'B']).nullable()), { type: ['string', 'null'], enum: ['A', 'B'] }],
    ['a map of Zod', zod(z.record(z.string(), z.int())), { type: 'object', additionalProperties: { type: 'integer' } }],
    ['a format of Zod, without its pattern', zod(z.email()), { type: 'string', format: 'email' }],
    ['a date-time of Zod', zod(z.iso.datetime()), { type: 'string', format: 'date-time' }],
    ['a pattern of Zod', zod(z.string().regex(/^[a-z]+$/)), { type: 'string', pattern: '^[a-z]+$' }],
    [
      'a union of literals of TypeBox',
      box(Type.Union([Type.Literal('A'), Type.Literal('B')])),
      { type: 'string', enum: ['A', 'B'] },
    ],
    ['a nullable number of TypeBox', box(Type.Union([Type.Number(), Type.Null()])), { type: ['number', 'null'] }],
    [
      'a map of TypeBox',
      box(Type.Record(Type.String(), Type.Integer())),
      { type: 'object', additionalProperties: { type: 'integer' } },
    ],
    [
      'an action of Valibot that JSON Schema lacks',
      field(toStandardJsonSchema(v.object({ a: v.pipe(v.string(), v.trim(), v.maxLength(5)) }))),
      { type: 'string', maxLength: 5 },
    ],
    ['a transform of Zod, by what clients send', zod(z.string().transform((text) => text.trim())), { type: 'string' }],
    ['a choice of ArkType', field(type({ a: "'A' | 'B'" })), { type: 'string', enum: ['A', 'B'] }],
  ];
  for (const [title, schema, plain] of said) {
    it(`converts ${title} to the schema of a document`, () => assert.deepEqual(schema, plain));
  }

  const rejected: readonly (readonly [title: string, schema: unknown, says: RegExp])[] = [
    [
      'that JSON Schema cannot express',
      z.object({ a: z.date() }),
      /^shop\.ts: schema: the library cannot convert this schema to JSON Schema/,
    ],
    [
      'of a library without JSON Schema',
      { '~standard': { version: 1, vendor: 'x' } },
      /does not convert it to JSON Schema; use Zod/,
    ],
    [
      'whose transform returns another type, by field',
      z.object({ at: z.object({ year: z.string().transform(Number).pipe(z.number()) }) }),
      /^shop\.ts: schema\.properties\.at\.properties\.year: a transform makes number of string, but a row holds/,
    ],
    [
      'of ArkType whose morph returns another type',
      type({ year: 'string.integer.parse' }),
      /^shop\.ts: schema\.properties\.year: a transform makes number of string/,
    ],
    [
      'of Valibot whose transform returns another type',
      toStandardJsonSchema(v.object({ years: v.array(v.pipe(v.string(), v.transform(Number), v.number())) })),
      /^shop\.ts: schema\.properties\.years\.items: a transform makes number of string/,
    ],
    [
      'of Valibot without its converter',
      v.object({ a: v.string() }),
      /toStandardJsonSchema of @valibot\/to-json-schema/,
    ],
    [
      'with a refinement of TypeBox',
      Type.Object({ a: Type.Refine(Type.String(), () => true) }),
      /schema\.properties\.a: a Refine or Codec of TypeBox is code/,
    ],
    [
      'inside a JSON Schema',
      { type: 'object', properties: { a: z.string() } },
      /schema\.properties\.a: a schema of a library is inside a JSON Schema/,
    ],
    [
      'with a function in it',
      { type: 'object', properties: () => null },
      /schema\.properties: a function is not valid in JSON/,
    ],
    [
      'with a date in it',
      { type: 'string', default: new Date(0) },
      /schema\.default: an object of type Date is not valid/,
    ],
    [
      'with a number that JSON lacks',
      { type: 'number', maximum: Infinity },
      /schema\.maximum: a number that is not finite/,
    ],
  ];
  for (const [title, schema, says] of rejected) {
    it(`reports a schema ${title} with its path`, () => assert.match(convertSchema(schema).problems.join('\n'), says));
  }

  it('reports a cycle once', () => {
    const properties: Record<string, unknown> = {};
    properties['a'] = { type: 'object', properties };
    assert.match(convertSchema({ type: 'object', properties }).problems.join('\n'), /the value contains itself/);
  });
});
