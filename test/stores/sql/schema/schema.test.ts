import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ValueType } from '../../../../src/model/model.ts';
import { deriveSchema, storageType } from '../../../../src/stores/sql/schema/schema.ts';
import {
  field,
  model,
  refersTo,
  resource,
  type ResourceOptions,
  sampleModel,
} from '../../../../store-suite/sample-model.ts';

const TEXT: ValueType = { kind: 'text', format: null };

function indexes(options: Omit<ResourceOptions, 'name'>): readonly string[] {
  const declared = model([resource({ name: 'items', ...options }), resource({ name: 'others', fields: [] })]);
  return deriveSchema(declared).flatMap((table) =>
    table.name === 'items' ? table.indexes.map(({ name }) => name) : [],
  );
}

describe('the schema of a model', () => {
  it('[PAGE-10] has an index for the order of creation and for the default order, each ending with the id', () => {
    assert.deepEqual(indexes({ fields: [] }), ['items (created_at, id)']);
    const sort = [
      { path: 'title', descending: true },
      { path: 'id', descending: true },
    ];
    assert.deepEqual(indexes({ fields: [field('title', TEXT)], sort }), [
      'items (created_at, id)',
      'items (title, id)',
    ]);
    const mixed = [
      { path: 'title', descending: true },
      { path: 'created_at', descending: false },
      { path: 'id', descending: false },
    ];
    assert.deepEqual(indexes({ fields: [field('title', TEXT)], sort: mixed }), [
      'items (created_at, id)',
      'items (title, created_at desc, id desc)',
    ]);
  });

  it('[PAGE-10] has the declared indexes, unique ones without the id, each once', () => {
    const fields = [field('title', TEXT), field('code', TEXT)];
    const declared = {
      fields,
      uniques: [['code', 'title']],
      indexes: [['title'], ['title', 'id'], ['created_at'], ['id']],
    };
    assert.deepEqual(indexes(declared), ['items unique (code, title)', 'items (created_at, id)', 'items (title, id)']);
  });

  it('[REP-9c] has an index for each reference, followed by the default order', () => {
    const fields = [field('other_id', TEXT, { reference: refersTo('others') })];
    assert.deepEqual(indexes({ fields, parent: 'others' }), [
      'items (created_at, id)',
      'items (other_id, created_at, id)',
    ]);
  });

  it('[MET-4c] has a foreign key for each reference, and a link table for an array of references', () => {
    const keys = deriveSchema(sampleModel()).map(({ name, foreignKeys }) => [
      name,
      foreignKeys.map(({ columns, table, cascade }) => `${columns.join(', ')} ${table}${cascade ? ' cascade' : ''}`),
    ]);
    assert.deepEqual(Object.fromEntries(keys), {
      suppliers: [],
      products: ['supplier_id suppliers'],
      'products.related_ids': ['owner products cascade', 'target products'],
      reviews: ['product_id products'],
      answers: ['review_id reviews'],
    });
  });

  it('[OPS-4d] compares types by how values are stored', () => {
    const decimal = (precision: number | null, scale: number | null) =>
      storageType({ kind: 'decimal', precision, scale });
    assert.deepEqual(
      [decimal(12, 2), decimal(18, 2), decimal(19, 2), decimal(12, null), decimal(null, 2)],
      ['decimal(2)', 'decimal(2)', 'decimal', 'decimal', 'decimal'],
    );
    assert.equal(storageType({ kind: 'text', format: 'email' }), storageType(TEXT));
  });
});
