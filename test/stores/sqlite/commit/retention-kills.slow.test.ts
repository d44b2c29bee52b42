import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { describe, it } from 'node:test';
import { SeededRandom } from '../../../../store-suite/seeded-random.ts';
import { commit, createProduct } from '../../../../store-suite/sample-writes.ts';
import { temporaryDirectory } from '../../../temporary-directory.ts';
import { Database } from '../driver-under-test.ts';
import { openSample } from '../open-sample.ts';

const PROGRAM = path.join(import.meta.dirname, 'remove-events.ts');

/** Runs the program, and kills it after a time. @param life milliseconds after it has begun; null: it ends by itself */
async function removeEvents(file: string, life: number | null): Promise<void> {
  const child = spawn(process.execPath, [PROGRAM, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  await Promise.race([once(child.stdout, 'data'), exited]);
  if (life !== null) {
    await setTimeout(life);
    child.kill('SIGKILL');
  }
  await exited;
}

/** Reads the position up to which the log was removed, and its events. */
function readLog(file: string): readonly unknown[] {
  const database = new Database(file, { readonly: true });
  const value = (text: string): unknown => database.prepare(text).value();
  try {
    return [
      value("select sequence from restwright_readers where name = 'retention'"),
      value('select min(sequence) - 1 from restwright_events'),
      value(
        'select min(block) * 1024 from (select block from restwright_event_blocks union all select block from restwright_counts where block is not null)',
      ),
      value('select count(*) from restwright_events where origin is null and base = 0'),
    ];
  } finally {
    database.close();
  }
}

describe('a process that is killed while it removes events', () => {
  it('[EVT-8c] has removed what it says, and nothing else', async (context) => {
    const file = path.join(temporaryDirectory(context), 'sample.db');
    const store = await openSample({ path: file });
    for (let part = 0; part < 7; part += 1)
      await commit(store, ...Array.from({ length: 1_000 }, (_, index) => createProduct(`p${part * 1_000 + index}`)));
    await store.close();
    const random = new SeededRandom(1);
    for (let round = 0; round < 2; round += 1) {
      await removeEvents(file, 40 + random.integer(60));
      const [removed, first, block, broken] = readLog(file);
      assert.deepEqual([first, block, broken], [removed, removed, 0]);
    }
    await removeEvents(file, null);
    assert.equal(readLog(file)[0], 5 * 1_024);
  });
});
