import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Observation } from '../../../../src/observe/observation.ts';
import { Checkpoints } from '../../../../src/stores/sqlite/commit/checkpoints.ts';
import { MainConnection } from '../../../../src/stores/sqlite/connection/main-connection.ts';
import { SqliteConnection } from '../../../../src/stores/sqlite/connection/sqlite-connection.ts';
import { openAgain } from '../../../../src/stores/sqlite/health/database-files.ts';
import type { Store } from '../../../../src/stores/store.ts';
import { commit, createProduct, listIds, listPlan } from '../../../../store-suite/sample-writes.ts';
import { temporaryDirectory } from '../../../temporary-directory.ts';
import { openFile } from '../open-file.ts';
import { openSample } from '../open-sample.ts';
import { Database, driver } from '../driver-under-test.ts';
import { sqliteCode } from '../../../../src/stores/sqlite/driver/sqlite-errors.ts';

interface Served {
  readonly folder: string;
  readonly file: string;
  readonly store: Store;
  readonly observed: readonly Observation[];
}

/** Opens a store that looks at its files when it is used, and never in between: its timer does not run. */
async function served(context: TestContext): Promise<Served> {
  context.mock.timers.enable({ apis: ['setInterval'] });
  const folder = path.join(temporaryDirectory(context), 'data');
  mkdirSync(folder);
  const file = path.join(folder, 'sample.db');
  const observed: Observation[] = [];
  const store = await openSample({ path: file, observe: (observation) => void observed.push(observation) });
  context.after(() => store.close());
  return { folder, file, store, observed };
}

/** The ids in a database file, without any log beside it. */
function idsIn(file: string): readonly string[] {
  const alone = `${file}.alone`;
  copyFileSync(file, alone);
  const database = new Database(alone);
  const ids = database.prepare('select id from products order by id').texts();
  database.close();
  return ids;
}

const LOST = { name: 'StoreUnavailable', reason: 'lost' };

type Change = (served: Served) => string | null;

/** Changes of the files, and the places where the open database is afterwards; null where it has no name. */
const CHANGES: Readonly<Record<string, Change>> = {
  'the database was moved': ({ file }) => {
    renameSync(file, `${file}.moved`);
    return `${file}.moved`;
  },
  'the database and its log were moved': ({ file }) => {
    for (const suffix of ['', '-wal', '-shm']) renameSync(`${file}${suffix}`, `${file}.moved${suffix}`);
    return `${file}.moved`;
  },
  'its directory was moved': ({ folder }) => {
    renameSync(folder, `${folder}.moved`);
    return path.join(`${folder}.moved`, 'sample.db');
  },
  'the database was deleted': ({ file }) => {
    unlinkSync(file);
    return null;
  },
  'the database was replaced by a copy of itself': ({ file }) => {
    copyFileSync(file, `${file}.copy`);
    renameSync(file, `${file}.moved`);
    renameSync(`${file}.copy`, file);
    return `${file}.moved`;
  },
  'the path became a link to a copy': ({ file }) => {
    copyFileSync(file, `${file}.copy`);
    renameSync(file, `${file}.moved`);
    symlinkSync(`${file}.copy`, file);
    return `${file}.moved`;
  },
  'the log was deleted': ({ file }) => {
    unlinkSync(`${file}-wal`);
    return file;
  },
  'the index of the log was deleted': ({ file }) => {
    unlinkSync(`${file}-shm`);
    return file;
  },
};

describe('a store whose files are changed by another program', () => {
  for (const [title, change] of Object.entries(CHANGES)) {
    it(`[OPS-7a] acknowledges no write and answers no read, and has saved what it acknowledged: ${title}`, async (context) => {
      const all = await served(context);
      const { store, observed } = all;
      await commit(store, createProduct('acknowledged'));
      const left = change(all);
      const writes = ['a', 'b'].map((id) => store.writes.commit({ plans: [createProduct(id)] }));
      for (const write of writes) await assert.rejects(write, LOST);
      await assert.rejects(store.writes.commit({ plans: [createProduct('c')] }), LOST);
      await assert.rejects(async () => listIds(store, {}), LOST);
      await assert.rejects(async () => store.rows.list(listPlan({ effort: 'unbounded' })), LOST);
      assert.throws(() => store.stamps.rowStamp('products', 'acknowledged'), LOST);
      await assert.rejects(async () => store.ping(), LOST);
      await assert.rejects(async () => store.deliveries.register('after', ['hook']), LOST);
      assert.deepEqual(observed.filter(({ kind }) => kind === 'database-lost').length, 1);
      // The first group was written before the change was noticed; what comes later is not even tried.
      if (left !== null) assert.deepEqual(idsIn(left), ['a', 'acknowledged', 'b']);
    });
  }

  it('[OPS-7a] is not ready at once, without a write', async (context) => {
    const { file, store, observed } = await served(context);
    await store.ping();
    renameSync(file, `${file}.moved`);
    await assert.rejects(async () => store.ping(), LOST);
    await assert.rejects(async () => listIds(store, {}), LOST);
    assert.deepEqual(observed.at(-1), { kind: 'database-lost', path: file, change: 'missing' });
  });

  it('[OPS-7a] leaves the file that replaced its own, and the log beside it, as they are', async (context) => {
    const { file, store } = await served(context);
    await commit(store, createProduct('old'));
    renameSync(file, `${file}.moved`);
    await assert.rejects(async () => store.ping(), LOST);
    rmSync(`${file}-wal`);
    rmSync(`${file}-shm`);
    const other = await openSample({ path: file });
    await commit(other, createProduct('new'));
    const before = readFileSync(`${file}-wal`);
    await store.close();
    assert.deepEqual(readFileSync(`${file}-wal`), before);
    assert.deepEqual(await listIds(other, {}), ['new']);
    await other.close();
    assert.deepEqual(idsIn(file), ['new']);
    assert.deepEqual(idsIn(`${file}.moved`), ['old']);
  });
});

describe('a connection that is opened later', () => {
  it('[OPS-7a] opens the same file or none, and creates none', (context) => {
    const file = path.join(temporaryDirectory(context), 'sample.db');
    const first = SqliteConnection.writer(file, driver);
    const database = openFile(file);
    const openings = [
      () => openAgain(database, (at) => SqliteConnection.reader(at, driver)).close(),
      () => openAgain(database, (at) => SqliteConnection.checkpointer(at, driver)).close(),
    ];
    for (const open of openings) open();
    renameSync(file, `${file}.moved`);
    for (const open of openings) assert.throws(open, LOST);
    assert.throws(
      () => SqliteConnection.checkpointer(file, driver),
      (error) => sqliteCode(error) === 'SQLITE_CANTOPEN',
    );
    assert.equal(existsSync(file), false);
    copyFileSync(`${file}.moved`, file);
    for (const open of openings) assert.throws(open, LOST);
    first.close();
  });

  it('[OPS-7a] copies no page of the log to a file that replaced the database', async (context) => {
    const file = path.join(temporaryDirectory(context), 'sample.db');
    const writer = SqliteConnection.writer(file, driver);
    writer.run('create table kept (text text not null) strict');
    const checkpoints = new Checkpoints(openFile(file), new MainConnection(writer), { rows: 1 });
    renameSync(file, `${file}.moved`);
    copyFileSync(`${file}.moved`, file);
    const before = readFileSync(file);
    writer.run('insert into kept values (?)', ['x']);
    checkpoints.rowsCommitted(1);
    await checkpoints.close();
    assert.deepEqual(readFileSync(file), before);
    writer.close();
  });
});
