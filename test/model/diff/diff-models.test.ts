import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { root } from '../../../scripts/command.ts';
import { diffModels } from '../../../src/model/diff/diff-models.ts';
import { MODEL_DIFFERENCE_KINDS } from '../../../src/model/diff/difference-kinds.ts';
import { KEYWORDS } from '../../../src/model/diff/keywords.ts';
import { neededPart } from '../../../src/model/diff/needed-version.ts';
import { schemaSchema } from '../../../src/model/document/field-schema.ts';
import { readObject } from '../../../src/model/values/access.ts';
import { load } from '../loading.ts';
import { EXAMPLES, SAME } from './examples.ts';

const differencesOf = (was: string, is: string): readonly string[] => [
  ...new Set(diffModels(load(was).model, load(is).model).differences.map(({ kind }) => kind)),
];

describe('the differences of two models', () => {
  for (const [index, { kinds, was, is }] of EXAMPLES.entries()) {
    it(`[VER-6a] are found: ${kinds.join(', ')} (${index})`, () => {
      assert.deepEqual(differencesOf(was, is).toSorted(), kinds.toSorted());
    });
  }

  it('[VER-6a] have an example for each kind', () => {
    const shown = new Set<string>(EXAMPLES.flatMap(({ kinds }) => kinds));
    assert.deepEqual(
      Object.keys(MODEL_DIFFERENCE_KINDS).filter((kind) => !shown.has(kind)),
      [],
    );
  });

  for (const [index, { was, is }] of SAME.entries()) {
    it(`[VER-6a] are none where clients see none (${index})`, () => assert.deepEqual(differencesOf(was, is), []));
  }

  it('[VER-6a] have a rule for every keyword of a schema', () => {
    assert.deepEqual(Object.keys(KEYWORDS).toSorted(), Object.keys(readObject(schemaSchema['properties'])).toSorted());
  });

  it('[VER-6a] are the table of the decision', () => {
    const record = readFileSync(path.join(root, 'docs/decisions/0035-differences-of-models.md'), 'utf8');
    const rows = [...record.matchAll(/^\| `([a-z-]+)` \|.*\| ([a-z-]+) \| ([a-z-]+) \| (major|minor|patch) \|$/gm)];
    const table = rows.map(([, kind, requests, responses, needs]) => [kind, requests, responses, needs]);
    const rules = Object.entries(MODEL_DIFFERENCE_KINDS).map(([kind, [requests, responses]]) => [
      kind,
      requests,
      responses,
      neededPart({ requests, responses }),
    ]);
    assert.deepEqual(table, rules);
  });
});
