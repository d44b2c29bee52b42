import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CreatePlan } from '../../../../src/plan/plan.ts';
import type { EventQuery, LoggedEvent, Store } from '../../../../src/stores/store.ts';
import { commit, createProduct, createSupplier } from '../../../../store-suite/sample-writes.ts';
import { SeededRandom } from '../../../../store-suite/seeded-random.ts';
import { FAULTS, NO_FAULT } from './faults.ts';
import { assertFound, logged, storeAt, withRig } from './rig.ts';
import type { Rewrite } from './statement-relay.ts';

const STORES = 3;
const CLIENTS = 4;
const EVENTS = 10;
const START = Date.parse('2026-01-01T00:00:00Z');
/** Milliseconds over which the times of events and ids are spread. */
const SPREAD = 1_000;

/** A plan whose event has a random time, and an id with another one. */
function randomPlan(id: string, random: SeededRandom): CreatePlan {
  const plan = logged(random.oneIn(3) ? createSupplier(id) : createProduct(id));
  const { event } = plan;
  assert.ok(event !== null);
  const timestamp = new Date(START + random.integer(SPREAD)).toISOString();
  const time = (START + random.integer(SPREAD)).toString(16).padStart(12, '0');
  const tail = Array.from({ length: 15 }, () => random.integer(16).toString(16)).join('');
  const uuid = `${time.slice(0, 8)}-${time.slice(8)}-7${tail.slice(0, 3)}-8${tail.slice(3, 6)}-${tail.slice(3)}`;
  return { ...plan, event: { ...event, id: uuid, payload: { ...event.payload, timestamp } } };
}

function randomQuery(random: SeededRandom): EventQuery {
  const from = START + random.integer(SPREAD);
  const kind = random.integer(4);
  if (kind === 0) return { after: 0, limit: 1_000, resourceType: 'supplier' };
  if (kind === 1) return { after: 950 + random.integer(150), limit: 1_000, types: ['created'] };
  return { after: 0, limit: 1_000, from, to: from + random.integer(60) };
}

/** Checks if an event is one of a query. */
function isMatch({ after, from = 0, to = Infinity, resourceType, types }: EventQuery, found: LoggedEvent): boolean {
  const { sequence, event } = found;
  const { timestamp, resource } = event.payload;
  const at = Date.parse(timestamp);
  const isTyped = (resourceType ?? resource.type) === resource.type && (types?.includes(found.type) ?? true);
  return sequence > after && at >= from && at < to && isTyped;
}

const findIds = (events: readonly LoggedEvent[]): readonly string[] => events.map(({ event }) => event.id);

/** Each query reads the events of the whole log that it asks for, and each id is found. */
async function assertQueries(store: Store, random: SeededRandom): Promise<void> {
  const log = await store.events.list({ after: 0, limit: 1_000 });
  assert.equal(log.length, STORES * CLIENTS * EVENTS);
  for (let round = 0; round < 40; round += 1) {
    const query = randomQuery(random);
    const expected = log.filter((each) => isMatch(query, each));
    assert.deepEqual(findIds(await store.events.list(query)), findIds(expected), JSON.stringify(query));
  }
  for (const { event, sequence } of log) assert.equal((await store.events.find(event.id))?.sequence, sequence);
}

function queriesAgree(fault: Rewrite): Promise<void> {
  return withRig({ count: STORES, faults: Array.from({ length: STORES }, () => fault) }, async (rig) => {
    // The transactions write in two blocks at the same time.
    await rig.sql("select setval('restwright_next_sequence', 960)");
    const clients = Array.from({ length: STORES * CLIENTS }, async (_, index) => {
      const random = new SeededRandom(index);
      for (let at = 0; at < EVENTS; at += 1)
        await commit(storeAt(rig, index % STORES).store, randomPlan(`${index} ${at}`, random));
    });
    await Promise.all(clients);
    await assertQueries(storeAt(rig, 0).store, new SeededRandom(7));
  });
}

describe('queries of a log that several transactions have written at the same time', () => {
  it('[law] [EVT-8a] read the events of times, types and resources that it has, in its order', () =>
    queriesAgree(NO_FAULT));

  it('[law] [EVT-8a] would miss some if a transaction replaced the times of a block of its slot', () =>
    assertFound(queriesAgree(FAULTS.replacedTimes)));
});
