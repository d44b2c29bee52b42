import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findChoices } from '../../../../src/stores/sqlite/catalogue/check-choices.ts';

type Choices = Readonly<Record<string, readonly (string | number)[]>>;

describe('the choices of a column', () => {
  const constraints: readonly [sql: string, choices: Choices][] = [
    ["a text check (a in ('x', 'it''s'))", { a: ['x', "it's"] }],
    ['a int CHECK(a IN(1,-2))', { a: [1, -2] }],
    ['a text, check (("A" in (\'x\')))', { a: ['x'] }],
    ["[a b] text, constraint c check ([a b] in ('x') or [a b] is null)", { 'a b': ['x'] }],
    ["`a` text check (`a` is null or (`a` in ('x')))", { a: ['x'] }],
    ["a text check (a in ('x')) -- collate nocase\n, b text check (b in ('y'))", { a: ['x'], b: ['y'] }],
    ["a text default 'check (a in (1))' /* check (a in (2)) */ check (a in ('x'))", { a: ['x'] }],
    ["a text collate binary check (a in ('x'))", { a: ['x'] }],
    ["a text collate nocase check (a in ('x'))", {}],
    ["a text check (a in ('x') and length(a) > 0)", {}],
    ["a text check (a in ('x') or b is null)", {}],
    ["a text check (a not in ('x'))", {}],
    ["a text check (lower(a) in ('x'))", {}],
    ["a text check (a in ('x', b))", {}],
    ["a text check (a in ('x' || 'y'))", {}],
    ['a int check (a in (1.5))', {}],
    ['a int check (a in ())', {}],
    ['a int check (a in (select 1))', {}],
    ['a int check (a > 1', {}],
  ];
  for (const [sql, choices] of constraints) {
    it(`are ${JSON.stringify(choices)} for ${sql.replaceAll('\n', ' ')}`, () => {
      assert.deepEqual(Object.fromEntries(findChoices(`create table t (${sql})`)), choices);
    });
  }
});
