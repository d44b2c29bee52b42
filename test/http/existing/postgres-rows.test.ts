import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest } from '../../pipeline/support/api-under-test.ts';
import { type PostgresSource, postgresSource } from '../../stores/existing/postgres-source.ts';
import { listIds, walkPages } from './pages.ts';
import { policySuite } from './policy-suite.ts';
import { POSTGRES_ENTRIES, walkSuite } from './walk-suite.ts';

walkSuite('PostgreSQL', () => postgresSource(POSTGRES_ENTRIES));

policySuite('PostgreSQL', postgresSource);

/** Tables whose rows the database hides, and a foreign table with the lines that a program of the server writes. */
const HIDDEN_SQL = `
create extension file_fdw;
create table owner (id int primary key, name text not null);
create table note (id int primary key, owner_id int references owner, body text);
create table locked (id int primary key);
create server lines foreign data wrapper file_fdw;
create foreign table ward (id int not null, name text) server lines
  options (program $$printf '3,Cy\\n1,Ann\\n4,\\n2,Ben\\n'$$, format 'csv');
insert into owner values (1, 'reader'), (2, 'others');
insert into note select i, 1 + i % 2, 'note ' || i from generate_series(1, 40) as i;
insert into locked values (1);
alter table owner enable row level security;
alter table note enable row level security;
alter table locked enable row level security;
create policy own on owner to READER using (name = 'reader');
create policy even on note to READER using (id % 2 = 0 or id = 39);
grant select on all tables in schema public to READER;
`;

const HIDDEN_MODEL = `
name: hidden
resources:
  owners: { table: owner, schema: { type: object, properties: { name: { type: string } } } }
  notes:
    table: note
    search: [body]
    schema:
      type: object
      properties:
        owner_id: { type: string, x-references: { resource: owners, as: owner, inverse: notes } }
        body: { type: string }
  locked: { table: locked, schema: { type: object } }
  wards: { table: ward, key: id, schema: { type: object, properties: { name: { type: string } } } }
`;

describe('the rows of tables that exist in PostgreSQL', () => {
  let source: PostgresSource;
  let api: ApiUnderTest;
  before(async () => {
    source = await postgresSource(HIDDEN_SQL);
    api = await apiUnderTest(HIDDEN_MODEL, { readOnly: true, database: source.readerUrl });
  });
  after(async () => {
    await api.close();
    await source.close();
  });

  it('[AUTH-5b] are those that the row security of the database shows to the role', async () => {
    const seen = [
      '2',
      '4',
      '6',
      '8',
      '10',
      '12',
      '14',
      '16',
      '18',
      '20',
      '22',
      '24',
      '26',
      '28',
      '30',
      '32',
      '34',
      '36',
    ];
    assert.deepEqual(await walkPages(api, 'notes?limit=7', 'next'), [...seen, '38', '39', '40']);
    const { body } = await api.send({ send: 'GET /api/v1/notes?include_total=true&limit=1' });
    assert.equal(body.page.total_count, 21);
    await api.row({ send: 'GET /api/v1/notes/39', status: 200 });
    await api.row({ send: 'GET /api/v1/notes/37', status: 404 });
    assert.deepEqual(await listIds(api, 'notes?q=37'), []);
    // The owner of note 39 is hidden, and the notes of a shown one are those that are shown.
    assert.equal((await api.send({ send: 'GET /api/v1/notes/39?expand=owner' })).body.owner, null);
    assert.deepEqual(await listIds(api, 'notes?owner.name=others'), []);
    const { body: owner } = await api.send({ send: 'GET /api/v1/owners/1?expand=notes' });
    assert.equal(owner.notes.data[0].id, '2');
  });

  it('[AUTH-5b] are none, without an error, for a role that no policy names', async () => {
    for (const query of ['', '?limit=1', '?id[in]=1,2', '?sort=-id', '?page=1', '?include_total=true']) {
      const { body } = await api.row({ send: `GET /api/v1/locked${query}`, status: 200 });
      assert.deepEqual([body.data, body.page.count, body.page.total_count ?? 0], [[], 0, 0]);
    }
    await api.row({ send: 'GET /api/v1/locked/1', status: 404 });
  });

  it('[AUTH-5b] are others once the database has another policy, with another ETag', async () => {
    const { headers } = await api.row({ send: 'GET /api/v1/locked', status: 200 });
    const ifNoneMatch = { 'If-None-Match': headers.get('etag') ?? '' };
    await api.row({ send: 'GET /api/v1/locked', headers: ifNoneMatch, status: 304 });
    await source.change('create policy every on locked to READER using (true)');
    const { body } = await api.row({ send: 'GET /api/v1/locked', headers: ifNoneMatch, status: 200 });
    assert.equal(body.data.length, 1);
    await source.change('drop policy every on locked');
    await api.row({ send: 'GET /api/v1/locked/1', status: 404 });
  });

  it('[PAGE-5] are read from a foreign table, in the order of its key and of other columns', async () => {
    assert.deepEqual(await walkPages(api, 'wards?limit=3', 'next'), ['1', '2', '3', '4']);
    assert.deepEqual(await walkPages(api, 'wards?sort=-name&limit=1', 'next'), ['3', '2', '1', '4']);
    const { body, headers } = await api.row({ send: 'GET /api/v1/wards/2', status: 200, has: { name: 'Ben' } });
    assert.ok(Number.isSafeInteger(body.revision) && body.revision > 0);
    const ifNoneMatch = { 'If-None-Match': headers.get('etag') ?? '' };
    await api.row({ send: 'GET /api/v1/wards/2', headers: ifNoneMatch, status: 304 });
    await api.row({ send: 'GET /api/v1/wards/5', status: 404 });
  });
});
