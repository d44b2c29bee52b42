import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { WritePlan } from '../../../../src/plan/plan.ts';
import type { WriteUnit } from '../../../../src/plan/write-unit.ts';
import {
  EXCLUDE_WRITES,
  excludeWrites,
  isExclusive,
  lockStatements,
  SHARE_WRITES,
} from '../../../../src/stores/postgres/commit/write-locks.ts';
import { postgres } from '../../../../src/stores/postgres/dialect/postgres-dialect.ts';
import type { SqlValue } from '../../../../src/stores/sql/dialect.ts';
import { Tables } from '../../../../src/stores/sql/tables.ts';
import { resource, sampleModel, type ResourceOptions } from '../../../../store-suite/sample-model.ts';
import { createProduct, createSupplier, remove, update } from '../../../../store-suite/sample-writes.ts';
import { runs } from '../../../extent.ts';

const model = sampleModel();
const tables = new Tables(model, postgres);
const record = (name: string) => ({ name, request: 'r', outcome: 'o', expiresAt: 2_000 });
const STALE = { resource: 'suppliers', stamp: 4 };

/** The locks of names, ids and resources: which of 1,024, and in which mode, in the order in which they are taken. */
function listParts(...units: readonly WriteUnit[]): readonly (readonly [number, 'alone' | 'shared'])[] {
  const [parts, ...others] = lockStatements(tables, units).filter(({ text }) => text.includes('pg_advisory_xact_lock'));
  assert.deepEqual(others, [], 'one statement');
  const [keys = [], modes = []] = (parts?.values ?? []).map(readArray);
  return keys.map((key, index) => [Number(key), modes[index] === 'true' ? 'alone' : 'shared']);
}

/** The elements of an array as it is sent: `{"1","2"}`. */
function readArray(array: SqlValue): readonly string[] {
  return String(array).replaceAll(/[{"}]/g, '').split(',');
}

/** The statements that lock rows, without their keys. */
function listRows(...units: readonly WriteUnit[]): readonly string[] {
  return lockStatements(tables, units).flatMap(({ text }) => {
    const [, table, strength] = /^select 1 from (\S+) where[^]* for (.*)$/.exec(text) ?? [];
    return table === undefined ? [] : [`${table} ${strength}`];
  });
}

/** The one lock of a unit that is not among those of another one. */
function findOther(unit: WriteUnit, than: WriteUnit): readonly [number, 'alone' | 'shared'] | undefined {
  const known = new Set(listParts(than).map(([part]) => part));
  const others = listParts(unit).filter(([part]) => !known.has(part));
  assert.ok(others.length <= 1);
  return others[0];
}

const changed: WriteUnit = { plans: [update('products', 'p', 1, {})] };

describe('the locks of a transaction that writes', () => {
  it('[CACHE-3] share the lock of a resource whose rows are changed, by any number of plans', () => {
    const [[part, mode] = [], ...others] = listParts(changed);
    assert.deepEqual([mode, others], ['shared', []]);
    const more = { plans: [update('products', 'q', 1, {}), update('products', 'r', 1, {})] };
    assert.deepEqual(listParts(changed, more), [[part, 'shared']]);
    assert.notEqual(listParts({ plans: [update('suppliers', 'p', 1, {})] })[0]?.[0], part);
  });

  for (const [what, unit] of [
    ['the unit', { plans: [createProduct('p')], expectStamps: [STALE] }],
    ['a plan', { plans: [{ ...createProduct('p'), expectStamps: [STALE] }] }],
  ] as const) {
    it(`[CACHE-3] keep others from the rows of a resource that ${what} expects unchanged`, () => {
      const [[part] = []] = listParts({ plans: [update('suppliers', 's', 1, {})] });
      assert.deepEqual(findOther(unit, { plans: [createProduct('p')] }), [part, 'alone']);
      // Its own changes do not weaken the lock, before it or after it.
      for (const other of [changed, { plans: [createSupplier('s')] }]) {
        for (const units of [
          [unit, other],
          [other, unit],
        ])
          assert.deepEqual(new Map(listParts(...units)).get(part ?? -1), 'alone');
      }
    });
  }

  it('[MET-12] keep others from the name of an idempotency record, with one lock for two units that have it', () => {
    const unit = { ...changed, records: [record('k')] };
    const lock = findOther(unit, changed);
    assert.equal(lock?.[1], 'alone');
    assert.deepEqual(listParts(unit, unit), listParts(unit));
    assert.notDeepEqual(findOther({ ...changed, records: [record('l')] }, changed), lock);
    assert.deepEqual(listParts({ plans: [], records: [record('k')] }), [lock]);
  });

  it('[EVT-3b] keep others from an id that clients choose where it is created or deleted, and not where it is changed', () => {
    const created = findOther({ plans: [createProduct('p')] }, changed);
    assert.equal(created?.[1], 'alone');
    assert.deepEqual(findOther({ plans: [remove('products', 'p', 1)] }, changed), created);
    assert.notDeepEqual(findOther({ plans: [createProduct('q')] }, changed), created);
    const supplier = findOther({ plans: [createSupplier('p')] }, { plans: [update('suppliers', 'p', 1, {})] });
    assert.notDeepEqual(supplier, created);
  });

  it('[EVT-3b] leave out ids that the server assigns, but where they are deleted or restored from a file', () => {
    const options: ResourceOptions = { name: 'products', fields: [], id: { kind: 'server' } };
    const products = resource(options);
    const assigned = new Tables({ ...model, resources: new Map(model.resources).set('products', products) }, postgres);
    const lock = (plan: WritePlan) => lockStatements(assigned, [{ plans: [plan] }])[0]?.values.map(readArray);
    assert.deepEqual(lock(createProduct('p')), [[String(listParts(changed)[0]?.[0])], ['false']]);
    const restored = lock({ ...createProduct('p'), isRestored: true });
    assert.equal(restored?.[1]?.filter((mode) => mode === 'true').length, 1);
    assert.deepEqual(lock(remove('products', 'p', 1)), restored);
  });

  it('[law] [OPS-4b] are taken in one order by all, each once', () => {
    const names = fc.array(fc.string({ maxLength: 3 }), { maxLength: 40 });
    const law = fc.property(names, (ids) => {
      const parts = listParts({ plans: ids.map((id) => createProduct(id)), records: ids.map(record) });
      const keys = parts.map(([part]) => part);
      assert.deepEqual(
        keys,
        [...new Set(keys)].sort((one, other) => one - other),
      );
      assert.ok(keys.every((key) => key >= 0 && key < 1_024));
    });
    fc.assert(law, { numRuns: runs(50, 500) });
  });

  it('[OPS-4b] come before those of rows, and are none where nothing needs one', () => {
    const units = [changed, { plans: [remove('products', 'q', 1)] }];
    const texts = lockStatements(tables, units).map(({ text }) => (text.includes('advisory') ? 'parts' : 'rows'));
    assert.deepEqual(texts, ['parts', 'rows']);
    assert.deepEqual(lockStatements(tables, [{ plans: [] }]), []);
  });
});

describe('the rows that a transaction locks ahead', () => {
  it('[OPS-4b] are none for a lone change, or for rows that it creates', () => {
    assert.deepEqual(listRows(changed), []);
    assert.deepEqual(listRows({ plans: [remove('products', 'p', 1)] }), []);
    assert.deepEqual(
      listRows({ plans: [createProduct('p'), createSupplier('s'), update('products', 'q', 1, {})] }),
      [],
    );
  });

  it('[OPS-4b] are those of several changes, of one unit or of several, by resource and then by key', () => {
    const supplier = update('suppliers', 's', 1, {});
    const expected = ['"products" no key update', '"suppliers" no key update'];
    assert.deepEqual(listRows(changed, { plans: [supplier] }), expected);
    assert.deepEqual(listRows({ plans: [supplier] }, changed), expected);
    const [, statement] = lockStatements(tables, [{ plans: [update('products', 'b', 1, {}), ...changed.plans] }]);
    assert.match(statement?.text ?? '', /^select 1 from "products" where [^]*\norder by "products"."id" for/);
    assert.match(JSON.stringify(statement?.values), /b.*p/);
  });

  it('[OPS-4b] are locked as a deletion does where one is deleted, else as an update does', () => {
    const deleted = { plans: [remove('products', 'q', 1)] };
    assert.deepEqual(listRows(changed, deleted), ['"products" update']);
    assert.deepEqual(listRows(changed, deleted, { plans: [update('suppliers', 's', 1, {})] }), [
      '"products" update',
      '"suppliers" no key update',
    ]);
  });
});

describe('the lock that all transactions share', () => {
  it('[OPS-4d] is taken alone by those that remove a part of the log, and by no others', () => {
    assert.ok(isExclusive({ plans: [], delivery: { removeThrough: 1_024 } }));
    assert.ok(!isExclusive({ plans: [], delivery: {} }));
    assert.ok(!isExclusive(changed));
  });

  it('[OPS-4d] has one key in both modes; migrations of an earlier format lock a table of it', () => {
    assert.equal(SHARE_WRITES.replace('_shared', ''), EXCLUDE_WRITES);
    assert.equal(excludeWrites(13), EXCLUDE_WRITES);
    assert.equal(excludeWrites(12), 'lock table restwright_counts in access exclusive mode');
    assert.equal(excludeWrites(10), 'lock table restwright_sequences in access exclusive mode');
  });
});
