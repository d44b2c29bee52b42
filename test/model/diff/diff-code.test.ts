import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { diffModels } from '../../../src/model/diff/diff-models.ts';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import type { Model } from '../../../src/model/model.ts';
import { defineModel, resource } from '../../../src/model/typescript/define-model.ts';
import { load } from '../loading.ts';

const schema = {
  type: 'object',
  properties: { price: { type: 'number' }, quantity: { type: 'integer' }, code: { type: 'string' } },
} as const;
const plain = (): Model => loadModel(defineModel({ name: 'till', resources: { sales: resource({ schema }) } })).model;

/** A model with functions. @param total the schema of a computed member */
function coded(total: object): Model {
  const sales = resource({
    schema,
    computed: { total: { schema: total, from: ['price'], value: (row) => row.price } },
    before: { create: (draft) => draft },
    generated: { code: () => 'c' },
  });
  return loadModel(defineModel({ name: 'till', resources: { sales } })).model;
}

describe('the differences of TypeScript models', () => {
  it('[VER-6a] name the functions, which are not compared', () => {
    const { differences, notes } = diffModels(coded({ type: 'number' }), coded({ type: 'number' }));
    assert.deepEqual(differences, []);
    assert.deepEqual(notes, ['sales: functions are not compared: hooks, computed members, generated values']);
  });

  it('[VER-6a] have computed members as parts of responses alone', () => {
    const added = diffModels(plain(), coded({ type: 'number' })).differences.filter(
      ({ path }) => path === 'sales.total',
    );
    assert.deepEqual(
      added.map(({ kind, requests, responses }) => [kind, requests, responses]),
      [['field-added', 'none', 'compatible']],
    );
    const removed = diffModels(coded({ type: 'number' }), plain()).differences.filter(
      ({ path }) => path === 'sales.total',
    );
    assert.deepEqual(
      removed.map(({ kind, requests, responses }) => [kind, requests, responses]),
      [['field-removed', 'none', 'breaking']],
    );
    const wider = diffModels(coded({ type: 'integer' }), coded({ type: 'number' })).differences;
    assert.deepEqual(
      wider.map(({ kind, path, requests, responses }) => [kind, path, requests, responses]),
      [['type-wider', 'sales.total', 'none', 'breaking']],
    );
  });

  it('[VER-6a] have a generator that is a function', () => {
    const kinds = diffModels(plain(), coded({ type: 'number' })).differences.map(({ kind }) => kind);
    assert.deepEqual(
      ['generated-added', 'read-only-added'].filter((kind) => !kinds.some((each) => each === kind)),
      [],
    );
  });
});

describe('the sides of a difference', () => {
  const model = (x: string): Model =>
    load(
      `{ "name": "shop", "resources": { "items": { "schema": { "type": "object", "properties": { "x": ${x} } } } } }`,
    ).model;
  const impacts = (was: string, is: string): readonly unknown[] =>
    diffModels(model(was), model(is)).differences.map(({ requests, responses }) => [requests, responses]);

  it('[VER-6a] is not requests for a read-only field, and not responses for a write-only one', () => {
    const values = (flag: string, maximum: number): string => `{ "type": "number", "maximum": ${maximum}${flag} }`;
    assert.deepEqual(impacts(values('', 9), values('', 5)), [['breaking', 'compatible']]);
    assert.deepEqual(impacts(values(', "readOnly": true', 9), values(', "readOnly": true', 5)), [
      ['none', 'compatible'],
    ]);
    assert.deepEqual(impacts(values(', "writeOnly": true', 5), values(', "writeOnly": true', 9)), [
      ['compatible', 'none'],
    ]);
  });

  it('[VER-6a] is requests for the type and the enum of a read-only field that filters accept', () => {
    const states = (...allowed: readonly string[]): string =>
      JSON.stringify({ type: 'string', readOnly: true, enum: allowed });
    assert.deepEqual(impacts(states('A', 'B'), states('A')), [['breaking', 'compatible']]);
    const lists = (type: string): string => `{ "type": "array", "readOnly": true, "items": { "type": "${type}" } }`;
    assert.deepEqual(impacts(lists('number'), lists('integer')), [['breaking', 'compatible']]);
    assert.deepEqual(
      impacts('{ "type": "string", "readOnly": true }', '{ "type": "string", "readOnly": true, "maxLength": 5 }'),
      [['none', 'compatible']],
    );
  });

  it('quotes values on one line, without control characters, and cuts long ones', () => {
    const [first] = diffModels(
      model('{ "type": "string", "enum": ["a"] }'),
      model(`{ "type": "string", "enum": ["a", "\\u001b[2J\\u009b\\u202e${'x'.repeat(200)}"] }`),
    ).differences;
    assert.match(first?.what ?? '', /^also allows "\\u001b\[2J\\u009b\\u202ex{50,70}…$/);
  });
});
