import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { WritePlan } from '../../../src/plan/plan.ts';
import type { Store } from '../../../src/stores/store.ts';
import { commit, create, remove, update } from '../../../store-suite/sample-writes.ts';
import { compilePolicies, withResources } from '../../model/policies.ts';
import { temporaryDirectory } from '../../temporary-directory.ts';
import { openSample } from './open-sample.ts';

const { model } = compilePolicies(
  withResources(`  notes:
    id: client
    access: { read: authenticated, write: authenticated, rows: { read: { tenant: $caller.claims.tenant } } }
    schema: { type: object, properties: { tenant: { type: string }, text: { type: string } } }
`),
);

const note = (id: string, tenant: string | null): WritePlan => create('notes', id, { tenant, text: null });

async function opened(context: Pick<TestContext, 'after'>, file = ':memory:'): Promise<Store> {
  const store = await openSample({ path: file }, model);
  context.after(() => store.close());
  return store;
}

/** The stamps of the partitions of two tenants. */
async function stamps({ stamps: of }: Store): Promise<readonly number[]> {
  const a = await of.partitionStamp('notes', { field: 'tenant', value: 'a' });
  return [a, await of.partitionStamp('notes', { field: 'tenant', value: 'b' })];
}

describe('the stamp of a partition', () => {
  const rows: readonly (readonly [
    what: string,
    changed: readonly [boolean, boolean],
    plan: (revision: number) => WritePlan,
  ])[] = [
    ['a row of it is created', [true, false], () => note('n2', 'a')],
    ['a row of it is updated', [true, false], (revision) => update('notes', 'n', revision, { text: 'x' })],
    ['a row moves from it to another', [true, true], (revision) => update('notes', 'n', revision, { tenant: 'b' })],
    ['a row leaves it for none', [true, false], (revision) => update('notes', 'n', revision, { tenant: null })],
    ['a row of it is deleted', [true, false], (revision) => remove('notes', 'n', revision)],
    ['a row of another is created', [false, true], () => note('n2', 'b')],
    ['a row of none is created', [false, false], () => note('n2', null)],
  ];
  for (const [what, changed, plan] of rows) {
    it(`[CACHE-2] ${changed.map((each) => (each ? 'changes' : 'stays')).join(' and ')} where ${what}`, async (context) => {
      const store = await opened(context);
      const [revision = 0] = await commit(store, note('n', 'a'), note('m', 'b'));
      const before = await stamps(store);
      await commit(store, plan(revision));
      const after = await stamps(store);
      assert.deepEqual(
        after.map((stamp, index) => stamp !== before[index]),
        changed,
      );
    });
  }

  it('[CACHE-2] is that of a commit of another process, too', async (context) => {
    const file = path.join(temporaryDirectory(context), 'notes.db');
    const one = await opened(context, file);
    const other = await opened(context, file);
    const before = await stamps(one);
    await commit(other, note('n', 'a'));
    const after = await stamps(one);
    assert.deepEqual(
      after.map((stamp, index) => stamp !== before[index]),
      [true, false],
    );
    assert.deepEqual(await stamps(other), after);
  });

  it('[CACHE-2] does not change where a unit is refused', async (context) => {
    const store = await opened(context);
    await commit(store, note('n', 'a'));
    const before = await stamps(store);
    const refused = await store.writes.commit({ plans: [note('n2', 'a'), update('notes', 'n', 99, { text: 'x' })] });
    assert.equal(refused.kind, 'stale');
    assert.deepEqual(await stamps(store), before);
  });
});
