import assert from 'node:assert/strict';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { loadModel } from '../../src/model/compile/load-model.ts';
import type { MigrationPhase } from '../../src/stores/sql/schema/current-models.ts';
import { openPostgres } from '../../src/stores/postgres/postgres-store.ts';
import { openSqlite } from '../../src/stores/sqlite/sqlite-store.ts';
import { type ApiUnderTest, apiUnderTest } from '../pipeline/support/api-under-test.ts';
import { PostgresSchemas } from '../postgres-schemas.ts';
import { startPostgres } from '../postgres-server.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { driverName } from './sqlite/driver-under-test.ts';

const server = await startPostgres();
const schemas = new PostgresSchemas();
after(async () => {
  await schemas.drop(server.url('public'));
  await server.stop();
});

/** @param fields of books @param required those that rows must have */
const modelOf = (fields: readonly string[], required: readonly string[] = []): string => `name: shop
resources:
  books:
    search: [title]
    schema: { type: object, required: [${required.join(', ')}], properties: { ${fields.join(', ')} } }
  notes: { schema: { type: object, properties: { text: { type: string } } } }
`;

const [TITLE, LEGACY, SIZE] = ['title: { type: string }', 'legacy: { type: string }', 'size: { type: integer }'];
const PAGES = 'pages: { type: integer }';
const OLD = modelOf([TITLE, LEGACY, PAGES]);

async function migrateSqlite(database: string, text: string, phase: MigrationPhase | null): Promise<void> {
  const { model } = loadModel({ file: 'model.yaml', text, env: {} });
  await (await openSqlite({ path: database, driver: driverName, model, consent: 'losses', phase })).close();
}

async function migratePostgres(database: string, text: string, phase: MigrationPhase | null): Promise<void> {
  const { model } = loadModel({ file: 'model.yaml', text, env: {} });
  await (await openPostgres({ url: database, model, consent: 'losses', phase })).close();
}

const migrations = ({ observations }: ApiUnderTest): number =>
  observations.filter(({ kind }) => kind === 'database-migrated').length;

/** Fails unless a request is answered 503 with the reason, and nothing of the database. */
async function assertRefused(api: ApiUnderTest, send: string, body?: object): Promise<void> {
  const { status, text, headers } = await api.send(body === undefined ? { send } : { send, body });
  assert.equal(status, 503, `${send} ${text}`);
  assert.equal(headers.get('retry-after'), '1');
  assert.match(text, /"SERVER_UNAVAILABLE"/);
  assert.match(text, /was migrated to another model/);
  assert.doesNotMatch(text, /legacy|column|select|insert/i);
}

const CHANGES: readonly (readonly [title: string, after: string, send: string, body?: object])[] = [
  ['a field was removed', modelOf([TITLE, PAGES]), 'GET /readyz'],
  ['a field has another type', modelOf([TITLE, LEGACY, 'pages: { type: string }']), 'GET /readyz'],
  ['a resource was removed', modelOf([TITLE, LEGACY, PAGES]).replace('notes:', 'words:'), 'GET /readyz'],
  ['a field that was removed is read', modelOf([TITLE]), 'GET /api/v1/books'],
  ['a field that was removed is searched', modelOf([TITLE]), 'GET /api/v1/books?q=a&sort=legacy'],
  ['a field that was removed is written', modelOf([TITLE]), 'POST /api/v1/books', { title: 'b', legacy: 'x' }],
  [
    'a resource that was removed is read',
    modelOf([TITLE, LEGACY, PAGES]).replace('notes:', 'words:'),
    'GET /api/v1/notes',
  ],
  [
    'a row is written without a field that is required now',
    modelOf([TITLE, LEGACY, PAGES, 'size: { type: integer, default: 1 }'], ['size']),
    'POST /api/v1/books',
    { title: 'b' },
  ],
];

for (const [store, databaseOf, migrate] of [
  ['SQLite', (folder: string) => path.join(folder, 'shop.db'), migrateSqlite],
  [
    'PostgreSQL',
    (folder: string) => server.url(schemas.name(path.basename(folder).toLowerCase().replaceAll('-', '_'))),
    migratePostgres,
  ],
] as const) {
  describe(`an instance whose database is migrated to another model, on ${store}`, () => {
    for (const [title, changed, send, body] of CHANGES) {
      it(`[OPS-7d] is not ready once ${title}, and answers 503 until it is restarted`, async (context) => {
        const database = databaseOf(temporaryDirectory(context));
        await using old = await apiUnderTest(OLD, { database });
        const { body: book } = await old.send({ send: 'POST /api/v1/books', body: { title: 'a', legacy: 'x' } });
        await migrate(database, changed, null);
        await assertRefused(old, send, body);
        await assertRefused(old, 'GET /readyz');
        await assertRefused(old, `GET /api/v1/books/${book.id}`);
        await assertRefused(old, 'POST /api/v1/notes', { text: 'n' });
        assert.equal((await old.send({ send: 'GET /livez' })).status, 200);
        assert.equal(migrations(old), 1);
        assert.ok(!old.observations.some(({ kind }) => kind === 'error'));
        await using restarted = await apiUnderTest(changed, { database });
        assert.equal((await restarted.send({ send: `GET /api/v1/books/${book.id}` })).status, 200);
      });
    }

    it('[OPS-7d] [OPS-6] stays ready where it can still read and write every row', async (context) => {
      for (const phase of [null, 'expand'] as const) {
        const database = databaseOf(temporaryDirectory(context));
        await using old = await apiUnderTest(OLD, { database });
        await migrate(database, modelOf([TITLE, LEGACY, PAGES, SIZE]), phase);
        assert.equal((await old.send({ send: 'POST /api/v1/books', body: { title: 'b' } })).status, 201);
        assert.equal((await old.send({ send: 'GET /api/v1/books' })).body.data.length, 1);
        assert.equal((await old.send({ send: 'GET /readyz' })).status, 200);
        assert.equal(migrations(old), 0);
      }
    });
  });
}
