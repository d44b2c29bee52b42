import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import { readOnlyModel } from '../../../src/model/compile/read-only-model.ts';
import { startApi } from '../../../src/start-api.ts';
import { openSqlite } from '../../../src/stores/sqlite/sqlite-store.ts';
import { temporaryDirectory } from '../../temporary-directory.ts';
import { sourceFile } from './source-file.ts';

interface Refused {
  readonly title: string;
  readonly sql: string;
  /** The members of the resource, besides its schema. */
  readonly resource: string;
  readonly properties: string;
  readonly error: RegExp;
}

const REFUSED: readonly Refused[] = [
  {
    title: 'a table that does not exist, with the nearest name',
    sql: 'create table film (id integer primary key)',
    resource: 'table: flim',
    properties: '',
    error: /items: there is no table flim; did you mean film\?/,
  },
  {
    title: 'a column that does not exist, with the nearest name',
    sql: 'create table film (id integer primary key, title text)',
    resource: 'table: film',
    properties: 'titel: { type: string }',
    error: /items: the table film has no column titel; did you mean title\?/,
  },
  {
    title: 'a key that several rows have',
    sql: "create table film (a text, b text); insert into film values ('x', '1'), ('x', '2'), ('y', '3')",
    resource: 'table: film\n    key: a',
    properties: 'b: { type: string }',
    error: /items: the key \(a\) does not identify the rows of film: several have x; name another key/,
  },
  {
    title: 'a primary key that is NULL in a row',
    sql: 'create table film (a text primary key, b text); insert into film values (null, 1)',
    resource: 'table: film',
    properties: 'b: { type: string }',
    error: /items: the key \(a\) is NULL in 1 row of film; name another key/,
  },
  {
    title: 'a view without a key',
    sql: 'create view film as select 1 as a',
    resource: 'table: film',
    properties: 'a: { type: integer }',
    error: /items: film has no primary key; name one with key/,
  },
  {
    title: 'a column of text for a field of numbers',
    sql: 'create table film (id integer primary key, length varchar(9))',
    resource: 'table: film',
    properties: 'length: { type: integer }',
    error:
      /items\.length: the column length holds text, not what the model declares \(type: integer\); write type: string$/,
  },
];

function oneResource(resource: string, properties: string): string {
  return `name: shop\nresources:\n  items:\n    ${resource}\n    schema: { type: object, properties: { ${properties} } }\n`;
}

describe('the start with tables that exist', () => {
  for (const { title, sql, resource, properties, error } of REFUSED) {
    it(`refuses ${title}`, async (context) => {
      const model = readOnlyModel(loadModel({ text: oneResource(resource, properties) }).model);
      await assert.rejects(openSqlite({ path: sourceFile(context, sql), model }), error);
    });
  }

  it('refuses a reference to rows that several columns identify', async (context) => {
    const file = sourceFile(
      context,
      'create table a (x int, y int, primary key (x, y)); create table b (id integer primary key, a text)',
    );
    const { model } = loadModel({
      text: `name: shop\nresources:\n  as: { table: a, schema: { type: object } }\n  bs: { table: b, columns: { a_id: a }, schema: { type: object, properties: { a_id: { type: string, x-references: as } } } }\n`,
    });
    await assert.rejects(
      openSqlite({ path: file, model: readOnlyModel(model) }),
      /bs\.a_id: rows of as are identified by several columns \(x, y\)/,
    );
  });

  it('creates nothing in a file that is served with readOnly', async (context) => {
    const { model } = loadModel({ text: oneResource('table: film', '') });
    const database = sourceFile(context, 'create table film (id integer primary key)');
    const before = readFileSync(database);
    await using started = await startApi({ model, database, readOnly: true, observe: () => undefined });
    assert.equal(started.api.model.resources.get('items')?.readOnly, true);
    assert.deepEqual(readFileSync(database), before);
  });

  it('refuses readOnly with own rows', async () => {
    const { model } = loadModel({ text: oneResource('singular: item', '') });
    const starting = startApi({ model, database: ':memory:', readOnly: true });
    await assert.rejects(starting, /^ModelError: model: resources\.items: its rows are stored by the server/);
  });

  it('refuses a file that does not exist, creates none, and refuses one that is no database', async (context) => {
    const model = readOnlyModel(loadModel({ text: oneResource('table: film', '') }).model);
    const folder = temporaryDirectory(context);
    const missing = path.join(folder, 'missing.db');
    await assert.rejects(openSqlite({ path: missing, model }), /missing\.db cannot be used\. It does not exist/);
    const other = path.join(folder, 'other.db');
    writeFileSync(other, 'This is no database, but a text of more than a few bytes. '.repeat(20));
    await assert.rejects(openSqlite({ path: other, model }), /other\.db is not a valid SQLite database/);
  });

  it('refuses a driver without URIs', async (context) => {
    const model = readOnlyModel(loadModel({ text: oneResource('table: film', '') }).model);
    const file = sourceFile(context, 'create table film (id integer primary key)');
    await assert.rejects(openSqlite({ path: file, model, driver: 'better-sqlite3' }), /Choose the driver node/);
  });
});
