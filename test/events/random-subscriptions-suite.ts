import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Dispatch, startDispatch } from '../../src/events/dispatch.ts';
import type { Subscriber } from '../../src/events/subscriber.ts';
import { createRandom } from '../../src/platform/random.ts';
import type { Store } from '../../src/stores/store.ts';
import { commit, createProduct, update } from '../../store-suite/sample-writes.ts';

const NAMES = ['a', 'b'] as const;
const PATTERNS = ['*', 'created', 'updated'] as const;
/** Milliseconds before each retry: no delivery is given up. */
const DELAY = 10;
const ATTEMPTS = 500;

type Step =
  | { readonly kind: 'subscribe'; readonly name: string; readonly pattern: string; readonly ordered: boolean }
  | {
      readonly kind: 'unsubscribe' | 'pause' | 'resume' | 'fail' | 'recover' | 'hang' | 'answer';
      readonly name: string;
    }
  | { readonly kind: 'write'; readonly id: string; readonly count: number }
  | { readonly kind: 'wait' | 'restart' };

const name = fc.constantFrom(...NAMES);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('subscribe' as const),
      name,
      pattern: fc.constantFrom(...PATTERNS),
      ordered: fc.boolean(),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom('unsubscribe', 'pause', 'resume', 'fail', 'recover', 'hang', 'answer'),
      name,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      id: fc.constantFrom('x', 'y'),
      count: fc.integer({ min: 1, max: 5 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('wait', 'restart') }) },
);

/**
 * A subscription that fails, or does not answer, is paused and comes back while an event waits for its next attempt.
 */
const outage: fc.Arbitrary<readonly Step[]> = fc
  .record({
    name,
    kind: fc.constantFrom('fail' as const, 'hang' as const),
    end: fc.constantFrom('fail' as const, 'answer' as const, 'wait' as const),
    count: fc.integer({ min: 1, max: 3 }),
  })
  .map(({ name: of, kind, end, count }) => {
    const write = { kind: 'write', id: 'x', count } as const;
    const paused = [{ kind: 'pause', name: of } as const, { kind: 'resume', name: of } as const];
    const ended = end === 'wait' ? ({ kind: end } as const) : ({ kind: end, name: of } as const);
    return [
      { kind, name: of },
      write,
      ...paused,
      ended,
      { kind: 'recover', name: of },
      write,
      { kind: 'answer', name: of },
    ];
  });
const steps: fc.Arbitrary<readonly Step[]> = fc
  .array(fc.oneof({ weight: 8, arbitrary: step.map((each) => [each]) }, { weight: 1, arbitrary: outage }), {
    minLength: 5,
    maxLength: 40,
  })
  .map((parts) => parts.flat());

/** A subscription, and what the oracle knows of it. */
interface Known {
  readonly pattern: string;
  readonly ordered: boolean;
  isActive: boolean;
  isFailing: boolean;
  /** Set while its attempts do not end. */
  hanging: PromiseWithResolvers<void> | null;
  /** Sequences that it must have got in the end, and those that it may have got. */
  readonly must: Set<number>;
  readonly may: Set<number>;
  /** Sequences in the order of their successful deliveries, with the ids of their rows. */
  readonly got: (readonly [sequence: number, id: string])[];
}

/** A store with a dispatch to subscriptions that come and go, and what has to come of it. */
class World {
  readonly #store: Store;
  readonly #known = new Map<string, Known>();
  readonly #revisions = new Map<string, number>();
  #dispatch: Dispatch;
  #time = 1_000_000;
  #stamp = 0;

  constructor(store: Store) {
    this.#store = store;
    this.#dispatch = this.#start();
  }

  async run(each: Step): Promise<void> {
    const known = 'name' in each ? this.#known.get(each.name) : undefined;
    switch (each.kind) {
      case 'subscribe':
        if (known === undefined) await this.#subscribe(each.name, each);
        break;
      case 'unsubscribe':
        if (known !== undefined) await this.#unsubscribe(each.name, known);
        break;
      case 'pause':
        if (known !== undefined) await this.#pause(known);
        break;
      case 'resume':
        if (known?.isActive === false) await this.#begin(each.name, known);
        break;
      case 'fail':
      case 'recover':
        if (known !== undefined) known.isFailing = each.kind === 'fail';
        break;
      case 'hang':
        if (known !== undefined) known.hanging ??= Promise.withResolvers();
        break;
      case 'answer':
        if (known !== undefined) answer(known);
        break;
      case 'write':
        for (let count = 0; count < each.count; count += 1) await this.#write(each.id);
        break;
      case 'wait':
        await this.#settle();
        break;
      case 'restart':
        for (const hanging of this.#known.values()) answer(hanging);
        await this.#dispatch.stop();
        this.#dispatch = this.#start();
        break;
    }
    this.#dispatch.wake();
  }

  /** Every subscription that is active gets what it must, each in order, and none anything else. */
  async judge(): Promise<void> {
    for (const known of this.#known.values()) {
      known.isFailing = false;
      answer(known);
    }
    for (let count = 0; count < 300 && !this.#isDelivered(); count += 1) await this.#settle();
    for (const [of, { must, may, got, ordered }] of this.#known) {
      const sequences = new Set(got.map(([sequence]) => sequence));
      assert.deepEqual(
        [...must].filter((each) => !sequences.has(each)),
        [],
        `${of} got all`,
      );
      assert.deepEqual(
        [...sequences].filter((each) => !must.has(each) && !may.has(each)),
        [],
        `${of} got no others`,
      );
      if (!ordered) continue;
      for (const [id, all] of Map.groupBy(got, ([, row]) => row)) {
        const first = [...new Set(all.map(([sequence]) => sequence))];
        assert.deepEqual(
          first,
          first.toSorted((one, other) => one - other),
          `${of} got the events of ${id} in order`,
        );
      }
    }
  }

  async close(): Promise<void> {
    for (const known of this.#known.values()) answer(known);
    await this.#dispatch.stop();
    await this.#store.close();
  }

  #start(): Dispatch {
    const subscriber: Subscriber = {
      name: 'random',
      timeout: 30_000,
      schedule: Array.from({ length: ATTEMPTS }, (_, index) => (index === 0 ? 0 : DELAY)),
      concurrency: 4,
      drainRate: null,
      busyRate: null,
      stamp: () => this.#stamp,
      subscriptions: () =>
        [...this.#known].flatMap(([of, { pattern, ordered, isActive }]) =>
          isActive ? [{ name: of, patterns: [pattern], ordered }] : [],
        ),
      deliver: async ({ subscription, event }) => {
        const known = this.#known.get(subscription.name);
        await new Promise((resolve) => setImmediate(resolve));
        await known?.hanging?.promise;
        if (known === undefined || known.isFailing) return { kind: 'failed' };
        known.got.push([event.sequence, event.event.payload.resource.id]);
        return { kind: 'succeeded' };
      },
    };
    return startDispatch({
      store: this.#store,
      subscribers: [subscriber],
      clock: { now: () => this.#time },
      random: createRandom(),
      observe: () => undefined,
    });
  }

  async #subscribe(
    of: string,
    { pattern, ordered }: { readonly pattern: string; readonly ordered: boolean },
  ): Promise<void> {
    const known = {
      pattern,
      ordered,
      isActive: false,
      isFailing: false,
      hanging: null,
      must: new Set<number>(),
      may: new Set<number>(),
      got: [],
    };
    this.#known.set(of, known);
    await this.#begin(of, known);
  }

  async #begin(of: string, known: Known): Promise<void> {
    await this.#store.writes.commit({ plans: [], delivery: { starts: [{ name: of, after: 'end' }] } });
    known.isActive = true;
    this.#stamp += 1;
  }

  async #unsubscribe(of: string, known: Known): Promise<void> {
    this.#known.delete(of);
    answer(known);
    await this.#pause(known);
    await this.#store.writes.commit({ plans: [], delivery: { ends: [of] } });
  }

  /** A reader that is at work delivers what it has read: events of before, and of the same moment. */
  async #pause(known: Known): Promise<void> {
    this.#stop(known);
    this.#dispatch.wake();
    await this.#settle(0);
  }

  /** Ends a subscription: events that it has not got so far are optional. */
  #stop(known: Known): void {
    known.isActive = false;
    const sequences = new Set(known.got.map(([sequence]) => sequence));
    for (const each of known.must) {
      if (sequences.has(each)) continue;
      known.must.delete(each);
      known.may.add(each);
    }
    this.#stamp += 1;
  }

  async #write(id: string): Promise<void> {
    const revision = this.#revisions.get(id);
    const plan = revision === undefined ? createProduct(id) : update('products', id, revision, { stock: revision });
    const [written = 0] = await commit(this.#store, plan);
    this.#revisions.set(id, written);
    const sequence = await this.#store.events.lastSequence();
    const type = revision === undefined ? 'created' : 'updated';
    for (const { pattern, isActive, must } of this.#known.values()) {
      if (isActive && (pattern === '*' || pattern === type)) must.add(sequence);
    }
  }

  /** Waits until what is due has been attempted, and its results are stored. @param time that passes before */
  async #settle(time = 2 * DELAY): Promise<void> {
    this.#time += time;
    for (let count = 0; count < 8; count += 1) {
      this.#dispatch.wake();
      await this.#store.writes.commit({ plans: [] });
      for (let ticks = 0; ticks < 4; ticks += 1) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  #isDelivered(): boolean {
    return [...this.#known.values()].every(({ must, got }) => {
      const sequences = new Set(got.map(([sequence]) => sequence));
      return [...must].every((each) => sequences.has(each));
    });
  }
}

function answer(known: Known): void {
  known.hanging?.resolve();
  known.hanging = null;
}

/** Tests subscriptions on a store. */
export function randomSubscriptionsSuite(
  title: string,
  open: () => Promise<Store>,
  parameters: fc.Parameters<[steps: readonly Step[]]>,
): void {
  describe(`${title}: subscriptions that come, go, pause and fail at random`, () => {
    it('[EVT-3a] [EVT-3c] get each of their events, in order where that matters, and nothing else', async () => {
      const law = fc.asyncProperty(steps, async (taken) => {
        const world = new World(await open());
        try {
          for (const each of taken) await world.run(each);
          await world.judge();
        } finally {
          await world.close();
        }
      });
      await fc.assert(law, parameters);
    });
  });
}
