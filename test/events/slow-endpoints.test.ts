import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Delays, SimulatedPool, type SimulatedReceiver } from './simulated-pool.ts';

const SLOW = 14_000;
const QUICK = 50;
/** Seconds between two events, and of a simulation. */
const INTERVAL = 2;
const DURATION = 60;

/** The webhooks of some owners, as many of each. */
function webhooks(
  { owners, each }: { readonly owners: number; readonly each: number },
  takes: SimulatedReceiver['takes'],
  kind: SimulatedReceiver['kind'] = 'succeeded',
): readonly SimulatedReceiver[] {
  return Array.from({ length: owners * each }, (_, index) => {
    const owner = `owner ${index % owners}`;
    return { name: `${owner} ${index}`, owner, takes, kind };
  });
}

const OTHER: SimulatedReceiver = { name: 'other', owner: 'another caller', takes: () => QUICK };

/** Finds the 99th percentile of the delays of a receiver, in milliseconds. */
function p99(delays: Delays, name: string): number {
  const sorted = (delays.get(name) ?? []).toSorted((one, other) => one - other);
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.POSITIVE_INFINITY;
}

/** Asserts that another caller gets every event in time beside some receivers. */
async function assertOthersInTime(slow: readonly SimulatedReceiver[]): Promise<Delays> {
  // The other webhook comes last: nothing that the slow ones have taken is left to chance.
  await using pool = new SimulatedPool([...slow, OTHER]);
  const delays = await pool.run(INTERVAL, DURATION);
  assert.equal(delays.get(OTHER.name)?.length, DURATION / INTERVAL);
  const delay = p99(delays, OTHER.name);
  assert.ok(delay < 2_000, `p99 ${delay} ms`);
  return delays;
}

describe('webhooks that answer slowly', () => {
  for (const [title, owners, each] of [
    ['1,000 of 20 owners', 20, 50],
    ['300 of one owner', 1, 300],
    ['1,000 of two owners', 2, 500],
    ['1,000 of 100 owners', 100, 10],
  ] as const)
    it(`[EVT-6c] delay no other caller: ${title}, which answer 200 after 14 s`, async () => {
      const slow = webhooks({ owners, each }, () => SLOW);
      const delays = await assertOthersInTime(slow);
      const starved = slow.filter(({ name }) => !delays.has(name));
      // 128 places of 14 s make at least nine attempts a second, of which each owner has its share.
      const attempts = [...delays.values()].reduce((sum, { length }) => sum + length, 0);
      assert.ok(attempts > 300, `${attempts} attempts`);
      const owned = new Set(slow.filter(({ name }) => delays.has(name)).map(({ owner }) => owner));
      assert.equal(owned.size, owners, `${starved.length} webhooks had no attempt, and owners among them had none`);
    });

  it('[EVT-6c] delay no other caller when they fail after 14 s', async () => {
    await assertOthersInTime(webhooks({ owners: 20, each: 50 }, () => SLOW, 'failed'));
  });

  it('[EVT-6c] delay no other caller when they alternate between slow and quick', async () => {
    await assertOthersInTime(webhooks({ owners: 20, each: 50 }, (attempt) => (attempt % 2 === 0 ? QUICK : SLOW)));
    await assertOthersInTime(webhooks({ owners: 20, each: 50 }, (attempt) => (attempt % 5 === 4 ? SLOW : QUICK)));
  });

  it('[EVT-6c] delay no webhook that another caller creates meanwhile', async () => {
    await using pool = new SimulatedPool(webhooks({ owners: 20, each: 50 }, () => SLOW));
    await pool.run(INTERVAL, 40);
    pool.add(OTHER);
    const delays = await pool.run(INTERVAL, DURATION);
    assert.equal(delays.get(OTHER.name)?.length, 10);
    assert.ok(p99(delays, OTHER.name) < 2_000, `p99 ${p99(delays, OTHER.name)} ms`);
  });

  it('[EVT-6c] delay no quick webhook of their own owner, once they are known to be slow', async () => {
    const slow = webhooks({ owners: 20, each: 50 }, () => SLOW);
    await using pool = new SimulatedPool(slow);
    await pool.run(5, 150);
    pool.add({ ...OTHER, owner: 'owner 0' });
    const delays = await pool.run(INTERVAL, 180);
    assert.ok(p99(delays, OTHER.name) < 2_000, `p99 ${p99(delays, OTHER.name)} ms`);
  });

  it('[EVT-6c] get their own events in the end, every one of them, however many there are', async () => {
    const slow = webhooks({ owners: 4, each: 250 }, () => SLOW);
    const lonely = { name: 'lonely', owner: 'one that is slow alone', takes: () => SLOW };
    await using pool = new SimulatedPool([...slow, lonely]);
    const delays = await pool.run(5, 200);
    assert.deepEqual(
      slow.filter(({ name }) => !delays.has(name)),
      [],
    );
    assert.ok((delays.get('lonely')?.length ?? 0) > 20, 'an owner with one slow webhook has its share');
  });
});
