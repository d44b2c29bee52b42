import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Reference } from '../../../../src/model/model.ts';
import { load, rejectsEach, resource } from '../../loading.ts';

const referringShop = (properties: string, rest = '', required = ''): string =>
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

function loadReference(properties: string, name: string): Reference | null | undefined {
  return resource(load(referringShop(properties)).model, 'items').field.get(name)?.reference;
}

describe('x-references', () => {
  it('[REP-9b] in its short form names the relation like the field without _id', () => {
    assert.deepEqual(loadReference('supplier_id: { type: string, x-references: suppliers }', 'supplier_id'), {
      resource: 'suppliers',
      as: 'supplier',
      inverse: null,
      onDelete: 'restrict',
    });
  });

  it('[REP-9b, REP-9c] in its long form has the name of the relation, the inverse and on_delete', () => {
    const long = '{ resource: suppliers, as: maker, inverse: goods, on_delete: nullify }';
    assert.deepEqual(loadReference(`made_by: { type: string, x-references: ${long} }`, 'made_by'), {
      resource: 'suppliers',
      as: 'maker',
      inverse: 'goods',
      onDelete: 'nullify',
    });
  });

  it('[REP-9c] of an array is declared by its items, and has the plural of its field as name', () => {
    const { model } = load(
      referringShop(
        'supplier_ids: { type: array, items: { type: string, x-references: { resource: suppliers, inverse: items } } }',
      ),
    );
    assert.deepEqual(resource(model, 'items').field.get('supplier_ids')?.reference, {
      resource: 'suppliers',
      as: 'suppliers',
      inverse: 'items',
      onDelete: 'restrict',
    });
    assert.deepEqual(resource(model, 'suppliers').dependents, [
      { resource: 'items', field: 'supplier_ids', many: true, onDelete: 'restrict', child: false },
    ]);
  });

  const named: readonly (readonly [field: string, declared: string, as: string | null])[] = [
    ['label_ids', 'suppliers', 'labels'],
    ['category_ids', 'suppliers', 'categories'],
    ['main_person_ids', 'suppliers', 'main_people'],
    ['seed_ids', 'suppliers', 'seeds'],
    ['related_ids', 'suppliers', 'related'],
    ['similar_ids', 'suppliers', 'similar'],
    ['label_ids', '{ resource: suppliers, as: marks }', 'marks'],
    ['marks', '{ resource: suppliers, as: labels }', 'labels'],
    ['labels', 'suppliers', null],
  ];
  for (const [field, declared, as] of named) {
    it(`[REP-9c] of an array is ${as ?? 'no relation'}: ${field} to ${declared}`, () => {
      const items = `items: { type: string, x-references: ${declared} }`;
      const { model } = load(referringShop(`${field}: { type: array, ${items} }`));
      assert.equal(resource(model, 'items').field.get(field)?.reference?.as, as);
    });
  }

  it('[REP-9c] adds a dependent to the other resource, and a link if there is an inverse', () => {
    const { model } = load(
      referringShop(
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
      title: 'requires an existing resource',
      text: referringShop('a_id: { type: string, x-references: supliers }'),
      ...at('a_id.x-references'),
      cause: /no resource supliers/,
      fix: /write suppliers/,
    },
    {
      title: 'requires an existing resource in its long form',
      text: referringShop('a_id: { type: string, x-references: { resource: x } }'),
      ...at('a_id.x-references.resource'),
      cause: /no resource x/,
      fix: /of this model/,
    },
    {
      title: 'requires the resource',
      text: referringShop('a_id: { type: string, x-references: { as: b } }'),
      ...at('a_id.x-references.resource'),
      cause: /required/,
      fix: /name of a resource/,
    },
    {
      title: 'requires a string field',
      text: referringShop('a_id: { type: integer, x-references: suppliers }'),
      ...at('a_id.x-references'),
      cause: /must be a string/,
      fix: /type: string/,
    },
    {
      title: 'requires a string field without another format',
      text: referringShop('a_id: { type: string, format: decimal, x-references: suppliers }'),
      ...at('a_id.x-references'),
      cause: /must be a string/,
      fix: /type: string/,
    },
    {
      title: 'of an array belongs to its items',
      text: referringShop('a_ids: { type: array, items: { type: string }, x-references: suppliers }'),
      ...at('a_ids.x-references'),
      cause: /items of an array are the references/,
      fix: /under items/,
    },
    {
      title: '[REP-9c] of an array cannot be named like a field',
      text: referringShop(
        'suppliers: { type: string }, supplier_ids: { type: array, items: { type: string, x-references: suppliers } }',
      ),
      ...at('supplier_ids.items.x-references'),
      cause: /the relation suppliers is already in use/,
      fix: /as:/,
    },
    {
      title: 'requires a name if the field does not end with _id',
      text: referringShop('maker: { type: string, x-references: suppliers }'),
      ...at('maker.x-references'),
      cause: /does not end with _id/,
      fix: /maker_id/,
    },
    {
      title: 'cannot nullify a required field',
      text: referringShop(`a_id: { type: string, ${long('on_delete: nullify')} }`, '', 'a_id'),
      ...at('a_id.x-references.on_delete'),
      cause: /the field is required/,
      fix: /optional/,
    },
    {
      title: 'rejects an unknown on_delete',
      text: referringShop(`a_id: { type: string, ${long('on_delete: drop')} }`),
      ...at('a_id.x-references.on_delete'),
      cause: /one of restrict, nullify, cascade/,
      fix: /restrict/,
    },
    {
      title: '[REP-9b] cannot be named like a field',
      text: referringShop('maker: { type: string }, maker_id: { type: string, x-references: suppliers }'),
      ...at('maker_id.x-references'),
      cause: collides,
      fix: /as:/,
    },
    {
      title: '[REP-9b] cannot be named self',
      text: referringShop(`a_id: { type: string, ${long('as: self')} }`),
      ...at('a_id.x-references'),
      cause: collides,
      fix: /as:/,
    },
    {
      title: '[REP-9b] cannot be named like a system field',
      text: referringShop(`a_id: { type: string, ${long('as: revision')} }`),
      ...at('a_id.x-references'),
      cause: collides,
      fix: /as:/,
    },
    {
      title: '[REP-9b] cannot share a name with another relation',
      text: referringShop(`a_id: { type: string, ${long('as: b')} }, c_id: { type: string, ${long('as: b')} }`),
      ...at('c_id.x-references'),
      cause: collides,
      fix: /as:/,
    },
    {
      title: '[REP-9c] cannot have an inverse named like a field',
      text: referringShop(`a_id: { type: string, ${long('inverse: name')} }`),
      ...at('a_id.x-references'),
      cause: /relation name is already in use in suppliers/,
      fix: /inverse:/,
    },
    {
      title: '[REP-9c] cannot share an inverse with another relation',
      text: referringShop(
        `a_id: { type: string, ${long('inverse: goods')} }, b_id: { type: string, ${long('inverse: goods')} }`,
      ),
      ...at('b_id.x-references'),
      cause: collides,
      fix: /inverse:/,
    },
    {
      title: '[REP-9c] cannot have an inverse named like a sub-collection',
      text: referringShop(
        `a_id: { type: string, ${long('inverse: notes')} }`,
        '  notes: { parent: suppliers, schema: { type: object } }',
      ),
      ...at('a_id.x-references'),
      cause: collides,
      fix: /inverse:/,
    },
    {
      title: '[REP-9c] cannot have an inverse named up',
      text: referringShop(`a_id: { type: string, ${long('inverse: up')} }`),
      ...at('a_id.x-references'),
      cause: collides,
      fix: /inverse:/,
    },
  ]);
});
