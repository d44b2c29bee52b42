import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ValueType } from '../src/model/model.ts';
import { EVERYTHING, NOTHING, visibilityWhere } from '../src/plan/visibility.ts';
import type { Visibility } from '../src/plan/plan.ts';
import type { Store } from '../src/stores/store.ts';
import type { OpenStore } from './open-store.ts';
import { field, model, resource } from './sample-model.ts';
import { commit, create, itemPlan, remove } from './sample-writes.ts';

const TEXT: ValueType = { kind: 'text', format: null };
const FIELDS = [field('text', TEXT), field('owner', TEXT)];
const MODEL = model([
  resource({ name: 'notes', fields: FIELDS, tombstones: 1_000 }),
  resource({ name: 'words', fields: FIELDS }),
]);

const OF_ANN = visibilityWhere([{ path: 'owner', operator: 'in', values: ['ann'] }]);

/**
 * Creates a row and deletes it. @param expiresAt of its tombstone; the clock of the store may show any time before 2100
 */
async function createAndDelete(store: Store, name: string, expiresAt = Date.parse('2100-01-01')): Promise<void> {
  const [revision = 0] = await commit(store, create(name, 'a', { text: 'x', owner: 'ann' }));
  await commit(store, { ...remove(name, 'a', revision), tombstone: { values: { owner: 'ann' }, expiresAt } });
}

export function tombstoneSuite(name: string, open: OpenStore): void {
  const wasVisible = async (store: Store, of: string, visible: Visibility = EVERYTHING): Promise<boolean> =>
    store.rows.wasVisible(itemPlan(of, 'a', { visible }));

  describe(`${name}: tombstones`, () => {
    it('[MET-4b] say whether a deleted row was visible', async () => {
      const store = await open(MODEL);
      assert.equal(await wasVisible(store, 'notes'), false);
      await createAndDelete(store, 'notes');
      const ofBob = visibilityWhere([{ path: 'owner', operator: 'in', values: ['bob'] }]);
      const ofText = visibilityWhere([{ path: 'text', operator: 'nin', values: ['y'] }]);
      const found = [EVERYTHING, OF_ANN, ofBob, NOTHING, ofText].map((each) => wasVisible(store, 'notes', each));
      // Nothing is known of a value that is not stored.
      assert.deepEqual(await Promise.all(found), [true, true, false, false, false]);
      await store.close();
    });

    it('[MET-4b] end with their time, and with a new row of the id', async () => {
      const store = await open(MODEL);
      await createAndDelete(store, 'notes', 0);
      assert.equal(await wasVisible(store, 'notes'), false);
      await createAndDelete(store, 'notes');
      await commit(store, create('notes', 'a', { text: 'y', owner: 'bob' }));
      assert.equal(await wasVisible(store, 'notes'), false);
      await store.close();
    });

    it('[MET-4b] are those of resources that have them, and of units that were committed', async () => {
      const store = await open(MODEL);
      await createAndDelete(store, 'words');
      assert.equal(await wasVisible(store, 'words'), false);
      const [revision = 0] = await commit(store, create('notes', 'a', { text: 'x', owner: 'ann' }));
      const tombstone = { values: {}, expiresAt: Date.parse('2100-01-01') };
      await store.writes.commit({ plans: [{ ...remove('notes', 'a', revision), tombstone }], dry: true });
      assert.equal(await wasVisible(store, 'notes'), false);
      await store.close();
    });
  });
}
