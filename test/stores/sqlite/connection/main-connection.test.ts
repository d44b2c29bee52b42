import assert from 'node:assert/strict';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, it, type TestContext } from 'node:test';
import { atEndOfTick } from '../../../../src/platform/end-of-tick.ts';
import { SqliteConnection } from '../../../../src/stores/sqlite/connection/sqlite-connection.ts';
import { MainConnection } from '../../../../src/stores/sqlite/connection/main-connection.ts';
import { StoreUnavailable } from '../../../../src/stores/store.ts';
import { temporaryDirectory } from '../../../temporary-directory.ts';
import { driver, sqliteError } from '../driver-under-test.ts';

interface Sides {
  readonly connection: SqliteConnection;
  readonly main: MainConnection;
  /** Commits another number as another process. */
  readonly rival: (number: number) => void;
  readonly read: () => unknown;
}

const SET = 'update numbers set number = ?';

function sides(context: TestContext): Sides {
  const file = path.join(temporaryDirectory(context), 'turn.db');
  const connection = SqliteConnection.writer(file, driver);
  connection.script('create table numbers (number integer not null); insert into numbers values (0)');
  const other = SqliteConnection.writer(file, driver);
  const main = new MainConnection(connection);
  context.after(() => {
    connection.close();
    other.close();
  });
  return {
    connection,
    main,
    rival: (number) => void other.run(SET, [number]),
    read: () => main.reader().get('select number from numbers')?.['number'],
  };
}

describe('the main connection', () => {
  it('[REP-8] reads one snapshot per loop iteration, and the latest one in the next iteration', async (context) => {
    const { main, rival, read } = sides(context);
    assert.equal(read(), 0);
    const { dataVersion } = main;
    rival(1);
    assert.deepEqual([read(), main.dataVersion], [0, dataVersion]);
    await setImmediate();
    assert.equal(read(), 1);
    assert.notEqual(main.dataVersion, dataVersion);
  });

  it('[REP-8] takes the snapshot before the first read', (context) => {
    const { main, rival, read } = sides(context);
    main.reader();
    rival(1);
    assert.equal(read(), 0);
  });

  it('[REP-8] reads a new snapshot after the read transaction was ended', (context) => {
    const { main, rival, read } = sides(context);
    assert.equal(read(), 0);
    const { dataVersion } = main;
    rival(1);
    main.endReadTransaction();
    assert.equal(read(), 1);
    assert.notEqual(main.dataVersion, dataVersion);
  });

  it('[REP-8] reads its own writes in the same iteration, without a change of its data version', (context) => {
    const { main, read } = sides(context);
    assert.equal(read(), 0);
    const { dataVersion } = main;
    main.writer().run(SET, [1]);
    assert.equal(read(), 1);
    assert.equal(main.dataVersion, dataVersion);
  });

  it('[OPS-4c] writes to the latest commit, outside of the read transaction', (context) => {
    const { connection, main, rival, read } = sides(context);
    assert.equal(read(), 0);
    rival(1);
    const writing = main.writer();
    assert.equal(connection.inTransaction, false);
    writing.run('update numbers set number = number + 1');
    assert.equal(read(), 2);
  });

  it('[OPS-4c] holds no lock after a loop iteration, even where a transaction has ended early', async (context) => {
    const { connection, main, read } = sides(context);
    read();
    assert.equal(connection.inTransaction, true);
    await setImmediate();
    assert.equal(connection.inTransaction, false);
    read();
    connection.run('rollback');
    main.endReadTransaction();
    assert.equal(connection.inTransaction, false);
    read();
    connection.close();
    main.endReadTransaction();
    assert.equal(connection.inTransaction, false);
  });

  it('[OPS-4c] has no open read transaction when a commit begins, so that the WAL can be restarted', async (context) => {
    const { connection, read } = sides(context);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    atEndOfTick('work', () => resolve(connection.inTransaction));
    read();
    assert.equal(await promise, false);
  });

  it('[OPS-4c] reports a locked database, and tries again with the next read', (context) => {
    const { connection, main, read } = sides(context);
    const get = context.mock.method(connection, 'get', () => {
      throw sqliteError('SQLITE_BUSY_RECOVERY');
    });
    assert.throws(() => main.reader(), StoreUnavailable);
    assert.equal(connection.inTransaction, false);
    get.mock.restore();
    assert.equal(read(), 0);
  });
});
