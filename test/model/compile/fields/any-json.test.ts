import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { diffModels } from '../../../../src/model/diff/diff-models.ts';
import { itemsDocument, listProblems, load, resource } from '../../loading.ts';

const AUTH = 'auth: { api_keys: true }\n';

describe('a field of type json', () => {
  it('[REP-14] is declared as other fields are, also inside of objects, lists and maps', () => {
    const properties = [
      'a: { type: json, default: { x: 1 } }',
      "b: { type: [json, 'null'] }",
      'c: { type: object, properties: { d: { type: json } } }',
      'd: { type: array, items: { type: json }, uniqueItems: true }',
      'e: { type: object, additionalProperties: { type: json } }',
      'f: { type: json, enum: [1, { x: 2 }], default: { x: 2 } }',
      'g: { type: json, const: [1] }',
    ];
    const { model } = load(itemsDocument(properties.join(', '), 'filterable: [a, c.d]', 'a, b'));
    const { field, properties: queried } = resource(model, 'items');
    assert.deepEqual(field.get('a')?.type, { kind: 'json' });
    assert.deepEqual(field.get('a')?.default, { x: 1 });
    const shown = [...queried.values()].filter(({ type }) => type.kind === 'json');
    assert.deepEqual(
      shown.map(({ path, filterable, sortable }) => [path, filterable, sortable]),
      [
        ['a', true, false],
        ['b', false, false],
        ['c.d', true, false],
        ['f', false, false],
        ['g', false, false],
      ],
    );
  });

  const order = 'a is of type json, whose values have no order and no index';
  const refused: readonly (readonly [declared: string, settings: string, cause: string])[] = [
    ['', 'sort: a', order],
    ['', 'sortable: [a]', order],
    ['', 'indexes: [a]', order],
    ['', 'unique: [[a]]', order],
    [', x-unique: true', '', order],
    ['', 'search: [a]', 'a is not a readable string field'],
    [', minLength: 1', '', 'minLength does not apply to json values'],
    [', properties: {}', '', 'properties does not apply to json values'],
    [', enum: [1], default: { x: 1 }', '', 'the default must be 1'],
    [', x-references: { resource: items, as: other }', '', 'a reference must be a string, because ids are strings'],
    ['', 'generated: { a: uuid }', 'the generated value of a is of another type'],
    ['', 'access: { rows: { read: { a: 1 } } }', 'a holds values that cannot be compared'],
    ['', 'access: { rows: { read: { a.b: 1 } } }', 'items has no readable field a.b'],
    [', x-default: $caller.subject', '', '$caller.subject is text, and a is not'],
  ];
  for (const [declared, settings, cause] of refused) {
    it(`[REP-14] is refused with ${declared}${settings}`, () => {
      const problems = listProblems(itemsDocument(`a: { type: json${declared} }`, settings) + AUTH);
      assert.deepEqual(
        problems.map((each) => each.cause),
        [cause],
      );
    });
  }

  for (const name of ['JSON', 'jsonb', 'any']) {
    it(`[REP-14] is what "type: ${name}" means`, () => {
      const [problem] = listProblems(itemsDocument(`a: { type: ${name} }`));
      assert.equal(problem?.fix, 'write type: json');
    });
  }

  for (const [was, is, kind] of [
    ['string', 'json', 'type-wider'],
    ['json', 'integer', 'type-narrower'],
  ] as const) {
    it(`[VER-6a] is compared with other types: ${was} to ${is} is ${kind}`, () => {
      const [older, newer] = [was, is].map((type) => load(itemsDocument(`a: { type: ${type} }`)).model);
      assert.ok(older !== undefined && newer !== undefined);
      const kinds = diffModels(older, newer).differences.map((each) => each.kind);
      assert.ok(kinds.includes(kind), kinds.join());
    });
  }
});
