import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SeededRandom } from '../../../../store-suite/seeded-random.ts';
import { FAULTS, NO_FAULT } from './faults.ts';
import { History } from './history.ts';
import { LogFollower, MAX_GROUPS, NOTES, RandomClient } from './random-units.ts';
import { assertFound, type Rig, storeAt, withRig } from './rig.ts';
import type { Rewrite } from './statement-relay.ts';

const STORES = 3;
const CLIENTS = 3;
/** For each client. */
const UNITS = 40;

/** Asserts that one snapshot has as many rows as are counted, no more groups than allowed, and no broken reference. */
async function assertSnapshot({ sql }: Rig): Promise<void> {
  const [row] = await sql(`select (select count(*) from notes)::integer as rows,
    (select coalesce(sum(count), 0) from restwright_totals where resource = 'notes')::integer as counted,
    (select count(*) from groups)::integer as groups,
    (select count(*) from notes where group_id is not null and group_id not in (select id from groups))::integer as broken`);
  assert.equal(row?.['counted'], row?.['rows']);
  assert.ok(Number(row?.['groups']) <= MAX_GROUPS, `${String(row?.['groups'])} groups`);
  assert.equal(row?.['broken'], 0);
}

async function watchSnapshots(rig: Rig, done: AbortSignal): Promise<void> {
  while (!done.aborted) await assertSnapshot(rig);
}

/** Several stores write random units, read, and follow the log. */
function lawsHold(seed: number, units: number, fault: Rewrite): Promise<void> {
  return withRig({ count: STORES, model: NOTES, faults: Array.from({ length: STORES }, () => fault) }, async (rig) => {
    const history = new History();
    const followers = rig.stores.map(({ store }) => new LogFollower(store));
    const clients = Array.from({ length: STORES * CLIENTS }, (_, index) => {
      const random = new SeededRandom(seed * 1_000 + index);
      return new RandomClient(storeAt(rig, index % STORES).store, history, random);
    });
    const work = clients.map((client, index) => (index < STORES ? client.readPages(units) : client.write(units)));
    const done = new AbortController();
    const written = Promise.all(work).finally(() => done.abort());
    const all = await Promise.allSettled([written, ...work, watchSnapshots(rig, done.signal)]);
    await Promise.all(followers.map((follower) => follower.stop()));
    for (const each of all) if (each.status === 'rejected') throw each.reason;
    await assertSnapshot(rig);
    const log = await storeAt(rig, 0).store.events.list({ after: 0, limit: 100_000 });
    history.assertLog(log);
    history.assertReads(log);
    const ids = log.map(({ event }) => event.id);
    for (const follower of followers) assert.deepEqual(follower.ids, ids);
    const kinds = new Set(history.units.map(({ outcome }) => outcome.kind));
    assert.ok(kinds.has('committed') && kinds.has('stale'));
  });
}

describe('random units over few rows, by several stores', () => {
  it('[law] [EVT-3b] [OPS-5] [CACHE-1] [PAGE-9b] are in one order that log, reads, stamps and counts show', () =>
    lawsHold(1, UNITS, NO_FAULT));

  for (const [what, fault] of [
    ['changes were not added to stamps', FAULTS.keptStamp],
    ['a transaction stored its own count', FAULTS.storedCount],
  ] as const)
    it(`[law] would not be, if ${what}`, () => assertFound(lawsHold(1, 10, fault)));
});
