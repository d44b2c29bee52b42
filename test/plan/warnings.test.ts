import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeWarnings } from '../../src/plan/warnings.ts';
import { itemsDocument, load } from '../model/loading.ts';

function warnings(properties: string, rest = ''): readonly string[] {
  return describeWarnings(load(itemsDocument(properties, rest)).model);
}

describe('describeWarnings', () => {
  it('[QRY-3] names fields that are not the first of an index, and those whose order no index has', () => {
    assert.deepEqual(
      warnings(
        'a: { type: string }, b: { type: string, x-unique: true }, c: { type: object, properties: { d: { type: string } } }, e: { type: string }, f_id: { type: string, x-references: items }',
        'indexes: [[e, a]]',
      ),
      [
        'resources.items: sortable without an index in that order: a, b, c.d, e, f_id; filterable without an index (also through items.f): a, c.d; declare indexes, or restrict sortable and filterable',
      ],
    );
  });

  it('[QRY-1] [QRY-3] names the relations by which filters of other resources compare a field', () => {
    const document = `
name: shop
version: 1.0.0
resources:
  makers: { sortable: [], schema: { type: object, properties: { country: { type: string } } } }
  items:
    sortable: []
    filterable: []
    schema: { type: object, properties: { maker_id: { type: string, x-references: makers } } }
`;
    assert.deepEqual(describeWarnings(load(document).model), [
      'resources.makers: filterable without an index (also through items.maker): country; declare indexes, or restrict sortable and filterable',
    ]);
  });

  it('[QRY-3] has no warnings if every sortable and filterable field has an index', () => {
    assert.deepEqual(
      warnings('a: { type: string }, b: { type: string }', 'sortable: [a]\nfilterable: [a]\nindexes: [a]'),
      [],
    );
  });
});
