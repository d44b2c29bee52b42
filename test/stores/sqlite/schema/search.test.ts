import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { SortKey, ValueType } from '../../../../src/model/model.ts';
import type { ListPlan } from '../../../../src/plan/plan.ts';
import { BindParameters } from '../../../../src/stores/sql/dialect.ts';
import { listBatch } from '../../../../src/stores/sql/read/list-page.ts';
import { countStatement, listStatement } from '../../../../src/stores/sql/read/read-statements.ts';
import { Tables } from '../../../../src/stores/sql/tables.ts';
import { DEADLINE_FUNCTION, sqlite } from '../../../../src/stores/sqlite/dialect/sqlite-dialect.ts';
import { SqliteConnection } from '../../../../src/stores/sqlite/connection/sqlite-connection.ts';
import { prepareDatabase } from '../../../../src/stores/sqlite/schema/prepare-database.ts';
import { matchQuery } from '../../../../src/stores/sqlite/dialect/search-tables.ts';
import { defineFunctions } from '../../../../src/stores/sqlite/connection/sql-functions.ts';
import type { Store } from '../../../../src/stores/store.ts';
import { field, model, refersTo, resource, type ResourceOptions } from '../../../../store-suite/sample-model.ts';
import { commit, create, listIds, listPlan, remove, readRow, update } from '../../../../store-suite/sample-writes.ts';
import { temporaryDirectory } from '../../../temporary-directory.ts';
import { openSample } from '../open-sample.ts';
import { Database, driver } from '../driver-under-test.ts';

const TEXT: ValueType = { kind: 'text', format: null };
const NOTES: ResourceOptions = {
  name: 'notes',
  fields: [field('title', TEXT, { required: true }), field('body', TEXT), field('size', { kind: 'integer' })],
  search: ['title'],
};
const SEARCHED: Partial<ListPlan> = { resource: 'notes', filter: [{ operator: 'search', words: ['red'] }] };

const SEVERAL_TEXTS: ResourceOptions = {
  name: 'notes',
  fields: [
    field('title', TEXT),
    field('tags', { kind: 'array', item: { type: TEXT, nullable: false } }),
    field('place', { kind: 'object', members: [{ name: 'city', type: TEXT, nullable: true, required: false }] }),
  ],
  search: ['title', 'tags', 'place.city'],
};

function finding(word: string, name = 'notes'): Partial<ListPlan> {
  return { resource: name, filter: [{ operator: 'search', words: [word] }] };
}

interface Opened {
  readonly store: Store;
  /** The statements that were observed at the start. */
  readonly statements: readonly string[];
}

async function opened(context: TestContext, file: string, ...resources: readonly ResourceOptions[]): Promise<Opened> {
  const statements: string[] = [];
  const store = await openSample(
    {
      path: file,
      observe: (seen) => void (seen.kind === 'schema-changed' && statements.push(...seen.statements)),
    },
    model(resources.map((each) => resource(each))),
  );
  context.after(() => store.close());
  return { store, statements };
}

/** A file with two notes of a model. */
async function createFile(context: TestContext, ...resources: readonly ResourceOptions[]): Promise<string> {
  const file = path.join(temporaryDirectory(context), 'notes.db');
  const { store } = await opened(context, file, ...resources);
  await commit(
    store,
    create('notes', 'a', { title: 'Red shoe', body: 'blue', size: 1 }),
    create('notes', 'b', { title: 'Green hat', body: 'Red', size: 2 }),
  );
  await store.close();
  return file;
}

function edit(file: string, change: (database: Database) => void): void {
  const database = new Database(file);
  change(database);
  database.close();
}

/** The names of all search tables and triggers in a file. */
function searchNames(file: string): readonly string[] {
  const database = new Database(file, { readonly: true });
  const names = database.prepare("select name from sqlite_schema where name glob 'restwright_search*'");
  const all = names.texts();
  database.close();
  return all;
}

interface Change {
  readonly title: string;
  readonly after: ResourceOptions;
  readonly finds: Readonly<Record<string, readonly string[]>>;
}

const [TITLE, BODY, SIZE] = NOTES.fields;
assert.ok(TITLE && BODY && SIZE);
const RENAMED: ResourceOptions = {
  ...NOTES,
  fields: [field('name', TEXT, { required: true, was: 'title' }), BODY, SIZE],
  search: ['name'],
};

const CHANGES: readonly Change[] = [
  {
    title: 'adds a searched field',
    after: { ...NOTES, search: ['title', 'body'] },
    finds: { red: ['a', 'b'], blue: ['a'], hat: ['b'] },
  },
  { title: 'replaces the searched field', after: { ...NOTES, search: ['body'] }, finds: { red: ['b'], hat: [] } },
  { title: 'renames the searched field', after: RENAMED, finds: { red: ['a'], hat: ['b'] } },
  {
    title: 'renames the field and reuses its old name',
    after: { ...RENAMED, fields: [...RENAMED.fields, field('title', TEXT)], search: ['title', 'name'] },
    finds: { red: ['a'], hat: ['b'] },
  },
  {
    title: 'rebuilds the table',
    after: { ...NOTES, fields: [TITLE, field('body', TEXT, { required: true, default: '' }), SIZE] },
    finds: { red: ['a'], hat: ['b'] },
  },
  {
    title: 'renames the resource',
    after: { ...NOTES, name: 'papers', was: 'notes' },
    finds: { red: ['a'], hat: ['b'] },
  },
];

describe('the search index of a changed model', () => {
  for (const { title, after, finds } of CHANGES) {
    it(`[QRY-6] finds existing and new rows where the model ${title}`, async (context) => {
      const file = await createFile(context, NOTES);
      const { store, statements } = await opened(context, file, after);
      assert.ok(statements.length > 0);
      for (const [word, ids] of Object.entries(finds))
        assert.deepEqual(await listIds(store, finding(word, after.name)), ids, word);
      const searched = after.search?.at(-1) ?? '';
      const { revision } = await readRow(store, after.name, 'a');
      await commit(store, update(after.name, 'a', revision, { [searched]: 'new' }), remove(after.name, 'b', 2));
      assert.deepEqual(await listIds(store, finding('new', after.name)), ['a']);
      assert.deepEqual(await listIds(store, finding('hat', after.name)), []);
      await store.close();
      assert.deepEqual((await opened(context, file, after)).statements, []);
      assert.ok(searchNames(file).every((name) => name.startsWith(`restwright_search.${after.name}.`)));
    });
  }

  it('[QRY-6] is kept where a change of the table does not affect it', async (context) => {
    const file = await createFile(context, NOTES);
    const grown = { ...NOTES, fields: [...NOTES.fields, field('colour', TEXT)], indexes: [['size']] };
    const { store, statements } = await opened(context, file, grown);
    assert.ok(statements.length > 0);
    assert.deepEqual(
      statements.filter((each) => each.includes('search')),
      [],
    );
    assert.deepEqual(await listIds(store, SEARCHED), ['a']);
  });

  it('[QRY-6] is dropped where nothing is searched any more', async (context) => {
    const file = await createFile(context, NOTES);
    const { store } = await opened(context, file, { ...NOTES, search: [] });
    await commit(store, create('notes', 'c', { title: 'Red', body: null, size: 1 }));
    assert.deepEqual(searchNames(file), []);
  });

  it('[OPS-4d] is created for the rows of a file without one', async (context) => {
    const file = await createFile(context, { ...NOTES, search: [] });
    const { store } = await opened(context, file, NOTES);
    assert.deepEqual(await listIds(store, SEARCHED), ['a']);
  });

  it('[OPS-4d] is filled again where its word rules differ, or a part of it is missing', async (context) => {
    const spoil: readonly ((database: Database) => void)[] = [
      (database) => database.exec('drop trigger "restwright_search.notes.update"'),
      (database) => {
        const name = 'restwright_search.notes.insert';
        const [sql = ''] = database.prepare(`select sql from sqlite_schema where name = '${name}'`).texts();
        database.exec(`drop trigger "${name}"`).exec(sql.replace(/words \d+/, 'words 0'));
      },
    ];
    for (const change of spoil) {
      const file = await createFile(context, NOTES);
      edit(file, change);
      edit(file, (database) => database.exec(`delete from "restwright_search.notes.words"`));
      const { store } = await opened(context, file, NOTES);
      assert.deepEqual(await listIds(store, SEARCHED), ['a']);
    }
  });

  it('[OPS-4d] is not created by a process without migration, which refuses a file where a part of it is missing', async (context) => {
    const file = await createFile(context, NOTES);
    const joins = { path: file, migrate: false };
    await (await openSample(joins, model([resource(NOTES)]))).close();
    edit(file, (database) => database.exec('drop trigger "restwright_search.notes.insert"'));
    await assert.rejects(
      openSample(joins, model([resource(NOTES)])),
      /\ncreate trigger "restwright_search\.notes\.insert"/,
    );
    assert.ok(!searchNames(file).includes('restwright_search.notes.insert'));
  });

  it('[OPS-4d] remains valid after the file is vacuumed, which changes rowids', async (context) => {
    const file = await createFile(context, NOTES);
    const first = await opened(context, file, NOTES);
    await commit(first.store, remove('notes', 'a', 1));
    await first.store.close();
    edit(file, (database) => database.exec('vacuum'));
    const { store, statements } = await opened(context, file, NOTES);
    assert.deepEqual(statements, []);
    assert.deepEqual(await listIds(store, finding('green')), ['b']);
  });

  it('[QRY-6] is separate from those of resources with similar names', async (context) => {
    const names = ['notes', 'notes_data', 'notes_words', 'words', 'keys', 'search'];
    const resources = names.map((name) => ({ ...NOTES, name }));
    const { store } = await opened(context, ':memory:', ...resources);
    for (const name of names) await commit(store, create(name, name, { title: 'Red', body: null, size: 1 }));
    for (const name of names) assert.deepEqual(await listIds(store, finding('red', name)), [name]);
  });
});

describe('the search index and write units', () => {
  it('[QRY-6] has no words of a row that was refused for a missing reference', async (context) => {
    const linked = { ...NOTES, fields: [...NOTES.fields, field('about', TEXT, { reference: refersTo('notes') })] };
    const { store } = await opened(context, ':memory:', linked);
    const note = (id: string, about: string | null) =>
      create('notes', id, { title: 'Red', body: null, size: 1, about });
    const units = [[note('a', null)], [note('b', 'none')], [note('c', 'a'), note('d', 'none')], [note('e', 'a')]];
    const outcomes = await Promise.all(units.map((plans) => store.writes.commit({ plans })));
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['committed', 'reference', 'reference', 'committed'],
    );
    assert.deepEqual(await listIds(store, SEARCHED), ['a', 'e']);
  });

  it('[MET-14] is unchanged in all tables after a dry run', async (context) => {
    const file = await createFile(context, NOTES);
    const { store } = await opened(context, file, NOTES);
    const watcher = new Database(file, { readonly: true });
    context.after(() => watcher.close());
    const named = "select name from sqlite_schema where type = 'table' and name glob 'restwright_search*'";
    const names = watcher.prepare(named).texts();
    const dump = (): unknown => names.map((name) => watcher.prepare(`select * from "${name}"`).all());
    const before = dump();
    const plans = [create('notes', 'c', { title: 'Red', body: null, size: 1 }), remove('notes', 'a', 1)];
    assert.equal((await store.writes.commit({ plans, dry: true })).kind, 'committed');
    assert.deepEqual(dump(), before);
    assert.equal((await store.writes.commit({ plans })).kind, 'committed');
    assert.notDeepEqual(dump(), before);
  });
});

describe('the statement of a search', () => {
  const up = (...paths: readonly string[]): readonly SortKey[] =>
    paths.map((each) => ({ path: each, descending: false }));
  const notes = model([resource({ ...NOTES, indexes: [['size']] })]);
  const tables = new Tables(notes, sqlite);

  /** A database of so many notes, all of them red, and how often a statement checked its deadline. */
  function filled(context: TestContext, rows: number): { connection: SqliteConnection; looks: () => number } {
    const connection = SqliteConnection.writer(':memory:', driver);
    context.after(() => connection.close());
    defineFunctions(connection);
    let looked = 0;
    connection.defineFunction(DEADLINE_FUNCTION, false, () => {
      looked += 1;
      return 1;
    });
    prepareDatabase(connection, notes, { random: { hex: (bytes) => '00'.repeat(bytes) }, consent: 'none' });
    const add = `insert into notes (id, title, size, created_at, updated_at, revision)
      select 'n' || value, 'red ' || value, value % 7, value, value, value from json_each(?)`;
    connection.run(add, [JSON.stringify(Array.from({ length: rows }, (_, index) => index))]);
    return { connection, looks: () => looked };
  }

  const orders = [up('id'), up('created_at', 'id'), up('size', 'id'), up('title', 'id')];
  for (const order of orders) {
    it(`[PAGE-10] reads the matches first, then their rows, ordered by ${order[0]?.path ?? ''}`, (context) => {
      const { connection, looks } = filled(context, 1_000);
      const plan = listPlan({ ...finding('12'), order, effort: 'unbounded' });
      const { text, values } = listStatement(tables, plan);
      const details = connection.all(`explain query plan ${text}`, values).map(({ detail }) => String(detail));
      assert.ok(
        details.some((detail) => /^SEARCH notes .*\(id=\?\)/.test(detail)),
        details.join('\n'),
      );
      assert.deepEqual(
        details.filter((detail) => detail.startsWith('SCAN notes')),
        [],
      );
      const found = connection.all(text, values).length;
      assert.equal(found, 11);
      assert.ok(looks() <= 2 * found, `${looks()} looks at the deadline for ${found} rows`);
    });
  }

  /** Reads a page as a list does, and how often its statements check their deadlines. */
  function page(
    context: TestContext,
    rows: number,
    plan: Partial<ListPlan>,
  ): { ids: readonly string[]; looks: number } {
    const { connection, looks } = filled(context, rows);
    const batch = listBatch(tables, listPlan({ ...SEARCHED, effort: 'unbounded', ...plan })).statements('always');
    const found = batch.map(({ text, values }) => connection.all(text, values));
    assert.ok(found.filter((each) => each.length > 0).length <= 1, 'two statements have rows');
    return { ids: found.flat().map(({ id }) => String(id)), looks: looks() };
  }

  it('[QRY-6] finds the same rows by their texts as by the index', async (context) => {
    const found = model([resource(SEVERAL_TEXTS)]);
    const connection = SqliteConnection.writer(':memory:', driver);
    context.after(() => connection.close());
    defineFunctions(connection);
    prepareDatabase(connection, found, { random: { hex: (bytes) => '00'.repeat(bytes) }, consent: 'none' });
    const texts = ['Straße été', 'naïve Red-Shoe', 'red', '', 'x1 red9', 'ΣΊΣΥΦΟΣ', 'a"b NEAR c'];
    const rows = texts.flatMap((title, at) => texts.map((other, to) => [`${at}-${to}`, title, other]));
    const add = `insert into notes (id, title, tags, place, created_at, updated_at, revision)
      select value ->> 0, value ->> 1, json_array(value ->> 2), json_object('city', value ->> 1), 1, 1, 1 from json_each(?)`;
    connection.run(add, [JSON.stringify(rows)]);
    const table = new Tables(found, sqlite).of('notes').resource;
    for (const words of [['red'], ['strasse', 'r'], ['e'], ['σισυφοσ'], ['near'], ['x', 'x1'], ['none']]) {
      const [byIndex, byTexts] = [sqlite.search.bind(sqlite), sqlite.wordTest?.holds.bind(sqlite.wordTest)].map(
        (condition) => {
          const parameters = new BindParameters(sqlite);
          const text = condition?.(table, words, parameters, null) ?? assert.fail('no way to search');
          return connection.all(`select id from notes where ${text} order by id`, parameters.values);
        },
      );
      assert.deepEqual(byTexts, byIndex, words.join(' '));
      assert.equal(byIndex?.length === 0, words[0] === 'none', words.join(' '));
    }
  });

  for (const order of orders.slice(0, 3)) {
    const [first] = order;
    it(`[QRY-3] reads few of 25,000 matches if an index has the order ${first?.path ?? ''}`, (context) => {
      const { ids, looks } = page(context, 25_000, { order });
      assert.ok(looks < 12_000, `${looks} looks at the deadline`);
      const { connection } = filled(context, 25_000);
      const sorted = connection.all(
        `select id from notes order by ${order.map(({ path: key }) => key).join(', ')} limit ?`,
        [ids.length],
      );
      assert.deepEqual(
        ids,
        sorted.map(({ id }) => String(id)),
      );
    });
  }

  it('[QRY-3] collects the matches first if no index has the order', (context) => {
    const { ids, looks } = page(context, 25_000, { order: up('title', 'id') });
    assert.deepEqual([ids[0], ids[1], looks >= 25_000], ['n0', 'n1', true]);
  });

  it('[QRY-3] collects the matches first if the page is not among the first rows of the order', (context) => {
    const filter: ListPlan['filter'] = [
      { operator: 'search', words: ['red'] },
      { path: 'size', operator: 'gte', value: 6 },
    ];
    const window: ListPlan['window'] = { kind: 'offset', offset: 3_570, limit: 10 };
    const { ids, looks } = page(context, 25_000, { order: up('size', 'id'), filter, window });
    assert.deepEqual([ids.length, looks >= 25_000], [1, true]);
  });

  it('[QRY-3] checks its deadline at each match, before a row is read', (context) => {
    const { connection, looks } = filled(context, 500);
    const parameters = new BindParameters(sqlite);
    const condition = sqlite.search(
      resource({ name: 'notes', fields: [] }),
      ['red'],
      parameters,
      sqlite.deadline?.always ?? null,
    );
    const other = `select 1 from (select 'other' as id) as notes where ${condition}`;
    assert.deepEqual([connection.all(other, parameters.values), looks()], [[], 500]);
    const stopped = new Error('The time is over');
    connection.defineFunction(DEADLINE_FUNCTION, false, () => {
      throw stopped;
    });
    const plan = listPlan({ ...SEARCHED, effort: 'unbounded' });
    for (const { text, values } of [listStatement(tables, plan), countStatement(tables, plan, null)]) {
      assert.throws(() => connection.all(text, values), stopped);
    }
  });

  it('[QRY-3] leaves out a word that is a prefix of another one', () => {
    assert.equal(matchQuery(['a', 'ab', 'abc', 'b', 'xb']), '"abc" * AND "b" * AND "xb" *');
    assert.equal(matchQuery(['red']), '"red" *');
  });

  it('[QRY-3] finds prefixes of one and two letters in an index', (context) => {
    const { connection } = filled(context, 0);
    const { sql } =
      connection.get('select sql from sqlite_schema where name = ?', ['restwright_search.notes.words']) ?? {};
    assert.match(String(sql), /prefix = '1 2'/);
  });

  it('[QRY-3] has no checks where its plan has no deadline', () => {
    for (const effort of ['light', 'bounded'] as const) {
      assert.doesNotMatch(listStatement(tables, listPlan({ ...SEARCHED, effort })).text, /deadline/);
    }
  });

  it('[QRY-6] binds words as values: its text is the same for all', (context) => {
    const { connection } = filled(context, 10);
    const words = ['or', 'and', 'not', 'near', 'null', 'title', 'words', 'rowid', 'notes'];
    connection.run('update notes set title = ? where id = ?', [words.join(' NEAR "*" : '), 'n3']);
    const of = (...each: readonly string[]) =>
      listStatement(tables, listPlan({ resource: 'notes', filter: [{ operator: 'search', words: each }] }));
    const { text, values } = of(...words);
    assert.deepEqual(
      connection.all(text, values).map(({ id }) => id),
      ['n3'],
    );
    assert.equal(text, of('red').text);
  });
});
