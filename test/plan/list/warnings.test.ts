import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeWarnings } from '../../../src/plan/list/warnings.ts';
import { itemsDocument, load } from '../../model/loading.ts';
import { compilePolicies, withResources } from '../../model/policies.ts';

function warnings(properties: string, rest = ''): readonly string[] {
  return describeWarnings(load(itemsDocument(properties, rest)).model);
}

describe('describeWarnings', () => {
  it('[QRY-3] names fields that are not the first of an index, and those whose order no index has', () => {
    assert.deepEqual(
      warnings(
        'a: { type: string }, b: { type: string, x-unique: true }, c: { type: object, properties: { d: { type: string } } }, e: { type: string }, f_id: { type: string, x-references: items }',
        'indexes: [[e, a]]\nsortable: [a, b, c.d, e, f_id]\nfilterable: [a, b, c.d, e, f_id]',
      ),
      [
        'resources.items: sortable without an index in that order: a, b, c.d, e, f_id; filterable without an index (also through items.f): a, c.d; such a sort, and a filter that few rows match, read all rows, which takes about 20 ms for each 100,000; declare indexes, or leave them out of the lists',
      ],
    );
  });

  it('[QRY-3] compares the lists of a table that exists with its declared indexes, whose sizes are those of its database', () => {
    const document = (indexes: string): string =>
      `name: shop\nresources:\n  films: { table: film, sortable: [title], filterable: [title], indexes: [${indexes}], schema: { type: object, properties: { title: { type: string, maxLength: 9000 } } } }\n`;
    const [warning = ''] = describeWarnings(load(document('')).model);
    assert.match(
      warning,
      /^resources\.films: sortable .*: title; filterable .*: title; .*; create indexes in the database and declare them, or/,
    );
    assert.deepEqual(describeWarnings(load(document('title')).model), []);
  });

  it('[QRY-3] [QRY-6] says what a search costs that is sorted without an index', () => {
    const [warning = ''] = warnings('a: { type: string }', 'search: [a]\nsortable: [a]\nfilterable: []');
    assert.match(
      warning,
      /sortable without .*: a; .*; with q, such a sort and filter collect all matches, .* after 5 s;/,
    );
    assert.deepEqual(warnings('a: { type: string }', 'search: [a]\nsortable: [a]\nfilterable: []\nindexes: [a]'), []);
  });

  it('[QRY-3] lists ten of many fields', () => {
    const names = Array.from({ length: 12 }, (_, index) => `f${index}`);
    const [warning = ''] = warnings(
      names.map((name) => `${name}: { type: string }`).join(', '),
      `sortable: [${names.join(', ')}]\nfilterable: []`,
    );
    assert.match(warning, /sortable without an index in that order: f0, f1, .*, f9 and 2 more; such a sort/);
    assert.doesNotMatch(warning, /f10/);
  });

  it('[QRY-1] [QRY-3] names the relations by which filters of other resources compare a field', () => {
    const document = `
name: shop
version: 1.0.0
resources:
  makers: { sortable: [], filterable: [country], schema: { type: object, properties: { country: { type: string } } } }
  items:
    sortable: []
    filterable: []
    schema: { type: object, properties: { maker_id: { type: string, x-references: makers } } }
`;
    assert.deepEqual(describeWarnings(load(document).model), [
      'resources.makers: filterable without an index (also through items.maker): country; such a sort, and a filter that few rows match, read all rows, which takes about 20 ms for each 100,000; declare indexes, or leave them out of the lists',
    ]);
  });

  it('[QRY-3] has no warnings if every sortable and filterable field has an index', () => {
    assert.deepEqual(
      warnings('a: { type: string }, b: { type: string }', 'sortable: [a]\nfilterable: [a]\nindexes: [a]'),
      [],
    );
  });

  it('[LIM-1] names texts that may be longer than their index holds', () => {
    assert.deepEqual(
      warnings(
        'a: { type: string, maxLength: 2501 }, b: { type: string, maxLength: 2500 }, c: { type: object, properties: { d: { type: string, maxLength: 9000 } } }, e: { type: string, maxLength: 3000 }, f: { type: string }',
        'indexes: [[b, a], f, c.d]',
      ),
      [
        'resources.items: indexed with a longer maxLength than an index can hold: a, c.d; a longer value is 400; declare maxLength: 2500 or less, or leave them out of indexes, unique and sort',
      ],
    );
  });

  it('[QRY-3] [AUTH-5a] names policies that no index serves', () => {
    const warned = (access: string): readonly string[] => {
      const { model, problems } = compilePolicies(
        withResources(`  goods:
    access: ${access}
    schema:
      type: object
      properties:
        name: { type: string }
        owner_id: { type: string, readOnly: true }
        like_id: { type: string, x-references: goods }
`),
      );
      assert.deepEqual(problems, []);
      return describeWarnings(model);
    };
    for (const served of [
      '{ owner: owner_id }',
      '{ rows: { read: { name: a } } }',
      '{ rows: { read: { name: { in: $caller.claims.names }, like.name: a } } }',
      '{ rows: { read: { any: [{ name: a }, { owner_id: b }] } } }',
      '{ rows: { read: { not: { any: [{ name: { ne: a } }, { name: { exists: true } }] } } } }',
      '{ rows: { read: true } }',
      '{ owner: { field: owner_id, bypass: admin }, rows: { read: { name: { ne: a } } } }',
    ]) {
      assert.deepEqual(warned(served), [], served);
    }
    for (const unserved of [
      '{ rows: { read: { name: { ne: a } } } }',
      '{ rows: { read: { like.name: a } } }',
      '{ rows: { read: { any: [{ name: a }, { like.name: b }] } } }',
      '{ rows: { read: { not: { name: a } } } }',
    ]) {
      assert.deepEqual(warned(unserved), [
        'resources.goods: no index finds the rows that access.rows.read shows; compare a field of the row itself by equality, in each alternative',
      ]);
    }
  });

  it('[AUTH-5a] names unique values that reveal hidden rows', () => {
    const warned = (settings: string): readonly string[] => {
      const schema = 'schema: { type: object, properties: { tenant: { type: string }, code: { type: string } } }';
      return describeWarnings(compilePolicies(withResources(`  goods: { ${settings}, ${schema} }\n`)).model);
    };
    const tenant = 'access: { rows: { read: { tenant: $caller.claims.tenant } } }';
    assert.deepEqual(warned(`unique: [[code]], ${tenant}`), [
      'resources.goods: unique over rows that callers may not see, so that a 409 reveals them: [code]; put the field that policies compare into unique, as in [tenant, code]',
    ]);
    assert.deepEqual(warned(`unique: [[tenant, code]], ${tenant}`), []);
    assert.deepEqual(warned('unique: [[code]]'), []);
  });

  it('[CACHE-5] names resources that shared caches do not store, although the model declares it', () => {
    const warned = (access: string): readonly string[] => {
      const schema = 'schema: { type: object, properties: { tenant: { type: string }, cost: { type: integer } } }';
      const goods = `goods: { cache: { max_age: 60, scope: public }, access: ${access}, ${schema} }`;
      return describeWarnings(compilePolicies(withResources(`  ${goods}\n`)).model);
    };
    for (const same of [
      '{ read: public }',
      '{ read: public, rows: { read: { tenant: a }, update: { tenant: $caller.claims.tenant } } }',
      '{ read: public, fields: { cost: { write: { scope: finance } } } }',
    ]) {
      assert.deepEqual(warned(same), [], same);
    }
    for (const different of [
      '{ read: authenticated }',
      '{ read: public, rows: { read: { tenant: $caller.claims.tenant } } }',
      '{ read: public, rows: { read: { tenant: { in: [a, $caller.subject] } } } }',
      '{ read: public, fields: { cost: { read: authenticated } } }',
    ]) {
      assert.deepEqual(warned(different), [
        'resources.goods: cache declares scope: public, and its responses are private, because access does not show every caller the same; remove the scope, or open the access',
      ]);
    }
  });

  it('[QRY-3] has none for a plain model, whose fields can be sorted and filtered by default', () => {
    assert.deepEqual(warnings('a: { type: string }, b: { type: object, properties: { c: { type: integer } } }'), []);
  });

  it('[ERR-2] asks for the singular where the plural does not lead back to the name', () => {
    const named = (name: string, rest = ''): readonly string[] =>
      describeWarnings(load(`name: shop\nresources:\n  ${name}: { schema: { type: object }${rest} }\n`).model);
    assert.deepEqual(named('status'), [
      'resources.status: the singular is status, whose plural is statuses; declare singular: status if it is right, or name the collection with the plural statuses',
    ]);
    for (const name of ['caches', 'lenses', 'indices', 'indexes', 'order_items', 'people', 'news', 'calories']) {
      assert.deepEqual(named(name), [], name);
    }
    assert.deepEqual(named('status', ', singular: status'), [], 'the derived one was declared');
  });
});
