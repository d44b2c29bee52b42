import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countChanges, type DatabaseState, NO_STATE } from '../../../../src/stores/postgres/commit/database-state.ts';
import { ReplicaStamps } from '../../../../src/stores/postgres/replicas/replica-stamps.ts';
import { Replicas } from '../../../../src/stores/postgres/replicas/replicas.ts';

/** A state with the changes of two slots. */
function createState(first: number, second: number): DatabaseState {
  const slots = new Map([
    [0, first],
    [1, second],
  ]);
  return { server: 'one', slots };
}

const STATE = createState(5, 0);

describe('a read from a replica', () => {
  it('[OPS-5] [CACHE-2] has the changes of the stamps that its request has seen, later than the known state', async () => {
    const required: (readonly number[])[] = [];
    const replica = {
      name: 'replica:5432',
      problem: null,
      lag: 0,
      shows: ({ slots }: DatabaseState) => {
        required.push([...slots.values()]);
        return Promise.resolve(true);
      },
      read: () => Promise.resolve({ state: STATE, rows: [] }),
      probe: () => Promise.resolve(null),
      leave: () => undefined,
      close: () => Promise.resolve(),
    };
    const states = { knownState: STATE, stateSince: () => Promise.resolve(STATE) };
    const replicas = new Replicas({ replicas: [replica], cluster: '1', states, observe: () => undefined });
    const read = (seen: DatabaseState) => replicas.read({ batch: [], effort: 'light', since: 1, seen });
    assert.equal((await read(NO_STATE))?.state, STATE);
    // Its snapshot lacks a change of the other slot, which the ETag of the page counts.
    assert.equal(await read(createState(4, 2)), null);
    assert.deepEqual(required, [
      [5, 0],
      [5, 2],
    ]);
    await replicas.close();
  });

  it('[CACHE-2] sees a state that was read after the stamps of resources and partitions', async () => {
    const log: string[] = [];
    const note = <T>(name: string, value: T): Promise<T> => {
      log.push(name);
      return Promise.resolve(value);
    };
    const known = {
      resourceStamps: () => note('resources', [3, 7]),
      partitionStamp: () => note('partition', 9),
      rowStamp: () => Promise.resolve(1),
      knownRowStamp: () => 1,
      rowStampAhead: () => 1,
      settledRevision: () => null,
      knownStamps: () => null,
      stateOfStamps: () => note('state', createState(log.length, 0)),
    };
    const see = (state: DatabaseState): void => void log.push(`sees ${countChanges(state)}`);
    const stamps = new ReplicaStamps(known, { state: null, see });
    assert.deepEqual(await stamps.resourceStamps(['notes', 'tags']), [3, 7]);
    assert.equal(await stamps.partitionStamp('notes', { field: 'owner', value: 'ann' }), 9);
    assert.deepEqual(log, ['resources', 'state', 'sees 1', 'partition', 'state', 'sees 4']);
  });
});
