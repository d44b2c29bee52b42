import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Observation } from '../../../../src/observe/observation.ts';
import { Replicas } from '../../../../src/stores/postgres/replicas/replicas.ts';
import type { Replica, ReplicaProblem } from '../../../../src/stores/postgres/replicas/replica.ts';

const STATE = { server: 'one', slots: new Map([[0, 5]]) };

const unprobed: Pick<Replica, 'problem'> = { problem: 'not probed' };

/** Begins with a replica for each list of what its probes find; the last one stays. */
async function begin(
  context: TestContext,
  found: Readonly<Record<string, readonly [ReplicaProblem | null, ...(ReplicaProblem | null)[]]>>,
): Promise<{ readonly probes: Readonly<Record<string, number>>; readonly observed: readonly Observation[] }> {
  // Only the probes of the start are counted.
  context.mock.timers.enable({ apis: ['setInterval'] });
  const probes: Record<string, number> = {};
  const observed: Observation[] = [];
  const replicas = Object.entries(found).map(([name, results]) => {
    const replica = {
      name,
      ...unprobed,
      lag: 0,
      shows: () => Promise.resolve(true),
      read: () => Promise.resolve({ state: STATE, rows: [] }),
      probe: () => {
        const count = (probes[name] = (probes[name] ?? 0) + 1);
        return Promise.resolve(results[Math.min(count, results.length) - 1] ?? null);
      },
      leave: (problem: ReplicaProblem) => {
        replica.problem = problem;
      },
      close: () => Promise.resolve(),
    };
    return replica;
  });
  const states = { knownState: STATE, stateSince: () => Promise.resolve(STATE) };
  const opened = new Replicas({ replicas, cluster: '1', states, observe: (each) => void observed.push(each) });
  await opened.begin();
  await opened.close();
  return { probes, observed };
}

describe('a start with replicas', () => {
  it('[OPS-5] probes one again that has no schema yet, and waits for no other one', async (context) => {
    const { probes, observed } = await begin(context, {
      away: ['away'],
      other: ['of another server'],
      behind: ['behind'],
      new: ['without the schema', 'without the schema', null],
    });
    assert.deepEqual(probes, { away: 1, other: 1, behind: 1, new: 3 });
    assert.deepEqual(observed, [
      { kind: 'replica-left', replica: 'away', problem: 'away' },
      { kind: 'replica-left', replica: 'other', problem: 'of another server' },
      { kind: 'replica-left', replica: 'behind', problem: 'behind' },
      { kind: 'replica-left', replica: 'new', problem: 'without the schema' },
      { kind: 'replica-joined', replica: 'new' },
    ]);
  });

  it('[OPS-5] gives up one that has no schema after five probes', async (context) => {
    assert.deepEqual((await begin(context, { never: ['without the schema'] })).probes, { never: 5 });
  });

  it('[OPS-5] takes one probe where all replicas are current', async (context) => {
    assert.deepEqual((await begin(context, { one: [null], two: [null] })).probes, { one: 1, two: 1 });
  });
});
