import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Observation } from '../../../../src/observe/observation.ts';
import { monotonicNow } from '../../../../src/platform/clock.ts';
import { BusyRetry } from '../../../../src/stores/sqlite/busy/busy-retry.ts';
import { openWhenUnlocked } from '../../../../src/stores/sqlite/busy/open-when-unlocked.ts';
import { temporaryDirectory } from '../../../temporary-directory.ts';
import { Database } from '../driver-under-test.ts';

const retry = new BusyRetry({ random: { hex: (bytes) => '00'.repeat(bytes) }, now: monotonicNow });

/** A database that another process has locked, and an attempt to open it. */
function scene(context: TestContext) {
  const file = path.join(temporaryDirectory(context), 'locked.db');
  const [one, other] = [new Database(file, { timeout: 0 }), new Database(file)];
  context.after(() => [one, other].forEach((each) => each.close()));
  other.exec('begin immediate');
  const seen: Observation[] = [];
  const stop = new AbortController();
  let attempts = 0;
  const open = (): string => {
    attempts += 1;
    one.exec('begin immediate');
    return 'done';
  };
  /** The signal comes three attempts after the observation. */
  const observe = (observation: Observation): void => {
    seen.push(observation);
    const last = attempts + 3;
    const timer = setInterval(() => attempts >= last && (clearInterval(timer), stop.abort('SIGTERM')), 10);
  };
  const wait = (timeout?: number): Promise<string> =>
    openWhenUnlocked(retry, open, {
      path: file,
      observe,
      signal: stop.signal,
      ...(timeout === undefined ? {} : { timeout }),
    });
  return { file, seen, wait, release: () => other.exec('rollback') };
}

describe('opening a database that another process has locked', () => {
  it('[OPS-4a] succeeds once it is unlocked', async (context) => {
    const { wait, release, seen } = scene(context);
    const waiting = wait();
    release();
    assert.deepEqual([await waiting, seen], ['done', []]);
  });

  it('[LIM-3] is observed once, and ends with the signal to stop', async (context) => {
    const { file, wait, seen } = scene(context);
    await assert.rejects(wait(), (reason) => reason === 'SIGTERM');
    assert.deepEqual(seen, [{ kind: 'database-locked', path: file }]);
  });

  it('[OPS-4a] fails after the timeout, and says what to do', async (context) => {
    await assert.rejects(scene(context).wait(60), {
      name: 'UnusableDatabase',
      message: /^Another process has locked it for .* Wait for that process or end it, then start again\.$/,
    });
  });

  it('does not retry another error', async () => {
    let attempts = 0;
    const open = (): never => {
      attempts += 1;
      throw new Error('broken');
    };
    await assert.rejects(openWhenUnlocked(retry, open, { path: '', observe: () => {} }), { message: 'broken' });
    assert.equal(attempts, 1);
  });
});
