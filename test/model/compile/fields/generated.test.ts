import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { itemsDocument, load, listProblems, resource } from '../../loading.ts';

describe('generated of a resource', () => {
  it('[REP-6] makes fields read-only, and secrets that are shown once unreadable', () => {
    const text = itemsDocument(
      'a: { type: string }, b: { type: string, x-shown-once: true }',
      'generated: { a: uuid, b: { secret: sk_ } }',
    );
    const [a, b] = resource(load(text).model, 'items').fields;
    assert.deepEqual([a?.readOnly, a?.writeOnly, a?.generator], [true, false, { kind: 'uuid' }]);
    assert.deepEqual([b?.readOnly, b?.writeOnly, b?.generator], [true, true, { kind: 'secret', prefix: 'sk_' }]);
    assert.equal(b?.shownOnce, true);
  });

  const rows: readonly (readonly [properties: string, rest: string, path: string, cause: RegExp])[] = [
    ['a: { type: string }', 'generated: { b: uuid }', 'generated.b', /not a field/],
    ['a: { type: integer }', 'generated: { a: uuid }', 'schema.properties.a', /another type/],
    ['a: { type: string }', 'generated: { a: now }', 'schema.properties.a', /another type/],
    ['a: { type: string, format: date }', 'generated: { a: { secret: x } }', 'schema.properties.a', /another type/],
    ['a: { type: string, pattern: "^a" }', 'generated: { a: uuid }', 'schema.properties.a.pattern', /does not apply/],
    ['a: { type: string, default: b }', 'generated: { a: uuid }', 'schema.properties.a.default', /does not apply/],
    [
      'a: { type: string, x-shown-once: true }',
      'generated: { a: uuid }',
      'schema.properties.a.x-shown-once',
      /only a generated secret/,
    ],
    ['a: { type: string, x-shown-once: true }', '', 'schema.properties.a.x-shown-once', /only a generated secret/],
    [
      'a: { type: string, writeOnly: true }',
      'generated: { a: uuid }',
      'schema.properties.a.writeOnly',
      /clients would never/,
    ],
    ['a: { type: string }', 'generated: { a: random }', 'generated.a', /./],
    ['a: { type: string }', 'generated: { a: { secret: "a b" } }', 'generated.a.secret', /./],
  ];
  for (const [properties, rest, path, cause] of rows) {
    it(`[REP-6] is rejected: ${properties} ${rest}`, () => {
      const [problem] = listProblems(itemsDocument(properties, rest));
      assert.equal(problem?.path, `resources.items.${path}`);
      assert.match(problem?.cause ?? '', cause);
    });
  }

  it('[REP-6] is rejected for a required field', () => {
    const [problem] = listProblems(itemsDocument('a: { type: string }', 'generated: { a: uuid }', 'a'));
    assert.match(problem?.cause ?? '', /clients cannot send/);
  });
});
