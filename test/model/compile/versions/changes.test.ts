import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { load } from '../../loading.ts';
import { assertOlder, loadOlder, versioned } from './older.ts';

const items = (properties: string, rest = '', required = ''): string =>
  `items: { schema: { type: object, required: [${required}], properties: { ${properties} } }${rest === '' ? '' : `, ${rest}`} }`;

/**
 * The resources of the newest version, the changes, and the resources of a model with the contract of the older one.
 */
type Row = readonly [title: string, newest: string, changes: readonly string[], older: string];

const ADDRESS =
  'address: { type: object, required: [city], properties: { city: { type: string }, zip: { type: string } } }';

const rows: readonly Row[] = [
  ['without changes has the same contract', items('a: { type: string }'), [], items('a: { type: string }')],
  [
    'renames a field at its place, and everything that names it',
    items(
      'a: { type: string }, status: { type: string, enum: [A, B] }, b: { type: integer }',
      'sort: "-status,b", indexes: [b, [a, b]], unique: [[a, b]], search: [a], filterable: [b], sortable: [b], ' +
        'state: { field: status, initial: A, transitions: { A: [B] } }',
      'status, b',
    ),
    ['{ resource: items, rename: { phase: status, title: a } }', '{ resource: items, rename: { size: b } }'],
    items(
      'title: { type: string }, phase: { type: string, enum: [A, B] }, size: { type: integer }',
      'sort: "-phase,size", indexes: [size, [title, size]], unique: [[title, size]], search: [title], filterable: [size], sortable: [size], ' +
        'state: { field: phase, initial: A, transitions: { A: [B] } }',
      'phase, size',
    ),
  ],
  [
    'renames members of objects, by the names that the objects have in each version',
    items(`${ADDRESS}, a: { type: string }`, 'search: [address.city], sort: address.zip'),
    ['{ resource: items, rename: { place: address, place.town: address.city } }'],
    items(
      'place: { type: object, required: [town], properties: { town: { type: string }, zip: { type: string } } }, a: { type: string }',
      'search: [place.town], sort: place.zip',
    ),
  ],
  [
    'gives a reference the relation of its older name',
    `${items('supplier_id: { type: string, x-references: suppliers }')}\nsuppliers: { schema: { type: object } }`,
    ['{ resource: items, rename: { vendor_id: supplier_id } }'],
    `${items('vendor_id: { type: string, x-references: suppliers }')}\nsuppliers: { schema: { type: object } }`,
  ],
  [
    'keeps the relation where the older name gives none',
    `${items('supplier_id: { type: string, x-references: suppliers }')}\nsuppliers: { schema: { type: object } }`,
    ['{ resource: items, rename: { made_by: supplier_id } }'],
    `${items('made_by: { type: string, x-references: { resource: suppliers, as: supplier } }')}\nsuppliers: { schema: { type: object } }`,
  ],
  [
    'has a plain field where its relation would have the name of another field',
    `${items('supplier_id: { type: string, x-references: suppliers }')}\nsuppliers: { schema: { type: object } }`,
    ['{ resource: items, rename: { supplier: supplier_id } }'],
    `${items('supplier: { type: string }')}\nsuppliers: { schema: { type: object } }`,
  ],
  [
    'is without a field and without everything that needs it',
    items(
      'a: { type: string }, b: { type: integer }, status: { type: string, enum: [A, B], default: A }, at: { type: string, format: date-time }',
      'sort: "-b,a", indexes: [b, a, [a, b]], unique: [[a, b], [a]], search: [a], time_field: at, filterable: [a, b], ' +
        'state: { field: status, initial: A, transitions: { A: [B] } }',
      'a, b, at',
    ),
    ['{ resource: items, without: [b, status, at], fill: { b: 1, at: "2026-01-01T00:00:00Z" } }'],
    items('a: { type: string }', 'sort: a, indexes: [a], unique: [[a]], search: [a], filterable: [a]', 'a'),
  ],
  [
    'is without a field of the default order, and has the default one',
    items('b: { type: integer }, c: { type: string }', 'sort: b'),
    ['{ resource: items, without: [b] }'],
    items('c: { type: string }'),
  ],
  [
    'has other values in enums, defaults and states',
    items(
      'status: { type: string, enum: [DRAFT, ACTIVE, CLOSED], default: DRAFT }',
      'state: { field: status, initial: DRAFT, transitions: { DRAFT: [ACTIVE], ACTIVE: [CLOSED] } }',
    ),
    ['{ resource: items, values: { status: { live: ACTIVE, new: DRAFT } } }'],
    items(
      'status: { type: string, enum: [new, live, CLOSED], default: new }',
      'state: { field: status, initial: new, transitions: { new: [live], live: [CLOSED] } }',
    ),
  ],
  [
    'has other values of a renamed field, of a constant and of the items of an array',
    items(
      'kind: { type: integer, enum: [1, 2] }, unit: { type: string, const: kg }, tags: { type: array, items: { type: string, enum: [A, B] } }',
    ),
    [
      '{ resource: items, rename: { sort_of: kind }, values: { sort_of: { 10: 1 }, unit: { kilo: kg }, tags: { a: A } } }',
    ],
    items(
      'sort_of: { type: integer, enum: [10, 2] }, unit: { type: string, const: kilo }, tags: { type: array, items: { type: string, enum: [a, B] } }',
    ),
  ],
  [
    'has several values for one, which filters and sort cannot name',
    items('status: { type: string, enum: [A, B] }, a: { type: string }'),
    ['{ resource: items, values: { status: { one: A, two: A } }, default_out: { status: one } }'],
    items(
      'status: { type: string, enum: [one, two, B] }, a: { type: string }',
      'sortable: [a, created_at, updated_at, revision], filterable: [a, created_at, updated_at, revision]',
    ),
  ],
  [
    'shows one value for several',
    items('status: { type: string, enum: [A, B, C] }, a: { type: string }'),
    ['{ resource: items, values: { status: { live: A } }, default_out: { status: { B: live } } }'],
    items(
      'status: { type: string, enum: [live, C] }, a: { type: string }',
      'sortable: [a, created_at, updated_at, revision], filterable: [a, created_at, updated_at, revision]',
    ),
  ],
  [
    'asserts no bounds of values that differ: the successor judges them',
    items('code: { type: string, pattern: "^[A-Z]+$", maxLength: 3 }'),
    ['{ resource: items, values: { code: { none: NO } } }'],
    items('code: { type: string }'),
  ],
  [
    'has a field that its successor has not, which nothing can be queried by',
    items('a: { type: string }'),
    ['{ resource: items, with: { old: { schema: { type: integer, minimum: 1 }, out: 5 } } }'],
    items(
      'a: { type: string }, old: { type: integer, minimum: 1 }',
      'sortable: [a, created_at, updated_at, revision], filterable: [a, created_at, updated_at, revision]',
    ),
  ],
  [
    'moves a field out of an object',
    items(`${ADDRESS}, a: { type: string }`, 'indexes: [address.city], sort: address.city', 'address'),
    ['{ resource: items, move: { town: address.city } }'],
    items(
      'address: { type: object, required: [], properties: { zip: { type: string } } }, a: { type: string }, town: { type: string }',
      'indexes: [town], sort: town',
      'address, town',
    ),
  ],
  [
    'moves a field out of an optional object, where none is required',
    items(ADDRESS),
    ['{ resource: items, move: { town: address.city } }'],
    items('address: { type: object, properties: { zip: { type: string } }, required: [] }, town: { type: string }'),
  ],
  [
    'has no object of which nothing is left',
    items(`${ADDRESS}, a: { type: string }`),
    ['{ resource: items, move: { town: address.city, zip: address.zip } }'],
    items('a: { type: string }, town: { type: string }, zip: { type: string }'),
  ],
  [
    'moves fields into an object that it makes, without what objects cannot have',
    items(
      'city: { type: string, x-unique: true }, zip: { type: string, x-immutable: true }, a: { type: string }',
      'unique: [[city, a]], indexes: [city], sort: city',
      'city',
    ),
    ['{ resource: items, move: { address.city: city, address.zip: zip } }'],
    items(`a: { type: string }, ${ADDRESS}`, 'indexes: [address.city], sort: address.city', 'address'),
  ],
  [
    'moves a field between objects, one of them renamed',
    items(`${ADDRESS}, more: { type: object, properties: { a: { type: string }, b: { type: string } } }`),
    ['{ resource: items, rename: { place: address }, move: { place.b: more.b } }'],
    items(
      'place: { type: object, required: [city], properties: { city: { type: string }, zip: { type: string }, b: { type: string } } }, ' +
        'more: { type: object, properties: { a: { type: string } } }',
    ),
  ],
  [
    'is without a resource and those below it, and has plain fields in place of references to them',
    [
      items(
        'supplier_id: { type: string, x-references: suppliers }, part_ids: { type: array, items: { type: string, x-references: parts } }',
      ),
      'suppliers: { schema: { type: object } }',
      'parts: { parent: suppliers, schema: { type: object } }',
    ].join('\n'),
    ['{ resource: suppliers, absent: true }'],
    items('supplier_id: { type: string }, part_ids: { type: array, items: { type: string } }'),
  ],
];

describe('a version', () => {
  for (const [title, newest, changes, older] of rows) {
    it(`[VER-5a] ${title}`, () => assertOlder(newest, changes, older));
  }
});

const FAMILY = [
  'suppliers: { schema: { type: object, properties: { a: { type: string } } } }',
  'items: { parent: suppliers, schema: { type: object, properties: { a: { type: string } } }, indexes: [[supplier_id, a]], sort: supplier_id }',
].join('\n');

describe('the older names of a resource', () => {
  it('[VER-5a] are its collection, singular and error codes, and name the parent of those below it', () => {
    const { model, changes } = loadOlder(versioned(FAMILY, ['{ resource: suppliers, collection: vendors }']));
    assert.deepEqual(changes, [{ kind: 'names', resource: 'suppliers' }]);
    const suppliers = model.resources.get('suppliers');
    assert.deepEqual(
      [suppliers?.name, suppliers?.collection, suppliers?.singular, suppliers?.code],
      ['suppliers', 'vendors', 'vendor', 'VENDOR'],
    );
    assert.equal(model.collections.get('vendors'), suppliers);
    const child = model.resources.get('items');
    assert.deepEqual(child?.parent, { resource: 'suppliers', field: 'vendor_id' });
    assert.deepEqual(child?.indexes, [['vendor_id', 'a']]);
    assert.equal(child?.sort[0]?.path, 'vendor_id');
    assert.equal(child?.field.get('vendor_id')?.reference?.as, 'vendor');
  });

  it('[VER-5a] name the link of a parent to its children', () => {
    const { model } = loadOlder(versioned(FAMILY, ['{ resource: items, collection: line-items, singular: line }']));
    assert.deepEqual(
      model.resources.get('suppliers')?.links.map(({ name, resource }) => [name, resource]),
      [['line_items', 'items']],
    );
    assert.equal(model.resources.get('items')?.code, 'LINE');
  });

  it('[VER-5a] may begin with a verb, and keep an error prefix that is declared', () => {
    const resources = 'items: { error_prefix: THING, schema: { type: object } }';
    const { model } = loadOlder(versioned(resources, ['{ resource: items, collection: search-items }']));
    assert.deepEqual(
      [...model.resources.values()].map(({ collection, code }) => [collection, code]),
      [['search-items', 'THING']],
    );
  });
});

const AUTH =
  'auth: { issuers: [{ name: a, issuer: https://a.example, audience: b, hs256_secret: 0123456789abcdef0123456789abcdef }] }';

describe('the access of an older version', () => {
  it('[VER-5a] [AUTH-4a] is that of the newest, whatever its names; rules on rows and the owner are judged in the newest alone', () => {
    const resources =
      'items: { schema: { type: object, properties: { a: { type: string }, b: { type: string }, owner_id: { type: string, readOnly: true } } }, ' +
      'access: { owner: owner_id, rows: { read: { a: x } }, fields: { b: { read: { scope: b } } } }, cache: { max_age: 1 } }';
    const changes = ['{ resource: items, collection: things, rename: { c: b }, without: [a, owner_id] }'];
    const { model } = loadOlder(versioned(resources, changes, AUTH));
    const older = model.resources.get('items');
    assert.deepEqual(older?.access.read, { kind: 'scope', scope: 'items:read' });
    assert.deepEqual([...(older?.fieldAccess.keys() ?? [])], ['c']);
    assert.deepEqual(older?.rows, { read: [], create: [], update: [], delete: [] });
    assert.equal(older?.owner, null);
    assert.deepEqual(older?.cache, { maxAge: 1, scope: 'private' });
  });
});

describe('the changes of a version', () => {
  it('[VER-5a] are those that are declared, in their order', () => {
    const resources = [
      items(
        'name: { type: string }, currency: { type: string, enum: [EUR, USD] }, s: { type: string, enum: [A, B] }',
        '',
        'currency',
      ),
      'reviews: { schema: { type: object } }',
    ].join('\n');
    const { changes } = loadOlder(
      versioned(resources, [
        '{ resource: reviews, absent: true }',
        '{ resource: items, values: { s: { a: A } } }',
        '{ resource: items, rename: { title: name }, without: [currency], fill: { currency: EUR } }',
        '{ resource: items, with: { old: { schema: { type: string } } } }',
      ]),
    );
    assert.deepEqual(changes, [
      { kind: 'absent', resource: 'reviews' },
      {
        kind: 'values',
        resource: 'items',
        field: 's',
        up: new Map([['"a"', 'A']]),
        down: new Map([['"A"', 'a']]),
        isOneToOne: true,
      },
      { kind: 'rename', resource: 'items', from: 'title', to: 'name' },
      { kind: 'without', resource: 'items', field: 'currency' },
      { kind: 'fill', resource: 'items', field: 'currency', value: 'EUR' },
      { kind: 'with', resource: 'items', field: 'old', out: null },
    ]);
  });

  it('[VER-5a] say what is shown for values that have not exactly one older value', () => {
    const resources = items('s: { type: string, enum: [A, B, C, D] }');
    const pairs = 'values: { s: { one: A, two: A, B: C } }';
    const { changes } = loadOlder(versioned(resources, [`{ resource: items, ${pairs}, default_out: { s: two } }`]));
    assert.deepEqual(changes, [
      {
        kind: 'values',
        resource: 'items',
        field: 's',
        up: new Map([
          ['"one"', 'A'],
          ['"two"', 'A'],
          ['"B"', 'C'],
        ]),
        down: new Map([
          ['"C"', 'B'],
          ['"A"', 'two'],
          ['"B"', 'two'],
        ]),
        isOneToOne: false,
      },
    ]);
  });
});

describe('a chain of versions', () => {
  const text = `name: shop
version: 3.0.0
default_version: 2
resources: { items: { schema: { type: object, properties: { c: { type: string } } } } }
versions:
  2.1.0: { deprecated: 2026-06-01, sunset: 2028-06-01, changes: [{ resource: items, rename: { b: c } }] }
  2.0.0: { retired: true, changes: [{ resource: items, with: { x: { schema: { type: string } } } }] }
  1.9.0: { changes: [{ resource: items, rename: { a: b } }] }
  1.8.0: { retired: true, changes: [{ resource: gone, absent: true }] }
`;

  it('[VER-5a] derives each version from the one before, a retired one where another derives from it', () => {
    const { versions } = load(text).model;
    assert.deepEqual(
      versions.map(({ version, retired, changes, model }) => [
        Object.values(version).join('.'),
        retired,
        changes.length,
        [...(model.resources.get('items')?.field.keys() ?? [])].join(),
        Object.values(model.version).join('.'),
      ]),
      [
        ['2.1.0', false, 1, 'b', '2.1.0'],
        ['2.0.0', true, 1, 'b,x', '2.0.0'],
        ['1.9.0', false, 1, 'a', '1.9.0'],
        ['1.8.0', true, 0, 'a', '1.9.0'],
      ].map((row) => (row[0] === '1.9.0' || row[0] === '1.8.0' ? [...row.slice(0, 3), 'a,x', row[4]] : row)),
    );
  });

  it('[VER-4b] has the dates in seconds, at midnight GMT', () => {
    const [first, second] = load(text).model.versions;
    assert.deepEqual([first?.deprecated, first?.sunset], [Date.UTC(2026, 5, 1) / 1000, Date.UTC(2028, 5, 1) / 1000]);
    assert.deepEqual([second?.deprecated, second?.sunset], [null, null]);
  });

  it('[CACHE-1] has a fingerprint for each, which changes with the changes', () => {
    const prints = (source: string): readonly string[] => {
      const { model } = load(source);
      return [model.fingerprint, ...model.versions.slice(0, 3).map((each) => each.model.fingerprint)];
    };
    const all = [
      ...prints(text),
      ...prints(text.replace('rename: { b: c }', 'rename: { bb: c }').replace('a: b', 'a: bb')),
    ];
    assert.equal(new Set(all).size, 8);
  });
});
