import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { WriteUnit } from '../../../../src/plan/write-unit.ts';
import { KnownShapes } from '../../../../src/stores/postgres/commit/known-shapes.ts';
import { UnitTransaction } from '../../../../src/stores/postgres/commit/unit-transaction.ts';
import { postgres } from '../../../../src/stores/postgres/dialect/postgres-dialect.ts';
import { parseDatabaseUrl } from '../../../../src/stores/postgres/driver/database-url.ts';
import { connectPostgres, type PostgresConnection } from '../../../../src/stores/postgres/driver/pg.ts';
import { SLOT_COUNT } from '../../../../src/stores/sql/log-numbers.ts';
import { Tables } from '../../../../src/stores/sql/tables.ts';
import { sampleModel } from '../../../../store-suite/sample-model.ts';
import { createProduct, listPlan } from '../../../../store-suite/sample-writes.ts';
import { FAULTS, NO_FAULT } from './faults.ts';
import type { Rewrite } from './statement-relay.ts';
import { assertFound, logged, type Rig, storeAt, storeShapes, waitUntil, withRig } from './rig.ts';

const SESSION = { name: 'test', statementTimeout: 20_000, lockTimeout: 20_000, readOnly: false };
const TRANSACTIONS = 40;

const tables = new Tables(sampleModel(), postgres);

function begin(session: PostgresConnection, units: readonly WriteUnit[]): Promise<UnitTransaction> {
  return UnitTransaction.begin({ session, tables, units, now: 1, shapes: new KnownShapes() });
}

/** Runs a unit in a transaction that is not ended yet. */
async function runOpen(session: PostgresConnection, id: string): Promise<UnitTransaction> {
  const units = [{ plans: [logged(createProduct(id))] }];
  const transaction = await begin(session, units);
  assert.ok((await transaction.runTogether(units)) !== null);
  return transaction;
}

/** Begins more transactions than there are slots, and ends them. */
async function writeInAll(rig: Rig, sessions: readonly PostgresConnection[]): Promise<void> {
  const { store } = storeAt(rig, 0);
  await storeShapes(store, createProduct('other'));
  const open: UnitTransaction[] = [];
  const begun = sessions.map(async (session, index) => {
    open.push(await runOpen(session, `p${index}`));
  });
  // A test that fails before the end closes their sessions.
  const all = Promise.allSettled(begun);
  await waitUntil('all slots are in use', () => Promise.resolve(open.length >= SLOT_COUNT));
  assert.equal(new Set(open.map(({ states }) => states.before.slot)).size, SLOT_COUNT);
  // The others wait for those, and get their slots.
  let ended = 0;
  while (ended < sessions.length) {
    await waitUntil('a transaction has a slot', () => Promise.resolve(open.length > ended));
    const inUse = open.slice(ended).map(({ states }) => states.before.slot);
    assert.equal(new Set(inUse).size, inUse.length);
    await open[ended]?.commit();
    ended += 1;
  }
  assert.ok((await all).every(({ status }) => status === 'fulfilled'));
  const { rows, total } = await store.rows.list(listPlan({ count: { kind: 'exact' } }));
  assert.deepEqual([rows.length, total], [TRANSACTIONS, { count: TRANSACTIONS, exact: true }]);
  const events = await store.events.list({ after: 0, limit: 100 });
  assert.equal(events.length, TRANSACTIONS + 3);
  const [slots] = await rig.sql(
    'select sum(changes)::integer as changes, sum(events)::integer as events from restwright_slots',
  );
  assert.deepEqual({ ...slots }, { changes: TRANSACTIONS + 3, events: TRANSACTIONS + 3 });
}

/** A session whose statements have a fault. */
function withFault(session: PostgresConnection, fault: Rewrite): PostgresConnection {
  return {
    get isOpen() {
      return session.isOpen;
    },
    query: (text, values) => session.query(fault(text), values),
    script: (text) => session.script(text),
    close: () => session.close(),
  };
}

function loseNothing(fault: Rewrite): Promise<void> {
  return withRig({ count: 1 }, async (rig) => {
    const sessions = await Promise.all(
      Array.from({ length: TRANSACTIONS }, () => connectPostgres(parseDatabaseUrl(rig.url, undefined), SESSION)),
    );
    try {
      await writeInAll(
        rig,
        sessions.map((session) => withFault(session, fault)),
      );
    } finally {
      await Promise.all(sessions.map((session) => session.close()));
    }
  });
}

describe('more transactions than slots', () => {
  it('[OPS-4b] wait for a slot, which one of them has at a time, and lose nothing', () => loseNothing(NO_FAULT));

  it('[OPS-4b] would share one if slots were not locked', () => assertFound(loseNothing(FAULTS.sharedSlots)));
});
