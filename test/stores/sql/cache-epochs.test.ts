import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Store } from '../../../src/stores/store.ts';
import { temporaryDirectory } from '../../temporary-directory.ts';
import { openSample } from '../sqlite/open-sample.ts';

/** Two stores on one file, like two processes, with different random bytes. */
async function twoProcesses(context: TestContext): Promise<readonly [Store, Store]> {
  const file = path.join(temporaryDirectory(context), 'sample.db');
  const open = (digits: string): Promise<Store> =>
    openSample({ path: file, random: { hex: (bytes) => digits.repeat(bytes) } });
  const stores = [await open('a1'), await open('b2')] as const;
  context.after(async () => Promise.all(stores.map((store) => store.close())));
  return stores;
}

describe('the cache epoch', () => {
  it('[CACHE-2] is the same for processes that begin it at the same time', async (context) => {
    const [one, other] = await twoProcesses(context);
    const first = await Promise.all([one.cacheEpoch('1.0', 10), other.cacheEpoch('1.0', 20)]);
    assert.deepEqual(first[0], first[1]);
    const second = await Promise.all([other.cacheEpoch('1.1', 30), one.cacheEpoch('1.1', 40)]);
    assert.deepEqual(second[0], second[1]);
    assert.notDeepEqual(second[0], first[0]);
  });

  it('[CACHE-2] is a new one for each process that gives it another name', async (context) => {
    const [one, other] = await twoProcesses(context);
    const epochs = await Promise.all([one.cacheEpoch('1.0', 10), other.cacheEpoch('1.1', 20)]);
    assert.deepEqual(
      epochs.map(({ since }) => since),
      [10, 20],
    );
    assert.equal((await one.cacheEpoch('1.0', 30)).since, 30);
  });
});
