import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadModel } from '../../../../src/model/compile/load-model.ts';
import { openPostgres, planPostgres } from '../../../../src/stores/postgres/postgres-store.ts';
import { type Consent, LossySchemaChange } from '../../../../src/stores/sql/schema/schema-errors.ts';
import type { MigrationPhase } from '../../../../src/stores/sql/schema/current-models.ts';
import { type ApiUnderTest, apiUnderTest } from '../../../pipeline/support/api-under-test.ts';
import { newSchema } from '../open-postgres.ts';

const OLD = `{ name: store, version: 1.4.0, resources: { products: { id: client, schema: { type: object, properties: {
  code: { type: string }, city: { type: string }, status: { type: string, enum: [draft, live, lost], default: draft } } } } } }`;

const NEW = `{ name: store, version: 2.0.0, default_version: 2, resources: { products: { id: client, schema: { type: object, properties: {
  code: { type: integer, maximum: 100 }, status: { type: string, enum: [DRAFT, ACTIVE, ARCHIVED], default: DRAFT },
  place: { type: object, properties: { city: { type: string, maxLength: 6 } } } } } } },
  versions: { 1.4.0: { changes: [
    { resource: products, values: { status: { draft: DRAFT, live: ACTIVE } } },
    { resource: products, type: { code: { schema: { type: string } } } },
    { resource: products, move: { city: place.city } }] } } }`;

async function migrate(url: string, phase: MigrationPhase, consent: Consent = 'none'): Promise<void> {
  await (await openPostgres({ url, model: loadModel({ text: NEW }).model, phase, consent })).close();
}

async function put(api: ApiUnderTest, path: string, body: object): Promise<void> {
  const { status, text } = await api.send({ send: `PUT ${path}`, body });
  assert.ok(status < 300, `${path} ${text}`);
}

/** A database with rows that only the older model could accept, written next to instances of the newer one. */
async function withRows(database: string, rows: Readonly<Record<string, object>>): Promise<ApiUnderTest> {
  const old = await apiUnderTest(OLD, { database });
  await put(old, '/api/v1/products/first', { code: '7', city: 'Oslo', status: 'live' });
  await migrate(database, 'expand');
  const young = await apiUnderTest(NEW, { database });
  await put(young, '/api/v2/products/own', { code: 99, status: 'ARCHIVED', place: { city: 'Rome' } });
  for (const [id, row] of Object.entries(rows)) await put(old, `/api/v1/products/${id}`, row);
  await old.close();
  return young;
}

describe('the end of the older of two models', () => {
  it('[OPS-4d] [VER-5d] is refused for values that only it allowed, which are named and counted', async () => {
    const database = newSchema();
    const codes = Object.fromEntries(['a', 'b', 'c', 'd'].map((id, at) => [id, { code: String(700 + at) }]));
    await using young = await withRows(database, { ...codes, e: { code: '1', city: 'Trondheim' } });
    const { text } = await young.send({ send: 'GET /api/v2/products' });
    const expected = (error: unknown): boolean =>
      error instanceof LossySchemaChange &&
      /products\.code must be at most 100: 4 rows break it \(a, b, c, \.\.\.\)/.test(error.message) &&
      /products\.place\.city must be at most 6 characters: 1 row breaks it \(e\)/.test(error.message);
    await assert.rejects(migrate(database, 'contract'), expected);
    assert.equal((await young.send({ send: 'GET /api/v2/products' })).text, text);
    const { model } = loadModel({ text: NEW });
    const steps = await planPostgres({ url: database, model, phase: 'contract' });
    assert.deepEqual(
      steps.flatMap(({ broken }) => broken).map(({ rows, ids }) => [rows, ids]),
      [
        [4, ['a', 'b', 'c']],
        [1, ['e']],
      ],
    );
    await put(young, '/api/v2/products/a', { code: 1 });
    await migrate(database, 'contract', 'losses');
    assert.equal((await young.send({ send: 'GET /api/v2/products/b' })).body.code, 701);
    assert.equal((await young.send({ send: 'GET /api/v2/products/a' })).body.code, 1);
  });

  it('[OPS-4d] [VER-5d] is refused for values that it alone can show, and not for those of newer instances', async () => {
    const database = newSchema();
    await using young = await withRows(database, { a: { status: 'lost' }, b: { code: 'x' } });
    await assert.rejects(
      migrate(database, 'contract'),
      (error: unknown) =>
        error instanceof LossySchemaChange && /\(a\)/.test(error.message) && /\(b\)/.test(error.message),
    );
    await put(young, '/api/v2/products/a', { status: 'ACTIVE' });
    await put(young, '/api/v2/products/b', { code: 5 });
    await migrate(database, 'contract');
    assert.equal((await young.send({ send: 'GET /api/v2/products/own' })).body.status, 'ARCHIVED');
  });
});
