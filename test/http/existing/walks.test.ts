import { sqliteSource } from '../../stores/existing/source-file.ts';
import { WALKED_ROWS, walkSuite } from './walk-suite.ts';

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
create table part (a text, b int, c text, d int, primary key (a, b));
insert into part select coalesce(kind, 'n') || (id % 3), id, kind, id % 10 from entry where typeof(kind) <> 'blob';
`;

walkSuite('SQLite', () => sqliteSource(ROWS_SQL));
