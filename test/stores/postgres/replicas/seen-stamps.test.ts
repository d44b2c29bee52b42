import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ReplicaStamps } from '../../../../src/stores/postgres/replicas/replica-stamps.ts';
import { Replicas } from '../../../../src/stores/postgres/replicas/replicas.ts';

const STATE = { server: 'one', revision: 5, event: 5 };

describe('a read from a replica', () => {
  it('[OPS-5] [CACHE-2] has the changes of the stamps that its request has seen, later than the known state', async () => {
    const required: number[] = [];
    const replica = {
      name: 'replica:5432',
      problem: null,
      lag: 0,
      shows: (revision: number) => {
        required.push(revision);
        return Promise.resolve(true);
      },
      read: () => Promise.resolve({ revision: 5, rows: [] }),
      probe: () => Promise.resolve(null),
      leave: () => undefined,
      close: () => Promise.resolve(),
    };
    const states = { knownState: STATE, stateSince: () => Promise.resolve(STATE) };
    const replicas = new Replicas({ replicas: [replica], cluster: '1', states, observe: () => undefined });
    const read = (seen: number) => replicas.read({ batch: [], effort: 'light', since: 1, seen });
    assert.equal((await read(0))?.revision, 5);
    // Its snapshot lacks the change with the revision 7, which the ETag of the page names.
    assert.equal(await read(7), null);
    assert.deepEqual(required, [5, 7]);
    await replicas.close();
  });

  it('[CACHE-2] sees the greatest stamp of resources and partitions', async () => {
    const seen: number[] = [];
    const known = {
      resourceStamps: () => Promise.resolve([3, 7]),
      partitionStamp: () => Promise.resolve(9),
      rowStamp: () => Promise.resolve(1),
      knownRowStamp: () => 1,
      rowStampAhead: () => 1,
      knownStamps: () => null,
    };
    const stamps = new ReplicaStamps(known, { revision: null, see: (stamp) => void seen.push(stamp) });
    assert.deepEqual(await stamps.resourceStamps(['notes', 'tags']), [3, 7]);
    assert.equal(await stamps.partitionStamp('notes', { field: 'owner', value: 'ann' }), 9);
    assert.deepEqual(seen, [3, 7, 9]);
  });
});
