import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadModel } from '../../src/model/compile/load-model.ts';
import { selectKind } from '../../src/stores/databases/databases.ts';
import { type ApiUnderTest, apiUnderTest } from '../pipeline/support/api-under-test.ts';
import { as, callerTokens } from '../pipeline/support/caller-tokens.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { newDatabases } from './new-databases.ts';

const { sqlite, postgres } = await newDatabases('renamed_followers');

/** A new database of a store. */
const STORES = [
  ['SQLite', sqlite],
  ['PostgreSQL', postgres],
] as const;

const AUTH =
  'auth: { issuers: [{ name: test, issuer: https://id.example.com, audience: shop, hs256_secret: 0123456789abcdef0123456789abcdef }] }';

/** @param resources with T for a text, O for the start of an object, and R for that of a resource */
function writeModel(resources: string, options = '', version = '1.4.0'): string {
  const described = resources
    .replaceAll(': T', ': { type: string }')
    .replaceAll(': O {', ': { type: object, properties: {')
    .replaceAll(': R {', ': { id: client, events: full, tombstones: 30d, ');
  return `{ name: store, version: ${version}, default_version: ${version[0]}, ${options} resources: { ${described} } }`;
}

type Request = readonly [send: string, body?: object | undefined, headers?: Record<string, string>];

async function send(api: ApiUnderTest, requests: readonly Request[]): Promise<void> {
  for (const [each, body, headers = {}] of requests) {
    const { status, text } = await api.send({ send: each, headers, ...(body === undefined ? {} : { body }) });
    assert.ok(status < 300, `${each}: ${text}`);
  }
}

const SCOPES = ['items', 'notes', 'pages', 'teams'].flatMap((name) => [`${name}:read`, `${name}:write`]);

/** The headers of a caller with a team. */
function by(team: string): Record<string, string> {
  return as({ subject: team, scopes: ['events:read', ...SCOPES], claims: { team } });
}

const tokens = callerTokens();

/** Writes with the first model, and opens the database with each of the others. @returns the last */
async function migrate(
  database: string,
  [first = '', ...later]: readonly string[],
  requests: readonly Request[],
): Promise<ApiUnderTest> {
  let api = await apiUnderTest(first, { database, tokens });
  await send(
    api,
    requests.map(([each, body]) => [each, body, by('red')]),
  );
  assert.equal((await readEvents(api, 'red')).length, requests.length);
  for (const text of later) {
    await api.close();
    api = await apiUnderTest(text, { database, tokens });
  }
  return api;
}

async function readEvents(api: ApiUnderTest, team: string): Promise<readonly object[]> {
  return (await api.send({ send: 'GET /api/events', headers: by(team) })).body.data;
}

/** Lists the findings of callers of teams: the number of events, and the status of each path. */
async function judge(api: ApiUnderTest, paths: readonly string[]): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for (const team of ['red', 'blue', 'green']) {
    const statuses: number[] = [];
    for (const path of paths) statuses.push((await api.send({ send: `GET /api/${path}`, headers: by(team) })).status);
    found.push([team, (await readEvents(api, team)).length, ...statuses]);
  }
  return found;
}

for (const [store, databaseOf] of STORES) {
  describe(`what is recorded about rows whose fields have another name, on ${store}`, () => {
    it('[OPS-4d] [EVT-3a] [MET-4b] is judged by policies in tombstones, of a field alone', async (context) => {
      const model = (field: string, was = ''): string =>
        writeModel(
          `items: R { access: { rows: { read: { ${field}: $caller.claims.team } } },
            schema: { type: object, properties: { ${field}: { type: string${was} }, note: T } } }`,
          `${AUTH},`,
        );
      const models = [model('team'), model('crew', ', x-was: team'), model('squad', ', x-was: crew')];
      await using api = await migrate(databaseOf(temporaryDirectory(context)), models, [
        ['PUT /api/items/a', { team: 'red' }],
        ['DELETE /api/items/a'],
      ]);
      assert.deepEqual(await judge(api, ['items/a']), [
        ['red', 2, 410],
        ['blue', 0, 404],
        ['green', 0, 404],
      ]);
    });

    it('[OPS-4d] [EVT-3a] [MET-4b] is judged in what is recorded of it with rows that refer to it', async (context) => {
      const model = (names: Readonly<Record<string, string>>): string =>
        writeModel(
          `teams: R { schema: { type: object, properties: { COLOUR, place: O { TOWN } } } } },
          items: R { access: { rows: { read: { any: [{ team.colour: $caller.claims.team }, { team.place.town: $caller.claims.team }] } } },
            schema: { type: object, properties: { TEAM } } },
          notes: R { access: { rows: { read: { item.team.colour: $caller.claims.team } } },
            schema: { type: object, properties: { item_id: { type: string, x-references: items }, text: T } } },
          pages: R { parent: notes, schema: { type: object, properties: { text: T } } }`.replaceAll(
            /\b(?:COLOUR|TOWN|TEAM|team(?=\.)|colour(?=:)|town(?=:))/g,
            (name) => names[name] ?? name,
          ),
          `${AUTH},`,
        );
      const first = model({
        COLOUR: 'colour: T',
        TOWN: 'town: T',
        TEAM: 'team_id: { type: string, x-references: teams }',
      });
      const second = model({
        COLOUR: 'hue: { type: string, x-was: colour }',
        TOWN: 'city: { type: string, x-was: town }',
        TEAM: 'crew_id: { type: string, x-references: teams, x-was: team_id }',
        team: 'crew',
        colour: 'hue',
        town: 'city',
      });
      await using api = await migrate(
        databaseOf(temporaryDirectory(context)),
        [first, second],
        [
          ['PUT /api/teams/t', { colour: 'red', place: { town: 'green' } }],
          ['PUT /api/items/a', { team_id: 't' }],
          ['PUT /api/notes/n', { item_id: 'a', text: 'x' }],
          ['PUT /api/notes/n/pages/p', { text: 'x' }],
          ['PATCH /api/notes/n/pages/p', { text: 'y' }],
          ['DELETE /api/notes/n/pages/p'],
          ['PATCH /api/notes/n', { text: 'y' }],
          ['DELETE /api/notes/n'],
          ['DELETE /api/items/a'],
        ],
      );
      assert.deepEqual(await judge(api, ['items/a', 'notes/n', 'notes/n/pages/p']), [
        ['red', 9, 410, 410, 410],
        ['blue', 1, 404, 404, 404],
        ['green', 3, 410, 404, 404],
      ]);
    });

    it('[OPS-4d] [MET-12] is what replays respond with, of a field alone and of the id of a parent', async (context) => {
      const database = databaseOf(temporaryDirectory(context));
      const model = (field: string, options = ''): string =>
        writeModel(
          `items: R { ${options} schema: { type: object, properties: { ${field}, size: { type: integer } } } }, lines: { parent: items, schema: { type: object, properties: { text: T } } }`,
        );
      const before = await apiUnderTest(model('title: T'), { database });
      await send(before, [['PUT /api/items/a', { title: 'A' }]]);
      const requests = [
        ['PATCH /api/items/a', { size: 1 }],
        ['POST /api/items/a/lines', { text: 'x' }],
        ['POST /api/batches', { operations: [{ method: 'POST', path: '/items/a/lines', body: { text: 'y' } }] }],
      ] as const;
      const replay = async (api: ApiUnderTest): Promise<readonly unknown[]> => {
        const answers: unknown[] = [];
        for (const [at, [each, body]] of requests.entries()) {
          const answer = await api.send({ send: each, body, headers: { 'Idempotency-Key': `k${at}` } });
          assert.ok(answer.status < 300, answer.text);
          const { links: _links, ...row } = answer.body.results?.[0].body ?? answer.body;
          answers.push(row);
        }
        return answers;
      };
      const answers = await replay(before);
      await before.close();
      await using api = await apiUnderTest(model('name: { type: string, x-was: title }', 'singular: thing,'), {
        database,
      });
      const names: Readonly<Record<string, string>> = { title: 'name', item_id: 'thing_id' };
      assert.deepEqual(JSON.parse(JSON.stringify(await replay(api))), renameMembers(answers, names));
      assert.equal((await api.send({ send: 'GET /api/items/a/lines' })).body.data.length, 2);
    });

    it('[OPS-4d] [EVT-4a] is what filters of webhooks compare, of a field alone and of a renamed collection', async (context) => {
      const database = databaseOf(temporaryDirectory(context));
      const model = (items: string, field: string): string =>
        writeModel(
          `${items} schema: { type: object, properties: { ${field} } } }, shops: R { schema: { type: object, properties: { title: T } } }`,
          'webhooks: {},',
        );
      const before = await apiUnderTest(model('items: R {', 'title: T'), { database });
      const filter = JSON.stringify({ any: [{ title: 'A' }, { not: { title: { in: ['B'] } } }] });
      for (const event_types of [['item.*'], ['item.created', 'shop.*'], ['shop.*'], ['*']])
        await send(before, [
          [
            'POST /api/webhooks',
            { url: 'https://hooks.example.com/in', event_types, ...(event_types.length > 1 ? {} : { filter }) },
          ],
        ]);
      await before.close();
      const select = async (text: string): Promise<readonly unknown[]> => {
        await using api = await apiUnderTest(text, { database });
        const { body } = await api.send({ send: 'GET /api/webhooks?sort=created_at,id' });
        return body.data.map((row: Readonly<Record<string, unknown>>) => [row['event_types'], row['filter']]);
      };
      const renamed = filter.replaceAll('title', 'name');
      assert.deepEqual(await select(model('items: R {', 'name: { type: string, x-was: title }')), [
        [['item.*'], renamed],
        [['item.created', 'shop.*'], null],
        [['shop.*'], filter],
        [['*'], renamed],
      ]);
      assert.deepEqual(await select(model('things: R { was: items,', 'name: { type: string, x-was: title }')), [
        [['thing.*'], renamed],
        [['thing.created', 'shop.*'], null],
        [['shop.*'], filter],
        [['*'], renamed],
      ]);
    });

    it('[VER-5c] [EVT-4a] is what filters of webhooks of a whole major version compare, by the lists of its minor versions', async (context) => {
      const database = databaseOf(temporaryDirectory(context));
      const model = (version: string, name: string, fields: string, versions = ''): string =>
        writeModel(
          `${name}: R { schema: { type: object, properties: { ${fields} } } }`,
          `webhooks: {}, ${versions}`,
          version,
        );
      const before = await apiUnderTest(
        model('1.3.0', 'items', 'status: { type: string, enum: [new, old] }, title: T, town: T'),
        { database },
      );
      const filter = { all: [{ status: { in: ['new'] } }, { not: { status: 'old', title: 'new' } }, { town: 'Oslo' }] };
      for (const version of ['1', '1.3']) {
        const webhook = { url: 'https://hooks.example.com/in', event_types: ['item.*'], version };
        await send(before, [['POST /api/webhooks', { ...webhook, filter: JSON.stringify(filter) }]]);
      }
      await before.close();
      const versions = `versions: {
        1.4.0: { changes: [{ resource: things, collection: items, singular: item, rename: { name: label } }] },
        1.3.0: { changes: [{ resource: things, rename: { title: name }, values: { status: { new: NEW, old: OLD } }, move: { town: place.town } }] } },`;
      const fields = 'status: { type: string, enum: [NEW, OLD] }, label: T, place: O { town: T } }';
      await using api = await apiUnderTest(model('1.5.0', 'things', fields, versions), { database });
      const { body } = await api.send({ send: 'GET /api/webhooks?sort=created_at,id' });
      const later = {
        all: [{ status: { in: ['NEW'] } }, { not: { status: 'OLD', label: 'new' } }, { 'place.town': 'Oslo' }],
      };
      assert.deepEqual(
        body.data.map((row: Readonly<Record<string, unknown>>) => [
          row['event_types'],
          JSON.parse(String(row['filter'])),
        ]),
        [
          [['thing.*'], later],
          [['item.*'], filter],
        ],
      );
    });

    for (const [way, options, versions] of [
      ['x-was', ', x-was: team_ids', ''],
      ['versions', '', 'versions: { 1.4.0: { changes: [{ resource: items, rename: { team_ids: crew_ids } }] } },'],
    ] as const)
      it(`[OPS-4d] has the rows that an array refers to, which has another name by ${way}`, async (context) => {
        const database = databaseOf(temporaryDirectory(context));
        const model = (field: string, others: string, version: string, was = ''): string =>
          writeModel(
            `teams: R { schema: { type: object, properties: { name: T } } },
            items: R { schema: { type: object, properties: { ${field}: { type: array, items: { type: string, x-references: teams }${was} } } } }`,
            others,
            version,
          );
        const before = await apiUnderTest(model('team_ids', '', '1.4.0'), { database });
        await send(before, [
          ['PUT /api/teams/t', {}],
          ['PUT /api/items/a', { team_ids: ['t'] }],
        ]);
        await before.close();
        await using api = await apiUnderTest(model('crew_ids', versions, '2.0.0', options), { database });
        const { body } = await api.send({ send: 'GET /api/items?crew_ids[contains]=t' });
        assert.deepEqual(
          body.data.map((row: Readonly<Record<string, unknown>>) => row['crew_ids']),
          [['t']],
        );
        assert.equal((await api.send({ send: 'DELETE /api/teams/t' })).status, 409);
      });

    it('[OPS-4d] rewrites no rows', async (context) => {
      const database = databaseOf(temporaryDirectory(context));
      const model = (items: string, field: string): string =>
        writeModel(
          `${items} schema: { type: object, properties: { ${field} } } }, lines: { parent: ${items.split(':')[0]}, schema: { type: object, properties: { text: T } } }`,
        );
      const before = await apiUnderTest(model('items: R {', 'title: T'), { database });
      await send(before, [['PUT /api/items/a', { title: 'A' }]]);
      await before.close();
      const text = model('things: R { was: items,', 'name: { type: string, x-was: title }');
      const steps = await selectKind(database).plan({ database }, { model: loadModel({ text }).model, phase: null });
      assert.deepEqual(
        steps.slice(0, 3).map(({ purpose, cost }) => [purpose, cost.kind]),
        [
          ['rename items to things', 'constant'],
          ['rename things.title to name', 'constant'],
          ['rename lines.item_id to thing_id', 'constant'],
        ],
      );
      assert.ok(steps.every(({ cost }) => cost.kind !== 'rewrites'));
      await using api = await apiUnderTest(text, { database });
      assert.equal((await api.send({ send: 'GET /api/things/a' })).body.name, 'A');
    });
  });
}

/** The members of objects under later names. */
function renameMembers(value: unknown, names: Readonly<Record<string, string>>): unknown {
  if (Array.isArray(value)) return value.map((each) => renameMembers(each, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, held]) => [names[name] ?? name, renameMembers(held, names)]),
  );
}
