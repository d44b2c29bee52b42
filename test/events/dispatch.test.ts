import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HOOK_SCHEDULE, nextDelay } from '../../src/events/retry-schedule.ts';
import type { Store } from '../../src/stores/store.ts';
import { commit, createProduct, createSupplier } from '../../store-suite/sample-writes.ts';
import { scene, settle, subscriber, until } from './dispatch-scene.ts';

describe('dispatch', () => {
  it('[EVT-3a] delivers committed events to each subscriber that accepts them, in order', async () => {
    await using at = await scene();
    const [one, other] = [subscriber('one'), subscriber('other')];
    const dispatch = at.start([one, other, subscriber('none', undefined, { subscription: { accepts: () => false } })]);
    await settle();
    await commit(at.store, createProduct('a'), createSupplier('s'), createProduct('b'));
    dispatch.wake();
    await until(() => one.got.length === 2 && other.got.length === 2);
    assert.deepEqual(
      [one.got, other.got],
      [
        ['a', 'b'],
        ['a', 'b'],
      ],
    );
  });

  it('[EVT-3a] starts a new subscriber at the end of the log, and resumes a known one', async () => {
    await using at = await scene();
    const known = subscriber('known');
    const first = at.start([known]);
    await settle();
    await commit(at.store, createProduct('a'));
    await until(() => known.got.length === 1, first);
    await first.stop();
    await commit(at.store, createProduct('b'));
    const late = subscriber('late');
    const second = at.start([known, late]);
    await settle();
    await commit(at.store, createProduct('c'));
    await until(() => known.got.length === 3 && late.got.length === 1, second);
    assert.deepEqual([known.got, late.got], [['a', 'b', 'c'], ['c']]);
  });

  it('[EVT-6a, EVT-6c] retries by the schedule without delaying other subscribers', async () => {
    await using at = await scene();
    let down = true;
    const failing = subscriber('failing', () => {
      if (down) throw new Error('down');
    });
    const healthy = subscriber('healthy');
    const dispatch = at.start([failing, healthy]);
    await settle();
    await commit(at.store, createProduct('a'));
    await until(() => healthy.got.length === 1 && at.errors.length === 1, dispatch);
    dispatch.wake();
    await settle();
    assert.equal(at.errors.length, 1, 'no retry before it is due');
    at.clock.advance(HOOK_SCHEDULE[1] ?? 0);
    await until(() => at.errors.length === 2, dispatch);
    down = false;
    at.clock.advance(HOOK_SCHEDULE[2] ?? 0);
    await until(() => failing.got.length === 1, dispatch);
  });

  it('[LIM-3] waits for deliveries in flight no longer than its timeout; the next dispatch retries them', async () => {
    await using at = await scene();
    const hook = Promise.withResolvers<void>();
    const hanging = subscriber('endless', () => hook.promise);
    let began = 0;
    const dispatch = at.start([{ ...hanging, deliver: (event) => ((began += 1), hanging.deliver(event)) }]);
    await settle();
    await commit(at.store, createProduct('a'));
    await until(() => began === 1, dispatch);
    await dispatch.stop(1);
    assert.deepEqual(at.pending, [1]);
    hook.resolve();
    await settle();
    at.clock.advance(45_000);
    const next = subscriber('endless');
    const successor = at.start([next]);
    await until(() => next.got.length === 1, successor);
    assert.deepEqual(at.errors, []);
  });

  it('[EVT-3a, EVT-6a] ends an attempt at its time limit, before its lease ends', async () => {
    await using at = await scene();
    const endless = Promise.withResolvers<void>();
    const attempts: number[] = [];
    const hook = subscriber('endless', ({ attempt }) => (attempts.push(attempt), endless.promise), { timeout: 20 });
    const dispatch = at.start([hook]);
    await settle();
    await commit(at.store, createProduct('a'));
    await until(() => attempts.length === 1, dispatch);
    const reader = await at.store.deliveries.reader(hook.name);
    assert.ok((reader?.lease.until ?? 0) >= at.clock.now() + hook.timeout);
    await until(() => at.errors.length === 1);
    const [error] = at.errors;
    assert.ok(error instanceof Error, 'the attempt has ended');
    assert.match(error.message, /endless took more than 0.02 s/);
    endless.resolve();
  });

  it('[EVT-6a] gives up after the last attempt', async () => {
    await using at = await scene();
    const failing = subscriber('failing', () => Promise.reject(new Error('down')));
    const dispatch = at.start([failing]);
    await settle();
    await commit(at.store, createProduct('a'));
    for (const [made, delay] of HOOK_SCHEDULE.entries()) {
      at.clock.advance(delay);
      await until(() => at.errors.length === made + 1, dispatch);
      await settle();
    }
    at.clock.advance(1_000 * 24 * 60 * 60 * 1_000);
    dispatch.wake();
    await settle();
    assert.equal(at.errors.length, HOOK_SCHEDULE.length);
  });

  it('[EVT-3a] repeats a delivery whose result was not stored, as after a crash, when its lease has ended', async () => {
    await using at = await scene();
    const hook = subscriber('hook');
    const crashing: Store = {
      ...at.store,
      writes: {
        pending: 0,
        commit: (...given) => {
          if (given[0].delivery === undefined) return at.store.writes.commit(...given);
          return new Promise(() => undefined);
        },
      },
    };
    const dying = at.start([hook], crashing);
    await settle();
    await commit(at.store, createProduct('a'));
    await until(() => hook.got.length === 1, dying);
    await dying.stop(1);
    const dispatch = at.start([hook]);
    await settle();
    assert.deepEqual(hook.got, ['a'], 'its lease has not ended');
    at.clock.advance(60_000);
    await until(() => hook.got.length === 2, dispatch);
  });

  it('[EVT-3a] delivers each event in one of several processes', async () => {
    await using at = await scene();
    const [one, other] = [subscriber('hook'), subscriber('hook')];
    const [first, second] = [at.start([one]), at.start([other])];
    await settle();
    const ids = Array.from({ length: 100 }, (_, index) => `p${index}`);
    await commit(at.store, ...ids.map((id) => createProduct(id)));
    first.wake();
    await until(() => one.got.length + other.got.length >= 100, second);
    await settle();
    assert.deepEqual([...one.got, ...other.got].sort(), ids.sort());
  });

  it('[LIM-3] stops when the deliveries in flight are complete', async () => {
    await using at = await scene();
    const { promise, resolve } = Promise.withResolvers<void>();
    const slow = subscriber('slow', () => promise);
    const dispatch = at.start([slow]);
    await settle();
    await commit(at.store, createProduct('a'));
    dispatch.wake();
    await settle();
    let stopped = false;
    const stopping = dispatch.stop().then(() => (stopped = true));
    await settle();
    assert.equal(stopped, false);
    resolve();
    await stopping;
    assert.deepEqual(slow.got, ['a']);
  });

  it('gives up deliveries to a hook that no longer exists', async () => {
    await using at = await scene();
    const first = at.start([subscriber('after:gone', () => Promise.reject(new Error('down')), { name: 'after' })]);
    await settle();
    await commit(at.store, createProduct('a'));
    await until(() => at.errors.length === 1, first);
    await first.stop();
    at.clock.advance(10_000);
    const second = at.start([subscriber('after:other', undefined, { name: 'after' })]);
    await until(() => at.errors.length === 2, second);
    at.clock.advance(1_000_000_000);
    second.wake();
    await settle();
    assert.equal(at.errors.length, 2);
  });
});

describe('nextDelay', () => {
  it('[EVT-6a] grows up to the last attempt, with jitter', () => {
    assert.equal(nextDelay(HOOK_SCHEDULE, HOOK_SCHEDULE.length, 0), null);
    assert.equal(nextDelay([0, 100], 0, 1), 0);
    assert.equal(nextDelay([0, 100], 1, 0), 100);
    assert.equal(nextDelay([0, 100], 1, 1), 110);
    assert.deepEqual(
      [...HOOK_SCHEDULE].sort((one, other) => one - other),
      HOOK_SCHEDULE,
    );
  });
});
