import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EventEnvelope } from '../../src/conventions/event.ts';
import { type Dispatch, startDispatch } from '../../src/events/dispatch.ts';
import type { Subscriber } from '../../src/events/subscriber.ts';
import { HOOK_SCHEDULE, nextDelay } from '../../src/events/retry-schedule.ts';
import type { Store } from '../../src/stores/store.ts';
import { commit, createProduct, createSupplier } from '../../src/testing/sample-writes.ts';
import { openSample } from '../stores/sqlite/open-sample.ts';

/** An outlet that keeps what it gets, and does with it what a test wants. */
function outlet(
  name: string,
  deliver: (event: EventEnvelope) => Promise<void> | void = () => undefined,
): Subscriber & { readonly got: string[] } {
  const got: string[] = [];
  return {
    name,
    got,
    accepts: ({ payload }) => payload.resource.type === 'products',
    deliver: async (event) => {
      await deliver(event);
      got.push(event.payload.resource.id);
    },
  };
}

interface Scene extends AsyncDisposable {
  readonly store: Store;
  readonly clock: { now(): number; advance(milliseconds: number): void };
  readonly faults: unknown[];
  /** Deliveries that were left when one stopped. */
  readonly left: number[];
  start(outlets: readonly Subscriber[], store?: Store): Dispatch;
}

async function scene(): Promise<Scene> {
  const store = await openSample();
  let time = 1_000_000;
  const clock = { now: () => time, advance: (milliseconds: number) => void (time += milliseconds) };
  const faults: unknown[] = [];
  const left: number[] = [];
  const dispatches: Dispatch[] = [];
  return {
    store,
    clock,
    faults,
    left,
    start(outlets, through = store) {
      const dispatch = startDispatch({
        store: through,
        subscribers: outlets,
        clock,
        random: () => 0,
        observe: (seen) => {
          if (seen.kind === 'error') faults.push(seen.error);
          if (seen.kind === 'deliveries-pending') left.push(seen.count);
        },
      });
      dispatches.push(dispatch);
      return dispatch;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(dispatches.map((dispatch) => dispatch.stop()));
      await store.close();
    },
  };
}

/** Lets everything that is under way go on until something holds. */
async function until(holds: () => boolean, dispatch?: Dispatch): Promise<void> {
  for (let turn = 0; turn < 2_000; turn++) {
    if (holds()) return;
    dispatch?.wake();
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.fail('it never came to that');
}

/** Lets everything that is under way come to rest. */
async function rest(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe('dispatch', () => {
  it('[EVT-3a] brings what is committed to each outlet that takes it, in order', async () => {
    await using at = await scene();
    const [one, other] = [outlet('one'), outlet('other')];
    const dispatch = at.start([one, other, { ...outlet('none'), accepts: () => false }]);
    await rest();
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

  it('[EVT-3a] begins a new outlet at the end of the log, and goes on with one that it knows', async () => {
    await using at = await scene();
    const known = outlet('known');
    const first = at.start([known]);
    await rest();
    await commit(at.store, createProduct('a'));
    await until(() => known.got.length === 1, first);
    await first.stop();
    await commit(at.store, createProduct('b'));
    const late = outlet('late');
    const second = at.start([known, late]);
    await rest();
    await commit(at.store, createProduct('c'));
    await until(() => known.got.length === 3 && late.got.length === 1, second);
    assert.deepEqual([known.got, late.got], [['a', 'b', 'c'], ['c']]);
  });

  it('[EVT-6a, EVT-6c] tries again by the schedule, and lets the others go on meanwhile', async () => {
    await using at = await scene();
    let down = true;
    const failing = outlet('failing', () => {
      if (down) throw new Error('down');
    });
    const healthy = outlet('healthy');
    const dispatch = at.start([failing, healthy]);
    await rest();
    await commit(at.store, createProduct('a'));
    await until(() => healthy.got.length === 1 && at.faults.length === 1, dispatch);
    dispatch.wake();
    await rest();
    assert.equal(at.faults.length, 1, 'not before its time');
    at.clock.advance(HOOK_SCHEDULE[1] ?? 0);
    await until(() => at.faults.length === 2, dispatch);
    down = false;
    at.clock.advance(HOOK_SCHEDULE[2] ?? 0);
    await until(() => failing.got.length === 1, dispatch);
  });

  it('[LIM-3] waits for what is under way no longer than it is given, and leaves it to whoever comes next', async () => {
    await using at = await scene();
    const hook = Promise.withResolvers<void>();
    const endless = outlet('endless', () => hook.promise);
    let began = 0;
    const dispatch = at.start([{ ...endless, deliver: (event) => ((began += 1), endless.deliver(event)) }]);
    await rest();
    await commit(at.store, createProduct('a'));
    await until(() => began === 1, dispatch);
    await dispatch.stop(1);
    assert.deepEqual(at.left, [1]);
    hook.resolve();
    await rest();
    at.clock.advance(45_000);
    const next = outlet('endless');
    const successor = at.start([next]);
    await until(() => next.got.length === 1, successor);
    assert.deepEqual(at.faults, []);
  });

  it('[EVT-6a] gives up after the last attempt', async () => {
    await using at = await scene();
    const failing = outlet('failing', () => Promise.reject(new Error('down')));
    const dispatch = at.start([failing]);
    await rest();
    await commit(at.store, createProduct('a'));
    for (const [made, delay] of HOOK_SCHEDULE.entries()) {
      at.clock.advance(delay);
      await until(() => at.faults.length === made + 1, dispatch);
      await rest();
    }
    at.clock.advance(1_000 * 24 * 60 * 60 * 1_000);
    dispatch.wake();
    await rest();
    assert.equal(at.faults.length, HOOK_SCHEDULE.length);
  });

  it('[EVT-3a] delivers again what was delivered and not recorded, as after a crash', async () => {
    await using at = await scene();
    const { deliveries } = at.store;
    let crashed = false;
    const crashing: Store = {
      ...at.store,
      deliveries: {
        enqueue: (...given) => deliveries.enqueue(...given),
        claim: (...given) => deliveries.claim(...given),
        settle: (...given) => {
          if (crashed) return deliveries.settle(...given);
          crashed = true;
          return new Promise(() => undefined);
        },
      },
    };
    const hook = outlet('hook');
    const dying = startDispatch({
      store: crashing,
      subscribers: [hook],
      clock: at.clock,
      random: () => 0,
      observe: () => undefined,
    });
    await rest();
    await commit(at.store, createProduct('a'));
    await until(() => crashed, dying);
    const dispatch = at.start([hook]);
    await rest();
    assert.deepEqual(hook.got, ['a'], 'it is held until its lease ends');
    at.clock.advance(60_000);
    await until(() => hook.got.length === 2, dispatch);
  });

  it('[EVT-3a] of several processes gives each event to one', async () => {
    await using at = await scene();
    const [one, other] = [outlet('hook'), outlet('hook')];
    const [first, second] = [at.start([one]), at.start([other])];
    await rest();
    const ids = Array.from({ length: 100 }, (_, index) => `p${index}`);
    await commit(at.store, ...ids.map((id) => createProduct(id)));
    first.wake();
    await until(() => one.got.length + other.got.length >= 100, second);
    await rest();
    assert.deepEqual([...one.got, ...other.got].sort(), ids.sort());
  });

  it('[LIM-3] stops when what is under way is done', async () => {
    await using at = await scene();
    const { promise, resolve } = Promise.withResolvers<void>();
    const slow = outlet('slow', () => promise);
    const dispatch = at.start([slow]);
    await rest();
    await commit(at.store, createProduct('a'));
    dispatch.wake();
    await rest();
    let stopped = false;
    const stopping = dispatch.stop().then(() => (stopped = true));
    await rest();
    assert.equal(stopped, false);
    resolve();
    await stopping;
    assert.deepEqual(slow.got, ['a']);
  });

  it('gives up what no outlet takes any more', async () => {
    await using at = await scene();
    const first = at.start([outlet('after:gone', () => Promise.reject(new Error('down')))]);
    await rest();
    await commit(at.store, createProduct('a'));
    await until(() => at.faults.length === 1, first);
    await first.stop();
    at.clock.advance(10_000);
    const second = at.start([outlet('after:other')]);
    await until(() => at.faults.length === 2, second);
    at.clock.advance(1_000_000_000);
    second.wake();
    await rest();
    assert.equal(at.faults.length, 2);
  });
});

describe('the schedule of retries', () => {
  it('[EVT-6a] ends, grows, and is stretched by chance', () => {
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
