import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest } from '../../pipeline/support/api-under-test.ts';
import type { ExistingSource } from '../../stores/existing/existing-source.ts';
import { walkPages } from './pages.ts';

/** Rows of the table `entry`. */
export const WALKED_ROWS = 10_000;

/** Rows of which many have equal values, or none, in collations other than that of bytes, and microseconds. */
export const POSTGRES_ENTRIES = `
create collation caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
create collation english (provider = icu, locale = 'en');
create table entry (id int primary key, kind text collate caseless, size float8, at timestamptz not null);
insert into entry
select i,
  case i % 7 when 0 then null when 1 then 'a' when 2 then 'A' when 3 then 'ä' else 'k' || (i % 5) end,
  case i % 11 when 0 then null when 1 then 'NaN' when 2 then 1.5 when 3 then 'infinity' else i % 13 end,
  to_timestamp(1700000000 + i / 9) + case i % 2 when 0 then interval '1 microsecond' else interval '0' end
from generate_series(1, ${WALKED_ROWS}) as i;
create index entry_kind on entry (kind);
create index entry_at on entry (at);
create table part (a text collate english, b int, c text, d int, primary key (a, b));
insert into part select coalesce(kind, 'n') || (id % 3), id, kind, id % 10 from entry where id % 7 > 3 or id % 7 = 1;
`;

/** The model of a log whose tables are `entry` and `part`. */
const LOG_MODEL = `
name: log
limits: { page: { default: 100, max: 1000 } }
resources:
  entries:
    table: entry
    time_field: at
    indexes: [kind, at]
    schema: { type: object, properties: { kind: { type: string }, size: { type: integer }, at: { type: string, format: date-time } } }
  parts: { table: part, schema: { type: object, properties: { c: { type: string }, d: { type: integer } } } }
`;

/** The first pages of walks through all entries, by each technique. */
const WALKS = [
  'entries?limit=700',
  'entries?sort=kind&limit=700',
  'entries?sort=-kind&limit=700',
  'entries?sort=size,-kind&limit=700',
  'entries?sort=-size&limit=700',
  'entries?sort=-at&limit=700',
  'entries?last_id=0&limit=700',
  'entries?after_timestamp=2000-01-01T00:00:00Z&after_id=0&limit=700',
  'entries?start_time=2000-01-01T00:00:00Z&limit=700',
  'entries?page=1&sort=kind&limit=1000',
  'entries?offset=0&sort=size&limit=1000',
] as const;

/**
 * Tests walks through the pages of tables that exist.
 *
 * @param open creates a database with a table `entry` of {@link WALKED_ROWS} rows, and a table `part` with the key a, b
 */
export function walkSuite(database: string, open: () => ExistingSource | Promise<ExistingSource>): void {
  describe(`a walk through the pages of a table that exists in ${database}`, () => {
    let source: ExistingSource;
    let api: ApiUnderTest;
    before(async () => {
      source = await open();
      api = await apiUnderTest(LOG_MODEL, { readOnly: true, database: source.url });
    });
    after(async () => {
      await api.close();
      await source.close();
    });

    for (const target of WALKS)
      it(`[PAGE-5] by ${target} repeats and skips no row, whatever its values and its collation`, async () => {
        assert.equal((await walkPages(api, target, 'next')).length, WALKED_ROWS);
      });

    it('[PAGE-5] backward is the reverse of the walk forward', async () => {
      const forward = await walkPages(api, 'entries?sort=size&limit=900', 'next');
      const { body } = await api.send({ send: 'GET /api/v1/entries?sort=size&limit=900&include_total=true' });
      const backward = await walkPages(api, String(body.links.last).replace('/api/v1/', ''), 'prev');
      assert.deepEqual(backward.toReversed(), forward);
    });

    it('[PAGE-5] by another column than those of a key repeats and skips no row', async () => {
      const rows = await source.list('select count(*) from part');
      for (const sort of ['c', '-d']) {
        const ids = await walkPages(api, `parts?sort=${sort}&limit=900`, 'next');
        assert.deepEqual([ids.length], rows.map(Number));
      }
    });

    it('[PAGE-5] is in the order of a key of several columns, and backward in it', async () => {
      const forward = await walkPages(api, 'parts?limit=900', 'next');
      assert.deepEqual(forward, await source.list(`select a || ',' || b from part order by a, b`));
      const descending = await walkPages(api, 'parts?sort=-id&limit=900', 'next');
      assert.deepEqual(descending.toReversed(), forward);
    });
  });
}
