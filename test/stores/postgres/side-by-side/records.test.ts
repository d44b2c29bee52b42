import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { run } from '../../../../src/cli/program.ts';
import { loadModel } from '../../../../src/model/compile/load-model.ts';
import { openPostgres } from '../../../../src/stores/postgres/postgres-store.ts';
import type { MigrationPhase } from '../../../../src/stores/sql/schema/current-models.ts';
import { recordedTerminal } from '../../../cli/recorded-terminal.ts';
import { type ApiUnderTest, apiUnderTest } from '../../../pipeline/support/api-under-test.ts';
import { as, callerTokens } from '../../../pipeline/support/caller-tokens.ts';
import { temporaryDirectory } from '../../../temporary-directory.ts';
import { newSchema } from '../open-postgres.ts';

const OLD = `{ name: store, version: 1.4.0, resources: { products: { id: client, events: full, schema: { type: object, required: [title], properties: {
  title: { type: string }, status: { type: string, enum: [draft, live], default: draft }, city: { type: string } } } },
  parts: { events: full, schema: { type: object, properties: { text: { type: string } } } } } }`;

const NEW = `{ name: store, version: 2.0.0, default_version: 2, resources: { products: { id: client, events: full, schema: { type: object, required: [name], properties: {
  name: { type: string }, currency: { type: string, default: EUR }, status: { type: string, enum: [DRAFT, ACTIVE], default: DRAFT },
  place: { type: object, properties: { city: { type: string } } } } } },
  parts: { events: full, schema: { type: object, properties: { words: { type: object, properties: { text: { type: string } } } } } } },
  versions: { 1.4.0: { changes: [
    { resource: products, rename: { title: name } },
    { resource: products, without: [currency], fill: { currency: USD } },
    { resource: products, values: { status: { draft: DRAFT, live: ACTIVE } } },
    { resource: products, move: { city: place.city } },
    { resource: parts, move: { text: words.text } }] } } }`;

async function migrate(url: string, text: string, phase: MigrationPhase): Promise<void> {
  await (await openPostgres({ url, model: loadModel({ text }).model, phase, consent: 'none' })).close();
}

async function send(api: ApiUnderTest, request: string, body?: object, key?: string): Promise<unknown> {
  const headers = key === undefined ? {} : { 'Idempotency-Key': key };
  const answer = await api.send({ send: request, headers, ...(body === undefined ? {} : { body }) });
  assert.ok(answer.status < 300, `${request} ${answer.text}`);
  return [answer.status, withoutRevision(answer.text === '' ? null : JSON.parse(answer.text))];
}

/** Revisions and links of answers are of the instance that gives them; all else is not. */
function withoutRevision(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(withoutRevision);
  if (typeof body !== 'object' || body === null) return body;
  const members = Object.entries(body).filter(([name]) => name !== 'revision' && name !== 'ETag');
  return Object.fromEntries(members.map(([name, each]) => [name, withoutRevision(each)]));
}

async function readEvents(api: ApiUnderTest, version: string): Promise<readonly unknown[]> {
  const { status, body, text } = await api.send({ send: `GET /api/${version}/events` });
  assert.equal(status, 200, text);
  return body.data;
}

/** The type, the changed fields and the data of events. */
function listChanges(events: readonly unknown[]): readonly unknown[] {
  return (events as readonly { readonly type: string; readonly payload: Record<string, unknown> }[]).map(
    ({ type, payload }) => [type, payload['changed_fields'], payload['data']],
  );
}

describe('what instances of two models record', () => {
  it('[VER-5d] [EVT-1] events are those of both contracts, before and after the older model ends', async () => {
    const database = newSchema();
    const old = await apiUnderTest(OLD, { database });
    await send(old, 'PUT /api/v1/products/a', { title: 'Lamp', status: 'live', city: 'Oslo' });
    await migrate(database, NEW, 'expand');
    await using young = await apiUnderTest(NEW, { database });
    await send(young, 'PUT /api/v2/products/b', { name: 'Desk', currency: 'NOK', status: 'ACTIVE' });
    await send(old, 'PATCH /api/v1/products/b', { city: 'Rome' });
    await send(young, 'PATCH /api/v2/products/a', { place: { city: 'Bonn' } });
    await send(old, 'PUT /api/v1/products/c', { title: 'Chair' });
    const lamp = { id: 'a', name: 'Lamp', currency: 'USD', status: 'ACTIVE' };
    const newest = [
      ['product.created', ['name', 'currency', 'status', 'place'], { ...lamp, place: { city: 'Oslo' } }],
      [
        'product.created',
        ['name', 'currency', 'status'],
        { id: 'b', name: 'Desk', currency: 'NOK', status: 'ACTIVE', place: null },
      ],
      ['product.updated', ['place'], { id: 'b', name: 'Desk', status: 'ACTIVE', place: { city: 'Rome' } }],
      ['product.updated', ['place'], { ...lamp, place: { city: 'Bonn' } }],
      [
        'product.created',
        ['name', 'currency', 'status'],
        { id: 'c', name: 'Chair', currency: 'USD', status: 'DRAFT', place: null },
      ],
    ];
    const shown = listChanges(await readEvents(young, 'v2'));
    const [first, second, , fourth, fifth] = shown;
    assert.deepEqual([first, second, fourth], [newest[0], newest[1], newest[3]]);
    assert.deepEqual(fifth, newest[4]);
    const before = [await readEvents(young, 'v1'), await readEvents(young, 'v2')];
    await old.close();
    await migrate(database, NEW, 'contract');
    assert.deepEqual([await readEvents(young, 'v1'), await readEvents(young, 'v2')], before);
    await using again = await apiUnderTest(NEW, { database });
    await send(again, 'PATCH /api/v2/products/b', { name: 'Table' });
    const after = [await readEvents(again, 'v1'), await readEvents(again, 'v2')];
    assert.deepEqual(
      after.map((events) => events.slice(0, -1)),
      before,
    );
  });

  it('[VER-5d] [EVT-1] events with names that the older model has changed are those of both contracts', async () => {
    const database = newSchema();
    const first = await apiUnderTest(OLD.replace('1.4.0', '1.3.0').replace('city:', 'town:'), { database });
    await send(first, 'PUT /api/v1/products/a', { title: 'Lamp', status: 'live', town: 'Oslo' });
    await first.close();
    const old = await apiUnderTest(OLD.replace('city: { type', 'city: { x-was: town, type'), { database });
    await send(old, 'PATCH /api/v1/products/a', { city: 'Rome' });
    await migrate(database, NEW, 'expand');
    await using young = await apiUnderTest(NEW, { database });
    const lamp = { id: 'a', name: 'Lamp', currency: 'USD', status: 'ACTIVE' };
    const newest = [
      ['product.created', ['name', 'currency', 'status', 'place'], { ...lamp, place: { city: 'Oslo' } }],
      ['product.updated', ['place'], { ...lamp, place: { city: 'Rome' } }],
    ];
    assert.deepEqual(listChanges(await readEvents(young, 'v2')), newest);
    const older = await readEvents(young, 'v1');
    await old.close();
    await migrate(database, NEW, 'contract');
    assert.deepEqual(listChanges(await readEvents(young, 'v2')), newest);
    assert.deepEqual(await readEvents(young, 'v1'), older);
  });

  it('[VER-5d] [EVT-1] events of the newer model are those of the older one where that remains', async (context) => {
    const database = newSchema();
    await using old = await apiUnderTest(OLD, { database });
    await send(old, 'PUT /api/v1/products/a', { title: 'Lamp', status: 'live', city: 'Oslo' });
    await migrate(database, NEW, 'expand');
    const young = await apiUnderTest(NEW, { database });
    await send(young, 'PUT /api/v2/products/b', { name: 'Desk', currency: 'NOK', status: 'ACTIVE' });
    await send(old, 'PATCH /api/v1/products/b', { city: 'Rome' });
    await send(young, 'PATCH /api/v2/products/a', { place: { city: 'Bonn' } });
    await send(young, 'DELETE /api/v2/products/b');
    const shown = listChanges(await readEvents(young, 'v1'));
    assert.deepEqual(shown.at(-2), [
      'product.updated',
      ['city'],
      { id: 'a', title: 'Lamp', status: 'live', city: 'Bonn' },
    ]);
    await young.close();
    const file = path.join(temporaryDirectory(context), 'store.yaml');
    writeFileSync(file, NEW);
    const command = ['migrate', file, '--to', '1.4.0', '--phase', 'contract', '--apply', '--allow-data-loss'];
    const terminal = { ...recordedTerminal(), env: { RESTWRIGHT_DATABASE: database } };
    assert.equal(await run(command, terminal), 0);
    assert.deepEqual(listChanges(await readEvents(old, 'v1')), shown);
    await using again = await apiUnderTest(OLD, { database });
    assert.deepEqual(listChanges(await readEvents(again, 'v1')), shown);
    await send(again, 'PATCH /api/v1/products/a', { city: 'Rome' });
  });

  it('[MET-12] [VER-5d] a key is replayed by instances of either model, in the contract of the request', async () => {
    const database = newSchema();
    const old = await apiUnderTest(OLD, { database });
    const young = await (async () => {
      await send(old, 'PUT /api/v1/products/a', { title: 'Lamp', city: 'Oslo' });
      await migrate(database, NEW, 'expand');
      return apiUnderTest(NEW, { database });
    })();
    const batch = { operations: [{ method: 'POST', path: '/parts', body: { text: 'stand' } }] };
    const requests = [
      ['POST /api/v1/parts', { text: 'bulb' }],
      ['PATCH /api/v1/products/a', { status: 'live', city: 'Rome' }],
      ['POST /api/v1/batches', batch],
    ] as const;
    const answers: unknown[] = [];
    for (const [index, [request, body]] of requests.entries()) {
      for (const [by, first, second] of [
        ['old', old, young],
        ['new', young, old],
      ] as const) {
        const key = `${by}-${index}`;
        const answer = await send(first, request, body, key);
        answers.push(answer);
        assert.deepEqual(await send(second, request, body, key), answer, `${by} ${request}`);
      }
    }
    const newest = await send(young, 'POST /api/v2/parts', { words: { text: 'foot' } }, 'newest');
    const check = async (api: ApiUnderTest): Promise<void> => {
      const again: unknown[] = [];
      for (const [index, [request, body]] of requests.entries())
        for (const by of ['old', 'new']) again.push(await send(api, request, body, `${by}-${index}`));
      assert.deepEqual(again, answers);
      assert.deepEqual(await send(api, 'POST /api/v2/parts', { words: { text: 'foot' } }, 'newest'), newest);
    };
    await check(young);
    await old.close();
    await migrate(database, NEW, 'contract');
    await check(young);
    const last = await send(young, 'POST /api/v2/parts', { words: { text: 'top' } }, 'last');
    await young.close();
    await using again = await apiUnderTest(NEW, { database });
    await check(again);
    assert.deepEqual(await send(again, 'POST /api/v2/parts', { words: { text: 'top' } }, 'last'), last);
  });

  it('[MET-4b] [VER-5d] a deleted row is 410 for those who could read it, whichever instance has deleted it', async () => {
    const database = newSchema();
    const team = { subject: 'red', scopes: ['items:read', 'items:write'], claims: { team: 'red' } };
    const tokens = callerTokens();
    const old = await apiUnderTest(teamModel('1.4.0', 'team'), { database, tokens });
    const newest = teamModel(
      '2.0.0',
      'group',
      ', versions: { 1.4.0: { changes: [{ resource: items, rename: { team: group } }, { resource: items, values: { status: { live: ACTIVE } } }] } }',
    );
    const ids = ['a', 'b', 'c'];
    const status = async (api: ApiUnderTest, request: string, body?: object): Promise<number> =>
      (await api.send({ send: request, headers: as(team), ...(body === undefined ? {} : { body }) })).status;
    for (const id of ids) assert.equal(await status(old, `PUT /api/v1/items/${id}`, { team: 'red' }), 201);
    await migrate(database, newest, 'expand');
    await using young = await apiUnderTest(newest, { database, tokens });
    assert.equal(await status(old, 'DELETE /api/v1/items/a'), 204);
    assert.equal(await status(young, 'DELETE /api/v2/items/b'), 204);
    const check = async (api: ApiUnderTest, version: string, gone: readonly string[]): Promise<void> => {
      for (const id of gone)
        assert.equal(await status(api, `GET /api/${version}/items/${id}`), 410, `${version} ${id}`);
    };
    await check(old, 'v1', ['a', 'b']);
    await check(young, 'v2', ['a', 'b']);
    await old.close();
    await migrate(database, newest, 'contract');
    assert.equal(await status(young, 'DELETE /api/v2/items/c'), 204);
    await check(young, 'v2', ids);
    await using again = await apiUnderTest(newest, { database, tokens });
    await check(again, 'v2', ids);
    await check(again, 'v1', ids);
  });
});

const AUTH =
  'auth: { issuers: [{ name: test, issuer: https://id.example.com, audience: shop, hs256_secret: 0123456789abcdef0123456789abcdef }] }';

/** A model whose rows are read by their team. */
function teamModel(version: string, field: string, rest = ''): string {
  const values = version === '2.0.0' ? 'ACTIVE' : 'live';
  return `{ name: store, version: ${version}, default_version: ${version[0]}, ${AUTH}, resources: { items: { id: client, tombstones: 30d,
    access: { rows: { read: { ${field}: $caller.claims.team } } },
    schema: { type: object, properties: { ${field}: { type: string }, status: { type: string, enum: [${values}] } } } } }${rest} }`;
}
