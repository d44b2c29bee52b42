import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { loadModel } from '../../../../src/model/compile/load-model.ts';
import { SchemaViolation, UnusableDatabase } from '../../../../src/stores/sqlite/sqlite-store.ts';
import { apiUnderTest } from '../../../pipeline/support/api-under-test.ts';
import { DRIVE } from '../../../pipeline/models/drive-model.ts';
import { parseIds } from '../../../pipeline/models/shop-model.ts';
import { temporaryDirectory } from '../../../temporary-directory.ts';
import { Database } from '../driver-under-test.ts';
import { openSample } from '../open-sample.ts';

const API = '/api/v1';
const REMARK = '019b7ca9-8f2e-7670-98b3-7b6a4aa9160b';

/**
 * A copy of a database of {@link DRIVE} that the version before wrote, when ids of nested rows were unique in the whole
 * resource.
 */
function databaseBefore(context: TestContext): string {
  const file = path.join(temporaryDirectory(context), 'drive.db');
  writeFileSync(file, gunzipSync(readFileSync(new URL('format-3.db.gz', import.meta.url))));
  return file;
}

/** The rows of a table, in a stable order. */
function dump(file: string, sql: string): readonly unknown[] {
  const database = new Database(file, { readonly: true });
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}

/** The parts that the upgrade leaves as they are. */
const UNTOUCHED: readonly string[] = [
  'select * from restwright_memos order by name',
  'select * from restwright_bookmarks order by name',
  'select endpoint, sequence, state, attempts, due from restwright_deliveries order by endpoint, sequence',
  "select resource, count from restwright_counts where resource <> '' order by resource",
  "select value from restwright_meta where name = 'secret'",
  'select * from folders order by id',
  'select id, folder_id, name, original_id, see_ids, tag_id, created_at, updated_at, revision from files order by id',
  'select id, file_id, size, tag_id, created_at, updated_at, revision from versions order by id',
  'select id, file_id, text, created_at, updated_at, revision from remarks order by id',
  'select id, remark_id, created_at, revision from pins order by id',
  'select owner, target from "files.see_ids" order by owner, target',
];

describe('a database in which ids of nested rows were unique in the whole resource', () => {
  it('[URL-7] [OPS-4a] is upgraded on start without a change of data, once', async (context) => {
    const database = databaseBefore(context);
    const before = UNTOUCHED.map((sql) => dump(database, sql));
    await (await apiUnderTest(DRIVE, { database })).close();
    assert.deepEqual(
      UNTOUCHED.map((sql) => dump(database, sql)),
      before,
    );
    assert.deepEqual(dump(database, "select value from restwright_meta where name = 'format'"), [{ value: '12' }]);
    const schema = 'select name, sql from sqlite_schema order by name';
    const upgraded = dump(database, schema);
    await using created = await apiUnderTest(DRIVE, { database: `${database}.new` });
    assert.deepEqual(upgraded, dump(`${database}.new`, schema), 'as a new database has it');
    await using again = await apiUnderTest(DRIVE, { database });
    assert.equal(
      again.observations.some(({ kind }) => kind === 'schema-changed'),
      false,
    );
    assert.equal(
      created.observations.some(({ kind }) => kind === 'schema-changed'),
      true,
    );
  });

  it('[URL-7] [REP-9b] serves the rows written before, with links, search, totals and relations', async (context) => {
    await using drive = await apiUnderTest(DRIVE, { database: databaseBefore(context) });
    const get = async (target: string) => (await drive.send({ send: `GET ${API}/${target}` })).body;
    const y = await get('folders/b/files/by?expand=original');
    assert.equal(y.links.original, `${API}/folders/b/files/bx`);
    assert.equal(y.original.name, 'first in b');
    assert.deepEqual(parseIds(await drive.send({ send: `GET ${API}/folders/b/files?q=first` })), ['bx']);
    assert.deepEqual(parseIds(await drive.send({ send: `GET ${API}/folders/b/files?see_ids[contains]=bx` })), ['by']);
    assert.deepEqual(parseIds(await drive.send({ send: `GET ${API}/folders/b/files/bx/versions` })), ['b1']);
    assert.equal((await get('folders/b/files?include_total=true')).page.total_count, 2);
    const tag = await get('tags/t?expand=files,versions');
    assert.deepEqual(
      tag.versions.data.map(({ links }: { links: { up: string } }) => links.up),
      [`${API}/folders/a/files/ax`, `${API}/folders/b/files/bx`],
    );
    assert.equal((await get('pins/p')).links.remark, `${API}/folders/b/files/bx/remarks/${REMARK}`);
    assert.equal((await get('folders/a/reactions/q')).links.remark, `${API}/folders/b/files/bx/remarks/${REMARK}`);
  });

  it('[URL-7] [MET-2] [MET-4d] then stores equal ids below two parents', async (context) => {
    await using drive = await apiUnderTest(DRIVE, { database: databaseBefore(context) });
    const put = (target: string, body: object) => drive.send({ send: `PUT ${API}/${target}`, body });
    assert.equal((await put('folders/a/files/bx', { name: 'green', original_id: 'ax' })).status, 201);
    assert.equal((await put('folders/a/files/bx/versions/b1', { size: 7 })).status, 201);
    assert.deepEqual(parseIds(await drive.send({ send: `GET ${API}/folders/a/files?q=gree` })), ['bx']);
    assert.deepEqual(parseIds(await drive.send({ send: `GET ${API}/folders/b/files?q=firs` })), ['bx']);
    assert.equal((await drive.send({ send: `DELETE ${API}/folders/b` })).status, 204);
    assert.equal((await drive.send({ send: `GET ${API}/folders/a/files/bx/versions/b1` })).body['size'], 7);
    assert.equal((await drive.send({ send: `GET ${API}/pins/p` })).body['remark_id'], null);
    const replay = { send: `POST ${API}/folders/a/files`, headers: { 'Idempotency-Key': 'key-a' } };
    const body = { id: 'ay', name: 'second in a', original_id: 'ax', see_ids: ['ax', 'ay'] };
    const replayed = await drive.send({ ...replay, body });
    assert.deepEqual([replayed.status, replayed.headers.get('idempotent-replayed')], [201, 'true'], replayed.text);
  });

  it('[OPS-4d] is refused by a process that does not migrate', async (context) => {
    const { model } = loadModel({ file: 'model.yaml', text: DRIVE, env: {} });
    await assert.rejects(openSample({ path: databaseBefore(context), migrate: false }, model), UnusableDatabase);
  });

  it('[OPS-4d] [MET-10] is left as it is where a row refers to one below another parent, which ids of the server keep', async (context) => {
    const database = databaseBefore(context);
    const before = new Database(database);
    before.exec("update files set original_id = 'bx' where id = 'ay'");
    before.close();
    await assert.rejects(apiUnderTest(DRIVE, { database }), (error: Error) => {
      assert.ok(error instanceof SchemaViolation);
      assert.match(error.message, /rows of files refer to rows of files .* below the same parent.* id: uuid for files/);
      return true;
    });
    assert.deepEqual(dump(database, "select value from restwright_meta where name = 'format'"), [{ value: '3' }]);
    const ofServer = DRIVE.replace('files:\n    id: client', 'files:\n    id: uuid');
    await using drive = await apiUnderTest(ofServer, { database });
    const { body } = await drive.send({ send: `GET ${API}/folders/a/files/ay?expand=original` });
    assert.deepEqual([body.original.name, body.links.original], ['first in b', `${API}/folders/b/files/bx`]);
  });

  it('[OPS-4d] can get ids of the server again only while they are unique', async (context) => {
    const database = databaseBefore(context);
    const ofServer = DRIVE.replace('versions:\n    id: client', 'versions:\n    id: uuid');
    await (await apiUnderTest(DRIVE, { database })).close();
    await (await apiUnderTest(ofServer, { database })).close();
    const drive = await apiUnderTest(DRIVE, { database });
    const send = `PUT ${API}/folders/a/files/ax/versions/b1`;
    assert.equal((await drive.send({ send, body: {} })).status, 201);
    await drive.close();
    await assert.rejects(apiUnderTest(ofServer, { database }), SchemaViolation);
    await using kept = await apiUnderTest(DRIVE, { database });
    assert.equal((await kept.send({ send: `GET ${API}/folders/a/files/ax/versions/b1` })).status, 200);
  });
});
