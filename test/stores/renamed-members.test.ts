import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadModel } from '../../src/model/compile/load-model.ts';
import { selectKind } from '../../src/stores/databases/databases.ts';
import type { SchemaStep } from '../../src/stores/sql/schema/schema-errors.ts';
import { type ApiUnderTest, apiUnderTest } from '../pipeline/support/api-under-test.ts';
import { as, callerTokens } from '../pipeline/support/caller-tokens.ts';
import { own } from '../pipeline/support/versioned-twins.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { newDatabases } from './new-databases.ts';

const { sqlite, postgres } = await newDatabases('members');

/** A new database of a store. */
const STORES = [
  ['SQLite', sqlite],
  ['PostgreSQL', postgres],
] as const;

type Body = Readonly<Record<string, unknown>>;

/** @param fields with T for a text, and O and L for the start of an object and of a list of objects */
function writeModel(fields: string, options = '', version = '1.4.0'): string {
  const declared = fields
    .replaceAll(': T', ': { type: string }')
    .replaceAll(': O {', ': { type: object, properties: {')
    .replaceAll(': L {', ': { type: array, items: { type: object, properties: {')
    .replaceAll(': M {', ': { type: object, additionalProperties: { type: object, properties: {');
  return `{ name: store, version: ${version}, default_version: ${version[0]}, resources: { items: { id: client, events: full, ${options}
    schema: { type: object, properties: { ${declared} } } } } }`;
}

async function put(api: ApiUnderTest, id: string, body: Body): Promise<void> {
  const { status, text } = await api.send({ send: `PUT /api/items/${id}`, body });
  assert.ok(status < 300, text);
}

/** Creates rows with a model, and closes it. */
async function fill(database: string, model: string, rows: Readonly<Record<string, Body>>): Promise<void> {
  await using api = await apiUnderTest(model, { database });
  for (const [id, body] of Object.entries(rows)) await put(api, id, body);
}

/** The fields of rows, by id. */
async function read(api: ApiUnderTest, path = 'items'): Promise<Readonly<Record<string, Body>>> {
  const { status, body, text } = await api.send({ send: `GET /api/${path}` });
  assert.equal(status, 200, text);
  return Object.fromEntries(body.data.map((row: { readonly id: string }) => [row.id, own({ ...row })]));
}

async function plan(database: string, text: string): Promise<readonly SchemaStep[]> {
  return selectKind(database).plan({ database }, { model: loadModel({ text }).model, phase: null });
}

const AUTH =
  'auth: { issuers: [{ name: test, issuer: https://id.example.com, audience: shop, hs256_secret: 0123456789abcdef0123456789abcdef }] }';
const PLACE = 'place: O { town: T, shelf: T } }';
const RENAMED = 'place: O { city: { type: string, x-was: town }, shelf: T } }';

for (const [store, databaseOf] of STORES) {
  describe(`members of objects with another name, on ${store}`, () => {
    it('[OPS-4d] keep their values in objects, lists and maps, and in each of these inside of another', async (context) => {
      const database = databaseOf(temporaryDirectory(context));
      const before = `${PLACE}, lines: L { amount: T, parts: L { no: T } } } } } }, offices: M { town: T } } },
        order: O { lines: L { n: T, memo: T } } } } }, by: M { addr: O { town: T } } } } }`;
      const after = `${RENAMED}, lines: L { price: { type: string, x-was: amount }, parts: L { code: { type: string, x-was: 'no' } } } } } } },
        offices: M { city: { type: string, x-was: town } } } },
        order: O { rows: { type: array, x-was: lines, items: { type: object, properties: { number: { type: string, x-was: n }, memo: T } } } } },
        by: M { address: { type: object, x-was: addr, properties: { city: { type: string, x-was: town } } } } } }`;
      const row = {
        place: { town: 'Oslo', shelf: '1' },
        lines: [
          { amount: '1', parts: [{ no: 'a' }, { no: null }] },
          { amount: null, parts: [] },
        ],
        offices: { x: { town: 'Rome' }, town: { town: 'Bonn' } },
        order: { lines: [{ n: '7', memo: 'm' }] },
        by: { sea: { addr: { town: 'Kiel' } }, air: { addr: null } },
      };
      const unset = { place: null, lines: [], offices: null, order: null, by: null };
      await fill(database, writeModel(before), { a: row, b: unset, c: { place: { town: null, shelf: null } } });
      const wanted = {
        a: {
          place: { city: 'Oslo', shelf: '1' },
          lines: [
            { price: '1', parts: [{ code: 'a' }, { code: null }] },
            { price: null, parts: [] },
          ],
          offices: { town: { city: 'Bonn' }, x: { city: 'Rome' } },
          order: { rows: [{ number: '7', memo: 'm' }] },
          by: { air: { address: null }, sea: { address: { city: 'Kiel' } } },
        },
        b: unset,
        c: { ...unset, place: { city: null, shelf: null } },
      };
      for (const _start of ['the first', 'the second']) {
        await using api = await apiUnderTest(writeModel(after), { database });
        assert.deepEqual(await read(api), wanted);
      }
    });

    it('[OPS-4d] keep their values in fields and objects that have another name themselves, and where they moved', async (context) => {
      const database = databaseOf(temporaryDirectory(context));
      const before = 'title: T, place: O { town: T, geo: O { lat: T } }, old: O { zip: T } } } }';
      const after = `name: { type: string, x-was: title }, location: { type: object, x-was: place, properties: {
        address: { type: object, properties: { city: { type: string, x-was: place.town }, zip: { type: string, x-was: place.old.zip } } },
        point: { type: object, x-was: geo, properties: { latitude: { type: string, x-was: lat } } } } }`;
      await fill(database, writeModel(before), {
        a: { title: 'A', place: { town: 'Oslo', geo: { lat: '59' }, old: { zip: '0150' } } },
        b: { title: 'B', place: { town: null, geo: null, old: null } },
        c: { title: 'C', place: { town: null, geo: { lat: null }, old: { zip: '1' } } },
      });
      await using api = await apiUnderTest(writeModel(after), { database });
      assert.deepEqual(await read(api), {
        a: { name: 'A', location: { address: { city: 'Oslo', zip: '0150' }, point: { latitude: '59' } } },
        b: { name: 'B', location: { address: null, point: null } },
        c: { name: 'C', location: { address: { city: null, zip: '1' }, point: { latitude: null } } },
      });
    });

    it('[OPS-4d] are filtered, sorted, searched and indexed by their new names', async (context) => {
      const database = databaseOf(temporaryDirectory(context));
      await fill(database, writeModel(PLACE, 'search: [place.town], indexes: [place.town],'), {
        a: { place: { town: 'Rome', shelf: '1' } },
        b: { place: { town: 'Oslo', shelf: '1' } },
      });
      const model = writeModel(RENAMED, 'search: [place.city], indexes: [place.city],');
      await using api = await apiUnderTest(model, { database });
      const paths = ['items?place.city=Oslo', 'items?q=osl', 'items?sort=place.city', 'items?place.city[ne]=Rome'];
      const found = await Promise.all(paths.map(async (path) => Object.keys(await read(api, path))));
      assert.deepEqual(found, [['b'], ['b'], ['b', 'a'], ['b']]);
      await put(api, 'c', { place: { city: 'Bergen' } });
      assert.deepEqual(Object.keys(await read(api, 'items?q=berg')), ['c']);
      assert.equal((await api.send({ send: 'GET /api/items?place.town=Oslo' })).status, 400);
    });

    it('[OPS-4d] are steps of the plan, which says that nothing is lost, and are none for a database that has the new names', async (context) => {
      const database = databaseOf(temporaryDirectory(context));
      const lines = 'lines: L { n: T } } }';
      await fill(database, writeModel(`${PLACE}, ${lines}`), { a: { place: { town: 'Oslo' } }, b: {} });
      const model = writeModel(`${RENAMED}, lines: L { no: { type: string, x-was: n } } } }`);
      const [step, ...others] = (await plan(database, model)).filter(({ changes }) => changes !== undefined);
      assert.equal(step?.purpose, 'rename in rows of items: place.town to place.city, lines[].n to lines[].no');
      assert.deepEqual([step.cost, step.losses, step.broken, others], [{ kind: 'rewrites', rows: 2 }, [], [], []]);
      assert.deepEqual(
        step.changes?.map(({ version, change, effect, what }) => [version, change, effect, what]),
        [
          [null, 'rename', 'converts', 'place.town to place.city'],
          [null, 'rename', 'converts', 'lines[].n to lines[].no'],
        ],
      );
      await (await apiUnderTest(model, { database })).close();
      assert.deepEqual(await plan(database, model), []);
    });

    it('[OPS-4d] are refused where a value would be lost, or breaks a rule, with the row', async (context) => {
      const database = databaseOf(temporaryDirectory(context));
      const rows = { a: { place: { town: 'Oslo', shelf: '1' } }, b: { place: { town: 'Rome' } } };
      await fill(database, writeModel(PLACE), rows);
      await assert.rejects(apiUnderTest(writeModel(RENAMED.replace(', shelf: T', '')), { database }), {
        name: 'LossySchemaChange',
        message:
          /^- items\.place\.shelf: 1 row \(a\) would be lost; declare it, or name it in x-was of the member that it became$/m,
      });
      const narrow = RENAMED.replace('x-was: town', 'x-was: town, maxLength: 3');
      await assert.rejects(apiUnderTest(writeModel(narrow), { database }), {
        name: 'LossySchemaChange',
        message: /^- items\.place\.city must .*: 2 rows break it \(a, b\); change the rows first$/m,
      });
      await using api = await apiUnderTest(writeModel(PLACE), { database });
      assert.deepEqual(await read(api), {
        a: { place: { town: 'Oslo', shelf: '1' } },
        b: { place: { town: 'Rome', shelf: null } },
      });
    });

    it('[OPS-4d] are refused where the former name is wrong, or both names are there, with the cure', async (context) => {
      const database = databaseOf(temporaryDirectory(context));
      await fill(database, writeModel(PLACE), { a: { place: { town: 'Oslo' } } });
      await assert.rejects(apiUnderTest(writeModel(RENAMED.replace('town', 'twon')), { database }), {
        name: 'UnusableDatabase',
        message: /items\.place\.city has x-was: twon, and place of the database has no twon, but town: write town\.$/,
      });
      // A former name of a version that the database skipped, with nothing to lose.
      await (
        await apiUnderTest(writeModel(PLACE.replace('}', ', zip: { type: string, x-was: code } }')), { database })
      ).close();
      const both = RENAMED.replace('shelf: T', 'zip: T, shelf: { type: string, x-was: town }').replace(
        'city: { type: string, x-was: town }, ',
        '',
      );
      await assert.rejects(apiUnderTest(writeModel(both), { database }), {
        name: 'UnusableDatabase',
        message:
          /items\.place\.shelf cannot become of place\.town \(x-was: town\): the database has both\. Remove x-was, and keep or drop place\.town\.$/,
      });
    });

    it('[VER-5c] are renamed by the changes of a version that versions lists, which need all of them', async (context) => {
      const database = databaseOf(temporaryDirectory(context));
      await fill(database, writeModel(`${PLACE}, lines: L { n: T } } }`), {
        a: { place: { town: 'Oslo' }, lines: [] },
      });
      const listed = (changes: string, lines = 'n: T'): string =>
        writeModel(`${RENAMED}, lines: L { ${lines} } } }, extra: T`, '', '2.0.0').replace(
          /\}$/,
          `, versions: { 1.4.0: { changes: [{ resource: items, without: [extra] }, ${changes}] } } }`,
        );
      const change = '{ resource: items, rename: { place.town: place.city } }';
      await assert.rejects(apiUnderTest(listed(''), { database }), {
        name: 'UnusableDatabase',
        message: new RegExp(
          `which versions lists without the names of x-was\\. Add to its changes: ${change.replaceAll('.', '\\.')}\\.$`,
        ),
      });
      await assert.rejects(apiUnderTest(listed(change, 'no: { type: string, x-was: n }'), { database }), {
        name: 'UnusableDatabase',
        message:
          /Its changes cannot name lines\[\]\.n to lines\[\]\.no: migrate it to a model of version 1\.4\.0 with x-was first\.$/,
      });
      await using api = await apiUnderTest(listed(change), { database });
      assert.deepEqual((await read(api))['a']?.['place'], { city: 'Oslo', shelf: null });
      const { body } = await api.send({ send: 'GET /api/v1/items/a' });
      assert.deepEqual(body.place, { town: 'Oslo', shelf: null });
      const events = await api.send({ send: 'GET /api/events' });
      assert.deepEqual(events.body.data[0].payload.data.place, { city: 'Oslo', shelf: null });
    });

    it('[OPS-4d] keep their values in a renamed collection, and in one below it', async (context) => {
      const database = databaseOf(temporaryDirectory(context));
      const model = (items: string, parent: string, field: string): string =>
        `{ name: store, resources: { ${items} schema: { type: object, properties: { ${field} } } },
          parts: { id: client, parent: ${parent}, schema: { type: object, properties: { ${field} } } } } }`
          .replaceAll(': T', ': { type: string }')
          .replaceAll(': O {', ': { type: object, properties: {');
      const before = await apiUnderTest(model('items: { id: client,', 'items', PLACE), { database });
      for (const path of ['items/a', 'items/a/parts/b']) {
        const body = { place: { town: 'Oslo', shelf: '1' } };
        assert.equal((await before.send({ send: `PUT /api/${path}`, body })).status, 201);
      }
      await before.close();
      const next = model('things: { id: client, was: items,', 'things', RENAMED);
      await using api = await apiUnderTest(next, { database });
      for (const path of ['things/a', 'things/a/parts/b'])
        assert.deepEqual((await api.send({ send: `GET /api/${path}` })).body.place, { city: 'Oslo', shelf: '1' }, path);
    });

    it('[EVT-2] have their new names in earlier events, through several renamings', async (context) => {
      const database = databaseOf(temporaryDirectory(context));
      await fill(database, writeModel(`${PLACE}, lines: L { n: T } } }`), {
        a: { place: { town: 'Oslo', shelf: '1' }, lines: [{ n: '1' }] },
      });
      const second = `${RENAMED}, lines: L { 'no': { type: string, x-was: n } } } }`;
      await fill(database, writeModel(second), { b: { place: { city: 'Rome', shelf: null }, lines: [] } });
      const third = `location: { type: object, x-was: place, properties: { in: { type: object, properties: { town: { type: string, x-was: place.city } } }, shelf: T } },
        lines: L { code: { type: string, x-was: 'no' } } } }`;
      await using api = await apiUnderTest(writeModel(third), { database });
      const { body } = await api.send({ send: 'GET /api/events' });
      assert.deepEqual(
        body.data.map(({ payload }: { readonly payload: Body }) => [payload['changed_fields'], payload['data']]),
        [
          [['location', 'lines'], { id: 'a', location: { shelf: '1', in: { town: 'Oslo' } }, lines: [{ code: '1' }] }],
          [['location'], { id: 'b', location: { shelf: null, in: { town: 'Rome' } }, lines: [] }],
        ],
      );
    });

    it('[MET-12] are those of the model in the replay of a request from before', async (context) => {
      const database = databaseOf(temporaryDirectory(context));
      const send = { send: 'POST /api/items', headers: { 'Idempotency-Key': 'k1' } };
      const modelOf = (fields: string): string => writeModel(fields).replace('id: client, ', '');
      const before = await apiUnderTest(modelOf(PLACE), { database });
      const request = { ...send, body: { place: { town: 'Oslo', shelf: '1' } } };
      const first = await before.send(request);
      assert.equal(first.status, 201);
      await before.close();
      await using api = await apiUnderTest(modelOf(RENAMED), { database });
      const again = await api.send(request);
      assert.deepEqual(
        [again.status, again.body.id, again.body.place],
        [201, first.body.id, { city: 'Oslo', shelf: '1' }],
      );
    });

    it('[EVT-3a] [MET-4b] are judged by policies in events and tombstones from before', async (context) => {
      const database = databaseOf(temporaryDirectory(context));
      const model = (fields: string, policy: string): string =>
        writeModel(fields, `tombstones: 30d, access: { rows: { read: { ${policy}: $caller.claims.team } } },`).replace(
          'name: store,',
          `name: store, ${AUTH},`,
        );
      const scopes = ['events:read', 'items:read', 'items:write'];
      const by = (team: string): Record<string, string> => as({ subject: team, scopes, claims: { team } });
      const tokens = callerTokens();
      const before = await apiUnderTest(model(PLACE, 'place.town'), { database, tokens });
      for (const [send, body] of [
        ['PUT /api/items/a', { place: { town: 'red' } }],
        ['DELETE /api/items/a', undefined],
      ] as const) {
        const { status, text } = await before.send({
          send,
          headers: by('red'),
          ...(body === undefined ? {} : { body }),
        });
        assert.ok(status < 300, text);
      }
      await before.close();
      await using api = await apiUnderTest(model(RENAMED, 'place.city'), { database, tokens });
      for (const [team, events, status] of [
        ['red', 2, 410],
        ['blue', 0, 404],
      ] as const) {
        const { body } = await api.send({ send: 'GET /api/events', headers: by(team) });
        assert.equal(body.data.length, events);
        assert.equal((await api.send({ send: 'GET /api/items/a', headers: by(team) })).status, status);
      }
    });

    it('[EVT-4a] have their new names in the filters of webhooks', async (context) => {
      const database = databaseOf(temporaryDirectory(context));
      const webhooks = (text: string): string =>
        text.replace(
          'resources: {',
          'webhooks: {}, resources: { shops: { events: full, schema: { type: object, properties: { place: { type: object, properties: { town: { type: string } } } } } },',
        );
      const before = await apiUnderTest(webhooks(writeModel(PLACE)), { database });
      const filters: string[] = [];
      for (const [type, filter] of [
        [
          'item.*',
          { any: [{ 'place.town': 'Oslo' }, { not: { 'place.town': { in: ['Rome'] }, 'place.shelf': '1' } }] },
        ],
        ['shop.*', { 'place.town': 'Oslo' }],
      ] as const) {
        const body = { url: 'https://hooks.example.com/in', event_types: [type], filter: JSON.stringify(filter) };
        const { status, text } = await before.send({ send: 'POST /api/webhooks', body });
        assert.equal(status, 201, text);
        filters.push(body.filter);
      }
      await before.close();
      await using api = await apiUnderTest(webhooks(writeModel(RENAMED)), { database });
      const { body } = await api.send({ send: 'GET /api/webhooks?sort=created_at,id' });
      assert.deepEqual(
        body.data.map(({ filter }: { readonly filter: string }) => filter),
        [filters[0]?.replaceAll('place.town', 'place.city'), filters[1]],
      );
    });
  });
}
