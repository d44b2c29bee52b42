import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PatternIndex } from '../../src/events/pattern-index.ts';
import type { AttemptResult, Subscription } from '../../src/events/subscriber.ts';
import { commit, createProduct, update } from '../../store-suite/sample-writes.ts';
import { scene, settle, subscriber, until, untilEqual } from './dispatch-scene.ts';

const FAILED: AttemptResult = { kind: 'failed' };

function subscriptionTo(name: string, ...patterns: readonly string[]): Subscription {
  return { name, patterns, ordered: false };
}

describe('subscriptions', () => {
  it('[EVT-3a] match an event type by its name, by its resource, or by *, each once', () => {
    const all = subscriptionTo('all', '*', 'product.*');
    const products = subscriptionTo('products', 'product.*');
    const created = subscriptionTo('created', 'product.created', 'review.created');
    const index = new PatternIndex([all, products, created, subscriptionTo('other', 'products.*', 'created')]);
    assert.deepEqual(index.match('product.created'), [all, products, created]);
    assert.deepEqual(index.match('product.deleted'), [all, products]);
    assert.deepEqual(index.match('review.created'), [all, created]);
    assert.deepEqual(index.match('order.created'), [all]);
  });

  it('[EVT-3a] come and go while the server runs; one that starts with a unit gets what follows that unit', async () => {
    await using at = await scene();
    const got: string[] = [];
    let stamp = 1;
    let names = ['hook:one'];
    const hooks = subscriber(
      'unused',
      ({ subscription, event }) => void got.push(`${subscription.name} ${event.event.payload.resource.id}`),
      { stamp: () => stamp, subscriptions: () => names.map((name) => subscriptionTo(name, 'created')) },
    );
    const dispatch = at.start([hooks]);
    await settle();
    await commit(at.store, createProduct('a'));
    dispatch.wake();
    await at.store.writes.commit({
      plans: [createProduct('b')],
      delivery: { starts: [{ name: 'hook:two', after: 'end' }] },
    });
    await commit(at.store, createProduct('c'));
    [stamp, names] = [2, ['hook:one', 'hook:two']];
    await until(() => got.length === 4, dispatch);
    [stamp, names] = [3, ['hook:two']];
    await commit(at.store, createProduct('d'));
    await until(() => got.length === 5, dispatch);
    await settle();
    assert.deepEqual(got.toSorted(), ['hook:one a', 'hook:one b', 'hook:one c', 'hook:two c', 'hook:two d']);
  });

  it('[EVT-3a] get nothing of the time between their end and a new start, also where both are noticed together', async () => {
    await using at = await scene();
    let [stamp, start] = [1, 0];
    const hook = subscriber('hook', undefined, {
      stamp: () => stamp,
      subscriptions: () => [{ ...subscriptionTo('hook', 'created'), start }],
    });
    const dispatch = at.start([hook]);
    await settle();
    await commit(at.store, createProduct('a'));
    await until(() => hook.got.length === 1, dispatch);
    const plans = [createProduct('b')];
    await at.store.writes.commit({ plans, delivery: { starts: [{ name: 'hook', after: 'end' }] } });
    [stamp, start] = [2, 2];
    dispatch.wake();
    await settle();
    await commit(at.store, createProduct('c'));
    await until(() => hook.got.length === 2, dispatch);
    assert.deepEqual(hook.got, ['a', 'c']);
    await dispatch.stop();
    assert.deepEqual(await at.store.deliveries.positions(['hook']), [], 'it follows the reader');
    await until(() => true, at.start([hook]));
    await settle();
    assert.deepEqual(hook.got, ['a', 'c']);
  });

  it('[EVT-4e] can deliver a window of the log again, up to an event', async () => {
    await using at = await scene();
    await commit(at.store, ...['a', 'b', 'c', 'd'].map((id) => createProduct(id)));
    await at.store.writes.commit({ plans: [], delivery: { starts: [{ name: 'replay', after: 1 }] } });
    const replay = subscriber('replay', undefined, { subscription: { until: 3 } });
    const dispatch = at.start([replay]);
    await until(() => replay.got.length === 2, dispatch);
    await settle();
    assert.deepEqual(replay.got.toSorted(), ['b', 'c']);
  });

  it('[EVT-3c] deliver the events of one resource in order, and hold later ones back until a failed one is done or dead', async () => {
    await using at = await scene();
    const tried: string[] = [];
    let down = true;
    const ordered = subscriber(
      'ordered',
      ({ event: { event }, attempt }) => {
        tried.push(`${event.type} ${event.payload.resource.id} ${attempt}`);
        return down && event.payload.resource.id === 'a' ? FAILED : undefined;
      },
      { schedule: [0, 1_000], subscription: { ordered: true, patterns: ['*'] } },
    );
    const dispatch = at.start([ordered]);
    await settle();
    const [first = 0] = await commit(at.store, createProduct('a'), createProduct('b'));
    const [second = 0] = await commit(at.store, update('products', 'a', first, { stock: 1 }));
    await commit(at.store, update('products', 'a', second, { stock: 2 }));
    await until(() => tried.length === 2, dispatch);
    assert.deepEqual(tried.toSorted(), ['created a 1', 'created b 1']);
    const states = async (): Promise<readonly string[]> =>
      (await at.store.deliveries.list({ endpoint: 'ordered', limit: 9 })).map(({ state }) => state);
    await untilEqual(states, ['held', 'held', 'waiting']);
    assert.equal(tried.length, 2);
    at.clock.advance(2_000);
    await until(() => tried.length === 4, dispatch);
    assert.deepEqual(tried.slice(2), ['created a 2', 'updated a 1'], 'a dead event lets the next one pass');
    down = false;
    at.clock.advance(2_000);
    await until(() => tried.length === 6, dispatch);
    assert.deepEqual(tried.slice(4), ['updated a 2', 'updated a 1']);
    await untilEqual(states, ['succeeded', 'succeeded', 'dead']);
  });

  it('[EVT-6c] have a limit of concurrent deliveries, one while they fail, and never delay another one', async () => {
    await using at = await scene();
    const hanging = Promise.withResolvers<void>();
    const inFlight = new Map<string, number>();
    const subscriptions = Array.from({ length: 10 }, (_, index) => subscriptionTo(`hook:${index}`, 'created'));
    const got: string[] = [];
    const hooks = subscriber(
      'unused',
      async ({ subscription: { name }, event }) => {
        inFlight.set(name, (inFlight.get(name) ?? 0) + 1);
        if (name !== 'hook:9') return hanging.promise;
        got.push(event.event.payload.resource.id);
        return FAILED;
      },
      { concurrency: 4, subscriptions: () => subscriptions },
    );
    const dispatch = at.start([hooks]);
    await settle();
    const ids = Array.from({ length: 600 }, (_, index) => `p${index}`);
    await commit(at.store, ...ids.map((id) => createProduct(id)));
    await until(() => got.length === ids.length, dispatch);
    assert.deepEqual(got, ids, 'one at a time');
    assert.deepEqual([...inFlight.values()].slice(0, 9), Array<number>(9).fill(1), 'one until the first success');
    hanging.resolve();
    await until(() => hooks.got.length === 10 * ids.length, dispatch);
  });

  it('[EVT-6c] are limited to a rate after a failure, until they have caught up', async () => {
    await using at = await scene();
    let down = true;
    const slow = subscriber('slow', () => (down ? FAILED : undefined), { schedule: [0, 1_000, 1_000], drainRate: 100 });
    const dispatch = at.start([slow]);
    await settle();
    await commit(at.store, ...Array.from({ length: 20 }, (_, index) => createProduct(`p${index}`)));
    await until(() => slow.got.length === 20, dispatch);
    down = false;
    at.clock.advance(1_500);
    const began = performance.now();
    await until(() => slow.got.length === 40, dispatch);
    assert.ok(performance.now() - began > 150, 'at most 100 a second');
  });

  it('[EVT-6a] may refuse an event at once, or ask for a later attempt', async () => {
    await using at = await scene();
    const results: Record<string, AttemptResult> = {
      gone: { kind: 'refused' },
      busy: { kind: 'failed', retryAfter: 60_000 },
    };
    const hook = subscriber('hook', ({ event }) => results[event.event.payload.resource.id], {
      schedule: [0, 1_000],
    });
    const dispatch = at.start([hook]);
    await settle();
    await commit(at.store, createProduct('gone'), createProduct('busy'), createProduct('fine'));
    await until(() => hook.got.length === 3, dispatch);
    const stored = async (): Promise<readonly unknown[]> =>
      (await at.store.deliveries.list({ endpoint: 'hook', limit: 9 })).map(({ state, due }) => [
        state,
        due - at.clock.now(),
      ]);
    await untilEqual(stored, [
      ['waiting', 60_000],
      ['dead', 0],
    ]);
  });

  it('[EVT-6a] wait for their own delay where a receiver asks for a shorter one', async () => {
    await using at = await scene();
    const eager = subscriber('hook', () => ({ kind: 'failed', retryAfter: 10 }), { schedule: [0, 1_000] });
    const dispatch = at.start([eager]);
    await settle();
    await commit(at.store, createProduct('eager'));
    await until(() => eager.got.length === 1, dispatch);
    // The jitter adds at most a tenth.
    const isOwn = async (): Promise<readonly boolean[]> =>
      (await at.store.deliveries.list({ endpoint: 'hook', limit: 9 })).map(({ due }) => {
        const delay = due - at.clock.now();
        return delay >= 1_000 && delay <= 1_100;
      });
    await untilEqual(isOwn, [true]);
  });

  it('[EVT-6a] get an event again that is sent again on request', async () => {
    await using at = await scene();
    const hook = subscriber('hook', undefined, { name: 'hooks' });
    const dispatch = at.start([hook]);
    await settle();
    await commit(at.store, createProduct('a'));
    await until(() => hook.got.length === 1, dispatch);
    const again = {
      reader: 'hooks',
      endpoint: 'hook',
      sequence: 1,
      state: 'waiting',
      attempts: 0,
      resource: null,
    } as const;
    await at.store.writes.commit({ plans: [], delivery: { deliveries: [{ ...again, due: at.clock.now() }] } });
    await until(() => hook.got.length === 2);
  });

  it('[EVT-6a] keep their schedule when the clock is set back, and when it was ahead', async () => {
    await using at = await scene();
    let down = true;
    const hook = subscriber('hook', () => (down ? FAILED : undefined), { schedule: [0, 1_000, 1_000] });
    at.clock.advance(1_000_000_000);
    const dispatch = at.start([hook]);
    await settle();
    await commit(at.store, createProduct('a'));
    await until(() => hook.got.length === 1, dispatch);
    const states = async (): Promise<readonly string[]> =>
      (await at.store.deliveries.list({ endpoint: 'hook', limit: 9 })).map(({ state }) => state);
    await untilEqual(states, ['waiting']);
    at.clock.advance(-1_000_000_000);
    down = false;
    await commit(at.store, createProduct('b'));
    await until(() => hook.got.length === 3, dispatch);
    assert.deepEqual(hook.got.toSorted(), ['a', 'a', 'b']);
  });
});

describe('several processes', () => {
  it('[EVT-3a] take the lease of a process that has ended at once, and store what it may have been ended by first', async () => {
    await using at = await scene();
    const endless = Promise.withResolvers<void>();
    const first = at.start([subscriber('hook', () => endless.promise)]);
    await settle();
    await commit(at.store, createProduct('a'));
    first.wake();
    await settle();
    const reader = await at.store.deliveries.reader('reader of hook');
    assert.ok(reader !== null);
    const dead = { ...reader.lease, owner: `${reader.lease.owner}0` };
    assert.equal(await at.store.deliveries.lease(reader.lease, dead), true);
    const stored: string[] = [];
    const hook = subscriber('hook', async () => {
      const deliveries = await at.store.deliveries.list({ endpoint: 'hook', limit: 9 });
      stored.push(...deliveries.map(({ state, attempts }) => `${state} ${attempts}`));
    });
    const second = at.start([hook]);
    await until(() => hook.got.length === 1, second);
    assert.deepEqual(stored, ['waiting 1'], 'the attempt was counted before');
    endless.resolve();
    await settle();
    assert.deepEqual(at.errors, []);
  });

  it('[EVT-3a] take over what another one leaves when it stops', async () => {
    await using at = await scene();
    const [one, other] = [subscriber('hook'), subscriber('hook')];
    const first = at.start([one]);
    await settle();
    const second = at.start([other]);
    await commit(at.store, createProduct('a'));
    await until(() => one.got.length === 1, first);
    await first.stop();
    await commit(at.store, createProduct('b'));
    await until(() => other.got.length === 1, second);
    assert.deepEqual([one.got, other.got], [['a'], ['b']]);
  });
});
