import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Observation } from '../../../../src/observe/observation.ts';
import type { OpenFile } from '../../../../src/stores/sqlite/health/database-files.ts';
import { FileGuard } from '../../../../src/stores/sqlite/health/file-guard.ts';
import { StoreUnavailable } from '../../../../src/stores/store.ts';

const SECOND = 1_000;

const opened = (path: string, inode: bigint, device = 1n): OpenFile => ({ path, device, inode });
const FILES = [opened('/d/a.db', 1n), opened('/d/a.db-wal', 2n), opened('/d/a.db-shm', 3n)];

interface Guarded {
  readonly guard: FileGuard;
  /** The file that each path leads to; an error if it cannot be followed. */
  readonly disk: Map<string, OpenFile | Error>;
  readonly observed: Observation[];
  /** The number of copies of the log. */
  readonly saved: () => number;
  /** The number of looks at a file. */
  readonly looked: () => number;
}

/** A guard of three files, on a disk and a timer that the test controls. */
function guarded(context: TestContext, save: () => boolean = () => true): Guarded {
  context.mock.timers.enable({ apis: ['setInterval'] });
  const disk = new Map<string, OpenFile | Error>(FILES.map((file) => [file.path, file]));
  const observed: Observation[] = [];
  const counts = { saved: 0, looked: 0 };
  const guard = new FileGuard({
    files: FILES,
    observe: (observation) => void observed.push(observation),
    locate(path) {
      counts.looked += 1;
      const found = disk.get(path) ?? null;
      if (found instanceof Error) throw found;
      return found;
    },
    save() {
      counts.saved += 1;
      return save();
    },
  });
  context.after(() => guard.close());
  return { guard, disk, observed, saved: () => counts.saved, looked: () => counts.looked };
}

const isLost = (error: unknown): boolean => error instanceof StoreUnavailable && error.reason === 'lost';

describe('the files of an open database', () => {
  const changes: readonly (readonly [title: string, path: string, found: OpenFile | Error | null, change: string])[] = [
    ['the database is gone', '/d/a.db', null, 'missing'],
    ['the database has another inode', '/d/a.db', opened('/d/a.db', 9n), 'replaced'],
    ['the database is on another device', '/d/a.db', opened('/d/a.db', 1n, 9n), 'replaced'],
    ['the path cannot be followed', '/d/a.db', new Error('EACCES'), 'missing'],
    ['the log is gone', '/d/a.db-wal', null, 'missing'],
    ['the log has another inode', '/d/a.db-wal', opened('/d/a.db-wal', 9n), 'replaced'],
    ['the index of the log is gone', '/d/a.db-shm', null, 'missing'],
  ];
  for (const [title, path, found, change] of changes) {
    it(`[OPS-7a] are lost within a second, which is observed once, where ${title}`, (context) => {
      const { guard, disk, observed, saved } = guarded(context);
      context.mock.timers.tick(10 * SECOND);
      guard.requireIntact();
      if (found === null) disk.delete(path);
      else disk.set(path, found);
      context.mock.timers.tick(SECOND - 1);
      assert.throws(() => guard.requireIntact(), isLost);
      context.mock.timers.tick(10 * SECOND);
      assert.throws(() => guard.check(), isLost);
      assert.deepEqual(observed, [{ kind: 'database-lost', path, change }]);
      assert.equal(saved(), 1);
    });

    it(`[OPS-7a] are lost at a check that does not wait for the timer, where ${title}`, (context) => {
      const { guard, disk, observed } = guarded(context);
      guard.check();
      if (found === null) disk.delete(path);
      else disk.set(path, found);
      guard.requireIntact();
      assert.throws(() => guard.check(), isLost);
      assert.throws(() => guard.requireIntact(), isLost);
      assert.equal(observed.length, 1);
    });
  }

  it('[OPS-7a] stay lost where they return: another program may have used the path in between', (context) => {
    const { guard, disk } = guarded(context);
    disk.delete('/d/a.db');
    context.mock.timers.tick(SECOND);
    disk.set('/d/a.db', opened('/d/a.db', 1n));
    context.mock.timers.tick(SECOND);
    assert.throws(() => guard.check(), isLost);
  });

  it('[OPS-7a] are saved by the next checks where other connections prevent it, for five seconds', (context) => {
    const attempts = [false, new Error('SQLITE_BUSY'), false, true];
    const { disk, saved } = guarded(context, () => {
      const done = attempts.shift() ?? true;
      if (done instanceof Error) throw done;
      return done;
    });
    disk.delete('/d/a.db');
    context.mock.timers.tick(SECOND);
    assert.equal(saved(), 4);
    context.mock.timers.tick(10 * SECOND);
    assert.equal(saved(), 4);
  });

  it('[OPS-7a] are given up where they cannot be saved', (context) => {
    const { disk, saved } = guarded(context, () => false);
    disk.delete('/d/a.db');
    context.mock.timers.tick(60 * SECOND);
    assert.equal(saved(), 20);
  });

  it('are looked at once for each check, and not by a read', (context) => {
    const { guard, looked } = guarded(context);
    guard.check();
    guard.requireIntact();
    assert.equal(looked(), 3);
  });

  it('are not looked at once the store is closed, nor for a database in memory', (context) => {
    const { guard, disk, observed, looked } = guarded(context);
    guard.close();
    disk.clear();
    context.mock.timers.tick(10 * SECOND);
    assert.deepEqual([looked(), observed], [0, []]);
    const none = new FileGuard({ files: [], observe: () => assert.fail(), save: () => assert.fail() });
    none.check();
  });
});
