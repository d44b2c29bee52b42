import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type DefinedModel, defineModel, resource } from '../../src/index.ts';
import { type ApiUnderTest, apiUnderTest } from '../pipeline/support/api-under-test.ts';
import { as, callerTokens } from '../pipeline/support/caller-tokens.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { newDatabases } from './new-databases.ts';

const { sqlite, postgres } = await newDatabases('converted_events');

/** A new database of a store. */
const STORES = [
  ['SQLite', sqlite],
  ['PostgreSQL', postgres],
] as const;

const AUTH =
  'auth: { issuers: [{ name: test, issuer: https://id.example.com, audience: shop, hs256_secret: 0123456789abcdef0123456789abcdef }] }';

const OLD = `{ name: store, version: 1.4.0, resources: { products: { id: client, events: full, schema: { type: object, required: [title], properties: {
  title: { type: string }, status: { type: string, enum: [draft, live], default: draft }, city: { type: string }, size: { type: string, pattern: '^[0-9]+$' },
  place: { type: object, properties: { shelf: { type: integer } } } } } } } }`;

const FIRST = `1.4.0: { changes: [
  { resource: products, rename: { title: name } },
  { resource: products, values: { status: { draft: DRAFT, live: ACTIVE } } },
  { resource: products, move: { city: place.city } },
  { resource: products, type: { size: { schema: { type: string, pattern: '^[0-9]+$' }, to: width } } },
  { resource: products, without: [currency], fill: { currency: USD } }] }`;

const SECOND = `2.0.0: { changes: [
  { resource: articles, collection: products, singular: product, rename: { name: label } },
  { resource: articles, move: { place.city: town } }] }`;

const FIELDS = `currency: { type: string, default: EUR }, status: { type: string, enum: [DRAFT, ACTIVE], default: DRAFT }, width: { type: integer }`;

const SECOND_MODEL = `{ name: store, version: 2.0.0, default_version: 2, resources: { products: { id: client, events: full, schema: { type: object, required: [name],
  properties: { name: { type: string }, ${FIELDS}, place: { type: object, properties: { city: { type: string }, shelf: { type: integer } } } } } } },
  versions: { ${FIRST} } }`;

const THIRD_MODEL = `{ name: store, version: 3.0.0, default_version: 3, resources: { articles: { id: client, events: full, schema: { type: object, required: [label],
  properties: { label: { type: string }, ${FIELDS}, town: { type: string }, place: { type: object, properties: { shelf: { type: integer } } } } } } },
  versions: { ${SECOND}, ${FIRST.replaceAll('products', 'articles')} } }`;

const REQUESTS = [
  ['PUT /api/v1/products/a', { title: 'Lamp', status: 'live', city: 'Oslo', size: '3', place: { shelf: 1 } }],
  ['PATCH /api/v1/products/a', { city: 'Rome' }],
  ['PATCH /api/v1/products/a', { place: { shelf: 2 } }],
  ['PATCH /api/v1/products/a', { size: null }],
  ['DELETE /api/v1/products/a', undefined],
] as const;

type Api = Pick<ApiUnderTest, 'send'>;

async function send(api: Api, requests: readonly (readonly [string, object | undefined])[]): Promise<void> {
  for (const [each, body] of requests) {
    const { status, text } = await api.send({ send: each, ...(body === undefined ? {} : { body }) });
    assert.ok(status < 300, text);
  }
}

/** The type, the changed fields and the data of each event. */
async function listEvents(api: Api, version: string): Promise<readonly unknown[]> {
  const { status, body, text } = await api.send({ send: `GET /api/${version}/events` });
  assert.equal(status, 200, text);
  return body.data.map(
    ({ type, payload }: { readonly type: string; readonly payload: Record<string, unknown> }): unknown => [
      type,
      payload['changed_fields'],
      payload['data'],
    ],
  );
}

/** The text of the events as one contract has them. */
async function readEvents(api: Api, version: string): Promise<string> {
  const { text, body } = await api.send({ send: `GET /api/${version}/events` });
  assert.ok(Array.isArray(body.data), text);
  return JSON.stringify(body.data);
}

for (const [store, databaseOf] of STORES) {
  describe(`events of an older contract, on ${store}`, () => {
    it('[EVT-1] [VER-5c] are the same bytes in it, and have moved and converted values in the newest', async (context) => {
      const database = databaseOf(temporaryDirectory(context));
      const before = await apiUnderTest(OLD, { database });
      await send(before, REQUESTS);
      const bytes = await readEvents(before, 'v1');
      await before.close();

      await using second = await apiUnderTest(SECOND_MODEL, { database });
      assert.equal(await readEvents(second, 'v1'), bytes);
      const lamp = { id: 'a', name: 'Lamp', currency: 'USD', status: 'ACTIVE', width: 3 };
      const found = await listEvents(second, 'v2');
      assert.deepEqual(found, [
        [
          'product.created',
          ['name', 'currency', 'status', 'width', 'place'],
          { ...lamp, place: { city: 'Oslo', shelf: 1 } },
        ],
        ['product.updated', ['place'], { ...lamp, place: { city: 'Rome', shelf: 1 } }],
        ['product.updated', ['place'], { ...lamp, place: { city: 'Rome', shelf: 2 } }],
        ['product.updated', ['width'], { ...lamp, width: null, place: { city: 'Rome', shelf: 2 } }],
        ['product.deleted', [], { ...lamp, width: null, place: { city: 'Rome', shelf: 2 } }],
      ]);
    });

    it('[EVT-1] [VER-5c] go through a chain of contracts, each at its own migration', async (context) => {
      const database = databaseOf(temporaryDirectory(context));
      const first = await apiUnderTest(OLD, { database });
      await send(first, REQUESTS.slice(0, 3));
      const oldest = await readEvents(first, 'v1');
      await first.close();
      const second = await apiUnderTest(SECOND_MODEL, { database });
      await send(second, [['PATCH /api/v2/products/a', { place: { city: 'Bonn', shelf: 2 } }]]);
      const older = await readEvents(second, 'v2');
      await second.close();

      await using third = await apiUnderTest(THIRD_MODEL, { database });
      assert.equal(JSON.stringify(JSON.parse(await readEvents(third, 'v1')).slice(0, 3)), oldest);
      assert.deepEqual(JSON.parse(await readEvents(third, 'v2')), JSON.parse(older));
      const found = await listEvents(third, 'v3');
      const lamp = { id: 'a', label: 'Lamp', currency: 'USD', status: 'ACTIVE', width: 3 };
      assert.deepEqual(found, [
        [
          'article.created',
          ['label', 'currency', 'status', 'width', 'town', 'place'],
          { ...lamp, town: 'Oslo', place: { shelf: 1 } },
        ],
        ['article.updated', ['town'], { ...lamp, town: 'Rome', place: { shelf: 1 } }],
        ['article.updated', ['place'], { ...lamp, town: 'Rome', place: { shelf: 2 } }],
        ['article.updated', ['town'], { ...lamp, town: 'Bonn', place: { shelf: 2 } }],
      ]);
    });

    it('[EVT-1] [VER-5c] are the same bytes in it where a function cannot convert them', async (context) => {
      const database = databaseOf(temporaryDirectory(context));
      const text = { type: 'string' } as const;
      const named = JSON.stringify({
        name: 'store',
        version: '1.0.0',
        resources: { people: { id: 'client', events: 'full', schema: { type: 'object', properties: { full: text } } } },
      });
      const before = await apiUnderTest(named, { database });
      await send(before, [
        ['PUT /api/v1/people/a', { full: 'Ann' }],
        ['PATCH /api/v1/people/a', { full: 'Ann Lee' }],
      ]);
      const bytes = await readEvents(before, 'v1');
      await before.close();
      await using api = await apiUnderTest(splitModel(), { database });
      assert.equal(await readEvents(api, 'v1'), bytes);
      assert.deepEqual(await listEvents(api, 'v2'), [
        ['person.created', ['first', 'last'], { id: 'a', first: null, last: null }],
        ['person.updated', ['first', 'last'], { id: 'a', first: 'Ann', last: 'Lee' }],
      ]);
    });

    it('[EVT-3a] [AUTH-5a] are judged by moved and converted values of policies', async (context) => {
      const database = databaseOf(temporaryDirectory(context));
      const model = (version: string, policy: string, fields: string, rest = ''): string =>
        `{ name: store, version: ${version}, default_version: ${version[0]}, ${AUTH}, resources: { items: { id: client, tombstones: 30d, access: { rows: { read: { ${policy} } } },
          schema: { type: object, properties: { ${fields} } } },
          notes: { id: client, tombstones: 30d, access: { rows: { read: { item.${policy} } } }, schema: { type: object, properties: { item_id: { type: string, x-references: items }, text: { type: string } } } } }${rest} }`;
      const older = model('1.0.0', 'team: $caller.claims.team', 'team: { type: string }, shelf: { type: integer }');
      const changes = 'versions: { 1.0.0: { changes: [{ resource: items, move: { team: place.team } }] } }';
      const newest = model(
        '2.0.0',
        'place.team: $caller.claims.team',
        'shelf: { type: integer }, place: { type: object, properties: { team: { type: string } } }',
        `, ${changes}`,
      );
      const scopes = ['events:read', 'items:read', 'items:write', 'notes:read', 'notes:write'];
      const by = (team: string): Record<string, string> => as({ subject: team, scopes, claims: { team } });
      const tokens = callerTokens();
      const before = await apiUnderTest(older, { database, tokens });
      const requests = [
        ['PUT /api/v1/items/a', { team: 'red' }],
        ['PUT /api/v1/notes/n', { item_id: 'a', text: 'x' }],
        ['PATCH /api/v1/notes/n', { text: 'y' }],
        ['DELETE /api/v1/notes/n', undefined],
        ['PATCH /api/v1/items/a', { shelf: 1 }],
        ['DELETE /api/v1/items/a', undefined],
      ] as const;
      for (const [each, body] of requests) {
        const { status, text } = await before.send({
          send: each,
          headers: by('red'),
          ...(body === undefined ? {} : { body }),
        });
        assert.ok(status < 300, text);
      }
      const read = async (api: Api, version: string, team: string): Promise<readonly unknown[]> =>
        (await api.send({ send: `GET /api/${version}/events`, headers: by(team) })).body.data;
      const bytes = await read(before, 'v1', 'red');
      assert.equal(bytes.length, 6);
      await before.close();
      await using api = await apiUnderTest(newest, { database, tokens });
      assert.deepEqual(await read(api, 'v1', 'red'), bytes);
      assert.equal((await read(api, 'v2', 'red')).length, 6);
      assert.deepEqual(await read(api, 'v2', 'blue'), []);
      // A tombstone has the same values.
      for (const [team, status] of [
        ['red', 410],
        ['blue', 404],
      ] as const) {
        for (const row of ['items/a', 'notes/n'])
          assert.equal((await api.send({ send: `GET /api/v2/${row}`, headers: by(team) })).status, status, row);
      }
    });
  });
}

function splitModel(): DefinedModel {
  const text = { type: 'string' } as const;
  const up = (full: string): Readonly<Record<string, string>> => {
    const [first = '', last] = full.split(' ');
    if (last === undefined) throw new Error('no last name');
    return { first, last };
  };
  const down = ({ first, last }: Readonly<Record<string, string>>): string => `${first} ${last}`;
  const people = resource({
    id: 'client',
    events: 'full',
    schema: { type: 'object', properties: { first: text, last: text } },
  });
  const split = { full: { schema: text, into: ['first', 'last'], up, down } };
  return defineModel({
    name: 'store',
    version: '2.0.0',
    default_version: 2,
    resources: { people },
    versions: { '1.0.0': { changes: [{ resource: 'people', split }] } },
  });
}
