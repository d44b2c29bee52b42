import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Json, JsonObject } from '../../src/conventions/json/json.ts';
import { loadModel } from '../../src/model/compile/load-model.ts';
import type { Resource } from '../../src/model/model.ts';
import { findFormerNames } from '../../src/versions/former-names.ts';
import { compileRenaming, type RenamedPath } from '../../src/versions/renamed-paths.ts';
import { runs } from '../extent.ts';

/** A value of a random shape, under the names of two models. */
interface Twin {
  readonly schemas: readonly [old: JsonObject, young: JsonObject];
  readonly values: readonly [old: Json, young: Json];
}

const leaf: fc.Arbitrary<Twin> = fc.constantFrom('x', null, '').map((value) => {
  const schema = { type: ['string', 'null'] };
  return { schemas: [schema, schema], values: [value, value] };
});

const { twin } = fc.letrec<{ twin: Twin; object: Twin }>((tie) => ({
  twin: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    tie('object'),
    tie('object').map(listTwin),
    tie('object').map(mapTwin),
  ),
  object: fc.array(fc.tuple(fc.boolean(), tie('twin')), { minLength: 1, maxLength: 3 }).map(objectTwin),
}));

/** @param members each with true if it has another name */
function objectTwin(members: readonly (readonly [boolean, Twin])[]): Twin {
  const named = members.map(([isRenamed, each], at) => ({ was: `m${at}`, is: isRenamed ? `n${at}` : `m${at}`, each }));
  return {
    schemas: [
      { type: 'object', properties: Object.fromEntries(named.map(({ was, each }) => [was, each.schemas[0]])) },
      {
        type: 'object',
        properties: Object.fromEntries(
          named.map(({ was, is, each }) => [is, was === is ? each.schemas[1] : { ...each.schemas[1], 'x-was': was }]),
        ),
      },
    ],
    values: [
      Object.fromEntries(named.map(({ was, each }) => [was, each.values[0]])),
      Object.fromEntries(named.map(({ is, each }) => [is, each.values[1]])),
    ],
  };
}

function listTwin({ schemas: [old, young], values }: Twin): Twin {
  return {
    schemas: [
      { type: 'array', items: old },
      { type: 'array', items: young },
    ],
    values: [
      [values[0], values[0]],
      [values[1], values[1]],
    ],
  };
}

function mapTwin({ schemas: [old, young], values }: Twin): Twin {
  return {
    schemas: [
      { type: 'object', additionalProperties: old },
      { type: 'object', additionalProperties: young },
    ],
    // A key of a map is data, also where it is a name of a member.
    values: [
      { m0: values[0], other: values[0] },
      { m0: values[1], other: values[1] },
    ],
  };
}

function compile(field: JsonObject): Resource {
  const schema = { type: 'object', properties: { field } };
  const text = JSON.stringify({ name: 'store', resources: { items: { schema } } });
  return loadModel({ text }).model.resources.get('items') ?? assert.fail();
}

describe('members with another name', () => {
  it('are found in objects, lists and maps of any depth, and renamed there and back', () => {
    const seen = { renamed: 0 };
    fc.assert(
      fc.property(twin, ({ schemas: [old, young], values: [was, is] }) => {
        const [before, after] = [compile(old), compile(young)];
        const { renamed, dropped, problems } = findFormerNames(after, before.fields);
        assert.deepEqual([dropped, problems], [[], []]);
        seen.renamed += renamed.length;
        assert.deepEqual(compileRenaming(renamed)({ field: was }), { field: is });
        const back = renamed.map(({ from, to }): RenamedPath => ({ from: to, to: from }));
        assert.deepEqual(compileRenaming(back)({ field: is }), { field: was });
        // Rows that have the new names already.
        assert.deepEqual(findFormerNames(after, after.fields).renamed, []);
      }),
      { numRuns: runs(100, 1_000) },
    );
    assert.ok(seen.renamed > 0);
  });
});
