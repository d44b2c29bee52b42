import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RETENTION_READER } from '../../../../src/plan/delivery-plan.ts';
import type { Store } from '../../../../src/stores/store.ts';
import { AT, commit, createProduct, remove } from '../../../../store-suite/sample-writes.ts';
import { FAULTS, NO_FAULT } from './faults.ts';
import { assertFound, doneOrBlocked, logged, storeAt, withRig } from './rig.ts';
import type { Rewrite } from './statement-relay.ts';

const LEASE = { reader: RETENTION_READER, owner: 'me', until: 100 };

async function readIds(store: Store): Promise<readonly string[]> {
  return (await store.events.list({ after: 0, limit: 100 })).map(({ event }) => event.payload.resource.id);
}

/** Removes all events that are expired. @returns the ids of the rows of those that it has read before */
async function removeExpired(store: Store): Promise<readonly string[]> {
  const before = Date.parse(AT) + 1;
  const through = await store.events.nextExpired({ before, now: before, maxRows: null });
  if (through === null) return [];
  const removed = (await store.events.list({ after: 0, until: through, limit: 100 })).map(
    ({ event }) => event.payload.resource.id,
  );
  const found = (await store.deliveries.reader(RETENTION_READER)) ?? assert.fail();
  assert.ok(await store.deliveries.lease(found.lease, LEASE));
  const progress = { ...LEASE, until: 200, sequence: through, positions: [] };
  const outcome = await store.writes.commit({ plans: [], delivery: { progress, removeThrough: through } });
  assert.equal(outcome.kind, 'committed');
  return removed;
}

interface RemovalCase {
  readonly fault?: Rewrite;
  /** The statement before which a transaction is when events are removed. */
  readonly moment: string;
}

/** The log is removed while a transaction writes an event of a type whose other events are all removed. */
function nothingIsLost({ fault = NO_FAULT, moment }: RemovalCase): Promise<void> {
  return withRig({ count: 2, faults: [fault, fault] }, async (rig) => {
    const [writer, remover] = [storeAt(rig, 0), storeAt(rig, 1)];
    const [p = 0] = await commit(writer.store, logged(createProduct('p')));
    await commit(writer.store, logged(remove('products', 'p', p)));
    assert.equal((await readIds(remover.store)).length, 2);
    const held = writer.relay.hold(moment);
    const late = commit(writer.store, logged(createProduct('late')));
    await held.reached;
    const removal = removeExpired(remover.store);
    await doneOrBlocked(rig, removal);
    held.release();
    await late;
    assert.deepEqual([...(await removal), ...(await readIds(remover.store))], ['p', 'p', 'late']);
    await commit(remover.store, logged(createProduct('next')));
    assert.ok((await readIds(writer.store)).includes('next'));
  });
}

/** Before its row and its event are written, and before it ends. */
const MOMENTS = ['insert into "products"', 'update restwright_slots'] as const;

describe('the removal of events, while a transaction writes one', () => {
  for (const moment of MOMENTS)
    it(`[EVT-8c] loses none that nobody has read, before ${moment}`, () => nothingIsLost({ moment }));

  it('[EVT-8c] would lose one with its shape if it did not wait for those who write', () =>
    assertFound(nothingIsLost({ fault: FAULTS.sharedRemoval, moment: MOMENTS[1] })));
});
