import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest } from '../../pipeline/support/api-under-test.ts';
import { type PostgresSource, postgresSource } from '../../stores/existing/postgres-source.ts';
import { assertReadOnly, listIds, walkPages } from './pages.ts';

/** Rows of each table, of which every third one is there three times. */
const ROWS = 300;

/** Tables without any key: one with each kind of value that has no order, one with partitions, one with heirs. */
const TABLES = `
create table visit (
  digest text, at timestamptz, span interval, place point, document xml, settings json, amount money, bytes bytea, size float8, note text
);
insert into visit select 'd' || n / 3, to_timestamp(1700000000) + make_interval(mins => n / 3), make_interval(days => n / 3),
  point(n / 3, 1), '<a/>'::xml, json_build_object('n', n / 3), (n / 3)::text::money, '\\x00ff'::bytea, 0.1 + n / 3,
  case n % 6 when 0 then null when 1 then '' else 'x' end
  from generate_series(0, ${ROWS - 1}) as n;
create table reading (day date not null, value int) partition by range (day);
create table reading_1 partition of reading for values from ('2024-01-01') to ('2025-01-01');
create table reading_2 partition of reading for values from ('2025-01-01') to ('2026-01-01');
insert into reading select date '2024-12-01' + (n % 60), 1 from generate_series(0, ${ROWS - 1}) as n;
create table note (text text);
create table old_note () inherits (note);
insert into note select 'same' from generate_series(1, 20);
insert into old_note select 'same' from generate_series(1, 20);
create extension file_fdw;
create server files foreign data wrapper file_fdw;
create table spread (day date, value int) partition by range (day);
create foreign table spread_1 partition of spread for values from ('2024-01-01') to ('2025-01-01') server files options (filename '/dev/null');
grant select on spread to READER;
create table partly (shown text, hidden text);
grant select on visit, reading, note to READER;
grant select (shown) on partly to READER;
`;

const MODEL = `
name: logs
limits: { rate: false, page: { default: 7, max: 100 } }
resources:
  visits:
    table: visit
    read_only: true
    indexes: [note, size]
    search: [note]
    schema:
      type: object
      properties:
        digest: { type: string }
        at: { type: string, format: date-time }
        size: { type: number }
        settings: { type: json }
        note: { type: string }
  readings: { table: reading, read_only: true, schema: { type: object, properties: { day: { type: string }, value: { type: integer } } } }
  notes: { table: note, read_only: true, schema: { type: object, properties: { text: { type: string } } } }
`;

describe('the rows of a table of PostgreSQL without any key', () => {
  let source: PostgresSource;
  let api: ApiUnderTest;
  before(async () => {
    source = await postgresSource(TABLES);
    api = await apiUnderTest(MODEL, { readOnly: true, database: source.readerUrl });
  });
  after(async () => {
    await api.close();
    await source.close();
  });

  it('[OPS-9d] are each shown once by a walk through all pages, also those that are equal', async () => {
    for (const [name, count] of [
      ['visits', ROWS],
      ['readings', ROWS],
      ['notes', 40],
    ] as const) {
      const forward = await walkPages(api, name, 'next');
      assert.equal(forward.length, count, name);
    }
    for (const sort of ['note', '-size', 'note,-size']) {
      const ids = await walkPages(api, `visits?sort=${sort}`, 'next');
      assert.equal(ids.length, ROWS, sort);
    }
    assert.equal((await walkPages(api, 'visits?note=x', 'next')).length, ROWS * (4 / 6));
    assert.equal((await walkPages(api, 'visits?q=x', 'next')).length, ROWS * (4 / 6));
  });

  it('[OPS-9d] have a URL, which leads to the row until that is changed', async () => {
    const [id = ''] = await listIds(api, 'visits?note=x&limit=1');
    assert.match(id, /^[0-9a-f]{32}-\d+-\d+-\d+$/);
    const { body } = await api.row({ send: `GET /api/v1/visits/${id}`, status: 200 });
    assert.equal(body.links.self, `/api/v1/visits/${id}`);
    await source.change(`update visit set note = 'changed' where digest = '${body.digest}'`);
    await api.row({ send: `GET /api/v1/visits/${id}`, status: 404 });
    await source.change(`update visit set note = 'x' where digest = '${body.digest}'`);
    await api.row({ send: 'GET /api/v1/visits/none', status: 404 });
  });

  it('[OPS-9d] have the same ids whatever the settings of the database are', async () => {
    const ids = await listIds(api, 'visits?limit=20');
    const database = new URL(source.url).pathname.slice(1);
    for (const setting of [
      `timezone = 'Asia/Tokyo'`,
      `datestyle = 'German'`,
      `intervalstyle = 'sql_standard'`,
      `bytea_output = 'escape'`,
      'extra_float_digits = 0',
    ])
      await source.change(`alter database "${database}" set ${setting}`);
    await using other = await apiUnderTest(MODEL, { readOnly: true, database: source.readerUrl });
    assert.deepEqual(await listIds(other, 'visits?limit=20'), ids);
  });

  it('[OPS-9d] say nothing of columns that not every reader sees', async () => {
    const hidden = MODEL.replace('        note: { type: string }\n', '').replaceAll(
      /^ {4}(?:indexes|search): .*\n/gm,
      '',
    );
    await using other = await apiUnderTest(hidden, { readOnly: true, database: source.readerUrl });
    const read = async () => listIds(other, 'visits?limit=100');
    const digests = (ids: readonly string[]): readonly string[] => ids.map((id) => id.slice(0, 32)).toSorted();
    const first = await read();
    await source.change(`update visit set note = note || '!', bytes = '\\x01' where note is not null`);
    const second = await read();
    assert.notDeepEqual(second, first);
    assert.deepEqual(digests(second), digests(first));
    await source.change(`update visit set note = left(note, -1) where note is not null`);
  });

  it('[MET-1] are only read', async () => {
    const [id = ''] = await listIds(api, 'notes?limit=1');
    await assertReadOnly(api, 'notes', id);
  });

  it('[CACHE-1] are not modified until they change, or are new', async () => {
    const { headers } = await api.send({ send: 'GET /api/v1/notes?limit=100' });
    const etag = headers.get('etag') ?? assert.fail();
    await api.row({ send: 'GET /api/v1/notes?limit=100', headers: { 'If-None-Match': etag }, status: 304 });
    await source.change(`insert into note values ('same')`);
    await api.row({ send: 'GET /api/v1/notes?limit=100', headers: { 'If-None-Match': etag }, status: 200 });
    assert.equal((await walkPages(api, 'notes', 'next')).length, 41);
  });

  it('[OPS-9d] are not written without a key, and need all columns', async () => {
    const writable = MODEL.replaceAll('    read_only: true\n', '');
    await assert.rejects(
      apiUnderTest(writable, { database: source.url }),
      /visits: visit has no primary key; name one with key, or set read_only: true/,
    );
    const spread = MODEL.replace('table: reading,', 'table: spread,');
    await assert.rejects(
      apiUnderTest(spread, { readOnly: true, database: source.readerUrl }),
      /readings: spread has no primary key; name one with key/,
    );
    const partly = `
name: logs
resources:
  parts: { table: partly, read_only: true, schema: { type: object, properties: { shown: { type: string } } } }
`;
    await assert.rejects(
      apiUnderTest(partly, { readOnly: true, database: source.readerUrl }),
      /parts: partly has no primary key; name one with key/,
    );
  });
});
