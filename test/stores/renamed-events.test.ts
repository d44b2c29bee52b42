import assert from 'node:assert/strict';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { apiUnderTest } from '../pipeline/api-under-test.ts';
import { PostgresSchemas } from '../postgres-schemas.ts';
import { startPostgres } from '../postgres-server.ts';
import { temporaryDirectory } from '../temporary-directory.ts';

const server = await startPostgres();
const schemas = new PostgresSchemas();
after(async () => {
  await schemas.drop(server.url('public'));
  await server.stop();
});

const SCHEMA = 'schema: { type: object, properties: { item: { type: string } } }';

/** @param resources each with its options */
const modelOf = (resources: Readonly<Record<string, string>>): string =>
  `name: shop\nresources:\n${Object.entries(resources)
    .map(([name, options]) => `  ${name}: { id: client, events: full, ${options}${SCHEMA} }\n`)
    .join('')}`;

/** The events of a collection: types, resources and changed fields. */
async function eventsOf(database: string, model: string, collection: string): Promise<readonly string[]> {
  const api = await apiUnderTest(model, { database });
  const { body } = await api.send({ send: `GET /api/events?collection=${collection}` });
  await api.close();
  return body.data.map(
    ({ type, payload }: { readonly type: string; readonly payload: Record<string, { readonly url: string }> }) =>
      `${type} ${new URL(payload['resource']?.url ?? '').pathname} ${JSON.stringify(payload['changed_fields'])}`,
  );
}

async function write(database: string, model: string, ...requests: readonly string[]): Promise<void> {
  const api = await apiUnderTest(model, { database });
  for (const send of requests) {
    const body = send.startsWith('DELETE') ? {} : { body: { item: 'x' } };
    assert.ok((await api.send({ send, ...body })).status < 300, send);
  }
  await api.close();
}

for (const [store, databaseOf] of [
  ['SQLite', (folder: string) => path.join(folder, 'shop.db')],
  [
    'PostgreSQL',
    (folder: string) => server.url(schemas.name(path.basename(folder).toLowerCase().replaceAll('-', '_'))),
  ],
] as const) {
  describe(`stored events of a resource with another name, on ${store}`, () => {
    it('[EVT-2] are those of its later name, where it was renamed', async (context) => {
      const database = databaseOf(temporaryDirectory(context));
      await write(database, modelOf({ items: '' }), 'PUT /api/v1/items/a', 'DELETE /api/v1/items/a');
      const renamed = modelOf({ things: 'was: items, ' });
      await write(database, renamed, 'PUT /api/v1/things/b');
      assert.deepEqual(await eventsOf(database, renamed, 'things'), [
        'thing.created /api/v1/things/a ["item"]',
        'thing.deleted /api/v1/things/a []',
        'thing.created /api/v1/things/b ["item"]',
      ]);
    });

    it('[EVT-2] are those of its later names, where each of two has the name of the next', async (context) => {
      const database = databaseOf(temporaryDirectory(context));
      await write(database, modelOf({ items: '', things: '' }), 'PUT /api/v1/items/a', 'PUT /api/v1/things/b');
      const first = modelOf({ items: '', parts: 'was: things, ' });
      const second = modelOf({ things: 'was: items, ', parts: '' });
      assert.deepEqual(await eventsOf(database, first, 'parts'), ['part.created /api/v1/parts/b ["item"]']);
      assert.deepEqual(await eventsOf(database, second, 'things'), ['thing.created /api/v1/things/a ["item"]']);
      assert.deepEqual(await eventsOf(database, second, 'parts'), ['part.created /api/v1/parts/b ["item"]']);
    });

    it('[EVT-2] are those of its later singular, there and back', async (context) => {
      const database = databaseOf(temporaryDirectory(context));
      const other = modelOf({ items: 'singular: article, ' });
      await write(database, modelOf({ items: '' }), 'PUT /api/v1/items/a');
      await write(database, other, 'PUT /api/v1/items/b');
      assert.deepEqual(await eventsOf(database, other, 'items'), [
        'article.created /api/v1/items/a ["item"]',
        'article.created /api/v1/items/b ["item"]',
      ]);
      assert.deepEqual(await eventsOf(database, modelOf({ items: '' }), 'items'), [
        'item.created /api/v1/items/a ["item"]',
        'item.created /api/v1/items/b ["item"]',
      ]);
    });
  });
}
