import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { SqliteConnection } from '../../../../src/stores/sqlite/connection/sqlite-connection.ts';
import { probeWrites } from '../../../../src/stores/sqlite/watch-database.ts';
import { unavailable } from '../../../../src/stores/sqlite/health/unavailable.ts';
import { WriteHealth } from '../../../../src/stores/sql/write-health.ts';
import { StoreUnavailable } from '../../../../src/stores/store.ts';
import { temporaryDirectory } from '../../../temporary-directory.ts';
import { openSample } from '../open-sample.ts';
import { driver, sqliteError } from '../driver-under-test.ts';
import { sqliteCode } from '../../../../src/stores/sqlite/driver/sqlite-errors.ts';

const SECOND = 1_000;

const failure = (code: string): Error => sqliteError(code);

interface Disk {
  readonly health: WriteHealth;
  /** The error that a probe meets, by its code; null while writes succeed. */
  code: string | null;
  probes: number;
  /** The reasons that were observed; null for a recovery. */
  readonly observed: (string | null)[];
}

function createDisk(context: TestContext): Disk {
  context.mock.timers.enable({ apis: ['setInterval'] });
  const observed: Disk['observed'] = [];
  const health = new WriteHealth({
    probe() {
      disk.probes += 1;
      if (disk.code !== null) throw failure(disk.code);
    },
    unavailable,
    stopsWhenCorrupt: true,
    observe(observation) {
      assert.ok(observation.kind === 'database-writes');
      const { failure: cause } = observation;
      observed.push(cause instanceof StoreUnavailable ? cause.reason : null);
    },
  });
  const disk: Disk = { health, code: null, probes: 0, observed };
  context.after(() => health.close());
  return disk;
}

function readReason(error: unknown): string | null {
  return error instanceof StoreUnavailable ? error.reason : assert.fail('it is another error');
}

describe('writes to a database', () => {
  const recoverable: readonly (readonly [code: string, reason: string])[] = [
    ['SQLITE_FULL', 'full'],
    ['SQLITE_IOERR_SHMSIZE', 'full'],
    ['SQLITE_IOERR_WRITE', 'io'],
    ['SQLITE_IOERR_FSYNC', 'io'],
    ['SQLITE_CANTOPEN', 'io'],
    ['SQLITE_READONLY', 'read-only'],
  ];
  for (const [code, reason] of recoverable) {
    it(`[OPS-7b] fail until a probe succeeds, and are tried meanwhile: ${code}`, (context) => {
      const disk = createDisk(context);
      disk.code = code;
      assert.equal(readReason(disk.health.writeFailed(failure(code))), reason);
      context.mock.timers.tick(3 * SECOND);
      disk.health.requireWritable();
      assert.throws(() => disk.health.requireHealthy(), { reason });
      disk.code = null;
      context.mock.timers.tick(SECOND);
      disk.health.requireHealthy();
      context.mock.timers.tick(10 * SECOND);
      assert.deepEqual([disk.probes, disk.observed], [4, [reason, null]]);
    });
  }

  for (const code of ['SQLITE_CORRUPT', 'SQLITE_CORRUPT_INDEX', 'SQLITE_NOTADB']) {
    it(`[OPS-7c] end for good where the database is corrupt, also where a read found it: ${code}`, (context) => {
      const disk = createDisk(context);
      assert.equal(readReason(disk.health.readFailed(failure(code))), 'corrupt');
      disk.health.writeFailed(failure('SQLITE_FULL'));
      context.mock.timers.tick(10 * SECOND);
      assert.throws(() => disk.health.requireWritable(), { reason: 'corrupt' });
      assert.deepEqual([disk.probes, disk.observed], [0, ['corrupt']]);
    });
  }

  it('[OPS-7b] do not fail because a read, a lock or a statement did', (context) => {
    const disk = createDisk(context);
    assert.equal(readReason(disk.health.readFailed(failure('SQLITE_IOERR_READ'))), 'io');
    assert.equal(readReason(disk.health.writeFailed(failure('SQLITE_BUSY'))), 'locked');
    const constraint = failure('SQLITE_CONSTRAINT_CHECK');
    assert.equal(disk.health.writeFailed(constraint), constraint);
    disk.health.requireHealthy();
    assert.deepEqual(disk.observed, []);
  });

  it('[OPS-7b] succeed again only where there is room for more than a few pages', async (context) => {
    const file = path.join(temporaryDirectory(context), 'full.db');
    const store = await openSample({ path: file });
    await store.close();
    const connection = SqliteConnection.writer(file, driver);
    const pages = Number(connection.pragma('page_count'));
    for (const [room, succeeds] of [
      [0, false],
      [4, false],
      [40, true],
    ] as const) {
      connection.pragma(`max_page_count = ${pages + room}`);
      if (succeeds) probeWrites(connection);
      else
        assert.throws(
          () => probeWrites(connection),
          (error) => sqliteCode(error) === 'SQLITE_FULL',
        );
    }
    assert.equal(connection.get("select count(*) as rows from restwright_meta where name = 'probe'")?.['rows'], 0);
    connection.close();
  });
});
