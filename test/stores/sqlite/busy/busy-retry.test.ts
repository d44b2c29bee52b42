import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { BusyRetry, type RunOptions } from '../../../../src/stores/sqlite/busy/busy-retry.ts';
import { temporaryDirectory } from '../../../temporary-directory.ts';
import { Database } from '../driver-under-test.ts';
import { sqliteCode } from '../../../../src/stores/sqlite/driver/sqlite-errors.ts';

const lowest = { hex: (bytes: number) => '00'.repeat(bytes) };
const highest = { hex: (bytes: number) => 'ff'.repeat(bytes) };

/** A retry whose clock advances by 1 ms with each reading. */
function retryWith(random: { hex(bytes: number): string }, timeout?: number): BusyRetry {
  let time = 0;
  return new BusyRetry({ random, now: () => (time += 1), timeout });
}

/** A database that another connection has locked, and attempts to lock it too. */
function locked(context: TestContext) {
  const file = path.join(temporaryDirectory(context), 'a.db');
  const [one, other] = [new Database(file, { timeout: 0 }), new Database(file)];
  context.after(() => [one, other].forEach((each) => each.close()));
  other.exec('begin immediate');
  const attempts: string[] = [];
  const attempt = (): string => {
    attempts.push('attempt');
    one.exec('begin immediate');
    return 'locked';
  };
  return { attempts, attempt, unlock: () => other.exec('rollback') };
}

describe('retrying while another process has locked the database', () => {
  it('[LIM-3] delays each attempt with exponential backoff and jitter, within bounds', () => {
    const delays = (retry: BusyRetry, maxDelay?: number): number[] =>
      [1, 2, 3, 50].map((attempts) => Math.round(retry.delay(attempts, maxDelay)));
    assert.deepEqual(delays(retryWith(lowest)), [1, 1, 1, 1]);
    assert.deepEqual(delays(retryWith(highest)), [2, 4, 4, 4]);
    assert.deepEqual(delays(retryWith(highest), 50), [2, 4, 8, 50]);
  });

  it('makes the first attempt synchronously', async () => {
    const order: string[] = [];
    const run = retryWith(lowest).run(() => order.push('attempt'));
    order.push('after');
    await run;
    assert.deepEqual(order, ['attempt', 'after']);
  });

  it('[LIM-3] succeeds once the database is unlocked', async (context) => {
    const { attempts, attempt, unlock } = locked(context);
    const run = retryWith(lowest).run(attempt, { onBusy: () => attempts.length === 3 && unlock() });
    assert.equal(await run, 'locked');
    assert.equal(attempts.length, 4);
  });

  it('[LIM-3] fails with the error of SQLite after its timeout', async (context) => {
    const { attempts, attempt } = locked(context);
    await assert.rejects(retryWith(lowest, 5).run(attempt), (error) => sqliteCode(error) === 'SQLITE_BUSY');
    assert.equal(attempts.length, 5);
  });

  it('[LIM-3] reports before each delay for how long it has waited', async (context) => {
    const waits: number[] = [];
    const options: RunOptions = { timeout: 4, onBusy: (waited) => waits.push(waited) };
    await assert.rejects(
      retryWith(lowest).run(locked(context).attempt, options),
      (error) => sqliteCode(error) === 'SQLITE_BUSY',
    );
    assert.deepEqual(waits, [1, 2, 3]);
  });

  it('[LIM-3] stops with the reason of its signal', async (context) => {
    const stop = new AbortController();
    const options = { signal: stop.signal, onBusy: () => stop.abort('SIGTERM') };
    await assert.rejects(retryWith(lowest).run(locked(context).attempt, options), (reason) => reason === 'SIGTERM');
  });

  it('does not retry another error', async () => {
    let attempts = 0;
    const attempt = (): never => {
      attempts += 1;
      throw new Error('broken');
    };
    await assert.rejects(retryWith(lowest).run(attempt), { message: 'broken' });
    assert.equal(attempts, 1);
  });
});
