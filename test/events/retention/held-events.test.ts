import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EventRetention, type RetentionSettings } from '../../../src/events/retention/retention.ts';
import type { Observation } from '../../../src/observe/observation.ts';
import { createRandom } from '../../../src/platform/random.ts';
import { commit, createProduct, eventDraft } from '../../../store-suite/sample-writes.ts';
import { type Scene, scene } from '../dispatch-scene.ts';

const DAY = 24 * 60 * 60_000;
const READER = 'relay:shop';
const RELAY = { name: READER, subscriptions: () => [{ name: READER, patterns: ['*'], ordered: true }] };

/** Writes 3,000 events with the time of the clock. */
async function writeEvents({ store, clock }: Scene): Promise<void> {
  const timestamp = new Date(clock.now()).toISOString();
  const plans = Array.from({ length: 3_000 }, (_, index) => {
    const draft = eventDraft('created', 'products', `p${index}`);
    return { ...createProduct(`p${index}`), event: { ...draft, payload: { ...draft.payload, timestamp } } };
  });
  await commit(store, ...plans);
}

/** Moves the position of the relay, as its process does. */
async function moveRelay({ store }: Scene, sequence: number): Promise<void> {
  const reader = await store.deliveries.reader(READER);
  assert.ok(reader !== null);
  const taken = { reader: READER, owner: 'a process', until: 1 };
  assert.ok(await store.deliveries.lease(reader.lease, taken));
  await store.writes.commit({ plans: [], delivery: { progress: { ...taken, sequence, positions: [] } } });
}

/** Removes what may be removed. @returns the last sequence that is removed, and the reported losses */
async function removeOld(
  { store, clock }: Scene,
  settings: RetentionSettings,
): Promise<readonly [removed: number, losses: readonly Observation[]]> {
  const losses: Observation[] = [];
  const observe = (observation: Observation): void => {
    if (observation.kind === 'events-undelivered') losses.push(observation);
  };
  const parts = { store, clock, random: createRandom(), observe };
  await new EventRetention({ ...parts, settings, subscribers: [], relays: [RELAY] }).run();
  return [(await store.events.range()).removed, losses];
}

describe('the events that a relay has not sent', () => {
  it('[EVT-9e] stay beyond the retention until `events.hold`, then the log says what is lost', async () => {
    await using at = await scene();
    await at.store.deliveries.register(READER, []);
    await writeEvents(at);
    const settings = { retention: 30 * DAY, maxRows: null, hold: 60 * DAY };
    at.clock.advance(59 * DAY);
    assert.deepEqual(await removeOld(at, settings), [0, []]);
    await moveRelay(at, 1_024);
    assert.deepEqual(await removeOld(at, settings), [1_024, []], 'what it has sent is removed');
    at.clock.advance(2 * DAY);
    const [removed, losses] = await removeOld(at, settings);
    assert.equal(removed, 3_000);
    assert.deepEqual(
      losses.map((loss) => (loss.kind === 'events-undelivered' ? [loss.count, loss.subscriptions] : loss)),
      [
        [1_024, [READER]],
        [952, [READER]],
      ],
    );
  });

  it('[EVT-9e] are not removed because there are too many', async () => {
    await using at = await scene();
    await at.store.deliveries.register(READER, []);
    await writeEvents(at);
    const settings = { retention: 30 * DAY, maxRows: 1_024, hold: 30 * DAY };
    assert.deepEqual(await removeOld(at, settings), [0, []]);
    await moveRelay(at, 3_000);
    assert.deepEqual(await removeOld(at, settings), [1_024, []]);
  });
});
