import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { SeededRandom } from '../../../../store-suite/seeded-random.ts';
import { startReplicated } from '../../../postgres-server.ts';
import { brokenRows, recordHistory } from '../failures/histories.ts';
import { roundRobin, type Send, toInstance } from '../failures/send.ts';
import { NOTES, openInstance, relayTo } from '../instance.ts';
import { countStale, leftBy, PAGE, put, readUsage, runOn, until, withInstances } from './replicated-instances.ts';

const { primary, replicas } = await startReplicated([], [[], []]);
const [first = assert.fail(), second = assert.fail()] = replicas;
const relays = [await relayTo(first), await relayTo(second)] as const;
after(async () => {
  for (const { relay } of relays) await relay.close();
  for (const server of [...replicas, primary]) await server.stop();
});

const ALL = { server: primary, followers: relays };

/** Reads pages from all instances while one writes, and compares those with equal ETags. @returns their number */
async function compareTagged(sends: readonly Send[], writes: number): Promise<number> {
  const [writer = assert.fail()] = sends;
  const bytes = new Map<string, string>();
  const different: string[] = [];
  const state = { isDone: false };
  const write = async (id: string): Promise<void> => {
    for (let at = 0; at < writes; at += 1) await writer(put(id, `text ${at}`));
    state.isDone = true;
  };
  const read = async (send: Send): Promise<void> => {
    while (!state.isDone) {
      const { etag, body } = await send(PAGE);
      const text = JSON.stringify(body.data);
      if (etag === null) continue;
      if ((bytes.get(etag) ?? text) !== text) different.push(etag);
      bytes.set(etag, text);
    }
  };
  await Promise.all([write('a'), write('b'), ...sends.flatMap((send) => [read(send), read(send)])]);
  assert.deepEqual(different, []);
  return bytes.size;
}

describe('pages of a replicated database', () => {
  it('[OPS-5] come from the replicas, and have each acknowledged write, whichever instance made it', async () => {
    await withInstances({ schema: 'pages', ...ALL }, 2, async (instances, sends) => {
      assert.equal(await countStale(sends, { writes: 200 }), 0);
      const [, reader = assert.fail()] = instances;
      const { onReplicas, onPrimary } = readUsage(reader);
      assert.equal(onReplicas + onPrimary, 200);
      assert.ok(onReplicas > 150, `${onReplicas} of 200`);
    });
  });

  it('[OPS-5] are part of one linearizable store, while replicas are frozen, cut and delayed', async () => {
    await withInstances({ schema: 'faults', ...ALL }, 3, async (instances, sends) => {
      const isOver = (requests: number): boolean => requests >= 2_000;
      const recorded = recordHistory(roundRobin(sends), { clients: 8, rows: 3, isOver, random: new SeededRandom(3) });
      const state = { isDone: false };
      const history = recorded.finally(() => {
        state.isDone = true;
      });
      for (let round = 0; !state.isDone; round += 1) {
        const { relay } = relays[round % 2] ?? assert.fail();
        if (round % 3 === 0) relay.cutAll();
        if (round % 3 === 1) relay.isSilent = true;
        if (round % 3 === 2) relay.delay = 15;
        await setTimeout(150);
        // Bytes that were lost never arrive.
        if (relay.isSilent) relay.cutAll();
        relay.isSilent = false;
        relay.delay = 0;
      }
      assert.deepEqual(brokenRows(await history), []);
      assert.ok(instances.some((each) => readUsage(each).onReplicas > 0));
      assert.ok(instances.some((each) => leftBy(each).includes('away')));
      for (const each of instances) await until(() => readUsage(each).replicas.every(({ isRead }) => isRead));
    });
  });

  it('[CACHE-2] [OPS-5] have equal bytes where their ETags are equal, whichever server answers', async () => {
    await withInstances({ schema: 'tags', ...ALL }, 3, async (instances, sends) => {
      assert.ok((await compareTagged(sends, 150)) > 20);
      assert.ok(instances.every((each) => readUsage(each).onReplicas > 0));
    });
  });

  it('[OPS-5] come from the primary where a connection is cut in the middle of one', async () => {
    await withInstances({ schema: 'cut', ...ALL }, 1, async ([instance = assert.fail()], [send = assert.fail()]) => {
      await send(put('a', 'the text that is cut'));
      for (const { relay } of relays) {
        const cut = relay.cutAt('answer', 'the text that is cut');
        // Each page is another one, so that none is cached.
        for (let limit = 1; leftBy(instance).length === 0; limit += 1) {
          const { status, body } = await send({ send: `GET /api/v1/notes?limit=${limit}` });
          assert.equal(status, 200);
          assert.equal(body.data[0].text, 'the text that is cut');
        }
        await cut;
        await until(() => readUsage(instance).replicas.every(({ isRead }) => isRead));
        instance.observations.splice(0);
      }
    });
  });

  it('[OPS-5] come from the primary while all replicas are behind, and from them once they are not', async () => {
    await withInstances({ schema: 'behind', ...ALL }, 2, async (instances, sends) => {
      const [, reader = assert.fail()] = instances;
      for (const replica of replicas) await runOn(replica, 'select pg_wal_replay_pause()');
      assert.equal(await countStale(sends, { writes: 20 }), 0);
      assert.equal(readUsage(reader).onReplicas, 0);
      assert.deepEqual(
        readUsage(reader).replicas.map(({ isRead }) => isRead),
        [false, false],
      );
      assert.deepEqual(leftBy(reader), ['behind', 'behind']);
      for (const replica of replicas) await runOn(replica, 'select pg_wal_replay_resume()');
      await until(() => readUsage(reader).replicas.every(({ isRead }) => isRead));
      assert.equal(await countStale(sends, { writes: 20 }), 0);
      assert.ok(readUsage(reader).onReplicas > 0);
    });
  });

  it('[OPS-5] come from no server that follows another one, or none', async (context) => {
    const others = await startReplicated([], [[]], true);
    const [follower = assert.fail()] = others.replicas;
    context.after(async () => {
      for (const server of [follower, others.primary]) await server.stop();
    });
    const urls = [follower, primary].map((server) => server.url('other'));
    // It has the schema, and rows: only they are not those of the primary.
    await (await openInstance(others.primary.url('other'))).close();
    const instance = await openInstance(primary.url('other'), NOTES, urls);
    await toInstance(instance)(put('a', 'first'));
    assert.equal((await toInstance(instance)(PAGE)).body.data.length, 1);
    assert.deepEqual(leftBy(instance).toSorted(), ['not a replica', 'of another server']);
    assert.equal(readUsage(instance).onReplicas, 0);
    await instance.close();
  });
});

describe('a replica of several', () => {
  it('[OPS-5] is not read while it is three seconds behind, and never delays a page for long', async (context) => {
    const delayed = await startReplicated([], [[], ['recovery_min_apply_delay=3s']]);
    context.after(async () => {
      for (const server of [...delayed.replicas, delayed.primary]) await server.stop();
    });
    const place = { schema: 'delayed', server: delayed.primary, followers: delayed.replicas };
    await withInstances(place, 2, async ([, reader = assert.fail()], sends) => {
      assert.equal(await countStale(sends, { writes: 200 }), 0);
      assert.ok(readUsage(reader).onReplicas > 0);
      await until(() => (readUsage(reader).replicas[1]?.lag ?? 0) > 0);
    });
  });

  it('[OPS-5] is not read once it was promoted, although it has all writes', async (context) => {
    const promoted = await startReplicated([], [[]]);
    const [replica = assert.fail()] = promoted.replicas;
    context.after(async () => {
      for (const server of [replica, promoted.primary]) await server.stop();
    });
    const place = { schema: 'shop', server: promoted.primary, followers: [replica] };
    await withInstances(place, 1, async ([instance = assert.fail()], [send = assert.fail()]) => {
      await runOn(replica, 'select pg_promote()');
      await until(() => leftBy(instance).includes('not a replica'));
      const before = readUsage(instance).onReplicas;
      await send(put('a', 'on the primary'));
      assert.equal((await send(PAGE)).body.data[0].text, 'on the primary');
      assert.equal(readUsage(instance).onReplicas, before);
    });
  });
});

describe('a replica that shows commits before the primary does', () => {
  it('[OPS-5] [CACHE-2] shows none that a later request does not see, and none under an earlier ETag', async (context) => {
    // The primary shows a commit once both have it: one of them 15 ms after the other.
    const eager = await startReplicated(
      ['synchronous_standby_names=2 (*)', 'synchronous_commit=remote_apply'],
      [[], ['recovery_min_apply_delay=15ms']],
    );
    const [replica = assert.fail()] = eager.replicas;
    context.after(async () => {
      for (const server of [...eager.replicas, eager.primary]) await server.stop();
    });
    const place = { schema: 'eager', server: eager.primary, followers: [replica] };
    await withInstances(place, 3, async (instances, sends) => {
      assert.ok((await compareTagged(sends, 40)) > 20);
      const isOver = (requests: number): boolean => requests >= 200;
      const random = new SeededRandom(4);
      const recorded = await recordHistory(roundRobin(sends), { clients: 8, rows: 3, isOver, random });
      assert.deepEqual(brokenRows(recorded), []);
      assert.ok(instances.every((each) => readUsage(each).onReplicas > 0));
    });
  });
});
