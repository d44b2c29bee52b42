import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DataError } from '../../src/infer/data-error.ts';
import type { ModelDraft } from '../../src/infer/model-draft.ts';
import { writeModel } from '../../src/infer/write-model.ts';
import { load } from '../model/loading.ts';
import { databaseWith, draftTables, modelOver, readField, resourceLines } from './table-drafts.ts';

/** The settings of a resource that name parts of a table. */
const TABLE_SETTINGS: ReadonlySet<string> = new Set(['table', 'key', 'columns', 'created_at', 'updated_at']);

/** A draft whose resources have tables of their own. */
function withoutTables(draft: ModelDraft): ModelDraft {
  const resources = draft.resources.map((resource) => ({
    ...resource,
    settings: Object.fromEntries(Object.entries(resource.settings).filter(([name]) => !TABLE_SETTINGS.has(name))),
  }));
  return { ...draft, resources };
}

describe('the model over a SQLite database', () => {
  it('has a resource for each table, with key, columns, required fields and references', async (context) => {
    const sql = `
      create table Artist (ArtistId integer primary key, Name nvarchar(120));
      create table "Music Album" (AlbumId integer primary key, Title nvarchar(160) not null,
        ArtistId integer not null references Artist (ArtistId), ReportsTo integer references ARTIST (artistID))`;
    assert.equal(
      await modelOver(context, sql),
      `# Read from shop.sqlite: check the types and remove what is not needed.
name: shop
version: 1.0.0

resources:
  artists:
    table: Artist
    key: ArtistId
    columns: { name: Name }
    schema:
      type: object
      properties:
        name: { type: string }

  music_albums:
    table: Music Album
    key: AlbumId
    columns: { title: Title, artist_id: ArtistId, reports_to_id: ReportsTo }
    schema:
      type: object
      required: [title, artist_id]
      properties:
        title: { type: string }
        artist_id: { type: string, x-references: { resource: artists, inverse: music_albums } }
        reports_to_id: { type: string, x-references: artists }
`,
    );
  });

  it('is valid but for the tables, whatever names these have', async (context) => {
    const file = databaseWith(
      context,
      `create table "group" (id integer primary key, "select" text, links text, revision int, created_at text,
         updated_at text, deleted_at text, type text, constructor text, "__proto__" text, "Links " text, LINKS_ text);
       create table user (id integer primary key, parent integer references user);
       create table users (id integer primary key, user integer references user, user_id integer references user);
       create table events (id integer primary key); create table auth (id integer primary key);
       create table get (id integer primary key); create table "products.labels" (id integer primary key, "a.b" text);
       create table "Ünïcode Tâble" ("Ä" text, "日本" text, "" text, id text primary key);
       create table one (id integer primary key, two integer references two);
       create table two (id integer primary key, one_id integer references one)`,
    );
    const draft = withoutTables(await draftTables(file));
    const { model } = load(writeModel(draft, 'schema'));
    assert.deepEqual(
      [...model.resources.keys()].toSorted(),
      'auths events gets groups ones products_labels twos unicode_tables users users_items'.split(' '),
    );
  });

  it('renames fields with reserved names, and says so', async (context) => {
    const sql = 'create table a (k integer primary key, id text, links text, "Created At" text, constructor text)';
    assert.deepEqual(resourceLines(await modelOver(context, sql), 'as').slice(2), [
      'columns:',
      'source_id: id',
      'source_links: links',
      'source_created_at: Created At',
      'source_constructor: constructor',
      'schema:',
      'type: object',
      'properties:',
      'source_id: { type: string } # renamed: id is a reserved name',
      'source_links: { type: string } # renamed: links is a reserved name',
      'source_created_at: { type: string } # renamed: Created At is a reserved name',
      'source_constructor: { type: string } # renamed: constructor is a reserved name',
    ]);
  });

  it('renames a resource whose name another table has, and says so', async (context) => {
    const model = await modelOver(
      context,
      'create table user (id integer primary key); create table users (id integer primary key)',
    );
    assert.deepEqual(resourceLines(model, 'users').slice(0, 2), ['table: users', 'key: id']);
    assert.deepEqual(resourceLines(model, 'users_items').slice(0, 3), [
      '# the name users is reserved or in use',
      'table: user',
      'key: id',
    ]);
  });

  it('writes many columns as a line each', async (context) => {
    const columns = Array.from({ length: 10 }, (_, index) => `"Column ${index}" text`).join(', ');
    const lines = resourceLines(await modelOver(context, `create table a (id integer primary key, ${columns})`), 'as');
    assert.deepEqual(lines.slice(2, 5), ['columns:', 'column_0: Column 0', 'column_1: Column 1']);
  });

  it('has created_at and updated_at where a column without nulls has date-times', async (context) => {
    const model = await modelOver(
      context,
      `create table a (id integer primary key, created text not null, lastUpdate datetime not null, n int);
       insert into a values (1, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00.5+02:00', 1);
       create table b (id integer primary key, created_at datetime not null default current_timestamp,
         updated_at datetime default current_timestamp);
       insert into b (id) values (1)`,
    );
    assert.deepEqual(resourceLines(model, 'as'), [
      'table: a',
      'key: id',
      'created_at: created',
      'updated_at: lastUpdate',
      'schema:',
      'type: object',
      'properties:',
      '"n": { type: integer }',
    ]);
    assert.ok(resourceLines(model, 'bs').includes('created_at: created_at'));
    assert.equal(
      readField(model, 'bs', 'source_updated_at'),
      '{ type: string, format: date-time } # renamed: updated_at is a reserved name; no zone: shown as UTC',
    );
  });

  it('has choices, literal defaults, unique fields and computed fields', async (context) => {
    const model = await modelOver(
      context,
      `create table a (id integer primary key, code text not null unique,
         status text not null default 'new' check (status in ('new', 'it''s done')), level int default 3,
         at text default current_timestamp, price text default '\${PRICE}',
         area int generated always as (level * level) stored not null)`,
    );
    assert.deepEqual(resourceLines(model, 'as').slice(4), [
      'required: [code, status]',
      'properties:',
      'code: { type: string, x-unique: true }',
      'status: { type: string, enum: [new, "it\'s done"], default: new }',
      'level: { type: integer, default: 3 }',
      'at: { type: string }',
      'price: { type: string }',
      'area: { type: integer, readOnly: true } # computed by the database',
    ]);
  });
});

describe('fields that are unique together', () => {
  it('are those of unique indexes on several columns, other than the key', async (context) => {
    const model = await modelOver(
      context,
      `create table part (x int not null, y int not null, z text, on_sale boolean, area real, data blob, updated_at int,
         unique (z, on_sale), unique (z, area), unique (z, data), primary key (y, x));
       create unique index swapped on part (x, y); create unique index renamed on part (y, updated_at);
       insert into part (x, y, on_sale, area, data) values (1, 2, true, 1.5, x'00')`,
    );
    const lines = resourceLines(model, 'parts');
    assert.deepEqual(lines.slice(0, lines.indexOf('schema:')), [
      'table: part',
      'key: ["y", x]',
      'columns: { source_updated_at: updated_at }',
      'unique: [[z, on_sale], ["y", source_updated_at]]',
      'indexes: [[z, area], z, ["y", x], [x, "y"]]',
    ]);
    assert.deepEqual(load(model).model.resources.get('parts')?.uniques, [
      ['z', 'on_sale'],
      ['y', 'source_updated_at'],
    ]);
  });

  it('are not those of an index with the key, which is no field', async (context) => {
    const model = await modelOver(context, 'create table a (id integer primary key, x int, unique (id, x))');
    assert.ok(!resourceLines(model, 'as').some((line) => line.startsWith('unique:')));
  });
});

describe('the key of a resource over a table', () => {
  const keys: readonly [title: string, sql: string, lines: readonly string[]][] = [
    ['is the primary key', 'create table a (x, id text primary key)', ['table: a', 'key: id']],
    [
      'is a list for a primary key of several columns, in its order',
      'create table a (x int, y text, primary key (y, x)) without rowid',
      ['table: a', 'key: ["y", x]'],
    ],
    [
      'is the rowid of a table without a key, without a name',
      'create table a (x int)',
      ['# no primary key: the rowid is the key, which a VACUUM may change', 'table: a', 'schema:'],
    ],
    [
      'is binary where the primary key is',
      "create table a (id blob primary key); insert into a values (x'00')",
      ['table: a', 'key: id'],
    ],
    [
      'is the shortest unique index without nulls of a table without a primary key',
      'create table a (x int not null, y int not null, z text not null unique, n int unique, unique (x, y))',
      ['# no primary key: a unique index is the key', 'table: a', 'key: z'],
    ],
    [
      'is no partial unique index and none on expressions',
      'create table a (x int not null); create unique index i on a (x) where x > 1; create unique index j on a (abs(x))',
      ['# no primary key: the rowid is the key, which a VACUUM may change', 'table: a', 'schema:'],
    ],
    [
      'is the rowid where the primary key has values that are no ids',
      'create table a (id real primary key)',
      [
        '# the values of the primary key cannot be ids: the rowid is the key, which a VACUUM may change',
        'table: a',
        'key: rowid',
      ],
    ],
    [
      'is another name of the rowid where a column is named rowid',
      'create table a (ROWID real primary key)',
      [
        '# the values of the primary key cannot be ids: the rowid is the key, which a VACUUM may change',
        'table: a',
        'key: "_rowid_"',
      ],
    ],
    [
      'is the rowid where the primary key is null in a row',
      'create table a (id text primary key); insert into a values (null), (null)',
      [
        '# the primary key is null in some rows: the rowid is the key, which a VACUUM may change',
        'table: a',
        'key: rowid',
      ],
    ],
  ];
  for (const [title, sql, lines] of keys) {
    it(title, async (context) => {
      assert.deepEqual(resourceLines(await modelOver(context, sql), 'as').slice(0, lines.length), lines);
    });
  }

  it('is no field, but a field each where it has several columns or is a reference', async (context) => {
    const model = await modelOver(
      context,
      `create table user (id integer primary key, name text);
       create table profile (id integer primary key references user, bio text);
       create table pair (x int, y int, primary key (x, y))`,
    );
    const [users, pairs, profiles] = ['users', 'pairs', 'profiles'].map((name) => resourceLines(model, name));
    assert.ok(users?.every((line) => !line.startsWith('id: ')));
    assert.deepEqual(pairs?.slice(-2), ['x: { type: integer }', '"y": { type: integer }']);
    assert.ok(
      profiles?.includes('user_id: { type: string, x-references: { resource: users, inverse: profiles } }'),
      profiles?.join('\n') ?? '',
    );
  });
});

describe('a foreign key', () => {
  it('is a comment where a model has no such reference', async (context) => {
    const model = await modelOver(
      context,
      `create table pair (x int, y int, primary key (x, y));
       create table code (id integer primary key, code text unique);
       create table a (id integer primary key, x int, y int, code text references code (code), gone int references gone,
         foreign key (x, y) references pair)`,
    );
    const lines = resourceLines(model, 'as');
    assert.equal(lines[0], '# no reference: x, y together refer to pair, and a reference is one column');
    assert.equal(
      readField(model, 'as', 'code'),
      '{ type: string } # no reference: it refers to code.code, which is not the key of codes',
    );
    assert.equal(
      readField(model, 'as', 'gone'),
      '{ type: integer } # no reference: it refers to gone, which is not in this model',
    );
  });

  it('may be part of a circle', async (context) => {
    const model = await modelOver(
      context,
      `create table egg (id integer primary key, hen int references hen);
       create table hen (id integer primary key, egg int references egg)`,
    );
    assert.equal(
      readField(model, 'eggs', 'hen_id'),
      '{ type: string, x-references: { resource: hens, inverse: eggs } }',
    );
    assert.equal(
      readField(model, 'hens', 'egg_id'),
      '{ type: string, x-references: { resource: eggs, inverse: hens } }',
    );
  });
});

describe('the comment at the start', () => {
  it('has everything that is left out, with the reason', async (context) => {
    const model = await modelOver(
      context,
      `create table a (id integer primary key autoincrement, "\${HOME}" text);
       create table b (id real primary key) without rowid;
       create view v as select * from a; create view broken as select * from gone;
       create virtual table docs using fts5(body); create table "\${x}" (id integer primary key)`,
    );
    assert.deepEqual(model.split('\n').slice(0, 8), [
      '# Read from shop.sqlite: check the types and remove what is not needed.',
      '# Left out: ${x}: a model cannot contain this name.',
      '# Left out: b: no column can be its key; add a primary key, a unique index of columns that are never null, or a resource with `key: COLUMN`.',
      '# Left out: broken: the database cannot read this view.',
      '# Left out: docs: virtual tables, such as indexes of a text search.',
      '# Left out: docs_config, docs_content, docs_data, docs_docsize, docs_idx: the storage of virtual tables.',
      '# Left out: sqlite_sequence: the database uses it itself.',
      'name: shop',
    ]);
    assert.equal(resourceLines(model, 'as')[0], '# left out: ${HOME}: a model cannot contain this name');
  });

  it('names ten tables for a reason, and counts the others', async (context) => {
    const views = Array.from({ length: 13 }, (_, index) => `create view v${10 + index} as select 1`).join(';');
    const model = await modelOver(context, `create table a (id integer primary key); ${views}`);
    assert.match(model, /^# Left out: v10, v11, v12, v13, v14, v15, v16, v17, v18, v19 and 3 more: a view/m);
  });
});

describe('a database without a table that a model can show', () => {
  const empty: readonly [title: string, sql: string, message: RegExp][] = [
    ['has no table at all', 'select 1', /^it has no table$/],
    ['has only views', 'create view v as select 1', /^it has only views, which have no key; write a model that names/],
    ['has only virtual tables', 'create virtual table v using fts5(x)', /^it has no table that a model can show$/],
  ];
  for (const [title, sql, message] of empty) {
    it(`is an error with the cause: it ${title}`, async (context) => {
      const isExplained = (error: unknown): boolean => error instanceof DataError && message.test(error.message);
      await assert.rejects(draftTables(databaseWith(context, sql)), isExplained);
    });
  }
});
