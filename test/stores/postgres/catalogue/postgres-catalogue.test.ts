import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { writeValidModel } from '../../../../src/infer/valid-model.ts';
import { writeModel } from '../../../../src/infer/write-model.ts';
import { introspectDatabase } from '../../../../src/introspect/introspect-database.ts';
import type { TableSelection } from '../../../../src/introspect/select-tables.ts';
import { openPostgresCatalogue } from '../../../../src/stores/postgres/catalogue/postgres-catalogue.ts';
import { readField, resourceLines } from '../../../introspect/table-drafts.ts';
import { startOwnPostgres } from '../../../postgres-server.ts';
import { SHOP } from './shop-sql.ts';

const server = await startOwnPostgres();
after(() => server.stop());

/** The URL of a database of the server, for a user. */
function urlFor(database: string, user = 'postgres'): string {
  const url = new URL(server.url('public'));
  url.searchParams.delete('schema');
  url.pathname = `/${database}`;
  url.username = user;
  return url.href;
}

/** Runs statements, as another program does. @returns the rows of the last one */
async function execute(database: string, sql: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: urlFor(database) });
  await client.connect();
  try {
    const results = [await client.query<object>(sql)].flat();
    return results.at(-1)?.rows ?? [];
  } finally {
    await client.end();
  }
}

async function createDatabase(name: string, sql: string): Promise<void> {
  await execute('postgres', `create database ${name}`);
  await execute(name, sql);
}

/** The model over the tables of a database. */
async function modelOver(url: string, selection: Partial<TableSelection> = {}): Promise<string> {
  const catalogue = await openPostgresCatalogue({ url });
  try {
    const all = { schema: [], tables: [], exclude: [], ...selection };
    const draft = await introspectDatabase(catalogue, { name: 'shop', title: 'shop' }, all);
    const text = writeModel(draft, 'schema');
    // The compiler accepts all of it.
    assert.equal(writeValidModel(draft, 'schema', 'shop.yaml').text, text);
    return text.replace(/^.*\n/, '');
  } finally {
    await catalogue.close();
  }
}

describe('the model over a PostgreSQL database', () => {
  let model = '';
  before(async () => {
    await createDatabase('shop', SHOP);
    model = await modelOver(urlFor('shop'), { schema: ['public', 'sales', 'old*', 'own', 'a.b'] });
  });

  it('begins with everything that is left out, and the reason', () => {
    assert.deepEqual(model.split('\n').slice(0, 8), [
      '# Read from shop: check the types and remove what is not needed.',
      '# Left out: public.${x}, a.b.c: a model cannot contain this name.',
      '# Left out: public.lines: no column can be its key; add a primary key, a unique index of columns that are never null, or a resource with `key: COLUMN`.',
      '# Left out: public.totals: a view has no key; to show one, add a resource with `table: VIEW` and `key: COLUMN`, which is unique and never null.',
      '# Left out: public.of_extension: an extension of the database uses it itself.',
      '# Left out: own.items: rows of a model of Restwright; serve that model.',
      '# Left out: own.restwright_meta: tables of Restwright itself.',
      'name: shop',
    ]);
  });

  it('has a field for each column of a type that a model has', () => {
    const lines = resourceLines(model, 'types');
    assert.deepEqual(lines.slice(0, 10), [
      '# left out: docs: a model has no type for jsonb[]',
      '# left out: words: a model has no type for tsvector',
      '# left out: at: a model has no type for point',
      '# left out: x: a model has no type for xml',
      'table: public.types',
      'key: id',
      'schema:',
      'type: object',
      'description: Every type',
      'required: [flag, amount]',
    ]);
    assert.deepEqual(lines.slice(11), [
      'small: { type: integer }',
      String.raw`whole: { type: integer, description: "A whole number.\nOf \"any\" size." }`,
      'big: { type: string, format: int64 }',
      'exact: { type: string, format: decimal, x-precision: 10, x-scale: 2 }',
      'free: { type: string, format: decimal }',
      'hundreds: { type: string, format: decimal, x-precision: 7, x-scale: 0 }',
      'tiny: { type: string, format: decimal, x-precision: 5, x-scale: 5 }',
      'r: { type: number }',
      'd: { type: number }',
      'flag: { type: boolean, default: true }',
      't: { type: string }',
      'code: { type: string, maxLength: 8 }',
      'fixed: { type: string, maxLength: 3 }',
      'c: { type: string }',
      '"n": { type: string }',
      'day: { type: string, format: date, default: "2020-02-29" }',
      'clock: { type: string } # time without time zone, as text',
      'zoned: { type: string } # time with time zone, as text',
      'local: { type: string, format: date-time } # no zone: read as UTC',
      'instant: { type: string, format: date-time }',
      'span: { type: string, format: duration }',
      'key: { type: string, format: uuid }',
      'bytes: { type: string, contentEncoding: base64 }',
      'doc: { type: json }',
      'docb: { type: json }',
      'pairs: { type: object, additionalProperties: { type: [string, "null"] } }',
      'ip: { type: string } # inet, as text',
      'net: { type: string } # cidr, as text',
      'mac: { type: string } # macaddr, as text',
      'price: { type: string } # money, as text',
      'bits: { type: string } # bit, as text',
      'more: { type: string } # bit varying, as text',
      'feeling: { type: string, enum: [sad, "it\'s ok", happy], default: happy }',
      'feelings: { type: array, items: { type: string, enum: [sad, "it\'s ok", happy] } }',
      'tags: { type: array, items: { type: string } }',
      'prices: { type: array, items: { type: string, format: decimal, x-precision: 6, x-scale: 1 } }',
      'grid: { type: array, items: { type: integer } }',
      'addresses: { type: array, items: { type: string } } # address, as text',
      'amount: { type: integer, minimum: 1, maximum: 99, default: 12 }',
      'amounts: { type: array, items: { type: integer, minimum: 1, maximum: 99 } }',
      'wear: { type: string, enum: [S, M] }',
      'place: { type: string } # address, as text',
      'span_of: { type: string } # int4range, as text',
      'spans: { type: string } # int4multirange, as text',
      'total: { type: integer, readOnly: true } # computed by the database',
      'num: { type: integer, readOnly: true } # computed by the database',
      'order: { type: integer, readOnly: true } # computed by the database',
    ]);
  });

  it('has the lists and bounds of valid check constraints and of domains', () => {
    assert.deepEqual(resourceLines(model, 'checks').slice(4), [
      'required: [status]',
      'properties:',
      'status: { type: string, enum: [new, "it\'s done"], default: new }',
      'kind: { type: string, maxLength: 9, enum: [a, b] }',
      'one: { type: string, enum: [only] }',
      'level: { type: integer, enum: [1, 2, -3] }',
      'either: { type: string, enum: [x, "y"] }',
      'maybe: { type: string, enum: [p, q] }',
      'other: { type: string }',
      'stars: { type: integer, minimum: 1, maximum: 5 }',
      'above: { type: string, format: decimal, x-precision: 6, x-scale: 2, exclusiveMinimum: 0.5, exclusiveMaximum: 1000 }',
      'below: { type: string, format: int64, maximum: -1 }',
      'pair_low: { type: integer, minimum: 10 }',
      'pair_high: { type: integer }',
      'long: { type: string }',
      'loose: { type: string }',
      'same: { type: string }',
      'mixed: { type: integer }',
      'flag: { type: boolean }',
      'size: { type: string, enum: [S, M], default: M }',
      'cut: { type: string, format: decimal }',
      'late: { type: string }',
    ]);
  });

  it('has keys, unique fields and times', () => {
    assert.deepEqual(resourceLines(model, 'customers'), [
      'table: public.customers',
      'key: id',
      'created_at: created_at',
      'updated_at: updated',
      'schema:',
      'type: object',
      'required: [email]',
      'properties:',
      'email: { type: string, x-unique: true }',
    ]);
    assert.deepEqual(resourceLines(model, 'order_lines').slice(0, 2), [
      'table: public.order_lines',
      'key: [line, order_id]',
    ]);
    assert.deepEqual(resourceLines(model, 'two_uniques').slice(0, 3), [
      '# no primary key: a unique index is the key',
      'table: public.two_unique',
      'key: b',
    ]);
  });

  it('has the indexes of all rows in the order of their columns', async () => {
    await createDatabase(
      'indexed',
      `create table film (id integer primary key, title text, year integer, code text unique, changed timestamptz not null, place point);
       create index on film (title, year) include (code); create index on film (year desc, id desc); create index on film (changed);
       create index on film (code, title); create index on film (title, year desc); create index on film (title text_pattern_ops);
       create index on film using hash (year); create index on film (lower(title)); create index on film (year) where id > 1;
       create table line (film integer, number integer, primary key (film, number))`,
    );
    const indexed = await modelOver(urlFor('indexed'));
    const listed = [...indexed.matchAll(/^ {4}indexes: (.*)$/gm)].map(([, indexes]) => indexes);
    assert.deepEqual(listed, ['[[title, year], [year, id], changed, [code, title]]', '[[film, number]]']);
  });

  it('has a reference for each foreign key of one column to the key of a resource', () => {
    assert.deepEqual(resourceLines(model, 'orders').slice(-3), [
      'customer_id: { type: string, x-references: { resource: customers, inverse: orders }, description: Who pays }',
      'parent_id: { type: string, x-references: { resource: orders, inverse: orders } }',
      'email: { type: string } # no reference: it refers to public.customers.email, which is not the key of customers',
    ]);
    const referring = (resource: string, inverse: string): string =>
      `{ type: string, x-references: { resource: ${resource}, inverse: ${inverse} } }`;
    assert.equal(readField(model, 'order_lines', 'order_id'), referring('orders', 'order_lines'));
    assert.equal(readField(model, 'eggs', 'hen_id'), referring('hens', 'eggs'));
    assert.equal(readField(model, 'hens', 'egg_id'), referring('eggs', 'hens'));
    assert.equal(
      resourceLines(model, 'shipments')[0],
      '# no reference: order_id, line together refer to public.order_lines, and a reference is one column',
    );
  });

  it('has a partitioned table as one, and tables that inherit from others', () => {
    assert.deepEqual(resourceLines(model, 'events_by_days').slice(0, 2), [
      'table: public.events_by_day',
      'key: [id, day]',
    ]);
    assert.doesNotMatch(model, /events_2020/);
    assert.equal(
      resourceLines(model, 'event_notes').filter((line) => line.startsWith('# no reference')).length,
      1,
      'a foreign key to a partitioned table is one',
    );
    assert.deepEqual(resourceLines(model, 'children').slice(-2), [
      'name: { type: string }',
      'school: { type: string }',
    ]);
  });

  it('names tables and columns as they are, and renames resources and fields', () => {
    assert.deepEqual(resourceLines(model, 'odd_tables').slice(0, 13), [
      '# left out: ${HOME}: a model cannot contain this name',
      'table: public.Odd Table',
      'key: id',
      'columns:',
      'first_name: First Name',
      'a_b: a.b',
      String.raw`say_hi: "say \"hi\""`,
      'first_name_2: FIRST NAME',
      'source_links: links',
      'source_revision: revision',
      'source_created_at: created_at',
      'source_deleted_at: deleted_at',
      'select: SELECT',
    ]);
    assert.deepEqual(resourceLines(model, 'odd_tables_items').slice(0, 4), [
      '# the name odd_tables is reserved or in use',
      'table: public.odd table',
      'key: ID',
      'columns: { odd_id: odd, first_name: First Name }',
    ]);
    for (const table of ['table: public.dotted.name', String.raw`table: "public.quo\"te"`, 'table: Old Sales.orders'])
      assert.ok(model.includes(`    ${table}\n`), table);
    assert.equal(
      readField(model, 'odd_tables', 'first_name_2'),
      '{ type: string } # renamed: another column is first_name',
    );
    assert.equal(
      readField(model, 'sales_orders', 'order_id'),
      '{ type: string, x-references: { resource: orders, inverse: sales_orders } }',
    );
  });

  it('has the schema that the URL names, else public', async () => {
    assert.match(await modelOver(`${urlFor('shop')}&schema=sales`), /^ {2}orders:\n {4}table: sales\.orders$/m);
    assert.match(
      await modelOver(urlFor('shop'), { tables: ['customers'] }),
      /^# Left out: the schemas Old Sales, a\.b, sales: name them with --schema\.$/m,
    );
  });
});

describe('the rights of a role', () => {
  before(() =>
    createDatabase(
      'rights',
      `create role app login; create role "other App" login;
       create table film (id integer primary key, title text, budget text); create table "The Actor" (id integer primary key);
       create table key (id integer primary key, name text); grant select (name) on key to app;
       create schema hidden; create table hidden.box (id integer primary key);
       grant select (id, title) on film to app; grant usage on schema hidden to "other App"`,
    ),
  );

  it('leave out tables and columns, with the statements that give them', async () => {
    const model = await modelOver(urlFor('rights', 'app'), { schema: ['*'] });
    assert.deepEqual(model.split('\n').slice(1, 5), [
      '# Left out: public.The Actor: may not be read: grant select on public."The Actor" to app;',
      '# Left out: public.key: may not be read: grant select on public.key to app;',
      '# Left out: hidden.box: may not be read: grant usage on schema hidden to app; grant select on hidden.box to app;',
      'name: shop',
    ]);
    assert.deepEqual(resourceLines(model, 'films'), [
      '# left out: budget: may not be read: grant select (budget) on public.film to app;',
      'table: public.film',
      'key: id',
      'schema:',
      'type: object',
      'properties:',
      'title: { type: string }',
    ]);
  });

  it('are an error where no table may be read; its statements work', async () => {
    const read = (): Promise<string> =>
      modelOver(urlFor('rights', encodeURIComponent('other App')), { tables: ['*actor'] });
    const [, grant = ''] = await read().then(
      () => [],
      (error: unknown) => /the owner permits it: (.+)$/.exec(String(error)) ?? [],
    );
    assert.equal(grant, 'grant select on public."The Actor" to "other App"');
    await execute('rights', grant);
    assert.match(await read(), /table: public\.The Actor$/m);
  });
});

describe('reading a catalogue', () => {
  it('changes nothing, and locks no table', async () => {
    await createDatabase('untouched', 'create table film (id integer primary key)');
    const relations = (): Promise<readonly unknown[]> =>
      execute('untouched', 'select oid, relname, xmin from pg_class order by oid');
    const beforeReading = await relations();
    const catalogue = await openPostgresCatalogue({ url: urlFor('untouched') });
    await catalogue.describe((await catalogue.list()).map(({ name }) => name));
    const sessions = await execute(
      'untouched',
      `select backend_xid, (select count(*)::int from pg_locks join pg_class on pg_class.oid = relation
         where pg_locks.pid = activity.pid and relname = 'film') as locks
       from pg_stat_activity as activity where application_name = 'restwright init'`,
    );
    assert.deepEqual(sessions, [{ backend_xid: null, locks: 0 }]);
    await catalogue.close();
    assert.deepEqual(await relations(), beforeReading);
  });

  it('sees one state of the database, whatever others change', async () => {
    await createDatabase(
      'changing',
      'create table film (id integer primary key); create table actor (id integer primary key)',
    );
    const catalogue = await openPostgresCatalogue({ url: urlFor('changing') });
    await catalogue.list();
    await execute('changing', 'alter table film add title text; drop table actor');
    const described = await catalogue.describe(['public.film', 'public.actor']);
    await catalogue.close();
    assert.deepEqual(
      described.map(({ columns }) => columns.map(({ name }) => name)),
      [['id'], ['id']],
    );
  });

  it('drafts 500 tables', async () => {
    const columns = Array.from({ length: 9 }, (_, index) => `"column ${index}" varchar(20) default 'x'`).join(', ');
    const tables = Array.from(
      { length: 500 },
      (_, index) => `create table "table ${index}" (id serial primary key, ${columns}, unique ("column 1"),
        other integer references "table ${Math.max(index - 1, 0)}", check ("column 2" in ('x', 'y')))`,
    );
    await createDatabase('many', tables.join(';'));
    const model = await modelOver(urlFor('many'));
    assert.equal(model.match(/^ {4}table: /gm)?.length, 500);
  });
});

describe('a table whose updates a rule replaces', () => {
  it('is only read, as the start would say, and others can be written', async () => {
    const tables = 'create table ruled (id int primary key); create table noted (id int primary key)';
    const rules =
      'create rule kept as on update to ruled do instead nothing; create rule noticed as on insert to noted do also notify noted';
    await createDatabase('ruled', `${tables}; ${rules}`);
    const text = await modelOver(urlFor('ruled'));
    assert.ok(resourceLines(text, 'ruleds').includes('read_only: true'), text);
    assert.ok(!resourceLines(text, 'noteds').includes('read_only: true'), text);
  });
});

describe('a PostgreSQL database that cannot be read', () => {
  const refusals: readonly [title: string, url: string, message: RegExp][] = [
    [
      'does not exist',
      urlFor('gone'),
      /^UnusableDatabase: postgres:\S+\/gone\S* cannot be opened: database "gone" does not exist\.$/,
    ],
    [
      'is on a server that cannot be reached',
      'postgres://app:secret@127.0.0.1:1/shop',
      /^UnusableDatabase: postgres:\/\/app:\*\*\*@127\.0\.0\.1:1\/shop cannot be opened: .*ECONNREFUSED.*correct the host and the port in the URL\.$/,
    ],
  ];
  for (const [title, url, message] of refusals) {
    it(`is an error where it ${title}`, () => assert.rejects(openPostgresCatalogue({ url }), message));
  }

  it('is an error where its session ends', async () => {
    const catalogue = await openPostgresCatalogue({ url: urlFor('postgres') });
    await execute(
      'postgres',
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'restwright init'`,
    );
    await assert.rejects(catalogue.list(), /^UnusableDatabase: postgres:\S+ cannot be used\. The database/);
    await catalogue.close();
  });
});
