import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { EVERYTHING, type Row, type WritePlan } from '../../../../src/plan/plan.ts';
import { PostgresChangeStamps } from '../../../../src/stores/postgres/commit/change-stamps.ts';
import { postgres } from '../../../../src/stores/postgres/dialect/postgres-dialect.ts';
import { MAX_UNANSWERED } from '../../../../src/stores/postgres/read/postgres-client.ts';
import type { SqlRow } from '../../../../src/stores/sql/dialect.ts';
import type { SqlClient } from '../../../../src/stores/sql/sql-client.ts';
import { Tables } from '../../../../src/stores/sql/tables.ts';
import { type Store, StoreOverloaded, StoreUnavailable } from '../../../../src/stores/store.ts';
import { sampleModel } from '../../../../store-suite/sample-model.ts';
import { commit, createProduct, createSupplier, remove, update } from '../../../../store-suite/sample-writes.ts';
import { newSchema, openSample } from '../open-postgres.ts';
import { runs } from '../../../extent.ts';

const model = sampleModel();

/** Two stores on one schema, like two processes. */
async function both(run: (one: Store, other: Store) => Promise<void>): Promise<void> {
  const url = newSchema();
  const [one, other] = [await openSample({ url }), await openSample({ url })];
  try {
    await run(one, other);
  } finally {
    await one.close();
    await other.close();
  }
}

/** The plan with an event as the pipeline makes it: the type of a resource is its singular. */
function logged<T extends WritePlan>(plan: T): T {
  const { event } = plan;
  if (event === null) return plan;
  const { singular: type } = model.resources.get(plan.resource) ?? assert.fail();
  const { payload } = event;
  return { ...plan, event: { ...event, payload: { ...payload, resource: { ...payload.resource, type } } } };
}

async function rowStamp(store: Store, id: string): Promise<unknown> {
  await setImmediate();
  return store.stamps.rowStamp('products', id);
}

async function item(store: Store, id: string): Promise<Row | null> {
  return store.rows.item({ kind: 'item', resource: 'products', id, within: [], visible: EVERYTHING });
}

describe('the change stamps of a process, after another one has written', () => {
  it('[CACHE-1] [OPS-5] change for the rows and resources that were written, and for no others', async () => {
    await both(async (one, other) => {
      const revisions = await commit(other, createProduct('p'), createProduct('q'), createSupplier('s'));
      const stamps = async (): Promise<readonly unknown[]> => [
        await rowStamp(one, 'p'),
        await rowStamp(one, 'q'),
        ...(await one.stamps.resourceStamps(['products', 'suppliers'])),
      ];
      const before = await stamps();
      await commit(other, logged(update('products', 'p', revisions[0] ?? 0, { stock: 2 })));
      const after = await stamps();
      assert.deepEqual(
        after.map((stamp, index) => stamp === before[index]),
        [false, true, false, true],
      );
    });
  });

  it('[CACHE-1] all change where the log does not say what was written', async () => {
    await both(async (one, other) => {
      const [, revision = 0] = await commit(other, createProduct('p'), createProduct('q'));
      const before = await rowStamp(one, 'p');
      await commit(other, { ...update('products', 'q', revision, { stock: 2 }), event: null });
      assert.notEqual(await rowStamp(one, 'p'), before);
    });
  });

  it('[law] [CACHE-1] differ whenever the row does, whichever process wrote it', async () => {
    const step = fc.record({
      by: fc.constantFrom('one', 'other'),
      id: fc.constantFrom('p', 'q'),
      stock: fc.option(fc.integer({ min: 0, max: 3 })),
    });
    await both(async (one, other) => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
          const known = new Map<string, unknown>();
          for (const { by, id, stock } of steps) {
            const store = by === 'one' ? one : other;
            const row = await item(store, id);
            const { revision = 0 } = row ?? {};
            if (row === null) await commit(store, logged(createProduct(id, { stock: stock ?? 0 })));
            else if (stock === null) await commit(store, logged(remove('products', id, revision)));
            else await commit(store, logged(update('products', id, revision, { stock })));
            for (const each of ['p', 'q']) {
              const state = `${each} ${String(await rowStamp(one, each))}`;
              const stands = await item(one, each);
              if (known.has(state)) assert.deepEqual(stands, known.get(state), state);
              known.set(state, stands);
            }
          }
        }),
        { numRuns: runs(3, 24) },
      );
    });
  });
});

/** Nothing reads the horizon of the log. */
const HORIZON = { settledRevision: (): never => assert.fail('reads the horizon') };

/** Stamps on a database that reports these states, and no events. */
function createStamps(...states: readonly SqlRow[]): PostgresChangeStamps {
  const left = [...states];
  const fail = (): never => assert.fail('reads rows');
  const read = (): SqlRow => left.shift() ?? fail();
  // The events are read with the state of their snapshot, which is the last one that was read.
  let last: SqlRow | null = null;
  const client: SqlClient = {
    get: () => (last = read()),
    all: () => [{ ...(last ?? fail()), sequence: null }],
    batch: fail,
    execute: fail,
  };
  return new PostgresChangeStamps(client, new Tables(model, postgres), HORIZON);
}

describe('the change stamps of a process, while the database does not answer', () => {
  it('[LIM-3] are refused above a number of reads, without another question', async () => {
    const { promise, reject } = Promise.withResolvers<never>();
    let asked = 0;
    const unused = (): never => assert.fail('reads rows');
    const get = (): Promise<never> => {
      asked += 1;
      return promise;
    };
    const client: SqlClient = { get, all: unused, batch: unused, execute: unused };
    const stamps = new PostgresChangeStamps(client, new Tables(model, postgres), HORIZON);
    const waiting = Array.from({ length: MAX_UNANSWERED }, () => stamps.rowStamp('products', 'p'));
    const settled = Promise.allSettled(waiting);
    await setImmediate();
    await assert.rejects(stamps.rowStamp('products', 'p'), StoreOverloaded);
    assert.equal(asked, 1);
    reject(new StoreUnavailable('The database cannot be reached', { reason: 'away' }));
    assert.ok((await settled).every(({ status }) => status === 'rejected'));
  });
});

describe('the change stamps of a process, after the server was replaced', () => {
  const before = { server: 'one', slots: '0:4,3:3' };
  for (const [what, state] of [
    ['by one that has lost commits', { server: 'two', slots: '0:4,3:1' }],
    ['by one that has lost commits, and made as many others', { server: 'two', slots: '0:4,3:3' }],
    ['by itself as it was earlier', { server: 'one', slots: '0:2,3:3' }],
    ['by itself as it was earlier, with as many other commits', { server: 'one', slots: '0:2,3:5' }],
  ] as const) {
    it(`[OPS-5] all change: ${what}`, async () => {
      const stamps = createStamps(before, state);
      const first = await stamps.rowStamp('products', 'p');
      await setImmediate();
      assert.notEqual(await stamps.rowStamp('products', 'p'), first);
    });
  }

  it('[OPS-5] all change, although an own commit has the changes that would follow', async () => {
    const stamps = createStamps(before, { server: 'two', slots: '0:5,3:3' });
    const first = await stamps.rowStamp('products', 'p');
    stamps.committed({
      server: 'two',
      before: { slot: 0, changes: 4, events: 4 },
      changes: 1,
      events: [9],
      plans: [createProduct('q')],
    });
    await setImmediate();
    assert.notEqual(await stamps.rowStamp('products', 'p'), first);
  });
});
