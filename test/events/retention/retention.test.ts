import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { EventSettings } from '../../../src/model/event-settings.ts';
import { EventRetention } from '../../../src/events/retention/retention.ts';
import type { Subscriber } from '../../../src/events/subscriber.ts';
import { createFetchHandler } from '../../../src/http/fetch.ts';
import { defineModel, startApi } from '../../../src/index.ts';
import type { Observation } from '../../../src/observe/observation.ts';
import { createRandom } from '../../../src/platform/random.ts';
import type { Store } from '../../../src/stores/store.ts';
import { commit, createProduct, eventDraft, update } from '../../../store-suite/sample-writes.ts';
import { temporaryDirectory } from '../../temporary-directory.ts';
import { type Scene, scene, subscriber, until, untilEqual } from '../dispatch-scene.ts';

const DAY = 24 * 60 * 60_000;
const MONTH: EventSettings = { retention: 30 * DAY, maxRows: null, hold: 30 * DAY, relays: [] };

/** Writes events with the time of the clock. @returns the revisions of their rows */
async function writeEvents({ store, clock }: Scene, count: number): Promise<readonly number[]> {
  const first = await store.events.lastSequence();
  const plans = Array.from({ length: count }, (_, index) => {
    const draft = eventDraft('created', 'products', `p${first + index}`);
    const payload = { ...draft.payload, timestamp: new Date(clock.now()).toISOString() };
    return { ...createProduct(`p${first + index}`), event: { ...draft, payload } };
  });
  return commit(store, ...plans);
}

interface RetentionParts {
  readonly settings?: EventSettings;
  readonly subscribers?: readonly Subscriber[];
  readonly store?: Store;
}

/** Removes what is old. @returns what was observed */
async function removeOld(
  { store, clock }: Scene,
  { settings = MONTH, subscribers = [], ...parts }: RetentionParts = {},
): Promise<readonly Observation[]> {
  const observed: Observation[] = [];
  const observe = (observation: Observation): void => void observed.push(observation);
  const options = { store: parts.store ?? store, settings, subscribers, clock, random: createRandom(), observe };
  await new EventRetention(options).run();
  return observed;
}

describe('the retention of events', () => {
  it('[EVT-8c] removes events after their age, in steps, and gives up its lease', async () => {
    await using at = await scene();
    await writeEvents(at, 2_000);
    at.clock.advance(29 * DAY);
    await writeEvents(at, 500);
    assert.deepEqual(await removeOld(at), []);
    assert.equal((await at.store.deliveries.reader('retention'))?.lease.owner, '', 'without work, nothing is written');
    at.clock.advance(2 * DAY);
    const removed = await removeOld(at);
    assert.deepEqual(
      removed.map((each) => (each.kind === 'events-removed' ? each.count : each)),
      [1_024],
    );
    const range = await at.store.events.range();
    assert.deepEqual([range.removed, range.last], [1_024, 2_500]);
    assert.equal((await at.store.deliveries.reader('retention'))?.lease.until, 0);
    at.clock.advance(29 * DAY);
    await removeOld(at);
    assert.deepEqual(await at.store.events.range(), { removed: 2_500, last: 2_500, since: null });
  });

  it('[EVT-8c] removes the oldest events beyond a number', async () => {
    await using at = await scene();
    await writeEvents(at, 5_000);
    await removeOld(at, { settings: { ...MONTH, maxRows: 1_500 } });
    assert.equal((await at.store.events.range()).removed, 3_072);
  });

  it('[EVT-8c] [EVT-3a] reports what subscriptions miss, before it is removed; they go on with the next event', async () => {
    await using at = await scene();
    const hook = subscriber('a', undefined, { subscription: { patterns: ['created'] } });
    const gone = subscriber('b', undefined, { subscriptions: () => [] });
    for (const name of ['a', 'b']) await at.store.deliveries.register(`reader of ${name}`, [name]);
    await writeEvents(at, 1_500);
    const removedWhenReported: number[] = [];
    const observed: Observation[] = [];
    const retention = new EventRetention({
      store: at.store,
      settings: { ...MONTH, maxRows: 100 },
      subscribers: [hook, { ...hook, subscriptions: () => [] }, gone],
      clock: at.clock,
      random: createRandom(),
      observe(observation) {
        observed.push(observation);
        if (observation.kind === 'events-undelivered')
          void Promise.resolve(at.store.events.range()).then(({ removed }) => removedWhenReported.push(removed));
      },
    });
    await retention.run();
    assert.deepEqual(observed, [
      { kind: 'events-undelivered', count: 1_024, subscriptions: ['a'] },
      { kind: 'events-removed', count: 1_024 },
    ]);
    assert.deepEqual(removedWhenReported, [0]);
    const dispatch = at.start([hook]);
    await until(() => hook.got.length === 476, dispatch);
    assert.equal(hook.got[0], 'p1024');
    assert.deepEqual(at.errors, []);
  });

  it('[EVT-8c] removes deliveries that wait with their events, and says so; those that succeeded after a week', async () => {
    await using at = await scene();
    let isBroken = true;
    const hook = subscriber('a', () => {
      if (isBroken) throw new Error('down');
    });
    const dispatch = at.start([hook]);
    await until(() => true, dispatch);
    await dispatch.stop();
    await writeEvents(at, 3);
    const second = at.start([hook]);
    await until(() => at.errors.length === 3, second);
    isBroken = false;
    await second.stop();
    const stored = await at.store.deliveries.list({ endpoint: 'a', limit: 9 });
    assert.equal(stored.length, 3);
    const [succeeded] = stored;
    assert.ok(succeeded !== undefined);
    await at.store.writes.commit({
      plans: [],
      delivery: { deliveries: [{ ...succeeded, state: 'succeeded', due: at.clock.now() }] },
    });
    at.clock.advance(7 * DAY + 1);
    assert.deepEqual(await removeOld(at, { subscribers: [hook] }), []);
    assert.equal((await at.store.deliveries.list({ endpoint: 'a', limit: 9 })).length, 2);
    at.clock.advance(30 * DAY);
    assert.deepEqual(await removeOld(at, { subscribers: [hook] }), [
      { kind: 'events-undelivered', count: 2, subscriptions: ['a'] },
      { kind: 'events-removed', count: 3 },
    ]);
    assert.deepEqual(await at.store.deliveries.list({ endpoint: 'a', limit: 9 }), []);
  });

  it('[EVT-8c] [EVT-3c] removes events that wait in order: they are given up when they are due, and let later ones pass', async () => {
    await using at = await scene();
    let isDown = true;
    const tried: string[] = [];
    const hook = subscriber(
      'a',
      ({ event: { event, sequence } }) => {
        if (event.payload.resource.id !== 'p0') return;
        tried.push(`${sequence}`);
        return isDown ? { kind: 'failed' } : undefined;
      },
      { schedule: [0, 1_000], subscription: { ordered: true, patterns: ['*'] } },
    );
    const dispatch = at.start([hook]);
    await until(() => true, dispatch);
    let [revision = 0] = await writeEvents(at, 1);
    const change = async (): Promise<void> => {
      [revision = 0] = await commit(at.store, update('products', 'p0', revision, { stock: 1 }));
    };
    await until(() => tried.length === 1, dispatch);
    await change();
    await writeEvents(at, 1_500);
    await change();
    await until(() => hook.got.length === 1_501, dispatch);
    const states = async (): Promise<readonly string[]> =>
      (await at.store.deliveries.list({ endpoint: 'a', limit: 9 })).map(
        ({ sequence, state }) => `${sequence} ${state}`,
      );
    await untilEqual(states, ['1503 held', '2 held', '1 waiting']);
    await removeOld(at, { settings: { ...MONTH, maxRows: 100 }, subscribers: [hook] });
    assert.equal((await at.store.events.range()).removed, 1_024);
    isDown = false;
    at.clock.advance(2_000);
    await until(() => tried.length === 2, dispatch);
    await change();
    await until(() => tried.length === 3, dispatch);
    assert.deepEqual(tried, ['1', '1503', '1504']);
    await untilEqual(states, ['1503 succeeded', '2 dead', '1 dead']);
    await removeOld(at, { settings: { ...MONTH, maxRows: 100 }, subscribers: [hook] });
    assert.deepEqual(await states(), ['1503 succeeded']);
  });

  it('[EVT-8c] is done by one process at a time', async () => {
    await using at = await scene();
    await writeEvents(at, 5_000);
    const settings = { ...MONTH, maxRows: 1_024 };
    const observed = await Promise.all([1, 2, 3].map(() => removeOld(at, { settings })));
    const counts = observed.map((each) => each.length);
    assert.deepEqual(
      counts.toSorted((one, other) => one - other),
      [0, 0, 3],
    );
    assert.equal((await at.store.events.range()).removed, 3_072);
  });

  it('[EVT-8c] removes nothing more when it has lost its lease', async () => {
    await using at = await scene();
    await writeEvents(at, 5_000);
    const settings = { ...MONTH, maxRows: 1_024 };
    let commits = 0;
    const store: Store = {
      ...at.store,
      writes: {
        pending: 0,
        async commit(unit) {
          commits += 1;
          const found = await at.store.deliveries.reader('retention');
          assert.ok(found !== null);
          const taken = { reader: 'retention', owner: 'another', until: at.clock.now() + 1_000 };
          if (commits === 2) assert.equal(await at.store.deliveries.lease(found.lease, taken), true);
          return at.store.writes.commit(unit);
        },
      },
    };
    const observed = await removeOld(at, { settings, store });
    assert.equal(observed.length, 1);
    assert.equal(commits, 2);
    assert.equal((await at.store.events.range()).removed, 1_024);
    assert.equal((await at.store.deliveries.reader('retention'))?.lease.owner, 'another');
  });

  it('[EVT-8c] begins with the API, on a file', async (context) => {
    const model = defineModel({
      name: 'notes',
      events: { max_rows: 1_024 },
      resources: { notes: { schema: { type: 'object', properties: { text: { type: 'string' } } } } },
    });
    const database = path.join(temporaryDirectory(context), 'notes.db');
    await using opened = await startApi({ model, database, observe: () => undefined });
    const body = Array.from({ length: 2_500 }, () => '{}').join('\n');
    const headers = { 'Content-Type': 'application/x-ndjson' };
    const request = new Request('http://localhost/api/v1/notes', { method: 'POST', body, headers });
    await (await createFetchHandler(opened.api)(request)).text();
    await opened.close();
    await using again = await startApi({ model, database, observe: () => undefined });
    for (let time = 0; time < 500 && (await again.store.events.range()).removed === 0; time += 1) await setTimeout(10);
    assert.equal((await again.store.events.range()).removed, 1_024);
  });
});
