import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Json, JsonObject } from '../../../src/conventions/json/json.ts';
import { compileSourceRows } from '../../../src/infer/source-row.ts';
import { compileValidators } from '../../../src/model/values/resource-validator.ts';
import { importDraft } from '../../../src/plan/transfer/import-draft.ts';
import { load } from '../loading.ts';
import { type Data, inferModelText } from './inferring.ts';
import { runs } from '../../extent.ts';

const name = fc.oneof(
  fc.constantFrom(
    'firstName',
    'first_name',
    'First Name',
    'links',
    'revision',
    'createdAt',
    'created_at',
    'price',
    'tags',
  ),
  fc.constantFrom('address', 'customer', 'customerId', 'parent_id', 'other_ids', 'Größe', '名前', '2nd', 'a.b', ''),
  fc
    .string({ maxLength: 12 })
    .filter((text) => !text.includes('${') && !/^(?:_*id_*|__proto__|constructor|prototype)$/i.test(text)),
);
const text = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.constantFrom(
    '2026-05-17',
    '2026-05-17T09:30:00Z',
    'ann@example.com',
    'https://example.com/a',
    '19.99',
    '',
    'null',
    '007',
  ),
  fc.uuid(),
);
const scalar = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  text,
  fc.constant(null),
);
const { value } = fc.letrec<{ value: Json; list: Json; object: Json }>((tie) => ({
  list: fc.array(tie('value'), { maxLength: 4 }),
  object: fc.dictionary(name, tie('value'), { maxKeys: 5, noNullPrototype: true }),
  value: fc.oneof({ maxDepth: 4, depthSize: 'small' }, scalar, scalar, scalar, tie('list'), tie('object')),
}));
/** Rows of one structure with exceptions, as data has them. */
const rows = fc
  .tuple(
    fc.dictionary(name, value, { maxKeys: 6, noNullPrototype: true }),
    fc.array(fc.dictionary(name, value, { maxKeys: 3, noNullPrototype: true }), { maxLength: 6 }),
  )
  .map(([usual, others]): readonly JsonObject[] => [usual, ...others.map((other) => ({ ...usual, ...other }))]);
const ids = fc.constantFrom<(index: number) => JsonObject>(
  () => ({}),
  (index) => ({ id: index + 1 }),
  (index) => ({ id: `row ${index}` }),
  (index) => ({ _id: `00000000-0000-4000-8000-00000000000${index}` }),
  () => ({ id: {} }),
);
const collection = fc
  .tuple(rows, ids)
  .map(([each, id]) => each.map((row, index): JsonObject => ({ ...id(index), ...row })));
const collectionName = fc.oneof(
  fc.constantFrom('customers', 'events', 'first', 'search', 'v1', 'sqlite_x', 'orderItems', 'pages'),
  fc.string(),
);
const data = fc.dictionary(
  collectionName.filter((each) => !each.includes('${') && each !== '__proto__'),
  collection,
  { minKeys: 1, maxKeys: 4, noNullPrototype: true },
);

/**
 * The errors of all rows when they are imported into the model that was inferred from them. References are not looked
 * up.
 */
function importErrors(all: Data): readonly string[] {
  const written = inferModelText(all);
  const { model } = load(written);
  const validators = compileValidators(model);
  const resources = [...model.resources.values()];
  assert.equal(resources.length, Object.keys(all).length);
  return Object.values(all).flatMap((each, position) => {
    const resource = resources[position] ?? assert.fail();
    const validator = validators.get(resource.name) ?? assert.fail();
    const source = compileSourceRows(resource);
    return each.flatMap((row) => {
      const draft = importDraft(resource, validator, null, source.row(row));
      return draft.kind === 'valid' ? [] : [`${JSON.stringify(row)}: ${JSON.stringify(draft.details)}\n${written}`];
    });
  });
}

describe('the inferred model', () => {
  it('is valid, and every row of the data passes it', () => {
    fc.assert(
      fc.property(data, (all) => {
        assert.deepEqual(importErrors(all), []);
      }),
      { numRuns: runs(25, 120), examples: [[{ ' ': [{}], '': [{}] }]] },
    );
  });
});
