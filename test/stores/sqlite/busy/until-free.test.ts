import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import Database from 'better-sqlite3';
import type { Observation } from '../../../../src/observe/observation.ts';
import { waitUntilFree } from '../../../../src/stores/sqlite/busy/until-free.ts';
import { temporaryDirectory } from '../../../temporary-directory.ts';

/** A database that another process holds, and one that waits for it. */
function scene(context: TestContext) {
  const file = path.join(temporaryDirectory(context), 'held.db');
  const [one, other] = [new Database(file, { timeout: 0 }), new Database(file)];
  context.after(() => [one, other].forEach((each) => each.close()));
  other.exec('begin immediate');
  const seen: Observation[] = [];
  const stop = new AbortController();
  let tries = 0;
  const act = (): string => {
    tries += 1;
    one.exec('begin immediate');
    return 'done';
  };
  /** The signal comes three tries after something was told. */
  const observe = (observation: Observation): void => {
    seen.push(observation);
    const last = tries + 3;
    const timer = setInterval(() => tries >= last && (clearInterval(timer), stop.abort('SIGTERM')), 10);
  };
  const wait = (longest?: number): Promise<string> =>
    waitUntilFree(act, {
      path: file,
      observe,
      signal: stop.signal,
      ...(longest === undefined ? {} : { timeout: longest }),
    });
  return { file, seen, wait, release: () => other.exec('rollback') };
}

describe('waiting for another process to let go of the database', () => {
  it('[OPS-4] ends when that process has', async (context) => {
    const { wait, release, seen } = scene(context);
    const waiting = wait();
    release();
    assert.deepEqual([await waiting, seen], ['done', []]);
  });

  it('[LIM-3] is told once, and ends with the signal to stop', async (context) => {
    const { file, wait, seen } = scene(context);
    await assert.rejects(wait(), (reason) => reason === 'SIGTERM');
    assert.deepEqual(seen, [{ kind: 'database-locked', path: file }]);
  });

  it('[OPS-4] ends when it has lasted too long, and says what to do', async (context) => {
    await assert.rejects(scene(context).wait(60), {
      name: 'UnusableDatabase',
      message: /^Another process has held it for .* Have that process finish, or end it, and start again\.$/,
    });
  });

  it('does not try again what fails for another reason', async () => {
    let tries = 0;
    const act = (): never => {
      tries += 1;
      throw new Error('broken');
    };
    await assert.rejects(waitUntilFree(act, { path: '', observe: () => {} }), { message: 'broken' });
    assert.equal(tries, 1);
  });
});
