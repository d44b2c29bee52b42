import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { UnusableDatabase } from '../../../../src/stores/sql/schema/schema-errors.ts';
import { openSqliteCatalogue } from '../../../../src/stores/sqlite/catalogue/sqlite-catalogue.ts';
import { openSqlite } from '../../../../src/stores/sqlite/sqlite-store.ts';
import { databaseWith, draftTables } from '../../../introspect/table-drafts.ts';
import { load } from '../../../model/loading.ts';
import { temporaryDirectory } from '../../../temporary-directory.ts';
import { threadTime } from '../../../thread-time.ts';
import { Database, driver, driverName } from '../driver-under-test.ts';

/** Reads all of a catalogue. */
async function readCatalogue(file: string): Promise<readonly string[]> {
  const catalogue = openSqliteCatalogue(file, { driver: driverName, timeout: 0 });
  try {
    const names = (await catalogue.list()).map(({ name }) => name);
    await catalogue.describe(names);
    return names;
  } finally {
    await catalogue.close();
  }
}

describe('the catalogue of a SQLite file', () => {
  it('lists tables and views, with the reason where no resource can show them', async (context) => {
    const file = databaseWith(
      context,
      `create table b (id integer primary key autoincrement); create view a as select 1;
       create virtual table docs using fts5(x); create table restwright_meta2 (x)`,
    );
    const catalogue = openSqliteCatalogue(file, { driver: driverName });
    const entries = await catalogue.list();
    await catalogue.close();
    assert.deepEqual(
      entries.filter(({ name }) => !name.startsWith('docs_')).map(({ name, kind, closed }) => [name, kind, closed]),
      [
        ['a', 'view', null],
        ['b', 'table', null],
        ['docs', 'table', 'virtual'],
        ['restwright_meta2', 'table', 'restwright'],
        ['sqlite_sequence', 'table', 'system'],
      ],
    );
    assert.ok(entries.some(({ name, closed }) => name === 'docs_idx' && closed === 'shadow'));
  });

  it('describes a column that cannot be selected, with the error', async (context) => {
    const file = path.join(temporaryDirectory(context), 'shop.sqlite');
    const other = driver.open(file, { mode: 'create', timeout: 0 });
    other.function('price', { deterministic: true, varargs: true }, () => 1);
    other.exec('create table a (id integer primary key, b int, c int as (price(b))); insert into a (b) values (1)');
    other.close();
    const [table] = (await draftTables(file)).resources;
    assert.deepEqual(
      table?.fields.map(({ name }) => name),
      ['b'],
    );
    assert.match(table?.notes.join() ?? '', /^left out: c: .+ function: price/);
  });

  it('keeps the tables of a model of Restwright apart from all others', async (context) => {
    const file = path.join(temporaryDirectory(context), 'own.db');
    const { model } = load(
      'name: shop\nresources: { items: { schema: { type: object, properties: { n: { type: integer } } } } }',
    );
    await (await openSqlite({ path: file, model, driver: driverName })).close();
    await assert.rejects(
      draftTables(file),
      /^DataError: it is a database of Restwright; serve the model that it belongs to, or export its rows$/,
    );
    new Database(file).exec('create table other (id integer primary key)').close();
    const { resources, notes } = await draftTables(file);
    assert.deepEqual(
      resources.map(({ name }) => name),
      ['others'],
    );
    assert.ok(notes.includes('Left out: items: rows of a model of Restwright; serve that model.'), notes.join('\n'));
  });

  it('is read without a change to the file', async (context) => {
    const file = databaseWith(context, 'create table a (id integer primary key)');
    const before = readFileSync(file);
    assert.deepEqual(await readCatalogue(file), ['a']);
    assert.deepEqual(readFileSync(file), before);
  });

  it('of 500 tables with 10,000 columns takes less than 4 s of processor time', async (context) => {
    const columns = Array.from({ length: 19 }, (_, index) => `"column ${index}" text`).join(', ');
    const tables = Array.from(
      { length: 500 },
      (_, index) => `create table "table ${index}" (id integer primary key, ${columns}, unique ("column 1"));
        insert into "table ${index}" (id) values (1), (2)`,
    );
    const file = databaseWith(context, tables.join(';'));
    const start = threadTime();
    assert.equal((await draftTables(file)).resources.length, 500);
    assert.ok(threadTime() - start < 4_000, `${threadTime() - start} ms`);
  });
});

describe('a file that is no readable SQLite database', () => {
  const message = (file: string, text: string) => (error: unknown) =>
    error instanceof UnusableDatabase && error.message === `${file} ${text}`;

  it('is an error that says so, and that it may be encrypted', async (context) => {
    const file = path.join(temporaryDirectory(context), 'a.sqlite');
    writeFileSync(file, 'x'.repeat(5_000));
    await assert.rejects(
      readCatalogue(file),
      message(file, 'is not a SQLite database, or it is encrypted. Name another file, or a decrypted copy.'),
    );
  });

  it('is an error with the damage', async (context) => {
    const file = databaseWith(context, 'create table a (id integer primary key, b text)');
    const bytes = readFileSync(file);
    // The page of the schema, after the header of the file.
    writeFileSync(file, bytes.fill(0xff, 100, 4_096));
    await assert.rejects(
      readCatalogue(file),
      (error) =>
        error instanceof UnusableDatabase && / is damaged: .+\. Restore a backup, or recover it/.test(error.message),
    );
  });

  it('is an error where another process has locked it', async (context) => {
    const file = databaseWith(context, 'create table a (id integer primary key)');
    const other = new Database(file).exec('begin exclusive');
    context.after(() => other.close());
    await assert.rejects(
      readCatalogue(file),
      message(file, 'is locked by another process. Wait for that process or end it, then try again.'),
    );
  });

  it('is an error where there is none', async (context) => {
    const file = path.join(temporaryDirectory(context), 'gone.sqlite');
    await assert.rejects(
      readCatalogue(file),
      message(file, 'cannot be opened. Check the permissions of the file and, for its write-ahead log, of its folder.'),
    );
  });
});
