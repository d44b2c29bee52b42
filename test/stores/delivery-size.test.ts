import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { migratedDatabases } from './migrated-databases.ts';
import { WEBHOOK_MODEL, WebhookRows, writeDeliveries, writeWebhooks } from './webhook-rows.ts';

const [WEBHOOKS, EVENTS] = [20, 200];

/** Bytes of a delivery at most, and the query of the bytes of all. Before they were compact: 709, and 825. */
const LIMITS: Readonly<Record<string, { readonly most: number; readonly query: string }>> = {
  SQLite: { most: 370, query: 'select page_count * page_size as bytes from pragma_page_count, pragma_page_size' },
  PostgreSQL: { most: 450, query: "select pg_total_relation_size('webhook_deliveries') as bytes" },
};

for (const [name, newDatabase] of migratedDatabases) {
  describe(`the size of deliveries, on ${name}`, () => {
    it('[LIM-1] has a bound for each, with all indexes', async (context) => {
      const { most = 0, query = '' } = LIMITS[name] ?? {};
      const database = newDatabase(context);
      const rows = new WebhookRows();
      const store = await database.open(WEBHOOK_MODEL);
      const webhooks = await writeWebhooks(store, rows, WEBHOOKS);
      await store.close();
      const before = await database.number(query);
      const again = await database.open(WEBHOOK_MODEL);
      await writeDeliveries(again, rows, { webhooks, events: EVENTS });
      await again.close();
      const bytes = ((await database.number(query)) - before) / (WEBHOOKS * EVENTS);
      assert.ok(bytes <= most, `${bytes} bytes`);
    });
  });
}
