import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { run } from '../../../src/cli/program.ts';
import { postgresSource } from '../../stores/existing/postgres-source.ts';
import { sourceFile } from '../../stores/existing/source-file.ts';
import { temporaryDirectory } from '../../temporary-directory.ts';
import { recordedTerminal } from '../recorded-terminal.ts';

const MODEL = `
name: shop
resources:
  films:
    table: film
    columns: { text: body text }
    updated_at: last_update
    schema:
      type: object
      properties:
        title: { type: string }
        length: { type: integer }
        text: { type: string }
        tags: { type: json }
  labels: { table: label, schema: { type: object, properties: { name: { type: string } } } }
`;

/** Rows of films: enough for an index. Labels are few. */
const ROWS = 1_500;

async function check(model: string, ...words: readonly string[]) {
  const terminal = recordedTerminal();
  const code = await run(['check', model, ...words], terminal);
  return { code, ...terminal.written() };
}

function writeModel(context: TestContext, text = MODEL): string {
  const file = path.join(temporaryDirectory(context), 'shop.yaml');
  writeFileSync(file, text);
  return file;
}

const readAdvice = (json: string): readonly (readonly string[])[] => {
  const { database }: { database: { unindexed: { field: string; statement: string }[] } } = JSON.parse(json);
  return database.unindexed.map(({ field, statement }) => [field, statement]);
};

describe('a model that is checked with a database whose tables it shows', () => {
  it('[OPS-9a] lists the sorts and filters of a SQLite file that no index serves, and changes nothing', async (context) => {
    const database = sourceFile(
      context,
      `create table film (id integer primary key, title text, length int, "body text" text, tags text, last_update text);
      create index film_title on film (title);
      create table label (id integer primary key, name text);
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ${ROWS})
      insert into film select i, 't' || i, i, 'x', '{}', '2024-01-01' from n`,
    );
    const model = writeModel(context);
    const before = readFileSync(database);
    const { code, stdout } = await check(model, '--database', database, '--json');
    assert.equal(code, 0);
    assert.deepEqual(readAdvice(stdout), [
      ['length', 'create index "film_length" on "film" ("length", "id");'],
      ['text', 'create index "film_body text" on "film" ("body text", "id");'],
      ['updated_at', 'create index "film_last_update" on "film" ("last_update", "id");'],
    ]);
    const text = await check(model, '--database', database);
    assert.match(text.stdout, /matches it: 2 tables/);
    assert.match(text.stdout, /films\.length +1,500 +create index "film_length" on "film" \("length", "id"\);/);
    assert.deepEqual(readFileSync(database), before);
  });

  it('[OPS-9a] lists those of PostgreSQL in the order of the sort, until the indexes are there', async (context) => {
    const source = await postgresSource(`
      create table film (id int primary key, title text, length int not null, "body text" text, tags jsonb, last_update timestamptz);
      create index on film (title);
      create table label (id int primary key, name text);
      insert into film select n, 't' || n, n, 'x', '{}', now() from generate_series(1, ${ROWS}) as n;
      insert into label values (1, 'a');
      analyze film; analyze label`);
    context.after(() => source.close());
    const model = writeModel(context);
    const { code, stdout, stderr } = await check(model, '--database', source.url, '--json');
    assert.equal(code, 0, stderr);
    const advice = readAdvice(stdout);
    assert.deepEqual(advice, [
      ['length', 'create index on "public"."film" ("length", "id");'],
      ['text', 'create index on "public"."film" ("body text" nulls first, "id");'],
      ['updated_at', 'create index on "public"."film" ("last_update" nulls first, "id");'],
    ]);
    await source.change(advice.map(([, statement]) => statement).join(' '));
    assert.deepEqual(readAdvice((await check(model, '--database', source.url, '--json')).stdout), []);
    assert.deepEqual(await source.list(`select nspname from pg_namespace where nspname = 'restwright'`), []);
  });

  it('fails with what does not match, as the start does', async (context) => {
    const database = sourceFile(context, 'create table films (id integer primary key, title text)');
    const { code, stderr } = await check(writeModel(context), '--database', database);
    assert.equal(code, 1);
    assert.match(stderr, /films: there is no table film; did you mean films\?/);
    const own = await check(
      writeModel(context, 'name: own\nresources: { notes: { schema: { type: object, properties: {} } } }\n'),
      '--database',
      database,
    );
    assert.equal(own.code, 1);
    assert.match(own.stderr, /shows no table that exists; compare its own rows with `restwright migrate`/);
  });
});
