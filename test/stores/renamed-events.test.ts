import assert from 'node:assert/strict';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { apiUnderTest } from '../pipeline/support/api-under-test.ts';
import { as, callerTokens } from '../pipeline/support/caller-tokens.ts';
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

const RENAMED = 'items: { schema: { type: object, properties: { name: { type: string, x-was: title }, note: T } } }';

/** @param resource without the options of all, with T for a text */
function writeModel(version: string, resource: string, versions = ''): string {
  const described = resource.replace('{ ', '{ id: client, events: full, ').replaceAll(': T', ': { type: string }');
  return `name: shop\nversion: ${version}\ndefault_version: ${Number.parseInt(version)}\nresources: { ${described} }\nversions: { ${versions} }\n`;
}

/** Changed fields and data of the events of a page. */
function collectData({
  data,
}: {
  readonly data: readonly { readonly payload: Record<string, unknown> }[];
}): readonly unknown[] {
  return data.map(({ payload }) => [payload['changed_fields'], payload['data']]);
}

/** The events of a collection: types, resources and changed fields. */
async function listEvents(database: string, model: string, collection: string): Promise<readonly string[]> {
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
      assert.deepEqual(await listEvents(database, renamed, 'things'), [
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
      assert.deepEqual(await listEvents(database, first, 'parts'), ['part.created /api/v1/parts/b ["item"]']);
      assert.deepEqual(await listEvents(database, second, 'things'), ['thing.created /api/v1/things/a ["item"]']);
      assert.deepEqual(await listEvents(database, second, 'parts'), ['part.created /api/v1/parts/b ["item"]']);
    });

    it('[EVT-2] are those of its later singular, there and back', async (context) => {
      const database = databaseOf(temporaryDirectory(context));
      const other = modelOf({ items: 'singular: article, ' });
      await write(database, modelOf({ items: '' }), 'PUT /api/v1/items/a');
      await write(database, other, 'PUT /api/v1/items/b');
      assert.deepEqual(await listEvents(database, other, 'items'), [
        'article.created /api/v1/items/a ["item"]',
        'article.created /api/v1/items/b ["item"]',
      ]);
      assert.deepEqual(await listEvents(database, modelOf({ items: '' }), 'items'), [
        'item.created /api/v1/items/a ["item"]',
        'item.created /api/v1/items/b ["item"]',
      ]);
    });

    it('[EVT-1] [VER-5a] have the values of fields that were renamed, there and back, and are the same bytes in an older version', async (context) => {
      const database = databaseOf(temporaryDirectory(context));
      const first = writeModel('1.0.0', 'items: { schema: { type: object, properties: { title: T, note: T } } }');
      const second = writeModel('2.0.0', RENAMED, '1.0.0: { changes: [{ resource: items, rename: { title: name } }] }');
      const third = writeModel(
        '3.0.0',
        RENAMED.replace('name: { type: string, x-was: title }', 'title: { type: string, x-was: name }'),
      );
      const api = await apiUnderTest(first, { database });
      await api.send({ send: 'PUT /api/v1/items/a', body: { title: 'A', note: 'n' } });
      await api.send({ send: 'PATCH /api/v1/items/a', body: { title: 'B' } });
      const { body: before } = await api.send({ send: 'GET /api/v1/events' });
      await api.close();
      assert.deepEqual(collectData(before), [
        [['title', 'note'], { id: 'a', title: 'A', note: 'n' }],
        [['title'], { id: 'a', title: 'B', note: 'n' }],
      ]);
      const next = await apiUnderTest(second, { database });
      const later = collectData((await next.send({ send: 'GET /api/v2/events' })).body);
      assert.deepEqual(later, [
        [['name', 'note'], { id: 'a', name: 'A', note: 'n' }],
        [['name'], { id: 'a', name: 'B', note: 'n' }],
      ]);
      const older = await next.send({ send: 'GET /api/v1/events' });
      assert.deepEqual(older.body.data, before.data);
      await next.close();
      const last = await apiUnderTest(third, { database });
      assert.deepEqual(collectData((await last.send({ send: 'GET /api/v3/events' })).body), collectData(before));
      await last.close();
    });

    it('[EVT-3a] [AUTH-5a] are judged by the values of policies whose fields were renamed', async (context) => {
      const database = databaseOf(temporaryDirectory(context));
      const policy = (field: string, options: string): string =>
        `name: shop\nauth: { issuers: [{ name: test, issuer: https://id.example.com, audience: shop, hs256_secret: 0123456789abcdef0123456789abcdef }] }
resources: { items: { id: client, access: { rows: { read: { ${field}: $caller.claims.team } } }, schema: { type: object, properties: { ${field}: { type: string${options} } } } } }`;
      const headers = as({
        subject: 'ann',
        scopes: ['events:read', 'items:read', 'items:write'],
        claims: { team: 'red' },
      });
      const tokens = callerTokens();
      const api = await apiUnderTest(policy('team', ''), { database, tokens });
      assert.equal((await api.send({ send: 'PUT /api/v1/items/a', body: { team: 'red' }, headers })).status, 201);
      await api.close();
      const next = await apiUnderTest(policy('crew', ', x-was: team'), { database, tokens });
      const { body } = await next.send({ send: 'GET /api/v1/events', headers });
      assert.equal(body.data.length, 1);
      await next.close();
    });
  });
}
