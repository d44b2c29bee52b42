import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Reference } from '../../../src/model/model.ts';
import { load, rejectsEach, resource } from '../loading.ts';

const shop = (properties: string, rest = '', required = ''): string =>
  [
    'name: shop',
    'resources:',
    '  suppliers:',
    '    schema: { type: object, properties: { name: { type: string } } }',
    '  items:',
    `    schema: { type: object, required: [${required}], properties: { ${properties} } }`,
    rest,
    '',
  ].join('\n');

function reference(properties: string, name: string): Reference | null | undefined {
  return resource(load(shop(properties)).model, 'items').field.get(name)?.reference;
}

describe('x-references', () => {
  it('[REP-9] in its short form relates to one row, named by the field without _id', () => {
    assert.deepEqual(reference('supplier_id: { type: string, x-references: suppliers }', 'supplier_id'), {
      resource: 'suppliers',
      as: 'supplier',
      inverse: null,
      onDelete: 'restrict',
    });
  });

  it('[REP-9] in its long form names the relation, the way back and what a delete does', () => {
    const long = '{ resource: suppliers, as: maker, inverse: goods, on_delete: nullify }';
    assert.deepEqual(reference(`made_by: { type: string, x-references: ${long} }`, 'made_by'), {
      resource: 'suppliers',
      as: 'maker',
      inverse: 'goods',
      onDelete: 'nullify',
    });
  });

  it('of a list is declared by its items and has no name', () => {
    const { model } = load(
      shop(
        'supplier_ids: { type: array, items: { type: string, x-references: { resource: suppliers, inverse: items } } }',
      ),
    );
    assert.deepEqual(resource(model, 'items').field.get('supplier_ids')?.reference, {
      resource: 'suppliers',
      as: null,
      inverse: 'items',
      onDelete: 'restrict',
    });
    assert.deepEqual(resource(model, 'suppliers').dependents, [
      { resource: 'items', field: 'supplier_ids', many: true, onDelete: 'restrict', child: false },
    ]);
  });

  it('[REP-9] gives the other resource its dependents, and a link where the way back has a name', () => {
    const { model } = load(
      shop(
        'a_id: { type: string, x-references: { resource: suppliers, inverse: goods } }, b_id: { type: string, x-references: { resource: suppliers, on_delete: cascade } }',
      ),
    );
    const { dependents, links } = resource(model, 'suppliers');
    assert.deepEqual(dependents, [
      { resource: 'items', field: 'a_id', many: false, onDelete: 'restrict', child: false },
      { resource: 'items', field: 'b_id', many: false, onDelete: 'cascade', child: false },
    ]);
    assert.deepEqual(links, [{ name: 'goods', resource: 'items', kind: 'inverse', field: 'a_id' }]);
  });

  const at = (path: string): { path: string; line: number } => ({
    path: `resources.items.schema.properties.${path}`,
    line: 6,
  });
  const collides = /is already in use in/;
  const long = (rest: string): string => `x-references: { resource: suppliers, ${rest} }`;
  rejectsEach([
    {
      title: 'names a resource',
      text: shop('a_id: { type: string, x-references: supliers }'),
      ...at('a_id.x-references'),
      cause: /no resource supliers/,
      fix: /write suppliers/,
    },
    {
      title: 'names a resource in its long form',
      text: shop('a_id: { type: string, x-references: { resource: x } }'),
      ...at('a_id.x-references.resource'),
      cause: /no resource x/,
      fix: /of this model/,
    },
    {
      title: 'needs the resource',
      text: shop('a_id: { type: string, x-references: { as: b } }'),
      ...at('a_id.x-references.resource'),
      cause: /required/,
      fix: /Name of a resource/,
    },
    {
      title: 'stands on text',
      text: shop('a_id: { type: integer, x-references: suppliers }'),
      ...at('a_id.x-references'),
      cause: /must be a string/,
      fix: /type: string/,
    },
    {
      title: 'stands on plain text',
      text: shop('a_id: { type: string, format: decimal, x-references: suppliers }'),
      ...at('a_id.x-references'),
      cause: /must be a string/,
      fix: /type: string/,
    },
    {
      title: 'of a list stands on its items',
      text: shop('a_ids: { type: array, items: { type: string }, x-references: suppliers }'),
      ...at('a_ids.x-references'),
      cause: /items of an array are the references/,
      fix: /under items/,
    },
    {
      title: 'of a list has no as',
      text: shop(`a_ids: { type: array, items: { type: string, ${long('as: b')} } }`),
      ...at('a_ids.items.x-references.as'),
      cause: /to-many/,
      fix: /remove/,
    },
    {
      title: 'needs a name where the field gives none',
      text: shop('maker: { type: string, x-references: suppliers }'),
      ...at('maker.x-references'),
      cause: /does not end with _id/,
      fix: /maker_id/,
    },
    {
      title: 'is not nullified where the field is required',
      text: shop(`a_id: { type: string, ${long('on_delete: nullify')} }`, '', 'a_id'),
      ...at('a_id.x-references.on_delete'),
      cause: /the field is required/,
      fix: /optional/,
    },
    {
      title: 'knows what a delete does',
      text: shop(`a_id: { type: string, ${long('on_delete: drop')} }`),
      ...at('a_id.x-references.on_delete'),
      cause: /one of restrict, nullify, cascade/,
      fix: /restrict/,
    },
    {
      title: '[REP-9] names no relation like a field',
      text: shop('maker: { type: string }, maker_id: { type: string, x-references: suppliers }'),
      ...at('maker_id.x-references'),
      cause: collides,
      fix: /as:/,
    },
    {
      title: '[REP-9] names no relation self',
      text: shop(`a_id: { type: string, ${long('as: self')} }`),
      ...at('a_id.x-references'),
      cause: collides,
      fix: /as:/,
    },
    {
      title: '[REP-9] names no relation like a system field',
      text: shop(`a_id: { type: string, ${long('as: revision')} }`),
      ...at('a_id.x-references'),
      cause: collides,
      fix: /as:/,
    },
    {
      title: '[REP-9] names no two relations alike',
      text: shop(`a_id: { type: string, ${long('as: b')} }, c_id: { type: string, ${long('as: b')} }`),
      ...at('c_id.x-references'),
      cause: collides,
      fix: /as:/,
    },
    {
      title: '[REP-9] names no way back like a field there',
      text: shop(`a_id: { type: string, ${long('inverse: name')} }`),
      ...at('a_id.x-references'),
      cause: /relation name is already in use in suppliers/,
      fix: /inverse:/,
    },
    {
      title: '[REP-9] names no two ways back alike',
      text: shop(
        `a_id: { type: string, ${long('inverse: goods')} }, b_id: { type: string, ${long('inverse: goods')} }`,
      ),
      ...at('b_id.x-references'),
      cause: collides,
      fix: /inverse:/,
    },
    {
      title: '[REP-9] names no way back like a sub-collection',
      text: shop(
        `a_id: { type: string, ${long('inverse: notes')} }`,
        '  notes: { parent: suppliers, schema: { type: object } }',
      ),
      ...at('a_id.x-references'),
      cause: collides,
      fix: /inverse:/,
    },
    {
      title: '[REP-9] has a target that says up',
      text: shop(`a_id: { type: string, ${long('inverse: up')} }`),
      ...at('a_id.x-references'),
      cause: collides,
      fix: /inverse:/,
    },
  ]);
});
