import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it } from 'node:test';
import Database from 'better-sqlite3';
import { BusyRetry } from '../../../../src/stores/sqlite/busy/busy-retry.ts';
import { temporaryDirectory } from '../../../temporary-directory.ts';

const least = { hex: (bytes: number) => '00'.repeat(bytes) };
const most = { hex: (bytes: number) => 'ff'.repeat(bytes) };

describe('waiting for another process that writes', () => {
  it('[LIM-3] tries again after a pause that grows within bounds, and that differs by chance', () => {
    const pauses = (patience: BusyRetry): number[] => [1, 2, 3, 50].map((tries) => Math.round(patience.delay(tries)));
    assert.deepEqual(pauses(new BusyRetry(least)), [1, 1, 1, 1]);
    assert.deepEqual(pauses(new BusyRetry(most)), [2, 4, 4, 4]);
  });

  it('[LIM-3] ends with what SQLite says once its time is over', async (context) => {
    const file = path.join(temporaryDirectory(context), 'a.db');
    const [one, other] = [new Database(file, { timeout: 0 }), new Database(file)];
    other.exec('begin immediate');
    let tries = 0;
    const act = (): void => {
      tries += 1;
      one.exec('begin immediate');
    };
    await assert.rejects(new BusyRetry(least, 20).run(act), { code: 'SQLITE_BUSY' });
    assert.ok(tries > 2, `${tries} tries`);
    other.close();
    one.close();
  });

  it('does not try again what fails for another reason', async () => {
    let tries = 0;
    const act = (): never => {
      tries += 1;
      throw new Error('broken');
    };
    await assert.rejects(new BusyRetry(least).run(act), { message: 'broken' });
    assert.equal(tries, 1);
  });
});
