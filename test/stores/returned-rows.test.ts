import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { run } from '../../src/cli/program.ts';
import { recordedTerminal } from '../cli/recorded-terminal.ts';
import { type ApiUnderTest, apiUnderTest } from '../pipeline/support/api-under-test.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { newDatabases } from './new-databases.ts';

const { sqlite, postgres } = await newDatabases('returned');

/** A new database of a store. */
const STORES = [
  ['SQLite', sqlite],
  ['PostgreSQL', postgres],
] as const;

const OLD = `{ name: store, version: 1.4.0, resources: {
  goods: { id: client, events: full, search: [title, city], indexes: [status, title], schema: { type: object, required: [title], properties: {
    title: { type: string, x-unique: true }, status: { type: string, enum: [draft, live], default: draft }, city: { type: string }, size: { type: string, pattern: '^[0-9]+$' },
    place: { type: object, properties: { shelf: { type: integer } } } } } },
  parts: { id: client, parent: goods, schema: { type: object, properties: { text: { type: string }, like_id: { type: string, x-references: goods } } } } } }`;

const NEW = `{ name: store, version: 2.0.0, default_version: 2, resources: {
  products: { id: client, events: full, search: [name, place.city], indexes: [status, name], schema: { type: object, required: [name], properties: {
    name: { type: string, x-unique: true }, currency: { type: string, default: EUR }, status: { type: string, enum: [DRAFT, ACTIVE], default: DRAFT }, width: { type: integer },
    place: { type: object, properties: { city: { type: string }, shelf: { type: integer } } } } } },
  parts: { id: client, parent: products, schema: { type: object, properties: { text: { type: string }, like_id: { type: string, x-references: products } } } },
  notes: { id: client, schema: { type: object, properties: { text: { type: string } } } } },
  versions: { 1.4.0: { changes: [
    { resource: products, collection: goods, singular: good, rename: { name: title } },
    { resource: products, values: { status: { draft: DRAFT, live: ACTIVE } } },
    { resource: products, move: { city: place.city } },
    { resource: products, type: { size: { schema: { type: string, pattern: '^[0-9]+$' }, to: width } } },
    { resource: products, without: [currency], fill: { currency: USD } },
    { resource: notes, absent: true }] } } }`.replace('rename: { name: title }', 'rename: { title: name }');

const LAMP = { title: 'Lamp', status: 'live', city: 'Oslo', size: '3', place: { shelf: 1 } };

type Request = readonly [send: string, body?: object];

async function send(api: ApiUnderTest, requests: readonly Request[]): Promise<void> {
  for (const [each, body] of requests) {
    const { status, text } = await api.send({ send: each, ...(body === undefined ? {} : { body }) });
    assert.ok(status < 300, text);
  }
}

/** Opens a model, sends requests, and reads collections. @returns their items, without revisions */
async function use(
  model: string,
  database: string,
  requests: readonly Request[],
  ...reads: readonly string[]
): Promise<{ readonly items: readonly unknown[]; readonly changes: readonly string[] }> {
  const changes: string[] = [];
  const observe = (each: { readonly kind: string; readonly statements?: readonly string[] }): void => {
    if (each.kind === 'schema-changed') changes.push(...(each.statements ?? []));
  };
  await using api = await apiUnderTest(model, { database, observe });
  await send(api, requests);
  const items: unknown[] = [];
  for (const each of reads) {
    const { status, body, text } = await api.send({ send: `GET /api/${each}` });
    assert.equal(status, 200, text);
    items.push(body.data.map(({ revision: _revision, ...item }: Readonly<Record<string, unknown>>) => item));
  }
  changes.push(...api.observations.flatMap((each) => (each.kind === 'schema-changed' ? [...each.statements] : [])));
  return { items, changes };
}

async function migrate(
  folder: string,
  database: string,
  args: readonly string[],
  model = NEW,
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const file = path.join(folder, 'store.yaml');
  writeFileSync(file, model);
  const terminal = recordedTerminal();
  const code = await run(['migrate', file, '--database', database, ...args], terminal);
  return { code, ...terminal.written() };
}

const READS = ['v1/goods', 'v1/goods?q=oslo', 'v1/goods?status=live', 'v1/goods/a/parts', 'v1/events'];

for (const [store, databaseOf] of STORES) {
  describe(`migrate --to an older version, on ${store}`, () => {
    it('[VER-5c] [OPS-4d] leaves a database of that version, with every row and event as its clients knew them', async (context) => {
      const folder = temporaryDirectory(context);
      const database = databaseOf(folder);
      await use(OLD, database, [
        ['PUT /api/v1/goods/a', LAMP],
        ['PUT /api/v1/goods/b', { title: 'Desk' }],
        ['PUT /api/v1/goods/a/parts/p', { text: 'bulb', like_id: 'b' }],
        ['PATCH /api/v1/goods/a', { city: 'Rome' }],
        ['PATCH /api/v1/goods/a', { city: 'Oslo' }],
      ]);
      const requests: readonly Request[] = [
        ['PATCH /api/v2/products/b', { place: { city: 'Bonn', shelf: 7 } }],
        ['PUT /api/v2/products/c', { name: 'Sofa', currency: 'USD', status: 'ACTIVE', width: 12 }],
        ['PUT /api/v1/goods/d', { title: 'Chair', size: '4' }],
        ['DELETE /api/v2/products/d'],
      ];
      const before = await use(NEW, database, requests, ...READS);

      const planned = await migrate(folder, database, ['--to', '1.4.0']);
      assert.equal(planned.code, 0, planned.stderr);
      assert.match(planned.stdout, /convert rows of products back to 1\.4\.0/);
      assert.match(
        planned.stdout,
        /\nNothing was changed\. Stop all instances, then apply it with .* --to 1\.4\.0 .*--apply\n/,
      );
      const applied = await migrate(folder, database, ['--to', '1.4.0', '--apply']);
      assert.equal(applied.code, 0, applied.stderr);
      const again = await migrate(folder, database, ['--to', '1.4.0', '--apply']);
      assert.equal(again.code, 0, again.stderr);

      const returned = await use(OLD, database, [], ...READS);
      assert.deepEqual(returned.changes, []);
      assert.deepEqual(returned.items, before.items);
      // Forward again, as if nothing had happened.
      const forward = await use(NEW, database, [], ...READS, 'v2/products', 'v2/events');
      assert.deepEqual(forward.items.slice(0, READS.length), before.items);
      const [sofa] = JSON.parse(JSON.stringify(forward.items[READS.length])).filter(
        ({ id }: { readonly id: string }) => id === 'c',
      );
      assert.deepEqual(
        [sofa.name, sofa.currency, sofa.status, sofa.width, sofa.place],
        ['Sofa', 'USD', 'ACTIVE', 12, null],
      );
    });

    it('[VER-5c] [OPS-4d] leaves the tables of webhooks as they are', async (context) => {
      const folder = temporaryDirectory(context);
      const database = databaseOf(folder);
      const [older, newest] = [OLD, NEW].map((text) => text.replace('resources:', 'webhooks: {}, resources:'));
      const first = await apiUnderTest(older ?? '', { database });
      const webhook = { url: 'https://hooks.example.com/in', event_types: ['good.*'] };
      const { body } = await first.send({ send: 'POST /api/v1/webhooks', body: webhook });
      const { id } = body;
      await send(first, [[`POST /api/v1/webhooks/${id}/secrets`, {}]]);
      await first.close();
      const read = [`v1/webhooks/${id}/secrets`, 'v1/webhooks'];
      const before = await use(newest ?? '', database, [], ...read);
      const applied = await migrate(folder, database, ['--to', '1.4.0', '--apply'], newest);
      assert.equal(applied.code, 0, applied.stderr);
      assert.doesNotMatch(applied.stdout, /webhook_|secrets/);
      const returned = await use(older ?? '', database, [], ...read);
      assert.deepEqual(returned, { items: before.items, changes: [] });
    });

    it('[OPS-4d] is refused with the rows that the older version cannot hold, and goes on with consent', async (context) => {
      const folder = temporaryDirectory(context);
      const database = databaseOf(folder);
      const requests: readonly Request[] = [
        ['PUT /api/v2/products/a', { name: 'Lamp', currency: 'USD' }],
        ...['b', 'c', 'd', 'e'].map((id): Request => [`PUT /api/v2/products/${id}`, { name: id, currency: 'SEK' }]),
        ['PUT /api/v2/notes/n', { text: 'x' }],
      ];
      await use(NEW, database, requests);
      const refused = await migrate(folder, database, ['--to', '1.4.0', '--apply']);
      assert.equal(refused.code, 1);
      const planned = await migrate(folder, database, ['--to', '1.4.0']);
      assert.match(
        planned.stdout,
        /products\.currency: 4 rows \(b, c, d, \.\.\.\) have values that 1\.4\.0 cannot hold; change the rows first/,
      );
      assert.match(refused.stderr, /notes is dropped with 1 row/);
      assert.match(refused.stderr, /--to 1\.4\.0 shows the migration/);
      const { items } = await use(NEW, database, [], 'v2/products');
      assert.match(JSON.stringify(items), /"currency":"SEK"/);
      const consented = await migrate(folder, database, ['--to', '1.4.0', '--apply', '--allow-data-loss']);
      assert.equal(consented.code, 0, consented.stderr);
      const older = await use(OLD, database, [], 'v1/goods');
      assert.equal(JSON.parse(JSON.stringify(older.items[0])).length, 5);
    });

    it('[OPS-4d] names the versions that there are, and the version that the rows have', async (context) => {
      const folder = temporaryDirectory(context);
      const database = databaseOf(folder);
      const unknown = await migrate(folder, database, ['--to', '1.3.0']);
      assert.equal(unknown.code, 2);
      assert.match(
        unknown.stderr,
        /--to: '1\.3\.0' is not a version that .*store\.yaml has the changes of; use 1\.4\.0, or/,
      );
      const both = await migrate(folder, database, ['--to', '1.4.0', '--phase', 'expand']);
      assert.equal(both.code, 2);
      await use(OLD.replace('1.4.0', '0.9.0'), database, [['PUT /api/v0/goods/a', LAMP]]);
      const other = await migrate(folder, database, ['--to', '1.4.0']);
      assert.equal(other.code, 1);
      assert.match(
        other.stderr,
        /It holds rows of version 0\.9\.0 of the model, and only those of 2\.0\.0 can go back to 1\.4\.0/,
      );
    });
  });
}
