import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import { readOnlyModel } from '../../../src/model/compile/read-only-model.ts';
import type { SortKey } from '../../../src/model/model.ts';
import { EVERYTHING, type ListPlan } from '../../../src/plan/plan.ts';
import { findExistingTables } from '../../../src/stores/postgres/existing/existing-store.ts';
import { openPostgres } from '../../../src/stores/postgres/postgres-store.ts';
import type { Statement } from '../../../src/stores/sql/dialect.ts';
import { itemStatement, listStatement } from '../../../src/stores/sql/read/read-statements.ts';
import { lookupStatement, relatedStatement } from '../../../src/stores/sql/read/related-statements.ts';
import type { Tables } from '../../../src/stores/sql/tables.ts';
import { run } from '../../../src/cli/program.ts';
import { recordedTerminal } from '../../cli/recorded-terminal.ts';
import { killAll, startServer, waitUntilListening } from '../../cli/server-process.ts';
import { temporaryDirectory } from '../../temporary-directory.ts';
import { CINEMA, CINEMA_MODEL, type PostgresSource, postgresSource } from './postgres-source.ts';

let source: PostgresSource;
before(async () => {
  source = await postgresSource(CINEMA);
});
after(() => source.close());

const up = (...paths: readonly string[]): readonly SortKey[] => paths.map((path) => ({ path, descending: false }));

const WINDOW = { kind: 'seek', after: null, backward: false, limit: 2 } as const;

const LIST: Omit<ListPlan, 'resource' | 'order'> = {
  kind: 'list',
  within: [],
  filter: [],
  visible: EVERYTHING,
  window: WINDOW,
  count: { kind: 'none' },
  effort: 'light',
};

interface Planned {
  readonly title: string;
  readonly statement: (tables: Tables) => Statement;
  readonly reaches: RegExp;
}

const PLANNED: readonly Planned[] = [
  {
    title: 'a row by its id',
    statement: (tables) =>
      itemStatement(tables, { kind: 'item', resource: 'films', id: '2', within: [], visible: EVERYTHING }),
    reaches: /Index Scan using film_pkey on film shown.*\n.*Index Cond: \(film_id = /,
  },
  {
    title: 'a row by an id of several columns',
    statement: (tables) =>
      itemStatement(tables, { kind: 'item', resource: 'order_lines', id: 'x\\,y,1', within: [], visible: EVERYTHING }),
    reaches: /Index Scan using "Order Line_pkey".*\n.*Index Cond: .*"select".* = .* AND \(line = /,
  },
  {
    title: 'a page in the order of the key',
    statement: (tables) =>
      listStatement(tables, { ...LIST, resource: 'films', order: up('id'), window: { ...WINDOW, after: ['1'] } }),
    reaches: /Index Scan using film_pkey.*\n.*Index Cond: \(film_id > /,
  },
  {
    title: 'a page in the order of a key of several columns',
    statement: (tables) =>
      listStatement(tables, {
        ...LIST,
        resource: 'order_lines',
        order: up('id'),
        window: { ...WINDOW, after: ['x\\,y,1'] },
      }),
    reaches: /Index Scan using "Order Line_pkey".*\n.*Index Cond: \(ROW\(.*"select".*, line\) > ROW\(/,
  },
  {
    title: 'a page in the order of an indexed column with a collation',
    statement: (tables) =>
      listStatement(tables, {
        ...LIST,
        resource: 'films',
        order: up('title', 'id'),
        window: { ...WINDOW, after: ['car', '2'] },
      }),
    reaches: /Presorted Key: [^\n]*title\n[^]*Index Scan using film_title.*\n.*Index Cond: \(title >= /,
  },
  {
    title: 'the rows of a filter',
    statement: (tables) =>
      listStatement(tables, {
        ...LIST,
        resource: 'films',
        order: up('price', 'id'),
        filter: [{ path: 'price', operator: 'lt', value: '0.60' }],
      }),
    reaches: /film_price.*\n.*Index Cond: \(price < /,
  },
  {
    title: 'the rows that refer to one',
    statement: (tables) =>
      listStatement(tables, {
        ...LIST,
        resource: 'films',
        order: up('id'),
        filter: [{ path: 'customer_id', operator: 'in', values: ['2'] }],
      }),
    reaches: /film_customer.*\n.*Index Cond: \(customer = /,
  },
  {
    title: 'the rows of an expanded reference',
    statement: (tables) =>
      lookupStatement(tables, { resource: 'customers', rows: [{ id: '1', within: [] }], visible: EVERYTHING }),
    reaches: /customer_pkey.*\n.*Index Cond: \(id = /,
  },
  {
    title: 'the rows of an expanded inverse relation',
    statement: (tables) =>
      relatedStatement(tables, {
        resource: 'films',
        field: 'customer_id',
        owners: [{ id: '1', within: [] }],
        order: up('id'),
        limit: 2,
        visible: EVERYTHING,
        effort: 'light',
      }),
    reaches: /film_customer.*\n.*Index Cond: \(customer = /,
  },
];

describe('the plans of reads of tables that exist in PostgreSQL', () => {
  let tables: Tables;
  before(async () => {
    const model = readOnlyModel(loadModel({ text: CINEMA_MODEL }).model);
    ({ tables } = await findExistingTables({ url: source.readerUrl, model }));
    // Small tables are read whole without this.
    await source.change(
      `set enable_seqscan = off; set enable_bitmapscan = off; set enable_hashjoin = off; set enable_mergejoin = off; set enable_incremental_sort = on`,
    );
  });

  for (const { title, statement, reaches } of PLANNED)
    it(`reach ${title} by an index of the table`, async () => {
      const { text, values } = statement(tables);
      const plan = (await source.list(`explain ${text}`, values)).join('\n');
      assert.match(plan, reaches);
      assert.doesNotMatch(plan, /Seq Scan on (?:film|customer|"Order Line")|SubPlan/);
    });

  it('reach the arrays that contain an item by an index of arrays', async () => {
    const filter = [{ path: 'numbers', operator: 'contains', value: 1 }] as const;
    const { text, values } = listStatement(tables, { ...LIST, resource: 'lists', order: up('id'), filter });
    await source.change('set enable_bitmapscan = on; set enable_indexscan = off');
    const plan = (await source.list(`explain ${text}`, values)).join('\n');
    await source.change('set enable_bitmapscan = off; set enable_indexscan = on');
    assert.match(plan, /Bitmap Index Scan on lists_numbers.*\n.*Index Cond: \(numbers @> /);
  });
});

describe('two conditions on a column of a table that exists in PostgreSQL', () => {
  it('[AUTH-5a] both hold, whatever the collation: a filter widens no policy', async () => {
    const model = readOnlyModel(loadModel({ text: CINEMA_MODEL }).model);
    const { tables } = await findExistingTables({ url: source.readerUrl, model });
    const equal = (value: string) => ({ path: 'title', operator: 'in', values: [value] }) as const;
    // By bytes, B is before a; by the collation, all titles are between a and B.
    const plan: ListPlan = { ...LIST, resource: 'films', order: up('id'), filter: [equal('a'), equal('B')] };
    const { text, values } = listStatement(tables, plan);
    assert.deepEqual(await source.list(text, values), []);
  });
});

interface RefusedTables {
  readonly title: string;
  /** The members of the resource, besides its schema. */
  readonly resource: string;
  readonly properties?: string;
  readonly error: RegExp;
}

const REFUSED: readonly RefusedTables[] = [
  {
    title: 'a table that does not exist, with the nearest name',
    resource: 'table: public.flim',
    error: /items: there is no table public\.flim; did you mean film\?/,
  },
  {
    title: 'a table of another schema without its name, with the nearest name',
    resource: 'table: Order Lines',
    error: /items: there is no table Order Lines; did you mean Other Shop\.Order Line\?/,
  },
  {
    title: 'a column that does not exist, with the nearest name',
    resource: 'table: film',
    properties: 'titel: { type: string }',
    error: /items: the table film has no column titel; did you mean title\?/,
  },
  {
    title: 'a key that several rows have',
    resource: 'table: same\n    key: a',
    error: /items: the key \(a\) does not identify the rows of same: several have x; name another key/,
  },
  {
    title: 'a key that is NULL in some rows, although it is unique',
    resource: 'table: same\n    key: b',
    error: /items: the key \(b\) is NULL in 1 row of same; name another key/,
  },
  {
    title: 'a primary key that rows of an inheriting table have, too',
    resource: 'table: parent',
    error: /items: the key \(id\) does not identify the rows of parent: several have 1; name another key/,
  },
  {
    title: 'a view without a key',
    resource: 'table: cheap',
    error: /items: cheap has no primary key; name one with key/,
  },
  {
    title: 'a column of another type',
    resource: 'table: kinds',
    properties: 'letters: { type: integer }',
    error:
      /items\.letters: the column letters holds character varying\(9\), not what the model declares \(type: integer\); write type: string$/,
  },
  {
    title: 'an array with items of another type',
    resource: 'table: kinds',
    properties: 'numbers: { type: array, items: { type: boolean } }',
    error:
      /items\.numbers: the column numbers holds integer\[\], not what the model declares \(type: array, items: \{ type: boolean \}\); write type: array, items: \{ type: integer \}$/,
  },
  {
    title: 'a time of the rows in a column of another type',
    resource: 'table: kinds\n    updated_at: letters',
    error:
      /items\.updated_at: the column letters holds character varying\(9\), not times; name another column, or remove updated_at$/,
  },
  {
    title: 'a table that the role may not read, with the statement that grants it',
    resource: 'table: hidden',
    error: /items: (\w+_reader) may not read hidden: grant select on "public"\."hidden" to "\1";/,
  },
  {
    title: 'a schema that the role may not use, with the statement that grants it',
    resource: 'table: closed.door',
    error: /items: (\w+_reader) may not read closed\.door: grant usage on schema "closed" to "\1";/,
  },
];

function oneResource(resource: string, properties = ''): string {
  return `name: shop\nresources:\n  items:\n    ${resource}\n    schema: { type: object, properties: { ${properties} } }\n`;
}

describe('the start with tables that exist in PostgreSQL', () => {
  before(() =>
    source.change(`
create table same (a text, b int unique);
insert into same values ('x', 1), ('x', 2), ('y', null);
create table parent (id int primary key);
create table child () inherits (parent);
insert into parent values (1);
insert into child values (1);
create table hidden (id int primary key);
create schema closed;
create table closed.door (id int primary key);
grant select on same, parent, closed.door to READER;
`),
  );

  for (const { title, resource, properties, error } of REFUSED)
    it(`refuses ${title}`, async () => {
      const model = readOnlyModel(loadModel({ text: oneResource(resource, properties) }).model);
      await assert.rejects(openPostgres({ url: source.readerUrl, model }), error);
    });

  it('suggests a type for a column of each type, with which the model starts', async () => {
    const open = async (properties: string): Promise<string> => {
      const { model } = loadModel({ text: oneResource('table: kinds', properties) });
      const store = await openPostgres({ url: source.readerUrl, model: readOnlyModel(model) }).catch(String);
      if (typeof store === 'string') return store;
      await store.close();
      return 'started';
    };
    const columns: readonly (readonly [name: string, declared: string])[] = [
      ['yes', 'type: integer'],
      ['small', 'type: boolean'],
      ['exact', 'type: boolean'],
      ['double', 'type: string, format: date-time'],
      ['moment', 'type: integer'],
      ['bytes', 'type: object, additionalProperties: { type: string }'],
      ['bin', 'type: integer'],
      ['attributes', 'type: integer'],
      ['mood', 'type: array, items: { type: string }'],
      ['words', 'type: array, items: { type: json }'],
      ['numbers', 'type: string, format: date-time'],
    ];
    for (const [name, declared] of columns) {
      const refused = await open(`${name}: { ${declared} }`);
      const [, fix] = /; write (.*)$/.exec(refused) ?? assert.fail(`${name}: ${refused}`);
      assert.equal(await open(`${name}: { ${fix} }`), 'started', `${name}: ${fix}`);
    }
  });

  it('refuses a reference to rows that several columns identify, or whose key is of another type', async () => {
    const resource = (table: string, properties = '', columns = ''): string =>
      `{ table: '${table}', ${columns} schema: { type: object, properties: { ${properties} } } }`;
    const refer = (target: string): string => `a_id: { type: string, x-references: ${target} }`;
    const text = `name: shop\nresources:\n  lines: ${resource('Other Shop.Order Line')}\n  odds: ${resource('odd.name')}\n`;
    const refused = async (target: string): Promise<string> => {
      const { model } = loadModel({
        text: `${text}  items: ${resource('film', refer(target), 'columns: { a_id: customer },')}\n`,
      });
      const options = { url: source.url, model: readOnlyModel(model) };
      const failure: unknown = await openPostgres(options).catch((error: unknown) => error);
      assert.ok(failure instanceof Error);
      return failure.message;
    };
    assert.match(
      await refused('lines'),
      /items\.a_id: rows of lines are identified by several columns \(select, line\)/,
    );
    assert.match(
      await refused('odds'),
      /items\.a_id: the column customer \(integer\) cannot be compared with id \(uuid\) of odd\.name/,
    );
  });

  it('reads columns with the right of each of them alone, with digests as revisions', async () => {
    await source.change('grant select (id) on hidden to READER; insert into hidden values (1)');
    const model = readOnlyModel(loadModel({ text: oneResource('table: hidden') }).model);
    const store = await openPostgres({ url: source.readerUrl, model });
    const row = await store.rows.item({ kind: 'item', resource: 'items', id: '1', within: [], visible: EVERYTHING });
    assert.ok((row?.revision ?? 0) > 2 ** 32);
    await store.close();
  });

  it('refuses replicas: the tables are read from one server', async () => {
    const model = readOnlyModel(loadModel({ text: oneResource('table: film') }).model);
    await assert.rejects(openPostgres({ url: source.url, model, replicas: [source.url] }), /Name the replica itself/);
  });
});

describe('commands over tables that exist in PostgreSQL', () => {
  it('export their rows, and refuse to copy and migrate', async (context) => {
    const folder = temporaryDirectory(context);
    const model = join(folder, 'cinema.yaml');
    writeFileSync(model, CINEMA_MODEL);
    const command = async (...words: readonly string[]): Promise<readonly [number, string, string]> => {
      const terminal = recordedTerminal();
      const code = await run([...words], terminal);
      const { stdout, stderr } = terminal.written();
      return [code, stdout, stderr];
    };
    const [code, stdout, stderr] = await command('export', model, 'customers', '-', '--database', source.readerUrl);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^\{"id":"1","name":"Ann","revision":\d+\}\n\{"id":"2","name":"bob","revision":\d+\}\n$/);
    for (const words of [
      ['copy', model, '--from', source.url, '--to', join(folder, 'copy.db')],
      ['migrate', model, '--database', source.url, '--apply'],
    ])
      assert.match((await command(...words))[2], /the model shows tables that exist\. Use the tools/);
  });

  it('serve them with --read-only, and says that cursors end with the process', async (context) => {
    const folder = temporaryDirectory(context);
    writeFileSync(join(folder, 'cinema.yaml'), CINEMA_MODEL);
    const words = ['cinema.yaml', '--database', source.readerUrl, '--port', '0'];
    const server = startServer(folder, [...words, '--read-only']);
    context.after(() => killAll([server]));
    const url = await waitUntilListening(server);
    const page = await fetch(`${url}/v1/films`);
    assert.equal(page.status, 200);
    const again = await fetch(`${url}/v1/films`, { headers: { 'If-None-Match': page.headers.get('etag') ?? '' } });
    assert.equal(again.status, 304);
    server.child.kill('SIGTERM');
    assert.equal(await server.exited, 0);
    assert.match(server.stderr(), /temporary_secret/);
  });
});
