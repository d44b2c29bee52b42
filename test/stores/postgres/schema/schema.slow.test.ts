import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openPostgres, planPostgres } from '../../../../src/stores/postgres/postgres-store.ts';
import {
  LossySchemaChange,
  type SchemaStep,
  SchemaViolation,
} from '../../../../src/stores/sql/schema/schema-errors.ts';
import type { Store } from '../../../../src/stores/store.ts';
import { model, refersTo, field, resource, type ResourceOptions } from '../../../../store-suite/sample-model.ts';
import { commit, create, listIds, readRow } from '../../../../store-suite/sample-writes.ts';
import { BEFORE, IDS, KEPT, REFUSED, ROWS, TEXT } from '../../changed-models.ts';
import { checkMigratedTombstones } from '../../migrated-tombstones.ts';
import { newSchema } from '../open-postgres.ts';

const declare = (resources: readonly ResourceOptions[]) => model(resources.map((each) => resource(each)));

async function schemaBefore(rows: typeof ROWS = ROWS): Promise<string> {
  const url = newSchema();
  const store = await openPostgres({ url, model: declare([BEFORE]) });
  await commit(store, ...rows.map(([id, values]) => create('items', id, values)));
  await store.close();
  return url;
}

const open = (
  url: string,
  resources: readonly ResourceOptions[],
  consent: 'none' | 'losses' = 'none',
): Promise<Store> => openPostgres({ url, model: declare(resources), consent });

const plan = (url: string, resources: readonly ResourceOptions[]): Promise<readonly SchemaStep[]> =>
  planPostgres({ url, model: declare(resources) });

async function assertShown(store: Store, shows: (typeof KEPT)[number]['shows']): Promise<void> {
  if (shows === undefined) return;
  const [column, first, second] = shows;
  assert.deepEqual((await readRow(store, 'items', 'a'))[column], first);
  assert.deepEqual((await readRow(store, 'items', 'b'))[column], second);
}

describe('a schema of PostgreSQL of a changed model', () => {
  for (const { title, after, silent = false, shows } of KEPT) {
    it(`[OPS-4d] ${title}, as planned, and finds nothing to do the next time`, async () => {
      const url = await schemaBefore();
      assert.equal((await plan(url, after)).length === 0, silent);
      const store = await open(url, after);
      await assertShown(store, shows);
      await store.close();
      assert.deepEqual(await plan(url, after), []);
    });
  }

  for (const { title, after, says, consent, shows } of REFUSED) {
    it(`[OPS-4d] is unchanged for ${title}, unless with consent`, async () => {
      const url = await schemaBefore();
      await assert.rejects(open(url, after), (error) => {
        assert.ok(error instanceof (consent ? LossySchemaChange : SchemaViolation));
        assert.match(error.message, says);
        return true;
      });
      assert.deepEqual(await plan(url, [BEFORE]), []);
      if (!consent) return assert.rejects(open(url, after, 'losses'), SchemaViolation);
      const store = await open(url, after, 'losses');
      await assertShown(store, shows);
      await store.close();
      assert.deepEqual(await plan(url, after), []);
    });
  }

  it('[MET-4b] renames the tombstones of a resource with it, and drops them with it', async () => {
    const url = newSchema();
    await checkMigratedTombstones((changed) => openPostgres({ url, model: changed }));
  });

  it('[EVT-9e] [OPS-4d] drops the rows of relays without consent', async () => {
    const url = newSchema();
    const relays = { ...declare([BEFORE, { name: 'relays', fields: [] }]), relays: 'relays' };
    const store = await openPostgres({ url, model: relays });
    await commit(store, create('relays', 'shop', {}));
    await store.close();
    await (await open(url, [BEFORE])).close();
    assert.deepEqual(await plan(url, [BEFORE]), []);
  });

  it('[OPS-4d] renames a resource and a field with references, and a link table', async () => {
    const url = newSchema();
    const links = (target: string) => field('refs', IDS, { reference: refersTo(target) });
    const part = (target: string): ResourceOptions => ({
      name: 'parts',
      fields: [field('item_id', TEXT, { reference: refersTo(target) }), links(target)],
    });
    const first = await open(url, [{ name: 'items', fields: [field('title', TEXT)] }, part('items')]);
    await commit(first, create('items', 'a', { title: 'A' }), create('parts', 'p', { item_id: 'a', refs: ['a'] }));
    await first.close();
    const renamed = [
      { name: 'things', was: 'items', fields: [field('label', TEXT, { was: 'title' })] },
      part('things'),
    ];
    const store = await open(url, renamed);
    assert.equal((await readRow(store, 'things', 'a'))['label'], 'A');
    const refused = await store.writes.commit({ plans: [create('parts', 'q', { item_id: 'b', refs: ['b'] })] });
    assert.deepEqual(refused, { kind: 'reference', plan: 0, fields: ['item_id', 'refs[0]'] });
    await store.close();
    assert.deepEqual(await plan(url, renamed), []);
  });

  it('[OPS-4d] [QRY-6] finds rows of before by the words of a field that is searched now', async () => {
    const url = await schemaBefore();
    const searched = [{ ...BEFORE, search: ['title', 'note'] }];
    const store = await open(url, searched);
    const condition = { operator: 'search', words: ['n'] } as const;
    assert.deepEqual(await listIds(store, { resource: 'items', filter: [condition] }), ['a']);
    await store.close();
    assert.deepEqual(await plan(url, searched), []);
    await (await open(url, [BEFORE])).close();
    assert.deepEqual(await plan(url, [BEFORE]), []);
  });

  for (const type of [{ kind: 'number' }, { kind: 'int64' }, TEXT] as const) {
    it(`[OPS-4d] converts an integer without a loss to ${type.kind}`, async () => {
      const url = newSchema();
      const first = await open(url, [{ name: 'items', fields: [field('size', { kind: 'integer' })] }]);
      await commit(first, create('items', 'a', { size: 42 }));
      await first.close();
      const converted = [{ name: 'items', fields: [field('size', type)] }];
      const store = await open(url, converted);
      assert.equal((await readRow(store, 'items', 'a'))['size'], type.kind === 'number' ? 42 : '42');
      await store.close();
      assert.deepEqual(await plan(url, converted), []);
    });
  }
});
