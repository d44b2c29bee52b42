import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Store } from '../../../src/stores/store.ts';
import { loadDriver } from '../../../src/stores/sqlite/driver/select-driver.ts';
import { apiUnderTest } from '../../pipeline/support/api-under-test.ts';
import { changeFile, sourceFile } from '../../stores/existing/source-file.ts';

const TABLES = `
pragma foreign_keys = off;
create table film (film_id integer primary key, title text);
create table Notes (note_id integer primary key, film int references film);
create view cheap as select * from film;
insert into film values (1, 'First');
insert into notes values (1, 99);
`;

const FILMS = 'films: { table: film, schema: { type: object, properties: { title: { type: string } } } }';

/** A model of own resources next to films. */
function modelWith(...resources: readonly string[]): string {
  return `name: shop\nresources:\n${[FILMS, ...resources].map((each) => `  ${each}\n`).join('')}`;
}

const REVIEWS = 'reviews: { schema: { type: object, properties: { text: { type: string } } } }';

describe('a SQLite file of another program that is written', () => {
  it('[OPS-5] has own rows and idempotency keys after a restart, next to references of others to no row', async (context) => {
    const database = sourceFile(context, TABLES);
    const request = { headers: { 'Idempotency-Key': 'one' }, send: 'POST /api/v1/films', body: { title: 'Second' } };
    const first = await apiUnderTest(modelWith(REVIEWS), { database });
    const created = await first.send(request);
    await first.send({ send: 'POST /api/v1/reviews', body: { text: 'fine' } });
    await first.close();
    await using second = await apiUnderTest(modelWith(REVIEWS), { database });
    const repeated = await second.send(request);
    assert.equal(repeated.text, created.text);
    assert.equal(repeated.headers.get('idempotent-replayed'), 'true');
    const { body } = await second.send({ send: 'GET /api/v1/reviews' });
    assert.equal(body.data.length, 1);
    assert.deepEqual(
      (await second.newEvents()).map(({ type }) => type),
      ['film.created', 'review.created'],
    );
  });

  it('[CACHE-2] gives pages other ETags after a restart: no one counts the commits in between', async (context) => {
    const database = sourceFile(context, TABLES);
    const tags: (string | undefined)[] = [];
    for (const title of ['Changed', 'Changed again']) {
      const api = await apiUnderTest(modelWith(), { database });
      tags.push((await api.send({ send: 'GET /api/v1/films' })).headers.get('etag'));
      await api.close();
      changeFile(database, `update film set title = '${title}'`);
    }
    assert.notEqual(tags[0], tags[1]);
  });

  it('[CACHE-3] compares the row in the transaction: a change of the other program just before is not lost', async (context) => {
    const database = sourceFile(context, `pragma journal_mode = wal; ${TABLES} alter table film add price;`);
    const model = modelWith().replace('title: { type: string }', 'title: { type: string }, price: { type: integer }');
    const other = loadDriver('node').open(database, { mode: 'existing', timeout: 5_000 });
    const changes = ["update film set title = 'Theirs'", 'update film set price = 8'];
    const breaking = (store: Store): Store => ({
      ...store,
      writes: {
        pending: 0,
        commit: (unit, deadline) => {
          other.exec(changes.shift() ?? 'select 1');
          return store.writes.commit(unit, deadline);
        },
      },
    });
    await using api = await apiUnderTest(model, { database, driver: 'node', breaking });
    await api.row({
      send: 'PATCH /api/v1/films/1',
      body: { price: 3 },
      status: 200,
      has: { title: 'Theirs', price: 3 },
      events: ['film.updated'],
    });
    assert.equal(changes.length, 0);
    const read = await api.send({ send: 'GET /api/v1/films/1' });
    changes.push('update film set price = 9');
    const headers = { 'If-Match': read.headers.get('etag') ?? '' };
    await api.row({ send: 'DELETE /api/v1/films/1', headers, status: 412 });
    const page = await api.send({ send: 'GET /api/v1/films' });
    changes.push('update film set price = 10');
    const ifMatch = { 'If-Match': page.headers.get('etag') ?? '' };
    await api.row({ send: 'POST /api/v1/films', headers: ifMatch, body: { title: 'New' }, status: 412 });
    other.close();
  });

  it('waits with its commit while the other program reads a file without a write-ahead log', async (context) => {
    const database = sourceFile(context, TABLES);
    await using api = await apiUnderTest(modelWith(), { database, driver: 'node' });
    const other = loadDriver('node').open(database, { mode: 'existing', timeout: 5_000 });
    other.exec('begin');
    other.prepare('select * from film').all();
    const waiting = api.send({ send: 'PATCH /api/v1/films/1', body: { title: 'Late' } });
    while (!api.observations.some(({ kind }) => kind === 'commit-blocked')) await setImmediate();
    other.exec('commit');
    assert.equal((await waiting).body.title, 'Late');
    other.close();
  });

  it('[OPS-7d] answers reads and writes with 503 once a column is no longer there', async (context) => {
    const database = sourceFile(context, TABLES);
    await using api = await apiUnderTest(modelWith(), { database, driver: 'node' });
    await api.row({ send: 'GET /api/v1/films/1', status: 200 });
    await setImmediate();
    await setImmediate();
    changeFile(database, 'drop view cheap; alter table film rename column title to name');
    await api.row({ send: 'POST /api/v1/films', body: { title: 'New' }, status: 503 });
    await api.row({ send: 'PATCH /api/v1/films/1', body: { title: 'New' }, status: 503 });
    await api.row({ send: 'GET /api/v1/films/1', status: 503 });
  });

  /** Models that do not go with the file, and what the error of the start has. */
  const WRONG = [
    [
      'a view that the model writes',
      'cheap: { table: cheap, key: film_id, schema: { type: object } }',
      /read_only: true/,
    ],
    [
      'changes of other programs',
      'cheap: { table: film, changes: triggers, schema: { type: object } }',
      /cheap: only triggers of PostgreSQL record the changes/,
    ],
    ['a table with the name of a resource of own rows', 'notes: { schema: { type: object } }', /rows of its own/],
  ] as const;

  for (const [problem, resource, message] of WRONG)
    it(`is not opened for ${problem}, and nothing is created in it`, async (context) => {
      const database = sourceFile(context, TABLES);
      await assert.rejects(apiUnderTest(modelWith(resource), { database }), message);
      const file = loadDriver('node').open(database, { mode: 'read-only', timeout: 0 });
      const created = file.prepare("select count(*) as count from sqlite_schema where name like 'restwright%'").get();
      file.close();
      assert.deepEqual(created, { count: 0 });
    });

  it('is opened with a view that is only read', async (context) => {
    const database = sourceFile(context, TABLES);
    const view = 'cheap: { table: cheap, key: film_id, read_only: true, schema: { type: object } }';
    await using api = await apiUnderTest(modelWith(view), { database });
    await api.row({ send: 'GET /api/v1/cheap/1', status: 200 });
    await api.row({ send: 'DELETE /api/v1/cheap/1', status: 405 });
  });
});
