import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { SeededRandom } from '../../../../store-suite/seeded-random.ts';
import { startOwnPostgres } from '../../../postgres-server.ts';
import { openInstance, relayTo } from '../instance.ts';
import { brokenRows, recordHistory } from './histories.ts';
import { roundRobin, type Send, toInstance } from './send.ts';

const server = await startOwnPostgres();
const { relay, url } = await relayTo(server);
after(async () => {
  await relay.close();
  await server.stop();
});

const SETTINGS = { clients: 8, rows: 3, isOver: (requests: number) => requests >= 200 };

async function withInstances(schema: string, use: (sends: readonly Send[]) => Promise<void>): Promise<void> {
  const instances = [];
  for (let at = 0; at < 3; at += 1) instances.push(await openInstance(url(schema)));
  try {
    await use(instances.map(toInstance));
  } finally {
    await Promise.all(instances.map((each) => each.close()));
  }
}

describe('three instances behind a proxy that distributes requests in turn', () => {
  it('[OPS-5] are one linearizable store: reads, pages, 304 and writes with and without conditions', async () => {
    await withInstances('plain', async (sends) => {
      const history = await recordHistory(roundRobin(sends), { ...SETTINGS, random: new SeededRandom(1) });
      assert.deepEqual(brokenRows(history), []);
      assert.ok(history.operations > 0, JSON.stringify(history.operations));
    });
  });

  it('[OPS-5] are one linearizable store while connections to the database are cut', async () => {
    await withInstances('cut', async (sends) => {
      const random = new SeededRandom(2);
      const recorded = recordHistory(roundRobin(sends), { ...SETTINGS, random });
      for (let cuts = 0; cuts < 8; cuts += 1) {
        await setTimeout(100);
        relay.cutAll();
      }
      const history = await recorded;
      assert.deepEqual(brokenRows(history), []);
      assert.ok(history.operations > 0, JSON.stringify(history.operations));
    });
  });

  it('[OPS-5] are found not to be one, where an instance serves from a cache without asking', async () => {
    await withInstances('stale', async (sends) => {
      const [first = assert.fail(), ...others] = sends;
      const cached = new Map<string, ReturnType<Send>>();
      const stale: Send = (row) => {
        if (!row.send.startsWith('GET')) return first(row);
        const found = cached.get(row.send) ?? first({ send: row.send });
        cached.set(row.send, found);
        return found;
      };
      const history = await recordHistory(roundRobin([stale, ...others]), { ...SETTINGS, random: new SeededRandom(3) });
      assert.notDeepEqual(brokenRows(history), []);
    });
  });
});
