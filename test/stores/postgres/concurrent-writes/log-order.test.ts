import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { commit, createProduct, remove } from '../../../../store-suite/sample-writes.ts';
import { FAULTS, NO_FAULT } from './faults.ts';
import { assertFound, doneOrBlocked, logged, storeAt, withRig } from './rig.ts';
import type { Rewrite } from './statement-relay.ts';

/** The position of a reader that has read everything, and what is in the log up to it later. */
function readersMissNothing(faults: readonly Rewrite[]): Promise<void> {
  return withRig({ count: 3, faults }, async (rig) => {
    const [slow, fast, reader] = [storeAt(rig, 0), storeAt(rig, 1), storeAt(rig, 2)];
    await commit(slow.store, logged(createProduct('first')));
    const held = slow.relay.hold('insert into "products"');
    const late = commit(slow.store, logged(createProduct('late')));
    await held.reached;
    await commit(fast.store, logged(createProduct('early')));
    const seen = await reader.store.events.list({ after: 0, limit: 100 });
    const position = seen.at(-1)?.sequence ?? 0;
    held.release();
    await late;
    const later = await reader.store.events.list({ after: 0, until: position, limit: 100 });
    assert.deepEqual(
      later.map(({ event }) => event.id),
      seen.map(({ event }) => event.id),
    );
    const rest = await reader.store.events.list({ after: position, limit: 100 });
    assert.equal(seen.length + rest.length, 3);
  });
}

describe('a reader of the log, while transactions overlap', () => {
  it('[EVT-3b] sees no event later that has a smaller sequence than one that it has seen', () =>
    readersMissNothing([]));

  it('[EVT-3b] would see one if writers held no lock', () => assertFound(readersMissNothing([FAULTS.noWriteLock])));

  it('[EVT-3b] would see one if it did not look for writers', () =>
    assertFound(readersMissNothing([NO_FAULT, NO_FAULT, FAULTS.noHolders])));
});

/** No row appears later with a revision up to the one that was settled. */
function revisionsAreSettled(fault: Rewrite): Promise<void> {
  return withRig({ count: 3, faults: [fault] }, async (rig) => {
    const [slow, fast, reader] = [storeAt(rig, 0), storeAt(rig, 1), storeAt(rig, 2)];
    await commit(slow.store, logged(createProduct('first')));
    const held = slow.relay.hold('insert into "products"');
    const late = commit(slow.store, logged(createProduct('late')));
    await held.reached;
    await commit(fast.store, logged(createProduct('early')));
    const settled = await reader.store.stamps.settledRevision();
    held.release();
    const [revision = 0] = await late;
    assert.ok(revision > Number(settled), `revision ${revision} appears after ${settled} was settled`);
    assert.ok(Number(await reader.store.stamps.settledRevision()) > revision);
  });
}

describe('a settled revision', () => {
  it('[EVT-3b] has no smaller one that appears later, and passes those that have', () => revisionsAreSettled(NO_FAULT));

  it('[EVT-3b] would have one if writers held no lock', () => assertFound(revisionsAreSettled(FAULTS.noWriteLock)));
});

/** A row is deleted and created again, while the number of the later event was allocated first. */
function eventsAreInOrder(fault: Rewrite): Promise<void> {
  return withRig({ count: 2, faults: [fault, fault] }, async (rig) => {
    const [creator, remover] = [storeAt(rig, 0), storeAt(rig, 1)];
    const [revision = 0] = await commit(remover.store, logged(createProduct('p')));
    const held = creator.relay.hold('insert into "products"');
    const created = creator.store.writes.commit({ plans: [logged(createProduct('p'))] });
    await held.reached;
    const removed = commit(remover.store, logged(remove('products', 'p', revision)));
    await doneOrBlocked(rig, removed);
    held.release();
    const { kind } = await created;
    await removed;
    const log = await remover.store.events.list({ after: 0, limit: 100 });
    const expected = kind === 'committed' ? ['created', 'deleted', 'created'] : ['created', 'deleted'];
    assert.deepEqual(
      log.map(({ event }) => event.type),
      expected,
    );
  });
}

describe('the events of one id', () => {
  it('[EVT-3b] are in the order of commits, where it is deleted and created again', () => eventsAreInOrder(NO_FAULT));

  it('[EVT-3b] would not be if ids were not locked before numbers are allocated', () =>
    assertFound(eventsAreInOrder(FAULTS.noPartLocks)));
});
