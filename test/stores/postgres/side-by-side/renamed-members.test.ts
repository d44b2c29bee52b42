import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadModel } from '../../../../src/model/compile/load-model.ts';
import { openPostgres } from '../../../../src/stores/postgres/postgres-store.ts';
import type { MigrationPhase } from '../../../../src/stores/sql/schema/current-models.ts';
import { IncompatibleModels } from '../../../../src/stores/sql/schema/schema-errors.ts';
import { type ApiUnderTest, apiUnderTest } from '../../../pipeline/support/api-under-test.ts';
import { own } from '../../../pipeline/support/versioned-twins.ts';
import { newSchema } from '../open-postgres.ts';

type Body = Readonly<Record<string, unknown>>;

function writeModel(version: string, fields: string): string {
  return `{ name: store, version: ${version}, default_version: ${version[0]}, resources: { items: { id: client, events: full, tombstones: 30d,
    indexes: [place.${version === '1.4.0' ? 'town' : 'city'}], schema: { type: object, properties: { ${fields} } } } } }`;
}

const AUTH =
  'auth: { issuers: [{ name: test, issuer: https://id.example.com, audience: shop, hs256_secret: 0123456789abcdef0123456789abcdef }] }';
const T = '{ type: string }';
const STATE = (values: string): string => `{ type: string, enum: [${values}] }`;
const OLD = writeModel(
  '1.4.0',
  `title: ${T}, place: { type: object, properties: { town: ${T}, shelf: ${T} } },
   lines: { type: array, items: { type: object, properties: { n: ${T}, state: ${STATE('a, b')} } } }`,
);
const NEW_FIELDS = `title: ${T}, place: { type: object, properties: { city: { type: string, x-was: town }, shelf: ${T} } },
   lines: { type: array, items: { type: object, properties: { no: { type: string, x-was: n }, status: { type: string, enum: [a, b], x-was: state } } } }`;
const NEW = writeModel('2.0.0', NEW_FIELDS);

async function migrate(url: string, text: string, phase: MigrationPhase): Promise<void> {
  await (await openPostgres({ url, model: loadModel({ text }).model, phase })).close();
}

async function send(api: ApiUnderTest, target: string, body?: Body, key?: string): Promise<Body> {
  const headers = key === undefined ? {} : { headers: { 'Idempotency-Key': key } };
  const got = await api.send({ send: target, ...headers, ...(body === undefined ? {} : { body }) });
  assert.ok(got.status < 300, `${target} ${got.text}`);
  return got.body;
}

/** The fields of rows, by id. */
async function read(api: ApiUnderTest, query = ''): Promise<Record<string, Body>> {
  const { status, body, text } = await api.send({ send: `GET /api/items${query}` });
  assert.equal(status, 200, text);
  return Object.fromEntries(body.data.map((row: { readonly id: string }) => [row.id, own({ ...row })]));
}

/** The data of events, in their order. */
async function readEvents(api: ApiUnderTest): Promise<readonly Body[]> {
  const { body } = await api.send({ send: 'GET /api/events' });
  return body.data.map(({ payload }: { readonly payload: Body }) => payload['data']);
}

const row = (town: string, n: string): Body => ({
  title: 't',
  place: { town, shelf: '1' },
  lines: [{ n, state: 'a' }],
});
const newRow = (city: string, no: string): Body => ({
  title: 't',
  place: { city, shelf: '1' },
  lines: [{ no, status: 'a' }],
});

describe('instances of two models, of which the newer one has renamed members of objects', () => {
  it('[VER-5d] [OPS-6] read and filter what either of them writes, and the newer one goes on alone', async () => {
    const database = newSchema();
    await using old = await apiUnderTest(OLD, { database });
    await send(old, 'PUT /api/items/a', row('Oslo', '1'));
    await migrate(database, NEW, 'expand');
    await using young = await apiUnderTest(NEW, { database });
    assert.deepEqual(await read(young), { a: newRow('Oslo', '1') });
    await send(young, 'PUT /api/items/b', newRow('Rome', '2'));
    await send(old, 'PUT /api/items/c', row('Rome', '3'));
    await send(old, 'PATCH /api/items/a', { place: { town: 'Bonn' } });
    await send(young, 'PATCH /api/items/c', { title: 'u' });
    const wanted = { a: newRow('Bonn', '1'), b: newRow('Rome', '2'), c: { ...newRow('Rome', '3'), title: 'u' } };
    assert.deepEqual(await read(young), wanted);
    assert.deepEqual(await read(old), {
      a: row('Bonn', '1'),
      b: row('Rome', '2'),
      c: { ...row('Rome', '3'), title: 'u' },
    });
    assert.deepEqual(Object.keys(await read(young, '?place.city=Rome')), ['b', 'c']);
    assert.deepEqual(Object.keys(await read(old, '?place.town=Rome')), ['b', 'c']);
    await old.close();
    await migrate(database, NEW, 'contract');
    assert.deepEqual(await read(young), wanted);
    await using again = await apiUnderTest(NEW, { database });
    assert.deepEqual(await read(again), wanted);
    assert.deepEqual(
      again.observations.filter(({ kind }) => kind === 'schema-changed'),
      [],
    );
  });

  it('[VER-5d] [EVT-1] [MET-12] [MET-4b] show events, replays and deleted rows of either by their own names', async () => {
    const database = newSchema();
    await using old = await apiUnderTest(OLD, { database });
    await send(old, 'PUT /api/items/a', row('Oslo', '1'));
    await migrate(database, NEW, 'expand');
    await using young = await apiUnderTest(NEW, { database });
    await send(old, 'PUT /api/items/b', row('Rome', '2'), 'k1');
    await send(young, 'PUT /api/items/c', newRow('Bonn', '3'), 'k2');
    const events = [
      { id: 'a', ...newRow('Oslo', '1') },
      { id: 'b', ...newRow('Rome', '2') },
      { id: 'c', ...newRow('Bonn', '3') },
    ];
    assert.deepEqual(await readEvents(young), events);
    await send(old, 'DELETE /api/items/a');
    assert.equal((await young.send({ send: 'GET /api/items/a' })).status, 410);
    await old.close();
    await migrate(database, NEW, 'contract');
    assert.deepEqual((await readEvents(young)).slice(0, 3), events);
    await using again = await apiUnderTest(NEW, { database });
    assert.deepEqual((await readEvents(again)).slice(0, 3), events);
    assert.equal((await again.send({ send: 'GET /api/items/a' })).status, 410);
    const replayed = await send(again, 'PUT /api/items/c', newRow('Bonn', '3'), 'k2');
    assert.deepEqual(replayed['place'], { city: 'Bonn', shelf: '1' });
  });

  it('[OPS-6] are left to the older one, which has all rows', async () => {
    const database = newSchema();
    const old = await apiUnderTest(OLD, { database });
    await send(old, 'PUT /api/items/a', row('Oslo', '1'));
    await old.close();
    await migrate(database, NEW, 'expand');
    const young = await apiUnderTest(NEW, { database });
    await send(young, 'PUT /api/items/b', newRow('Rome', '2'));
    await young.close();
    await migrate(database, OLD, 'contract');
    await using left = await apiUnderTest(OLD, { database });
    assert.deepEqual(await read(left), { a: row('Oslo', '1'), b: row('Rome', '2') });
  });

  it('[OPS-6] are refused where policies of other rows compare them, which are recorded in one form', async () => {
    const database = newSchema();
    const judged = (text: string, path: string): string => {
      const policy = `access: { rows: { read: { item.place.${path}: Oslo } } }`;
      const reference = '{ type: string, x-references: items }';
      return text.replace(
        'resources: {',
        `${AUTH}, resources: { notes: { ${policy}, schema: { type: object, properties: { item_id: ${reference} } } }, lines: { parent: notes, schema: { type: object, properties: { text: ${T} } } },`,
      );
    };
    await (await apiUnderTest(judged(OLD, 'town'), { database })).close();
    await assert.rejects(migrate(database, judged(NEW, 'city'), 'expand'), (error) => {
      assert.ok(error instanceof IncompatibleModels);
      for (const name of ['notes', 'lines'])
        assert.match(
          error.message,
          new RegExp(`- ${name} has row policies that compare place of items, which is converted: stop all instances`),
        );
      return true;
    });
    await (await apiUnderTest(judged(NEW, 'city'), { database })).close();
  });

  it('[OPS-6] need a version of their own, and members and values that the older one knows', async () => {
    const database = newSchema();
    await using old = await apiUnderTest(OLD, { database });
    await send(old, 'PUT /api/items/a', row('Oslo', '1'));
    for (const [text, problem] of [
      [
        NEW.replaceAll('2.0.0', '1.4.1').replace('default_version: 2', 'default_version: 1'),
        /- items has renamed members of objects, and the version 1\.4 of the old instances: give the model a higher minor or major version; or stop all instances and apply it without --phase$/m,
      ],
      [NEW.replace('shelf:', `zip: ${T}, shelf:`), /- items\.place has another type: add another field/],
      [NEW.replace('enum: [a, b]', 'enum: [a, b, c]'), /- items\.lines\[\]\.status may be c, which the old/],
    ] as const)
      await assert.rejects(migrate(database, text, 'expand'), (error) => {
        assert.ok(error instanceof IncompatibleModels);
        assert.match(error.message, problem);
        return true;
      });
  });
});
