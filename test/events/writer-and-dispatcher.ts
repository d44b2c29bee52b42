// A process that writes, and delivers what it writes: `node writer-and-dispatcher.ts DATABASE JOURNAL [write|deliver]`.
// It appends what was acknowledged (`a ID`) and delivered (`d ID`) to the journal. With `deliver` it writes nothing,
// and ends when everything is delivered.
import { appendFileSync } from 'node:fs';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { startDispatch } from '../../src/events/dispatch.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createRandom } from '../../src/platform/random.ts';
import { commit, createProduct } from '../../store-suite/sample-writes.ts';
import { openSample } from '../stores/sqlite/open-sample.ts';
import { subscriber } from './dispatch-scene.ts';

const [file = '', journal = '', task = 'write'] = process.argv.slice(2);
const random = createRandom();
const store = await openSample({ path: file, random, clock: systemClock });
const hooks = ['plain', 'ordered'].map((name) =>
  subscriber(
    name,
    async ({ event }) => {
      if (Number.parseInt(random.hex(1), 16) < 85) return { kind: 'failed' };
      if (Number.parseInt(random.hex(1), 16) < 64) await setTimeout(1);
      appendFileSync(journal, `d ${name} ${event.event.payload.resource.id} ${event.sequence}\n`);
      return { kind: 'succeeded' };
    },
    { name, schedule: Array<number>(60).fill(10), concurrency: 8, subscription: { ordered: name === 'ordered' } },
  ),
);
const dispatch = startDispatch({ store, subscribers: hooks, clock: systemClock, random, observe: () => undefined });

async function write(): Promise<void> {
  for (let round = 0; ; round += 1) {
    const ids = Array.from({ length: 20 }, (_, index) => `${process.pid}-${round}-${index}`);
    const written = ids.map(async (id) => {
      await commit(store, createProduct(id));
      appendFileSync(journal, `a ${id}\n`);
    });
    await Promise.all(written);
    dispatch.wake();
    if (round === 0) process.stdout.write('ready\n');
    await setTimeout(1);
  }
}

/** True if every event is delivered to every subscription. */
async function isDone(): Promise<boolean> {
  const last = await store.events.lastSequence();
  const states = await Promise.all(
    hooks.map(async ({ name }) => {
      const [reader, waiting] = [await store.deliveries.reader(name), await store.deliveries.waiting(name)];
      const positions = await store.deliveries.positions([name]);
      return reader?.sequence === last && waiting.length === 0 && positions.length === 0;
    }),
  );
  return states.every(Boolean);
}

if (task === 'write') await write();
while (!(await isDone())) {
  dispatch.wake();
  await setTimeout(20);
}
await dispatch.stop();
await store.close();
