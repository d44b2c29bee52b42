import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { Observation } from '../../../../src/observe/observation.ts';
import { UnusableDatabase } from '../../../../src/stores/sqlite/sqlite-store.ts';
import { commit, createProduct, listIds, readRow } from '../../../../store-suite/sample-writes.ts';
import { temporaryDirectory } from '../../../temporary-directory.ts';
import { openSample } from '../open-sample.ts';
import { OF_FORMAT_10 } from '../../earlier-formats.ts';
import { Database } from '../driver-under-test.ts';

/** Opens the sample at a path, writes a product with the id of the second argument, and prints the id. */
const PROCESS = `
  const { openSample } = await import('${new URL('../open-sample.ts', import.meta.url).href}');
  const { commit, createProduct } = await import('${new URL('../../../../store-suite/sample-writes.ts', import.meta.url).href}');
  const [file, id] = process.argv.slice(1);
  const store = await openSample({ path: file });
  await commit(store, createProduct(id));
  await store.close();
`;

async function run(file: string, id: string): Promise<string> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', PROCESS, file, id], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const [code] = await once(child, 'close');
  return code === 0 ? '' : `${id}: ${String(code)} ${errors}`;
}

const MEMO = { name: 'm', request: '', outcome: '{}', expiresAt: Number.MAX_SAFE_INTEGER };

/** Downgrades a database to the format that removed no events. */
const OF_FORMAT_7 = `${OF_FORMAT_10} drop table restwright_tombstones; drop index restwright_deliveries_succeeded; delete from restwright_readers where name = 'retention';
  update restwright_meta set value = '7' where name = 'format';`;

/** Downgrades a database to the format that stored envelopes, with one event. */
const OF_FORMAT_6 = `${OF_FORMAT_7} drop table restwright_events; drop table restwright_event_shapes; drop table restwright_event_blocks;
  create table restwright_events (
    sequence integer primary key, id text not null, type text not null, resource_type text not null, resource_id text not null,
    at integer not null, envelope text not null
  ) strict;
  update restwright_meta set value = '6' where name = 'format';`;

/** Downgrades a database to the format in which each delivery to each hook had a row, and all hooks one bookmark. */
const OF_FORMAT_5 = `${OF_FORMAT_6} drop table restwright_readers; drop table restwright_subscriptions;
  drop table restwright_deliveries;
  create table restwright_deliveries (
    endpoint text not null, sequence integer not null, state text not null,
    attempts integer not null, due integer not null, leased_until integer not null, primary key (endpoint, sequence)
  ) strict, without rowid;
  create index restwright_deliveries_due on restwright_deliveries (due, sequence) where state = 'waiting';
  update restwright_meta set value = '5' where name = 'format';`;

/** Downgrades a database to the first format. */
const OF_FORMAT_1 = `${OF_FORMAT_5} drop table restwright_partitions; drop table restwright_memos; alter table restwright_counts drop column change;
  update restwright_meta set value = '1' where name = 'format'`;

describe('opening a database', () => {
  it('[OPS-4a] creates the file and its directory, and reports the schema once', async (context) => {
    const file = path.join(temporaryDirectory(context), 'data', 'of the', 'sample.db');
    const seen: Observation[] = [];
    const observe = (observation: Observation): void => void seen.push(observation);
    const first = await openSample({ path: file, observe });
    await commit(first, createProduct('a'));
    await first.close();
    const second = await openSample({ path: file, observe });
    assert.deepEqual(
      seen.map(({ kind }) => kind),
      ['schema-changed', 'commit'],
    );
    assert.equal((await readRow(second, 'products', 'a')).id, 'a');
    await second.close();
  });

  it('[OPS-4a] allows processes to start together on a new file', async (context) => {
    const file = path.join(temporaryDirectory(context), 'sample.db');
    const failures = await Promise.all(['a', 'b', 'c'].map((id) => run(file, id)));
    assert.deepEqual(failures, ['', '', '']);
    const store = await openSample({ path: file });
    assert.deepEqual(await listIds(store, {}), ['a', 'b', 'c']);
    await store.close();
  });

  it('[OPS-4a] waits for a process that is creating or migrating the database', async (context) => {
    const file = path.join(temporaryDirectory(context), 'sample.db');
    await (await openSample({ path: file })).close();
    const other = new Database(file);
    other.exec('begin immediate');
    const opening = openSample({ path: file, writer: { busyTimeout: 1 } });
    other.exec('rollback');
    other.close();
    await (await opening).close();
  });

  it('[PAGE-6] generates the secret once and stores it', async (context) => {
    const file = path.join(temporaryDirectory(context), 'sample.db');
    const first = await openSample({ path: file });
    const secret = await first.secret();
    await first.close();
    const second = await openSample({ path: file, random: { hex: (bytes) => 'ff'.repeat(bytes) } });
    assert.deepEqual(await second.secret(), secret);
    assert.deepEqual(secret, new Uint8Array(32).fill(0x5a));
    await second.close();
  });

  const unusable: readonly { title: string; spoil: (file: string) => void; says: RegExp }[] = [
    {
      title: 'a file that is not a database',
      spoil: (file) => writeFileSync(file, 'name,price\nchair,10\n'.repeat(100)),
      says: /is not a valid SQLite database/,
    },
    {
      title: "another program's database",
      spoil: (file) => new Database(file).exec('create table notes (text text)').close(),
      says: /has tables that Restwright did not create/,
    },
    {
      title: 'a database of a newer version',
      spoil: (file) => new Database(file).exec("update restwright_meta set value = '99' where name = 'format'").close(),
      says: /has format 99, and this version of Restwright reads format 12/,
    },
    {
      title: 'a table of another program',
      spoil: (file) => new Database(file).exec('create table notes (text text)').close(),
      says: /notes\.text was not created by Restwright/,
    },
  ];

  for (const { title, spoil, says } of unusable) {
    it(`[OPS-4a] refuses ${title}, and names the file and what to do`, async (context) => {
      const file = path.join(temporaryDirectory(context), 'sample.db');
      if (title.includes('newer') || title.includes('table')) await (await openSample({ path: file })).close();
      spoil(file);
      await assert.rejects(openSample({ path: file }), (error) => {
        assert.ok(error instanceof UnusableDatabase);
        assert.match(error.message, says);
        assert.ok(error.message.startsWith(file));
        return true;
      });
    });
  }

  it('[OPS-4d] without migration opens a database that matches the model, while another process writes', async (context) => {
    const file = path.join(temporaryDirectory(context), 'sample.db');
    await (await openSample({ path: file })).close();
    const other = new Database(file);
    other.exec('begin immediate');
    const store = await openSample({ path: file, migrate: false });
    other.exec('rollback');
    other.close();
    await commit(store, createProduct('a'));
    await store.close();
  });

  const mismatched: readonly { title: string; spoil: (file: string) => void; says: RegExp }[] = [
    { title: 'a missing file', spoil: (file) => rmSync(file), says: /It does not exist any more\. Restore it/ },
    { title: 'an empty file', spoil: (file) => writeFileSync(file, ''), says: /It is empty\. Restore it/ },
    {
      title: 'a file with another index',
      spoil: (file) => new Database(file).exec('create unique index other on products (name)').close(),
      says: /Another program has changed its schema.*Serve the model.*, or restart all processes.*\ndrop index "other"$/s,
    },
    {
      title: 'a file of an older format',
      spoil: (file) => new Database(file).exec(OF_FORMAT_1).close(),
      says: /Another program has changed its schema.*\ncreate table restwright_memos/s,
    },
    {
      title: 'a copy that is not in WAL mode',
      spoil: (file) => new Database(file).exec('pragma journal_mode = delete').close(),
      says: /Another program has changed its schema.*\npragma journal_mode = wal$/s,
    },
  ];
  for (const { title, spoil, says } of mismatched) {
    it(`[OPS-4d] without migration refuses ${title}, says what to do and changes nothing`, async (context) => {
      const file = path.join(temporaryDirectory(context), 'sample.db');
      await (await openSample({ path: file })).close();
      spoil(file);
      const before = existsSync(file) ? readFileSync(file) : null;
      await assert.rejects(openSample({ path: file, migrate: false }), (error) => {
        assert.ok(error instanceof UnusableDatabase);
        assert.match(error.message, says);
        assert.ok(error.message.startsWith(`${file} cannot be used. `));
        return true;
      });
      assert.deepEqual(existsSync(file) ? readFileSync(file) : null, before);
    });
  }

  it('[OPS-4d] upgrades a database of an older format with its rows', async (context) => {
    const file = path.join(temporaryDirectory(context), 'sample.db');
    const first = await openSample({ path: file });
    await commit(first, createProduct('a'));
    await first.close();
    new Database(file).exec(OF_FORMAT_1).close();
    const changed: string[] = [];
    const store = await openSample({
      path: file,
      observe: (seen) => void (seen.kind === 'schema-changed' && changed.push(...seen.statements)),
    });
    assert.match(changed.join(), /create table restwright_memos/);
    assert.equal((await store.writes.commit({ plans: [], records: [MEMO] })).kind, 'committed');
    assert.equal((await readRow(store, 'products', 'a')).id, 'a');
    await store.close();
  });

  it('[OPS-4d][EVT-3a] upgrades deliveries and the bookmark of an older format', async (context) => {
    const file = path.join(temporaryDirectory(context), 'sample.db');
    const first = await openSample({ path: file });
    await commit(first, createProduct('a'), createProduct('b'), createProduct('c'));
    await first.close();
    const relay = JSON.stringify({ sequence: 2, starts: { 'after:products.created': 1, 'after:products.deleted': 3 } });
    new Database(file)
      .exec(OF_FORMAT_5)
      .exec(`insert into restwright_bookmarks values ('relay', '${relay}');
        insert into restwright_deliveries values ('after:products.created', 1, 'waiting', 2, 77, 0),
          ('after:products.created', 2, 'succeeded', 1, 5, 0)`)
      .close();
    const upgraded = await openSample({ path: file });
    const { deliveries, bookmarks } = upgraded;
    assert.deepEqual(await deliveries.reader('after'), {
      lease: { reader: 'after', owner: '', until: 0 },
      sequence: 2,
    });
    assert.deepEqual(await deliveries.positions(['after:products.created', 'after:products.deleted']), [
      { name: 'after:products.created', sequence: 2 },
      { name: 'after:products.deleted', sequence: 3 },
    ]);
    assert.deepEqual(await deliveries.waiting('after'), [{ endpoint: 'after:products.created', due: 77 }]);
    assert.equal((await deliveries.list({ endpoint: 'after:products.created', limit: 9 })).length, 2);
    assert.equal(await bookmarks.get('relay'), null);
    await upgraded.close();
  });

  it('[OPS-4d][EVT-1][EVT-8d] upgrades the events of an older format as they were, for those who may see all', async (context) => {
    const file = path.join(temporaryDirectory(context), 'sample.db');
    const first = await openSample({ path: file });
    await commit(first, createProduct('a'), createProduct('b'));
    const [second] = await first.events.list({ after: 1, limit: 1 });
    await first.close();
    const id = '01890a5d-ac96-774b-bcce-b302099a8057';
    const before = (second?.json ?? '').replace('"created:b"', `"${id}"`);
    new Database(file)
      .exec(OF_FORMAT_6)
      .exec(`insert into restwright_events values (2, '${id}', 'created', 'products', 'b', 1767323045678, '${before}')`)
      .close();
    const { events, ...store } = await openSample({ path: file });
    const found = [
      ...(await events.list({ after: 0, limit: 9 })),
      ...(await events.list({ after: 0, limit: 9, resourceId: 'b', types: ['created'] })),
      await events.find(id),
    ].map((each) => [each?.sequence, each?.type, each?.json, each?.event, each?.access]);
    const expected = [2, 'created', before, JSON.parse(before), null];
    assert.deepEqual(found, [expected, expected, expected]);
    assert.deepEqual(await events.list({ after: 0, limit: 9, from: 1_767_323_045_679 }), []);
    await commit({ ...store, events }, createProduct('c'));
    assert.equal((await events.list({ after: 2, limit: 9 })).length, 1);
    await store.close();
  });

  it('[OPS-4d] leaves a database of an older format unchanged where it cannot be used', async (context) => {
    const file = path.join(temporaryDirectory(context), 'sample.db');
    await (await openSample({ path: file })).close();
    new Database(file).exec(OF_FORMAT_1).exec('create table notes (text text)').close();
    await assert.rejects(openSample({ path: file }), UnusableDatabase);
    const database = new Database(file, { readonly: true });
    const format = database.prepare("select value from restwright_meta where name = 'format'").value();
    const made = database.prepare("select name from sqlite_schema where name like 'restwright_memos%'").all();
    database.close();
    assert.deepEqual([format, made], ['1', []]);
  });

  it('[OPS-4c] leaves one file with all commits when it is closed', async (context) => {
    const folder = temporaryDirectory(context);
    const store = await openSample({ path: path.join(folder, 'sample.db') });
    await commit(store, createProduct('a'));
    await store.close();
    assert.deepEqual(readdirSync(folder), ['sample.db']);
  });
});
