import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { openSample } from '../stores/sqlite/open-sample.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { deliverTheRest, judgeJournal, readJournal, startWriter } from './kill-rounds.ts';

/** Milliseconds in which a process of the same machine takes over. */
const TAKEOVER = 5_000;

describe('two processes of which one delivers', () => {
  it('[EVT-3a] deliver on in the other one when that one is killed, and lose nothing', async (context) => {
    const folder = temporaryDirectory(context);
    // One after the other: a subscription gets what is written after the first process has registered it.
    const writers = [await startWriter(folder), await startWriter(folder)];
    context.after(() => Promise.all(writers.map((writer) => writer.kill())));
    const store = await openSample({ path: path.join(folder, 'sample.db') });
    const owner = async (): Promise<string> => (await store.deliveries.reader('plain'))?.lease.owner ?? '';
    for (let waited = 0; waited < TAKEOVER && (await owner()) === ''; waited += 50) await setTimeout(50);
    const delivering = await owner();
    const first = writers.find(({ pid }) => delivering.includes(`/${pid}/`));
    assert.ok(first !== undefined);
    await first.kill();
    const last = await store.events.lastSequence();
    const isDelivered = (): boolean => readJournal(folder).some((line) => Number(line.split(' ')[3]) > last);
    for (let waited = 0; waited < TAKEOVER && !isDelivered(); waited += 50) await setTimeout(50);
    assert.ok(isDelivered(), 'what was written after the end of the first is delivered');
    assert.notEqual(await owner(), delivering);
    await store.close();
    for (const writer of writers) await writer.kill();
    await deliverTheRest(folder);
    assert.ok((await judgeJournal(folder)) > last);
  });
});
