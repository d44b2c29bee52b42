import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Condition, ListPlan, Row, WritePlan } from '../../src/plan/plan.ts';
import { UnusableDatabase } from '../../src/stores/sql/schema/schema-errors.ts';
import type { Store } from '../../src/stores/store.ts';
import { commit, create, listIds, listPlan, readRow, remove } from '../../store-suite/sample-writes.ts';
import { POSTGRES_OF_FORMAT_11, SQLITE_OF_FORMAT_11 } from './earlier-formats.ts';
import { migratedDatabases } from './migrated-databases.ts';
import { WEBHOOK_MODEL, WebhookRows } from './webhook-rows.ts';

const OF_FORMAT_11: Readonly<Record<string, string>> = {
  SQLite: SQLITE_OF_FORMAT_11,
  PostgreSQL: POSTGRES_OF_FORMAT_11,
};
const RESOURCES = ['webhooks', 'webhook_secrets', 'webhook_deliveries', 'webhook_replays'];

const FAILED = {
  status: 'dead',
  attempts: [
    { at: '2026-11-01T00:00:00.001Z', duration: 5, status_code: null, response: null, error: 'é"\\ \u001f 😀' },
    { at: '1999-12-31T23:59:59.999Z', duration: 70_000, status_code: 500, response: '[1, null]', error: null },
  ],
};

/** Two webhooks with deliveries of each status, one of them of a replay that is pending. */
function sampleRows(): readonly WritePlan[] {
  const rows = new WebhookRows();
  const [event, ...webhooks] = [rows.uuid(), rows.webhook(), rows.webhook()] as const;
  const below = webhooks.flatMap(({ id }) => {
    const replay = rows.replay(id);
    return [
      rows.delivery(id, event),
      rows.delivery(id, rows.uuid(), FAILED),
      rows.delivery(id, event, { status: 'retrying', replay_id: replay.id }),
      rows.delivery(id, rows.uuid(), { status: 'pending', attempts: [], event_id: null }),
      replay,
    ];
  });
  return [...webhooks, ...below];
}

async function readAll(store: Store): Promise<readonly Row[]> {
  const read = await Promise.all(RESOURCES.map(async (resource) => store.rows.list(listPlan({ resource }))));
  return read.flatMap(({ rows }) => rows);
}

function planDeliveries(webhook: string, changes: Partial<ListPlan> = {}): Partial<ListPlan> {
  const within = [{ resource: 'webhooks', id: webhook, visible: { kind: 'everything' } }] as const;
  const order = [
    { path: 'created_at', descending: true },
    { path: 'id', descending: true },
  ];
  return { resource: 'webhook_deliveries', within, order, ...changes };
}

/** A model whose own rows refer to webhooks, and lie below them. */
const NEIGHBOURS = `${WEBHOOK_MODEL}
  tickets:
    id: client
    schema:
      type: object
      properties:
        webhook_id: { type: string, x-references: webhooks }
        hook_ids: { type: array, items: { type: string, x-references: webhooks } }
        delivery_id: { type: string, x-references: webhook_deliveries }
  notes: { parent: webhooks, id: client, schema: { type: object, properties: { text: { type: string } } } }
  comments: { parent: notes, id: client, schema: { type: object, properties: { text: { type: string } } } }
`;

for (const [name, newDatabase] of migratedDatabases) {
  describe(`webhooks in the compact form, on ${name}`, () => {
    it('[OPS-4d] come from a database whose ids were texts, at the next start, with every row as it was', async (context) => {
      const database = newDatabase(context);
      const filled = await database.open(WEBHOOK_MODEL);
      await commit(filled, ...sampleRows());
      const rows = await readAll(filled);
      await filled.close();
      await database.run(OF_FORMAT_11[name] ?? '');
      assert.ok(
        (await database.plan(WEBHOOK_MODEL)).every(({ losses, broken }) => losses.length + broken.length === 0),
      );
      const upgraded = await database.open(WEBHOOK_MODEL);
      assert.deepEqual(await readAll(upgraded), rows);
      const more = new WebhookRows();
      const [webhook = ''] = rows.map(({ id }) => id);
      await commit(upgraded, more.delivery(webhook, more.uuid()));
      await upgraded.close();
      assert.deepEqual(await database.plan(WEBHOOK_MODEL), []);
      await (await database.open(WEBHOOK_MODEL, 'none', false)).close();
    });

    it('[OPS-6] come so while a database is shared with another model, too', async (context) => {
      const database = newDatabase(context);
      const filled = await database.open(WEBHOOK_MODEL);
      await commit(filled, ...sampleRows());
      const rows = await readAll(filled);
      await filled.close();
      await database.run(OF_FORMAT_11[name] ?? '');
      const next = WEBHOOK_MODEL.replace('title: { type: string }', 'title: { type: string }, note: { type: string }');
      const shared = await database.open(next, 'none', true, 'expand');
      assert.deepEqual(await readAll(shared), rows);
      await shared.close();
      const before = await database.open(WEBHOOK_MODEL);
      assert.deepEqual(await readAll(before), rows);
      await before.close();
    });

    it('[OPS-4d] are refused by a build that does not know the form', async (context) => {
      const database = newDatabase(context);
      await (await database.open(WEBHOOK_MODEL)).close();
      await database.run("update restwright_meta set value = '14' where name = 'format'");
      await assert.rejects(database.open(WEBHOOK_MODEL), (error) => {
        assert.ok(error instanceof UnusableDatabase);
        assert.match(error.message, /has format 14, and this version of Restwright reads format 1[23]/);
        return true;
      });
    });

    it('[QRY-7] compare their UUIDs as texts, in every filter and order', async (context) => {
      const store = await newDatabase(context).open(WEBHOOK_MODEL);
      const plans = sampleRows();
      await commit(store, ...plans);
      const deliveries = (await store.rows.list(listPlan({ resource: 'webhook_deliveries' }))).rows;
      const [first] = deliveries;
      assert.ok(first !== undefined);
      const ids = deliveries.map(({ id }) => id).sort();
      const texts = [
        '',
        '0',
        first.id,
        first.id.slice(0, 20),
        `${first.id}0`,
        ids[3] ?? '',
        `${first.id.slice(0, 9)}g`,
        'z',
        'A',
        '-',
      ];
      const find = (condition: Condition): Promise<readonly string[]> =>
        listIds(store, { resource: 'webhook_deliveries', filter: [condition] });
      for (const value of texts) {
        const holding = (holds: (id: string) => boolean): readonly string[] => ids.filter(holds);
        const path = 'id';
        assert.deepEqual(
          await find({ path, operator: 'lt', value }),
          holding((id) => id < value),
          `lt ${value}`,
        );
        assert.deepEqual(
          await find({ path, operator: 'lte', value }),
          holding((id) => id <= value),
          `lte ${value}`,
        );
        assert.deepEqual(
          await find({ path, operator: 'gt', value }),
          holding((id) => id > value),
          `gt ${value}`,
        );
        assert.deepEqual(
          await find({ path, operator: 'gte', value }),
          holding((id) => id >= value),
          `gte ${value}`,
        );
        assert.deepEqual(
          await find({ path, operator: 'in', values: [value] }),
          holding((id) => id === value),
        );
        assert.deepEqual(
          await find({ path, operator: 'nin', values: [value] }),
          holding((id) => id !== value),
        );
        assert.deepEqual(
          await find({ path, operator: 'starts_with', value }),
          holding((id) => id.startsWith(value)),
        );
        assert.deepEqual(
          await find({ path, operator: 'contains', value }),
          holding((id) => id.includes(value)),
        );
      }
      const ofEvent = await find({ path: 'event_id', operator: 'in', values: [first['event_id'] ?? null] });
      assert.equal(ofEvent.length, 4);
      assert.equal((await find({ path: 'event_id', operator: 'exists', value: false })).length, 2);
      await store.close();
    });

    it('[REP-9a] [URL-7] are referred to, and have rows of others below them', async (context) => {
      const database = newDatabase(context);
      const store = await database.open(NEIGHBOURS);
      const plans = sampleRows();
      await commit(store, ...plans);
      const [hook = '', other = '', delivery = ''] = plans.map(({ id }) => id);
      const ticket = { webhook_id: hook, hook_ids: [other, hook], delivery_id: delivery };
      const webhook = { resource: 'webhooks', id: hook };
      const note = { resource: 'notes', id: 'n' };
      await commit(
        store,
        create('tickets', 't', ticket),
        create('notes', 'n', { webhook_id: hook, text: 'x' }, { within: [webhook] }),
        create('comments', 'c', { note_id: 'n', text: 'y' }, { within: [note, webhook] }),
      );
      const find = (path: string, id: string): Promise<readonly string[]> => {
        const operator = path === 'hook_ids' ? 'contains' : 'in';
        const filter =
          operator === 'in' ? [{ path, operator, values: [id] } as const] : [{ path, operator, value: id } as const];
        return listIds(store, { resource: 'tickets', filter });
      };
      const read = await readRow(store, 'tickets', 't');
      assert.deepEqual(
        [read['webhook_id'], read['hook_ids'], read['delivery_id above 0']],
        [hook, [other, hook], hook],
      );
      assert.deepEqual(await find('webhook_id', hook), ['t']);
      assert.deepEqual(await find('hook_ids', other), ['t']);
      assert.deepEqual(await find('hook_ids', delivery), []);
      assert.deepEqual((await readRow(store, 'comments', 'c', [note, webhook]))['above 1'], hook);
      const missing = await store.writes.commit({
        plans: [create('tickets', 'u', { ...ticket, webhook_id: delivery })],
      });
      assert.equal(missing.kind, 'reference');
      const gone = await store.writes.commit({ plans: [remove('webhooks', hook, 1)] });
      assert.equal(gone.kind, 'dependents');
      await store.close();
      assert.deepEqual(await database.plan(NEIGHBOURS), []);
    });

    it('[URL-7] are found below their webhook alone, and unknown ids find nothing', async (context) => {
      const store = await newDatabase(context).open(WEBHOOK_MODEL);
      const plans = sampleRows();
      await commit(store, ...plans);
      const [one, other] = plans.map((plan) => plan.id);
      const listed = await listIds(store, planDeliveries(one ?? ''));
      assert.equal(listed.length, 4);
      assert.deepEqual(listed, listed.toSorted().toReversed());
      const [delivery = ''] = listed;
      assert.deepEqual(await readRow(store, 'webhook_deliveries', delivery, planDeliveries(one ?? '').within), {
        ...(await readRow(store, 'webhook_deliveries', delivery)),
      });
      await assert.rejects(readRow(store, 'webhook_deliveries', delivery, planDeliveries(other ?? '').within));
      for (const unknown of ['x', '', `${one}0`, one?.toUpperCase() ?? '']) {
        await assert.rejects(readRow(store, 'webhooks', unknown), /does not exist/);
        assert.deepEqual(await listIds(store, planDeliveries(unknown)), []);
      }
      const rows = [delivery, 'x'].map((id) => ({ id, within: [] }));
      const found = await store.rows.lookup({
        resource: 'webhook_deliveries',
        rows,
        visible: { kind: 'everything' },
      });
      assert.deepEqual(
        found.map(({ row, within }) => [row.id, within]),
        [[delivery, [{ resource: 'webhooks', id: one }]]],
      );
      await store.close();
    });
  });
}
