import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest } from '../../pipeline/support/api-under-test.ts';
import { sourceFile } from '../../stores/existing/source-file.ts';
import { LOG_MODEL, WALKED_ROWS, walkPages, WALKS } from './walk-pages.ts';

/** Rows of which many have equal values, or none, or one of another type. */
const ROWS_SQL = `
create table entry (id integer primary key, kind text collate nocase, size int, at datetime not null);
insert into entry
with recursive n (i) as (select 1 union all select i + 1 from n where i < ${WALKED_ROWS})
select i,
  case i % 7 when 0 then null when 1 then 'a' when 2 then 'A' when 3 then x'ff' else 'k' || (i % 5) end,
  case i % 11 when 0 then null when 1 then 'text' when 2 then 1.5 else i % 13 end,
  datetime(1700000000 + i / 9, 'unixepoch') || case i % 2 when 0 then '.000001' else '' end
from n;
create index entry_kind on entry (kind);
create index entry_at on entry (at);
create table part (a text, b int, c text, primary key (a, b));
insert into part select coalesce(kind, 'n') || (id % 3), id, kind from entry where typeof(kind) <> 'blob';
`;

describe('a walk through the pages of a table that exists', () => {
  let api: ApiUnderTest;
  const closers: (() => void)[] = [];
  before(async () => {
    const file = sourceFile({ after: (close: () => void) => closers.push(close) }, ROWS_SQL);
    api = await apiUnderTest(LOG_MODEL, { readOnly: true, database: file });
  });
  after(async () => {
    await api.close();
    for (const close of closers) close();
  });

  for (const target of WALKS)
    it(`[PAGE-5] by ${target} repeats and skips no row, whatever its values`, async () => {
      const ids = await walkPages(api, target, 'next');
      assert.equal(ids.length, WALKED_ROWS);
      assert.equal(new Set(ids).size, WALKED_ROWS);
    });

  it('[PAGE-5] backward is the reverse of the walk forward', async () => {
    const forward = await walkPages(api, 'entries?sort=size&limit=900', 'next');
    const { body } = await api.send({ send: 'GET /api/v1/entries?sort=size&limit=900&include_total=true' });
    const backward = await walkPages(api, String(body.links.last).replace('/api/v1/', ''), 'prev');
    assert.deepEqual(backward.toReversed(), forward);
  });

  it('[PAGE-5] in the order of a key of several columns, and backward in it, repeats and skips no row', async () => {
    const forward = await walkPages(api, 'parts?limit=900', 'next');
    assert.equal(new Set(forward).size, forward.length);
    const descending = await walkPages(api, 'parts?sort=-id&limit=900', 'next');
    assert.deepEqual(descending.toReversed(), forward);
  });
});
