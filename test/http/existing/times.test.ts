import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { type ApiUnderTest, apiUnderTest } from '../../pipeline/support/api-under-test.ts';
import type { ExistingSource } from '../../stores/existing/existing-source.ts';
import { sqliteSource } from '../../stores/existing/source-file.ts';
import { listIds, walkPages } from './pages.ts';

/** Times in each form in which a program writes them: with a space or `T`, with `Z` or without, as numbers. */
const VISITS = `
create table visit (
  visit_id integer primary key, spaced datetime, utc text, short text, whole text, seconds int, millis int
);
insert into visit values
  (1, '2024-01-01 00:00:00.123456', '2024-01-01T00:00:00.123456Z',
    '2024-01-01 00:00:00.123', '2024-01-01 00:00:00', 1704067200, 1704067200123),
  (2, '2024-01-01 00:00:00.123457', '2024-01-01T00:00:00.123457Z',
    '2024-01-01 00:00:00.124', '2024-01-01 00:00:01', 1704067201, 1704067200124);
`;

const VISITS_MODEL = `
name: visits
resources:
  visits:
    table: visit
    key: visit_id
    time_field: spaced
    schema:
      type: object
      properties:
        spaced: { type: string, format: date-time }
        utc: { type: string, format: date-time }
        short: { type: string, format: date-time }
        whole: { type: string, format: date-time }
        seconds: { type: string, format: date-time }
        millis: { type: string, format: date-time }
`;

async function open(context: TestContext): Promise<{ readonly api: ApiUnderTest; readonly source: ExistingSource }> {
  const source = sqliteSource(VISITS);
  const api = await apiUnderTest(VISITS_MODEL, { database: source.url });
  context.after(async () => {
    await api.close();
    await source.close();
  });
  return { api, source };
}

const [FIRST, SECOND] = ['2024-01-01T00:00:00.123456Z', '2024-01-01T00:00:00.123457Z'];

describe('the times of a table that exists in SQLite', () => {
  it('[REP-3] have six decimals where the text has microseconds', async (context) => {
    const { api } = await open(context);
    const midnight = '2024-01-01T00:00:00.000Z';
    const thousandth = '2024-01-01T00:00:00.123Z';
    await api.row({
      send: 'GET /api/v1/visits/1',
      status: 200,
      has: { spaced: FIRST, utc: FIRST, short: thousandth, whole: midnight, seconds: midnight, millis: thousandth },
    });
  });

  it('[QRY-7] are found by each value that a row shows', async (context) => {
    const { api } = await open(context);
    const { body } = await api.send({ send: 'GET /api/v1/visits/1' });
    for (const name of ['spaced', 'utc', 'short', 'whole', 'seconds', 'millis'])
      assert.deepEqual(await listIds(api, `visits?${name}=${body[name]}`), ['1'], name);
  });

  it('[QRY-7] are compared whole, also with times that the column does not hold', async (context) => {
    const { api } = await open(context);
    for (const name of ['spaced', 'utc']) {
      const queries: readonly (readonly [string, readonly string[]])[] = [
        [`${name}[ne]=${FIRST}`, ['2']],
        [`${name}[in]=${SECOND},2024-01-01T00:00:00Z`, ['2']],
        [`${name}[gt]=${FIRST}`, ['2']],
        [`${name}[lt]=${SECOND}`, ['1']],
        [`${name}[gte]=${FIRST}&${name}[lte]=${SECOND}`, ['1', '2']],
        [`${name}[gt]=${FIRST}&${name}[lt]=${SECOND}`, []],
        [`${name}=2024-01-01T00:00:00.123Z`, []],
      ];
      for (const [query, ids] of queries) assert.deepEqual(await listIds(api, `visits?${query}`), ids, query);
    }
    for (const [name, first] of [
      ['short', '2024-01-01T00:00:00.123Z'],
      ['millis', '2024-01-01T00:00:00.123Z'],
      ['seconds', '2024-01-01T00:00:00Z'],
    ] as const) {
      const finer = first.replace(/(\.123)?Z$/, '.123999Z');
      assert.deepEqual(await listIds(api, `visits?${name}=${finer}`), [], name);
      assert.deepEqual(await listIds(api, `visits?${name}[gte]=${finer}`), ['2'], name);
      assert.deepEqual(await listIds(api, `visits?${name}[lte]=${finer}`), ['1'], name);
    }
  });

  it('[REP-3] are found without the decimals after the sixth, which are cut off', async (context) => {
    const { api } = await open(context);
    assert.deepEqual(await listIds(api, 'visits?spaced=2024-01-01T00:00:00.1234569Z'), ['1']);
    await api.row({ send: 'GET /api/v1/visits?spaced=2024-01-01T00:00:00.Z', status: 400, has: {} });
  });

  it('[PAGE-7] are positions of pages, with their microseconds', async (context) => {
    const { api } = await open(context);
    const first = 'visits?after_timestamp=2000-01-01T00:00:00Z&after_id=0&limit=1';
    assert.deepEqual(await walkPages(api, first, 'next'), ['1', '2']);
    assert.deepEqual(await listIds(api, `visits?after_timestamp=${FIRST}&after_id=1`), ['2']);
    assert.deepEqual(await listIds(api, `visits?start_time=${FIRST}&before=${SECOND}`), ['1']);
    await api.row({ send: `GET /api/v1/visits?start_time=${SECOND}&before=${FIRST}`, status: 400, has: {} });
  });

  it('[MET-2] are read as they are written, in the form of the column', async (context) => {
    const { api, source } = await open(context);
    const time = '2025-06-07T08:09:10.654321Z';
    await api.row({
      send: 'PATCH /api/v1/visits/1',
      body: { spaced: time, utc: time, short: time, whole: time },
      status: 200,
      has: { spaced: time, utc: time, short: '2025-06-07T08:09:10.654Z', whole: '2025-06-07T08:09:10.000Z' },
      events: ['visit.updated'],
    });
    const stored = await source.list(`select concat_ws('|', spaced, utc, short, whole) from visit where visit_id = 1`);
    const wanted = ['2025-06-07 08:09:10.654321', '2025-06-07T08:09:10.654321Z', '2025-06-07 08:09:10.654'];
    assert.deepEqual(stored, [[...wanted, '2025-06-07 08:09:10'].join('|')]);
  });
});
