import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { commit, createProduct } from '../../store-suite/sample-writes.ts';
import { StoreUnavailable } from '../../src/stores/store.ts';
import { scene, subscriber } from './dispatch-scene.ts';

const EVENTS = 10_400;
/** Results that wait in memory, with the attempts in flight. */
const MAX_UNSTORED = 10_000 + 64;

describe('results that cannot be stored', () => {
  it('[EVT-3a] wait in memory up to a number, after which nothing is delivered until they are stored', async () => {
    await using at = await scene();
    let isFull = true;
    const store = {
      ...at.store,
      writes: {
        pending: 0,
        commit: (...given: Parameters<typeof at.store.writes.commit>) =>
          isFull && given[0].delivery !== undefined
            ? Promise.reject(new StoreUnavailable('The disk of the database is full', { reason: 'full' }))
            : at.store.writes.commit(...given),
      },
    };
    const hook = subscriber('hook');
    const dispatch = at.start([hook], store);
    await commit(at.store, ...Array.from({ length: EVENTS }, (_, index) => createProduct(`p${index}`)));
    dispatch.wake();
    while (hook.got.length < 10_000) await setTimeout(5);
    await setTimeout(100);
    assert.ok(hook.got.length <= MAX_UNSTORED, `${hook.got.length} deliveries`);
    isFull = false;
    while (hook.got.length < EVENTS) await setTimeout(5);
    assert.equal(new Set(hook.got).size, EVENTS);
    await dispatch.stop();
    assert.equal((await at.store.deliveries.reader('reader of hook'))?.sequence, EVENTS);
  });
});
