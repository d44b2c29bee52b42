import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { WritePlan } from '../../../../src/plan/plan.ts';
import { commit, createProduct, update } from '../../../../store-suite/sample-writes.ts';
import { FAULTS, NO_FAULT } from './faults.ts';
import { assertFound, doneOrBlocked, logged, storeAt, storeShapes, withRig } from './rig.ts';
import type { Rewrite } from './statement-relay.ts';

/** Codes of errors by which the server ends a transaction in favour of another one. */
const DEADLOCK = '40P01';

/** Two units change the same rows in opposite orders. @returns the codes of the errors of the server */
async function changeInOppositeOrders(fault: Rewrite): Promise<readonly string[]> {
  const errors: string[] = [];
  await withRig({ count: 2, faults: [fault, fault] }, async (rig) => {
    const [one, other] = [storeAt(rig, 0), storeAt(rig, 1)];
    await storeShapes(one.store, createProduct('other'));
    const [a = 0, b = 0] = await commit(one.store, createProduct('a'), createProduct('b'));
    const plans = (stock: number): readonly WritePlan[] => [
      logged(update('products', 'a', a, { stock })),
      logged(update('products', 'b', b, { rating: stock })),
    ];
    // Each has changed its first row.
    const held = [one, other].map(({ relay }, index) =>
      relay.hold(index === 0 ? 'update "products" set "rating"' : 'update "products" set "stock"'),
    );
    const first = one.store.writes.commit({ plans: plans(1) });
    await held[0]?.reached;
    const second = other.store.writes.commit({ plans: plans(2).toReversed() });
    await Promise.race([held[1]?.reached, rig.blocked()]);
    for (const each of held) each.release();
    const kinds = [(await first).kind, (await second).kind];
    assert.deepEqual(kinds.sort(), ['committed', 'stale']);
    errors.push(...one.relay.errors, ...other.relay.errors);
  });
  return errors;
}

/** The server ends every transaction of a store in favour of another one. */
const alwaysDeadlock: Rewrite = (text) =>
  text.startsWith('select pg_advisory_xact_lock_shared') ? 'select deadlock()' : text;

describe('units that change the same rows in other orders', () => {
  it('[OPS-4b] do not wait for each other in a circle: rows are locked in one order', async () => {
    assert.deepEqual(await changeInOppositeOrders(NO_FAULT), []);
  });

  it('[OPS-4b] would do so without locks ahead, and none reports it: the transaction runs again', async () => {
    assert.ok((await changeInOppositeOrders(FAULTS.noRowLocks)).includes(DEADLOCK));
  });

  it('[OPS-4b] would report it if it happened each time', () =>
    withRig({ count: 1, faults: [alwaysDeadlock] }, async (rig) => {
      await rig.sql(`create function deadlock() returns void language plpgsql as
        $$ begin raise exception 'deadlock' using errcode = '${DEADLOCK}'; end $$`);
      await assert.rejects(commit(storeAt(rig, 0).store, createProduct('p')), { code: DEADLOCK });
    }));
});

/** Counts rows and adds up what transactions have counted. */
function countsAgree(fault: Rewrite): Promise<void> {
  return withRig({ count: 2, faults: [fault, fault] }, async (rig) => {
    const [one, other] = [storeAt(rig, 0), storeAt(rig, 1)];
    const compare = async (): Promise<void> => {
      const [row] = await rig.sql(`select (select count(*) from products)::integer as rows,
        (select sum(count) from restwright_totals where resource = 'products')::integer as counted`);
      assert.equal(row?.['counted'], row?.['rows']);
    };
    await commit(one.store, logged(createProduct('a')), logged(createProduct('b')));
    const held = one.relay.hold('update restwright_slots');
    const first = commit(one.store, logged(createProduct('c')));
    await held.reached;
    const second = commit(other.store, logged(createProduct('d')), logged(createProduct('e')));
    await doneOrBlocked(rig, second);
    await compare();
    held.release();
    await Promise.all([first, second]);
    await compare();
  });
}

describe('the total of a collection, while transactions overlap', () => {
  it('[PAGE-9b] is the number of rows in each snapshot', () => countsAgree(NO_FAULT));

  it('[PAGE-9b] would not be if a transaction stored its own count', () =>
    assertFound(countsAgree(FAULTS.storedCount)));
});
