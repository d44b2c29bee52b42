import assert from 'node:assert/strict';
import { copyFileSync, existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Checkpoints } from '../../../../src/stores/sqlite/commit/checkpoints.ts';
import { SqliteConnection } from '../../../../src/stores/sqlite/connection/sqlite-connection.ts';
import { isBusy } from '../../../../src/stores/sqlite/driver/sqlite-errors.ts';
import { MainConnection } from '../../../../src/stores/sqlite/connection/main-connection.ts';
import { createProduct } from '../../../../store-suite/sample-writes.ts';
import { temporaryDirectory } from '../../../temporary-directory.ts';
import { openFile } from '../open-file.ts';
import { openSample } from '../open-sample.ts';
import { EVERYTHING } from '../../../../src/plan/plan.ts';
import { driver } from '../driver-under-test.ts';

const ROW = 'x'.repeat(500);
const MEBIBYTE = 1_048_576;
/** Bytes of a database file whose rows are all in its WAL. */
const EMPTY = 4_096;

function opened(context: TestContext): { file: string; writer: SqliteConnection; write: (rows: number) => void } {
  const file = path.join(temporaryDirectory(context), 'log.db');
  const writer = SqliteConnection.writer(file, driver);
  writer.run('create table kept (text text not null) strict');
  const write = (rows: number): void => {
    for (let row = 0; row < rows; row += 1) writer.run('insert into kept values (?)', [ROW]);
  };
  return { file, writer, write };
}

/** Writes rows of a mebibyte each, which is as much WAL. */
function writeLong(writer: SqliteConnection, rows: number): void {
  for (let row = 0; row < rows; row += 1) writer.run('insert into kept values (hex(zeroblob(?)))', [MEBIBYTE / 2]);
}

function mebibytesOfLog(file: string): number {
  return Math.round(statSync(`${file}-wal`).size / MEBIBYTE);
}

/** Readers that each begin before the previous one ends, so that the WAL always has a reader. */
class Relay {
  readonly #file: string;
  #reader: SqliteConnection | null = null;

  constructor(file: string) {
    this.#file = file;
  }

  /** Begins another reader, then ends the current one. */
  pass(): void {
    const next = SqliteConnection.reader(this.#file, driver);
    next.run('begin');
    next.get('select count(*) from kept');
    this.end();
    this.#reader = next;
  }

  end(): void {
    this.#reader?.close();
    this.#reader = null;
  }
}

/** Repeats an action until a promise settles. */
async function meanwhile(done: Promise<void>, act: () => void): Promise<void> {
  while (await Promise.race([done.then(() => false), setImmediate(true)])) act();
}

/** Writes a row, unless a checkpoint blocks writers. */
function writeIfFree(writer: SqliteConnection): void {
  try {
    writer.run('insert into kept values (?)', [ROW]);
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
}

/** The number of rows in the file without its WAL. */
function rowsWithoutLog(file: string): number {
  const alone = `${file}.alone`;
  copyFileSync(file, alone);
  const copy = SqliteConnection.writer(alone, driver);
  try {
    return Number(copy.get('select count(*) as count from kept')?.['count']);
  } finally {
    copy.close();
  }
}

describe('checkpoints on a worker thread', () => {
  it('[OPS-4c] sync the WAL before its pages are copied, and the file before the WAL is restarted', (context) => {
    const { file, writer } = opened(context);
    const checkpointer = SqliteConnection.checkpointer(file, driver);
    // FULL: with OFF a power failure during a checkpoint would lose acknowledged commits, or the file.
    const pragmas = ['journal_mode', 'synchronous', 'fullfsync', 'checkpoint_fullfsync'];
    assert.deepEqual(
      pragmas.map((name) => checkpointer.pragma(name)),
      ['wal', 2, 1, 1],
    );
    checkpointer.close();
    writer.close();
  });

  it('[OPS-4c] copy committed pages to the file, once enough were committed', async (context) => {
    const { file, writer, write } = opened(context);
    const checkpoints = new Checkpoints(openFile(file), new MainConnection(writer), { rows: 100 });
    write(100);
    checkpoints.rowsCommitted(99);
    await checkpoints.close();
    assert.equal(statSync(file).size, EMPTY, 'nothing was due yet');
    checkpoints.rowsCommitted(1);
    await checkpoints.close();
    assert.equal(rowsWithoutLog(file), 100);
    writer.close();
  });

  it('[OPS-4c] copy few pages too, after some time', async (context) => {
    const { file, writer, write } = opened(context);
    const checkpoints = new Checkpoints(openFile(file), new MainConnection(writer), { rows: 100, maxDelay: 1 });
    write(3);
    checkpoints.rowsCommitted(3);
    while (statSync(file).size === EMPTY) await setImmediate();
    await checkpoints.close();
    assert.equal(rowsWithoutLog(file), 3);
    writer.close();
  });

  it('[OPS-4c] restart the WAL, so that it does not grow while writes continue', async (context) => {
    const { file, writer, write } = opened(context);
    const checkpoints = new Checkpoints(openFile(file), new MainConnection(writer), { rows: 1 });
    const sizes: number[] = [];
    for (let round = 0; round < 6; round += 1) {
      checkpoints.rowsCommitted(1);
      // The thread finishes before these writes do, and does not see the last of them.
      write(400);
      await setImmediate();
      sizes.push(statSync(`${file}-wal`).size);
    }
    await checkpoints.close();
    const [first = 0] = sizes;
    assert.ok(Math.max(...sizes) < first * 3, `the WAL grew: ${sizes.join(', ')}`);
    assert.equal(Number(writer.get('select count(*) as count from kept')?.['count']), 2_400);
    writer.close();
  });

  it('[OPS-4c] restart a long WAL even if it always has readers', async (context) => {
    const { file, writer } = opened(context);
    const checkpoints = new Checkpoints(openFile(file), new MainConnection(writer), { rows: 1 });
    const relay = new Relay(file);
    const sizes: number[] = [];
    for (let round = 0; round < 8; round += 1) {
      writeLong(writer, 10);
      checkpoints.rowsCommitted(1);
      await meanwhile(checkpoints.close(), () => {
        writeIfFree(writer);
        relay.pass();
      });
      sizes.push(mebibytesOfLog(file));
    }
    relay.end();
    writer.close();
    // Without restarts it would have 80 MiB. On a busy machine one may come a round late.
    assert.ok(Math.max(...sizes) <= 65 && (sizes.at(-1) ?? 0) <= 45, `the WAL grew, in MiB: ${sizes.join(', ')}`);
  });

  it('[OPS-4c] do not wait for a long reader, and truncate the WAL once it has ended', async (context) => {
    const { file, writer } = opened(context);
    const checkpoints = new Checkpoints(openFile(file), new MainConnection(writer), { rows: 1 });
    const relay = new Relay(file);
    relay.pass();
    writeLong(writer, 40);
    checkpoints.rowsCommitted(1);
    await checkpoints.close();
    writeLong(writer, 1);
    assert.ok(mebibytesOfLog(file) >= 41);
    relay.end();
    checkpoints.rowsCommitted(1);
    await checkpoints.close();
    writeLong(writer, 1);
    assert.ok(mebibytesOfLog(file) <= 32, `${mebibytesOfLog(file)} MiB are left`);
    writer.close();
  });

  it('[CACHE-2] do not change the data version of other connections', async (context) => {
    const { file, writer, write } = opened(context);
    const version = writer.pragma('data_version');
    const checkpoints = new Checkpoints(openFile(file), new MainConnection(writer), { rows: 1 });
    write(10);
    checkpoints.rowsCommitted(10);
    await checkpoints.close();
    assert.equal(writer.pragma('data_version'), version);
    writer.close();
  });

  it('[OPS-4c] are completed by the next one if the writer cannot finish them', async (context) => {
    const { file, writer, write } = opened(context);
    const checkpoints = new Checkpoints(openFile(file), new MainConnection(writer), { rows: 1 });
    write(10);
    writer.run('begin immediate');
    assert.throws(() => writer.checkpoint(), /locked/);
    checkpoints.rowsCommitted(10);
    await checkpoints.close();
    writer.run('commit');
    checkpoints.rowsCommitted(1);
    await checkpoints.close();
    assert.equal(rowsWithoutLog(file), 10);
    writer.close();
  });

  it('[OPS-4c] leave an intact file when the store closes during one', async (context) => {
    const file = path.join(temporaryDirectory(context), 'sample.db');
    const store = await openSample({ path: file });
    const plans = Array.from({ length: 2_100 }, (_, index) => createProduct(`p${index}`));
    for (let batch = 0; batch < 7; batch += 1) {
      const unit = { plans: plans.slice(batch * 300).slice(0, 300) };
      assert.equal((await store.writes.commit(unit)).kind, 'committed');
    }
    await store.close();
    assert.equal(existsSync(`${file}-wal`), false);
    const again = await openSample({ path: file });
    assert.ok(
      (await again.rows.item({ kind: 'item', resource: 'products', id: 'p2099', within: [], visible: EVERYTHING })) !==
        null,
    );
    await again.close();
  });
});
