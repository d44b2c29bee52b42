import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { itemsDocument, load, rejectsEach, rejectsProperties, resource } from '../../loading.ts';

describe('the fields of a resource', () => {
  it('[REP-1] keep their declared order and keywords', () => {
    const { fields, field } = resource(
      load(itemsDocument('b: { type: string, x-immutable: true, x-was: c }, a: { type: string, readOnly: true }'))
        .model,
      'items',
    );
    assert.deepEqual(
      fields.map(({ name, readOnly, writeOnly, immutable, was }) => ({ name, readOnly, writeOnly, immutable, was })),
      [
        { name: 'b', readOnly: false, writeOnly: false, immutable: true, was: 'c' },
        { name: 'a', readOnly: true, writeOnly: false, immutable: false, was: null },
      ],
    );
    assert.equal(field.get('a'), fields[1]);
  });

  rejectsProperties([
    [
      'have different names in imported files',
      'a: { type: string, x-source: A }, b: { type: string, x-source: A }',
      'b.x-source',
      /A is the name of a already/,
      /another name/,
    ],
    ...['id', 'created_at', 'updated_at', 'deleted_at', 'revision', 'links'].map(
      (name) =>
        [
          `[REP-12] cannot be named ${name}`,
          `${name}: { type: string }`,
          name,
          /system field of every resource/,
          /another/,
        ] as const,
    ),
    [
      '[REP-12] must be named in snake_case',
      'Name: { type: string }',
      'Name',
      /not in snake_case/,
      /lower-case letter/,
    ],
    [
      '[REP-7] cannot be named constructor',
      'constructor: { type: string }',
      'constructor',
      /not allowed in bodies/,
      /another/,
    ],
    [
      'cannot be both read-only and write-only',
      'a: { type: string, readOnly: true, writeOnly: true }',
      'a.writeOnly',
      /both readOnly and writeOnly/,
      /remove/,
    ],
    [
      'cannot claim the name of another field',
      'a: { type: string }, b: { type: string, x-was: a }',
      'b.x-was',
      /a is in use/,
      /previous name/,
    ],
    [
      'cannot share a former name',
      'a: { type: string, x-was: c }, b: { type: string, x-was: c }',
      'b.x-was',
      /c is in use/,
      /previous name/,
    ],
  ]);

  rejectsEach([
    {
      title: 'cannot be required and read-only without a default',
      text: itemsDocument('a: { type: string, readOnly: true }', '', 'a'),
      path: 'resources.items.schema.properties.a.readOnly',
      line: 4,
      cause: /can never be set/,
      fix: /default/,
    },
  ]);

  it('can be required and read-only with a default', () => {
    const { field } = resource(
      load(itemsDocument('a: { type: string, readOnly: true, default: x }', '', 'a')).model,
      'items',
    );
    assert.equal(field.get('a')?.default, 'x');
  });
});
