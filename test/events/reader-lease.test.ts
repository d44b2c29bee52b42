import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HeldLease } from '../../src/events/reader-lease.ts';
import type { Deliveries } from '../../src/stores/store.ts';

const NOW = 1_000_000;
/** Milliseconds of an attempt, and of the lease, which is 5 s longer. */
const TIMEOUT = 15_000;
const DURATION = TIMEOUT + 5_000;

/** Finds out if a process gets a lease that another one has stored. @param until the end of that, relative to now */
async function takeLease(until: number, isGone = false): Promise<readonly unknown[]> {
  const stored = { reader: 'r', owner: 'other', until: NOW + until };
  const deliveries: Pick<Deliveries, 'reader' | 'lease'> = {
    reader: async () => Promise.resolve({ sequence: 0, lease: stored }),
    lease: async () => Promise.resolve(true),
  };
  const owner = { name: 'own', isGone: () => isGone };
  const lease = new HeldLease({ reader: 'r', timeout: TIMEOUT, deliveries, clock: { now: () => NOW }, owner });
  const held = await lease.hold();
  return held.kind === 'taken' ? [held.kind, held.isClean] : [held.kind];
}

describe('the lease of a reader that another process has stored', () => {
  it('[EVT-3a] is its own until it ends, or its process has', async () => {
    assert.deepEqual(await takeLease(1), ['elsewhere']);
    assert.deepEqual(await takeLease(DURATION), ['elsewhere']);
    assert.deepEqual(await takeLease(0), ['taken', false]);
    assert.deepEqual(await takeLease(DURATION, true), ['taken', false]);
    assert.deepEqual(await takeLease(-NOW), ['taken', true]);
  });

  it('[EVT-3a] is taken where it ends later than any can, because a clock was wrong', async () => {
    assert.deepEqual(await takeLease(DURATION + 1), ['taken', false]);
  });
});
