import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { PostgresSchemas } from '../../postgres-schemas.ts';
import { startPostgres } from '../../postgres-server.ts';
import { type ApiUnderTest, apiUnderTest } from '../support/api-under-test.ts';

const server = await startPostgres();
const schemas = new PostgresSchemas();
after(async () => {
  await schemas.drop(server.url('public'));
  await server.stop();
});

const MODEL = `
name: company
resources:
  employees:
    id: client
    schema:
      type: object
      properties:
        manager_id: { type: string, x-references: employees }
        deputy_id: { type: string, x-references: employees }
        friend_ids: { type: array, items: { type: string, x-references: employees } }
  steps:
    id: client
    schema: { type: object, required: [next_id], properties: { next_id: { type: string, x-references: steps } } }
  teams: { id: client, schema: { type: object, properties: { name: { type: string } } } }
  desks:
    id: client
    parent: teams
    schema: { type: object, properties: { next_id: { type: string, x-references: desks } } }
`;

type Rows = readonly { readonly [name: string]: string | string[] }[];

/** Imports rows, in one batch. @returns the ids of their events, in order, or the errors */
async function imported(api: ApiUnderTest, collection: string, rows: Rows): Promise<readonly string[]> {
  await api.newEvents();
  const outcome = await api.api.importRows(collection, [...rows]);
  if (outcome.kind === 'refused')
    return outcome.errors.flatMap(({ row, details }) =>
      details.map(({ field, message }) => `${row} ${field} ${message}`),
    );
  assert.equal(outcome.count, rows.length);
  return (await api.newEvents()).map(({ payload }) => payload.resource.id);
}

const NOTHING =
  'refers to nothing; send the id of a resource that exists, or of a row that is imported before it or together with it';

let schema = 0;
for (const [store, open] of [
  ['SQLite', () => apiUnderTest(MODEL)],
  ['PostgreSQL', () => apiUnderTest(MODEL, { database: server.url(schemas.name(`order_${(schema += 1)}`)) })],
] as const) {
  describe(`an import of rows that refer to each other, on ${store}`, () => {
    it('[MET-10] takes references to later rows of its batch, and keeps the order of others', async () => {
      await using api = await open();
      const rows = [
        { id: 'ann', manager_id: 'bob' },
        { id: 'dan' },
        { id: 'bob', manager_id: 'boss', friend_ids: ['eve', 'dan', 'eve'] },
        { id: 'boss', deputy_id: 'boss' },
        { id: 'eve', manager_id: 'dan' },
      ];
      assert.deepEqual(await imported(api, 'employees', rows), ['dan', 'boss', 'eve', 'bob', 'ann']);
      const { body } = await api.send({ send: 'GET /api/v1/employees/bob' });
      assert.deepEqual([body.manager_id, body.friend_ids], ['boss', ['eve', 'dan', 'eve']]);
      const found = await api.send({ send: 'GET /api/v1/employees?manager_id=bob' });
      assert.deepEqual(
        found.body.data.map(({ id }: { readonly id: string }) => id),
        ['ann'],
      );
    });

    it('[MET-10] takes rows that refer to each other in a cycle, with their times', async () => {
      await using api = await open();
      const times = { created_at: '2020-01-01T00:00:00.000Z', updated_at: '2021-01-01T00:00:00.000Z' };
      const rows = [
        { id: 'ann', manager_id: 'boss', deputy_id: 'bob', friend_ids: ['bob', 'boss'], ...times },
        { id: 'bob', manager_id: 'ann' },
        { id: 'boss', deputy_id: 'bob' },
      ];
      // An import must evict the response that this request caches.
      await api.send({ send: 'GET /api/v1/employees?manager_id=boss' });
      assert.deepEqual(await imported(api, 'employees', rows), ['ann', 'bob', 'boss']);
      const { body } = await api.send({ send: 'GET /api/v1/employees/ann' });
      assert.deepEqual({ ...body, ...rows[0] }, body);
      const found = await api.send({ send: 'GET /api/v1/employees?manager_id=boss' });
      assert.equal(found.body.page.count, 1);
    });

    it('[MET-10] names the row and the field of a reference to nothing', async () => {
      await using api = await open();
      const rows = [{ id: 'ann', manager_id: 'bob' }, { id: 'bob', deputy_id: 'none' }, { id: 'eve' }];
      assert.deepEqual(await imported(api, 'employees', rows), [`1 deputy_id ${NOTHING}`]);
    });

    it('[MET-10] takes required references, where there is an order', async () => {
      await using api = await open();
      const rows = [
        { id: 'a', next_id: 'b' },
        { id: 'b', next_id: 'c' },
        { id: 'c', next_id: 'c' },
      ];
      assert.deepEqual(await imported(api, 'steps', rows), ['c', 'b', 'a']);
    });

    it('[MET-10] [URL-7] refers to rows below the same parent', async () => {
      await using api = await open();
      await imported(api, 'teams', [{ id: 't' }, { id: 'u' }]);
      const rows = [
        { id: 'x', team_id: 't', next_id: 'y' },
        { id: 'y', team_id: 'u', next_id: 'x' },
        { id: 'x', team_id: 'u' },
        { id: 'y', team_id: 't' },
      ];
      assert.deepEqual(await imported(api, 'desks', rows), ['x', 'y', 'y', 'x']);
      const { body } = await api.send({ send: 'GET /api/v1/teams/t/desks/x' });
      assert.equal(body.next_id, 'y');
    });

    it('[MET-10] restores what an export wrote', async () => {
      await using api = await open();
      for (const id of ['ann', 'boss'])
        assert.equal((await api.send({ send: 'POST /api/v1/employees', body: { id } })).status, 201);
      const patch = { send: 'PATCH /api/v1/employees/ann', body: { manager_id: 'boss' } };
      assert.equal((await api.send(patch)).status, 200);
      const headers = { Accept: 'application/x-ndjson' };
      const { text } = await api.send({ send: 'GET /api/v1/employees', headers });
      const rows = text
        .trim()
        .split('\n')
        .map((line): Rows[number] => JSON.parse(line));
      await using other = await open();
      assert.deepEqual(await imported(other, 'employees', rows), ['boss', 'ann']);
    });
  });
}
