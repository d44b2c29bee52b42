import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type Dispatch, startDispatch } from '../../src/events/dispatch.ts';
import { HOOK_SCHEDULE } from '../../src/events/retry-schedule.ts';
import type { AttemptResult, Delivery, Subscriber, Subscription } from '../../src/events/subscriber.ts';
import type { MaybePromise } from '../../src/platform/maybe-promise.ts';
import { createRandom } from '../../src/platform/random.ts';
import type { LoggedEvent, Store } from '../../src/stores/store.ts';
import { openSample } from '../stores/sqlite/open-sample.ts';

/** A subscriber with one subscription to products, which records the ids that it gets, after `deliver` succeeded. */
export function subscriber(
  name: string,
  deliver: (delivery: Delivery) => MaybePromise<AttemptResult | void> = () => undefined,
  changes: Partial<Subscriber> & { readonly subscription?: Partial<Subscription> } = {},
): Subscriber & { readonly got: string[] } {
  const got: string[] = [];
  const { subscription, ...settings } = changes;
  return {
    name: `reader of ${name}`,
    timeout: 30_000,
    schedule: HOOK_SCHEDULE,
    concurrency: 64,
    drainRate: null,
    busyRate: null,
    stamp: () => 0,
    subscriptions: () => [{ name, patterns: ['created'], ordered: false, accepts: isOfProduct, ...subscription }],
    ...settings,
    got,
    deliver: async (delivery) => {
      const result = await deliver(delivery);
      got.push(delivery.event.event.payload.resource.id);
      return result ?? { kind: 'succeeded' };
    },
  };
}

function isOfProduct({ event }: LoggedEvent): boolean {
  return event.payload.resource.type === 'products';
}

export interface Scene extends AsyncDisposable {
  readonly store: Store;
  readonly clock: { now(): number; advance(milliseconds: number): void };
  readonly errors: unknown[];
  /** Numbers of deliveries that were pending when a dispatch stopped. */
  readonly pending: number[];
  start(subscribers: readonly Subscriber[], store?: Store): Dispatch;
}

export async function scene(): Promise<Scene> {
  const store = await openSample();
  let time = 1_000_000;
  const clock = { now: () => time, advance: (milliseconds: number) => void (time += milliseconds) };
  const errors: unknown[] = [];
  const pending: number[] = [];
  const dispatches: Dispatch[] = [];
  return {
    store,
    clock,
    errors,
    pending,
    start(subscribers, dispatched = store) {
      const dispatch = startDispatch({
        store: dispatched,
        subscribers,
        clock,
        random: {
          ...createRandom(),
          hex: (bytes) => '00'.repeat(bytes - 1) + String(dispatches.length).padStart(2, '0'),
        },
        observe: (seen) => {
          if (seen.kind === 'error') errors.push(seen.error);
          if (seen.kind === 'deliveries-pending') pending.push(seen.count);
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

/** Runs the event loop until a condition holds. */
export async function until(holds: () => boolean, dispatch?: Dispatch): Promise<void> {
  for (let iteration = 0; iteration < 2_000; iteration++) {
    if (holds()) return;
    dispatch?.wake();
    await setTimeout(1);
  }
  assert.fail('the condition never held');
}

/** Waits until a query has a result, such as what was stored of attempts that have ended. */
export async function untilEqual<T>(query: () => Promise<T>, expected: T): Promise<void> {
  let found = await query();
  for (let time = 0; time < 1_000 && !isDeepStrictEqual(found, expected); time += 1) {
    await setTimeout(5);
    found = await query();
  }
  assert.deepEqual(found, expected);
}

/** Lets pending work complete. */
export async function settle(): Promise<void> {
  for (let iteration = 0; iteration < 50; iteration++) await new Promise((resolve) => setImmediate(resolve));
}
