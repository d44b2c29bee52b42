import assert from 'node:assert/strict';
import type { Model, ValueType } from '../../src/model/model.ts';
import { EVERYTHING } from '../../src/plan/visibility.ts';
import type { Store } from '../../src/stores/store.ts';
import { field, model, resource, type ResourceOptions } from '../../store-suite/sample-model.ts';
import { commit, create, itemPlan, remove } from '../../store-suite/sample-writes.ts';

const TEXT: ValueType = { kind: 'text', format: null };
const EXPIRES_AT = Date.parse('2100-01-01');

function named(name: string, options: Partial<ResourceOptions> = {}): Model {
  return model([resource({ name, fields: [field('text', TEXT)], tombstones: 1_000, ...options })]);
}

/**
 * Fails unless the tombstone of a row follows its resource through a migration that renames it, and ends with the
 * resource.
 *
 * @param open opens the same database with another model
 */
export async function checkMigratedTombstones(open: (changed: Model) => Promise<Store>): Promise<void> {
  const withStore = async (changed: Model, use: (store: Store) => Promise<void>): Promise<void> => {
    const store = await open(changed);
    await use(store);
    await store.close();
  };
  const wasVisible = async ({ rows }: Store, name: string): Promise<boolean> =>
    rows.wasVisible(itemPlan(name, 'a', { visible: EVERYTHING }));
  await withStore(named('notes'), async (store) => {
    const [revision = 0] = await commit(store, create('notes', 'a', { text: 'x' }));
    await commit(store, { ...remove('notes', 'a', revision), tombstone: { values: {}, expiresAt: EXPIRES_AT } });
  });
  await withStore(named('memos', { was: 'notes' }), async (store) =>
    assert.equal(await wasVisible(store, 'memos'), true),
  );
  await withStore(named('words'), async (store) => assert.equal(await wasVisible(store, 'words'), false));
  await withStore(named('memos'), async (store) =>
    assert.equal(await wasVisible(store, 'memos'), false, 'it is another resource of the name'),
  );
}
