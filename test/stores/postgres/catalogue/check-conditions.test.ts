import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findConditions } from '../../../../src/stores/postgres/catalogue/check-conditions.ts';
import { parseDefault } from '../../../../src/stores/postgres/catalogue/constants.ts';

/** Conditions as texts: `a: x, y` and `a minimum 1`. */
const read = (expression: string): readonly string[] =>
  findConditions(expression).flatMap(({ column, values, limits }) => [
    ...(values === null ? [] : [`${column}: ${values.map((value) => JSON.stringify(value)).join(', ')}`]),
    ...Object.entries(limits).map(([keyword, value]) => `${column} ${keyword} ${value}`),
  ]);

describe('a check constraint, as the server writes it', () => {
  const understood: readonly [expression: string, expected: readonly string[]][] = [
    ["a = ANY (ARRAY['x'::text, 'it''s'::text])", ['a: "x", "it\'s"']],
    ["a::text = ANY (ARRAY['x'::character varying, 'y'::character varying(3)]::text[])", ['a: "x", "y"']],
    ["(a = ANY (ARRAY['(x'::text, 'y) OR z'::text]))", ['a: "(x", "y) OR z"']],
    ['"A b" = ANY (ARRAY[1, 2, \'-3\'::integer])', ['A b: 1, 2, -3']],
    ['a = \'x\'::public."Mood"', ['a: "x"']],
    ["a IS NULL OR a = 'x'::text", ['a: "x"']],
    ["a = 'x'::text OR (a = 'y'::text OR a IS NULL)", ['a: "x", "y"']],
    ['a >= 1 AND a <= 5', ['a minimum 1', 'a maximum 5']],
    ['a IS NULL OR a >= 1 AND a < 5', ['a minimum 1', 'a exclusiveMaximum 5']],
    [
      "a::numeric > 0.5 AND b < (0)::numeric AND b > '-7.25'::numeric",
      ['a exclusiveMinimum 0.5', 'b exclusiveMaximum 0', 'b exclusiveMinimum -7.25'],
    ],
    ["length(a) > 3 AND b = 'x'::text", ['b: "x"']],
    ["VALUE = ANY (ARRAY['S'::text, 'M'::text])", ['VALUE: "S", "M"']],
  ];
  for (const [expression, expected] of understood) {
    it(`has the conditions of its columns: ${expression}`, () => assert.deepEqual(read(expression), expected));
  }

  const others: readonly [title: string, expression: string][] = [
    ['of another column may be null', "b IS NULL OR a = 'x'::text"],
    ['has an alternative of another column', "a = 'x'::text OR b = 'y'::text"],
    ['has an alternative that is no list', "a = 'x'::text OR length(a) > 3"],
    ['is negated', "NOT a = 'x'::text"],
    ['excludes values', "a <> 'x'::text"],
    ['compares with a column', 'a < b'],
    ['compares a function', "lower(a) = 'x'::text"],
    ['compares without case', "a = 'x'::citext"],
    ['compares a cast that rounds', 'a::integer >= 1'],
    ['names another collation', 'a COLLATE "x" = \'x\'::text'],
    ['has items that are not constant', "a = ANY (ARRAY['x'::text, b])"],
    ['has a part of a case', "CASE WHEN c AND a = 'x'::text AND c THEN c ELSE c END"],
    ['has an escape', String.raw`a = E'x\\y'::text`],
    ['has more digits than a number', 'a > 12345678901234567890'],
    ['is null', 'a IS NULL'],
  ];
  for (const [title, expression] of others) {
    it(`has none where it ${title}: ${expression}`, () => assert.deepEqual(read(expression), []));
  }
});

describe('a default, as the server writes it', () => {
  const defaults: readonly (readonly [
    expression: string | null,
    kind: Parameters<typeof parseDefault>[1],
    expected: unknown,
  ])[] = [
    ["'new'::text", 'text', 'new'],
    ["'it''s'::character varying", 'text', "it's"],
    ["'-1'::integer", 'integer', -1],
    ['0.50', 'decimal', '0.50'],
    ["'-9007199254740993'::bigint", 'int64', '-9007199254740993'],
    ['1.5', 'number', 1.5],
    ['true', 'boolean', true],
    ["'2020-02-29'::date", 'date', '2020-02-29'],
    [null, 'text', null],
    ['now()', 'date-time', null],
    ['CURRENT_USER', 'text', null],
    ["('now'::text)::date", 'date', null],
    ["'a'::text || 'b'::text", 'text', null],
    ['NULL::text', 'text', null],
    ["'{}'::text[]", 'array', null],
    ["'{}'::jsonb", 'json', null],
  ];
  for (const [expression, kind, expected] of defaults) {
    it(`is ${String(expected)} for ${expression ?? 'none'} of a column with ${kind}`, () => {
      assert.equal(parseDefault(expression, kind), expected);
    });
  }
});
