import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { apiUnderTest } from '../../pipeline/support/api-under-test.ts';
import { newSchema } from './open-postgres.ts';

const NAMES = ['xmin', 'xmax', 'cmin', 'cmax', 'ctid', 'tableoid', 'oid', 'rowid'] as const;

/** @param more fields of the newest version */
const model = (more = ''): string => `
name: maps
resources:
  layers:
    id: client
    schema: { type: object, properties: { xmin: { type: string }, ctid: { type: string } } }
  boxes:
    id: client
    schema:
      type: object
      properties:
        ${NAMES.map((name) => `${name}: { type: number }`).join('\n        ')}
        tags: { type: array, items: { type: string } }${more}
        layer_id: { type: string, x-references: layers }
    unique: [[xmin, xmax]]
    indexes: [cmin, [ctid, tableoid]]
  sites:
    id: client
    schema: { type: object, properties: { xmin: { type: string, x-references: { resource: layers, as: layer } } } }
  notes:
    id: client
    search: [ctid]
    schema: { type: object, properties: { ctid: { type: string }, xmax: { type: array, items: { type: string, x-references: { resource: layers, as: layers } } } } }
`;

for (const [store, openDatabase] of [
  ['PostgreSQL', () => newSchema()],
  ['SQLite', () => null],
] as const) {
  describe(`fields with the names of system columns on ${store}`, () => {
    it('[OPS-4a] are stored, compared, sorted, unique, referred to and searched as others are', async () => {
      const database = openDatabase();
      await using api = await apiUnderTest(model(), database === null ? {} : { database });
      const box = Object.fromEntries(NAMES.map((name, index) => [name, index]));
      await api.send({ send: 'POST /api/v1/layers', body: { id: 'l', xmin: 'a' } });
      await api.newEvents();
      const send = 'POST /api/v1/boxes';
      await api.row({ send, body: { id: 'a', ...box, layer_id: 'l' }, status: 201, events: ['box.created'], has: box });
      const other = { ...box, xmin: 9 };
      await api.row({ send, body: { id: 'b', ...other }, status: 201, events: ['box.created'], has: other });
      await api.row({ send, body: { id: 'c', ...box }, status: 409 });
      await api.row({ send: 'GET /api/v1/boxes/a', status: 200, has: box });
      await api.row({
        send: 'PATCH /api/v1/boxes/b',
        headers: { 'Content-Type': 'application/merge-patch+json' },
        body: { ctid: 77, cmin: 5 },
        status: 200,
        events: ['box.updated'],
        has: { ...other, ctid: 77, cmin: 5 },
      });
      for (const query of [
        'xmin=9',
        'ctid[gte]=70&sort=-tableoid',
        'sort=-xmin,cmax&limit=1',
        'any[1][xmin]=9&any[2][cmax]=99',
      ]) {
        const seen = await api.row({ send: `GET /api/v1/boxes?${query}`, status: 200 });
        assert.deepEqual(
          seen.body.data.map(({ id }: { readonly id: string }) => id),
          ['b'],
          query,
        );
      }
      const page = await api.row({
        send: 'GET /api/v1/boxes?fields=xmin,tableoid&layer.xmin=a&expand=layer',
        status: 200,
      });
      assert.equal(page.body.data[0].xmin, 0);
      await api.row({
        send: 'POST /api/v1/sites',
        body: { id: 's', xmin: 'l' },
        status: 201,
        events: ['site.created'],
      });
      await api.row({ send: 'POST /api/v1/sites', body: { id: 't', xmin: 'none' }, status: 400 });
      const note = { id: 'n', ctid: 'a long text', xmax: ['l'] };
      await api.row({ send: 'POST /api/v1/notes', body: note, status: 201, events: ['note.created'], has: note });
      const found = await api.row({ send: 'GET /api/v1/notes?q=long&xmax[contains]=l', status: 200 });
      assert.equal(found.body.data.length, 1);
      await api.row({ send: 'DELETE /api/v1/layers/l', status: 409 });
    });
  });
}

describe('a schema of PostgreSQL with the names of system columns', () => {
  it('[OPS-4a] is opened again, and migrated', async () => {
    const database = newSchema();
    const first = await apiUnderTest(model(), { database });
    const body = { id: 'a', xmin: 1, ctid: 2, tableoid: 3 };
    await first.row({ send: 'POST /api/v1/boxes', body, status: 201, events: ['box.created'] });
    await first.close();
    const second = await apiUnderTest(model('\n        cost: { type: number }'), { database });
    const seen = await second.send({ send: 'GET /api/v1/boxes/a' });
    assert.deepEqual([seen.body.xmin, seen.body.ctid, seen.body.tableoid, seen.body.cost], [1, 2, 3, null]);
    await second.close();
    await using third = await apiUnderTest(model('\n        cost: { type: number }'), { database });
    assert.equal((await third.send({ send: 'GET /api/v1/boxes?ctid=2' })).body.data.length, 1);
  });
});
