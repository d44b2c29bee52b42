import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readOnlyModel } from '../../../../src/model/compile/read-only-model.ts';
import { ModelError } from '../../../../src/model/document/model-error.ts';
import { itemsDocument, listProblems, load, resource } from '../../loading.ts';

const NAME = 'name: { type: string }';
const SECRET = 'token: { type: string }';

/** Each with the members of the resource, and the problem at its path. */
const REFUSED: readonly (readonly [title: string, members: string, path: string, cause: RegExp])[] = [
  ['a key without a table', 'key: id', 'resources.items.key', /key needs table/],
  ['a column of a time without a table', 'created_at: at', 'resources.items.created_at', /created_at needs table/],
  ['a column of no field', 'table: t\ncolumns: { nmae: x }', 'resources.items.columns.nmae', /there is no field nmae/],
  ['ids of its own', 'table: t\nid: client', 'resources.items.id', /the values of its key/],
  ['a former name', 'table: t\nwas: others', 'resources.items.was', /not renamed by the server/],
  ['a parent', 'table: t\nparent: items', 'resources.items.parent', /has no parent/],
  ['a rule on its parent', 'table: t\non_parent_delete: cascade', 'resources.items.on_parent_delete', /has no parent/],
  ['changes without a table', 'changes: triggers', 'resources.items.changes', /changes needs table/],
  ['changes by something else', 'table: t\nchanges: polling', 'resources.items.changes', /none/],
  [
    'changes of rows that are only read',
    'table: t\nread_only: true\nchanges: triggers',
    'resources.items.changes',
    /only read has no events/,
  ],
  ['changes without events', 'table: t\nevents: none\nchanges: triggers', 'resources.items.changes', /has no events/],
  ['an unknown member', 'tabel: t', 'resources.items.tabel', /unknown/],
];

/** The members of a resource that writes use. */
const WRITES: readonly string[] = [
  'read_only: false',
  'events: full',
  'require_if_match: true',
  'idempotency: required',
  'tombstones: 1d',
  'generated: { token: { secret: tk_ } }',
];

/** A model with own resources and those of tables, which refer to each other. */
const MIXED = `
name: shop
auth:
  issuers: [{ name: test, issuer: 'https://id.example.com', audience: test, hs256_secret: '0123456789abcdef0123456789abcdef' }]
  api_keys: true
webhooks: {}
resources:
  films:
    table: film
    schema:
      type: object
      required: [title]
      properties:
        title: { type: string }
        genre_id: { type: string, x-references: { resource: genres, inverse: films } }
        pin: { type: string, writeOnly: true }
  lines: { table: line, key: [film_id, number], schema: { type: object, properties: { text: { type: string } } } }
  genres: { schema: { type: object, properties: { name: { type: string } } } }
  reviews:
    schema: { type: object, properties: { film_id: { type: string, x-references: { resource: films, on_delete: cascade } } } }
`;

describe('the table of a resource', () => {
  for (const [title, members, path, cause] of REFUSED) {
    it(`is refused with ${title}, at its line`, () => {
      const problems = listProblems(itemsDocument(NAME, members));
      const problem = problems.find((each) => each.path === path && cause.test(each.cause));
      assert.ok(problem !== undefined && problem.line > 3, problems.map((each) => each.cause).join('\n'));
    });
  }

  for (const [place, at, cause] of [
    ['in it', 'films', /a column of a table holds one reference/],
    ['to it, in own rows', 'reviews', /films shows a table that exists, to which a list cannot refer/],
  ] as const)
    it(`is refused with a list of references ${place}`, () => {
      const list = 'fellows: { type: array, items: { type: string, x-references: films } }';
      const [first, separator] = at === 'films' ? ['title:', '\n        '] : ['film_id:', ', '];
      const problems = listProblems(MIXED.replace(first, `${list}${separator}${first}`));
      const problem = problems.find((each) => cause.test(each.cause));
      assert.equal(problem?.path, `resources.${at}.schema.properties.fellows.items.x-references`);
    });

  it('[VER-5a] [REP-6] may have older versions, in which the columns of its key stay immutable by any name', () => {
    const versions = `version: 2.0.0
default_version: 2
versions: { 1.0.0: { changes: [{ resource: items, rename: { title: name }, with: { line: { schema: { type: string } } } }] } }
`;
    const table = 'table: t\nkey: [line]\ncolumns: { name: line }';
    const { model } = load(`${itemsDocument(NAME, table)}${versions}`);
    const [older] = model.versions;
    assert.ok(older !== undefined);
    assert.deepEqual(
      resource(older.model, 'items').fields.map(({ name, immutable }) => [name, immutable]),
      [
        ['title', true],
        ['line', false],
      ],
    );
  });

  for (const members of WRITES)
    it(`may have ${members}`, () => {
      assert.deepEqual(listProblems(itemsDocument(SECRET, `table: t\n${members}`)), []);
    });

  it('may have a state', () => {
    const properties = 'status: { type: string, enum: [OPEN, DONE] }';
    const state = 'table: t\nstate: { field: status, initial: OPEN, transitions: { OPEN: [DONE] } }';
    const { model } = load(itemsDocument(properties, state, 'status'));
    assert.equal(resource(model, 'items').state?.initial, 'OPEN');
  });

  it('can be written, has thin events, and is ordered by its key, without times that have no column', () => {
    const { model } = load(itemsDocument(NAME, 'table: t\nupdated_at: changed'));
    const { readOnly, events, timeField, sort, properties } = resource(model, 'items');
    assert.deepEqual([readOnly, events, timeField], [false, 'thin', null]);
    assert.deepEqual(sort, [{ path: 'id', descending: false }]);
    assert.deepEqual([...properties.keys()], ['id', 'name', 'updated_at', 'revision']);
  });

  it('has ids that clients may choose, or leave to it', () => {
    const id = { kind: 'client', pattern: null, optional: true, number: false };
    for (const key of ['', 'key: [order_id, line]'])
      assert.deepEqual(resource(load(itemsDocument(NAME, `table: t\n${key}`)).model, 'items').id, id);
  });

  it('[REP-6] has immutable fields for the columns of a key that it names', () => {
    const columns = 'key: [line, Order]\ncolumns: { name: Order }';
    const fixed = resource(
      load(itemsDocument(`${NAME}, line: { type: integer }, note: { type: string }`, `table: t\n${columns}`)).model,
      'items',
    );
    assert.deepEqual(
      fixed.fields.map(({ name, immutable }) => [name, immutable]),
      [
        ['name', true],
        ['line', true],
        ['note', false],
      ],
    );
  });

  it('has no changes of other programs, unless the model says so', () => {
    const { model } = load(itemsDocument(NAME, 'table: t'));
    assert.equal(resource(model, 'items').table?.changes, 'none');
    const { model: other } = load(itemsDocument(NAME, 'table: t\nchanges: triggers'));
    assert.equal(resource(other, 'items').table?.changes, 'triggers');
  });

  it('is read-only where the model says so', () => {
    const { model } = load(itemsDocument(NAME, 'table: t\nread_only: true'));
    assert.equal(resource(model, 'items').readOnly, true);
  });

  it('may be next to own resources, webhooks and API keys, with references both ways', () => {
    const { model } = load(MIXED);
    const { dependents, fields } = resource(model, 'films');
    assert.deepEqual(dependents, [
      { resource: 'reviews', field: 'film_id', many: false, onDelete: 'cascade', child: false },
    ]);
    assert.equal(fields.find(({ name }) => name === 'genre_id')?.reference?.resource, 'genres');
    assert.deepEqual(
      resource(model, 'genres').links.map(({ name }) => name),
      ['films'],
    );
    const own = [...model.resources.values()].filter(({ table }) => table === null).map(({ name }) => name);
    for (const name of ['genres', 'reviews', 'webhooks', 'api_keys']) assert.ok(own.includes(name), name);
  });
});

describe('a model of tables that is made read-only', () => {
  it('has no resource that is written, no events and no tombstones, and is frozen', () => {
    const { model } = load(itemsDocument(NAME, 'table: t\nevents: full\ntombstones: 1d\nchanges: triggers'));
    const readOnly = readOnlyModel(model);
    const item = resource(readOnly, 'items');
    assert.deepEqual([item.readOnly, item.events, item.tombstones], [true, 'none', null]);
    assert.equal(item.table?.changes, 'none');
    assert.equal(readOnly.collections.get('items'), item);
    assert.equal(resource(model, 'items').readOnly, false);
    assert.ok(Object.isFrozen(item) && Object.isFrozen(readOnly.resources));
  });

  it('is refused with the own resources that it has', () => {
    const { model } = load(MIXED);
    assert.throws(
      () => readOnlyModel(model),
      (error: unknown) => {
        assert.ok(error instanceof ModelError);
        const paths = error.problems.map(({ path }) => path);
        for (const path of ['resources.genres', 'resources.reviews', 'resources.webhooks', 'resources.api_keys'])
          assert.ok(paths.includes(path), path);
        assert.ok(!paths.includes('resources.films'));
        return true;
      },
    );
  });
});
