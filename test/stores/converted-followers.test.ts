import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest } from '../pipeline/support/api-under-test.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { newDatabases } from './new-databases.ts';

const { sqlite, postgres } = await newDatabases('followers');

/** A new database of a store. */
const STORES = [
  ['SQLite', sqlite],
  ['PostgreSQL', postgres],
] as const;

const OLD = `{ name: store, version: 1.4.0, resources: { products: { id: client, unique: [[title, city]],
  state: { field: status, initial: draft, transitions: { draft: [live], live: [sold] } },
  schema: { type: object, required: [title], properties: {
    title: { type: string }, status: { type: string, enum: [draft, live, sold], default: draft }, city: { type: string }, code: { type: string, x-unique: true } } } },
  parts: { schema: { type: object, properties: { product_id: { type: string, x-references: products }, text: { type: string } } } } } }`;

const NEW = `{ name: store, version: 2.0.0, default_version: 2, resources: { products: { id: client, unique: [[name, town]],
  state: { field: status, initial: DRAFT, transitions: { DRAFT: [ACTIVE], ACTIVE: [SOLD] } },
  schema: { type: object, required: [name], properties: {
    name: { type: string }, status: { type: string, enum: [DRAFT, ACTIVE, SOLD], default: DRAFT }, town: { type: string }, place: { type: object, properties: { code: { type: string } } } } } },
  parts: { schema: { type: object, properties: { owned_id: { type: string, x-references: products }, words: { type: object, properties: { text: { type: string } } } } } } },
  versions: { 1.4.0: { changes: [
    { resource: products, rename: { title: name, city: town } },
    { resource: products, values: { status: { draft: DRAFT, live: ACTIVE, sold: SOLD } } },
    { resource: products, move: { code: place.code } },
    { resource: parts, rename: { product_id: owned_id } },
    { resource: parts, move: { text: words.text } }] } } }`;

const LAMP = { title: 'Lamp', status: 'draft', city: 'Oslo', code: 'x1' };

interface Answer {
  readonly status: number;
  readonly text: string;
}

async function ask(
  api: ApiUnderTest,
  send: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const { status, text } = await api.send({ send, body, headers });
  return { status, text };
}

for (const [store, databaseOf] of STORES) {
  describe(`the records around rows of an older contract, on ${store}`, () => {
    it('[MET-12] [VER-5c] replay a request with the answer that it had', async (context) => {
      const database = databaseOf(temporaryDirectory(context));
      const requests = [
        ['POST /api/v1/parts', { product_id: null, text: 'bulb' }, 'k1'],
        ['PATCH /api/v1/products/a', { city: 'Rome' }, 'k2'],
        ['POST /api/v1/parts', { text: 1 }, 'k3'],
        ['POST /api/v1/batches', { operations: [{ method: 'POST', path: '/parts', body: { text: 'stand' } }] }, 'k4'],
      ] as const;
      const before = await apiUnderTest(OLD, { database });
      assert.equal((await ask(before, 'PUT /api/v1/products/a', LAMP)).status, 201);
      const send = async (api: ApiUnderTest): Promise<readonly Answer[]> => {
        const given: Answer[] = [];
        for (const [each, body, key] of requests) given.push(await ask(api, each, body, { 'Idempotency-Key': key }));
        return given;
      };
      const answers = await send(before);
      assert.deepEqual(
        answers.map(({ status }) => status),
        [201, 200, 400, 201],
      );
      await before.close();
      await using api = await apiUnderTest(NEW, { database });
      const again = await send(api);
      assert.deepEqual(again.map(withoutRevision), answers.map(withoutRevision));
      assert.equal((await api.send({ send: 'GET /api/v2/parts' })).body.data.length, 2);
    });
  });
}

function withoutRevision({ status, text }: Answer): unknown {
  const own = text.replace(/\\"\d+\.[\w-]+\\"/g, 'ETag');
  const { revision: _revision, correlationId: _correlation, ...body } = JSON.parse(own);
  return [status, body];
}
