import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest, type Seen } from '../../pipeline/support/api-under-test.ts';
import { type PostgresSource, postgresSource } from '../../stores/existing/postgres-source.ts';

/** Tables that triggers watch as well as they can, and every way past them. */
const SALES = `
create type rating as enum ('G', 'R');
create table maker (id int primary key);
create table film (id int primary key, title text, mood rating, maker int references maker on delete cascade, sold int not null default 0);
create table parted (id int primary key, note text) partition by range (id);
create table parted_low partition of parted for values from (0) to (10);
create table parted_high partition of parted for values from (10) to (20);
create table spare (id int not null, note text);
create function ignore() returns trigger language plpgsql as $$ begin return null; end $$;
create trigger watched after insert or update or delete on film for each row execute function ignore();
insert into maker values (1), (2);
insert into film values (1, 'One', 'G', 1), (2, 'Two', 'R', 2), (3, 'Three', 'R', null);
insert into parted values (1, 'low'), (11, 'high');
insert into spare values (21, 'spare');
create view clock as select 1 as id, clock_timestamp()::text as at;
grant select on all tables in schema public to READER;
`;

const SALES_MODEL = `
name: sales
resources:
  films:
    table: film
    columns: { maker_id: maker }
    schema:
      type: object
      properties:
        title: { type: string }
        mood: { type: string }
        maker_id: { type: string, x-references: { resource: makers, inverse: films } }
  makers: { table: maker, schema: { type: object } }
  parts: { table: parted, schema: { type: object, properties: { note: { type: string } } } }
  clocks: { table: clock, key: id, schema: { type: object, properties: { at: { type: string } } } }
`;

/** Changes of other programs, with a read that each of them changes. */
const CHANGES: readonly (readonly [string, string, string])[] = [
  ['an update', 'films/1', `update film set title = 'New' where id = 1`],
  ['an update that changes no value, but the revision', 'films/1', 'update film set title = title where id = 1'],
  ['an update of a column that the model does not name', 'films/1', 'update film set sold = sold + 1 where id = 1'],
  ['an insertion', 'films', `insert into film values (4, 'Four', 'G')`],
  [
    'an update while triggers are disabled',
    'films',
    `alter table film disable trigger all; update film set title = 'Unseen' where id = 2; alter table film enable trigger all`,
  ],
  [
    'an update of a session that replicates',
    'films/2',
    `set session_replication_role = replica; update film set title = 'Replica' where id = 2; reset session_replication_role`,
  ],
  ['a cascade of another table', 'films', 'delete from maker where id = 2'],
  ['a value of a type that has another name', 'films', `alter type rating rename value 'G' to 'ALL'`],
  ['a type of a column', 'films?fields=title', 'alter table film alter column title type text using upper(title)'],
  ['a related row, for a page with expansions', 'films?expand=maker', 'update maker set id = id'],
  ['TRUNCATE of a partition', 'parts', 'truncate parted_low'],
  ['a partition that is detached', 'parts', 'alter table parted detach partition parted_high'],
  ['a partition that is attached', 'parts', 'alter table parted attach partition spare for values from (20) to (30)'],
  ['a policy', 'parts', 'alter table parted enable row level security'],
  ['TRUNCATE', 'films', 'truncate film'],
];

describe('pages of tables that exist in PostgreSQL, from memory', () => {
  let source: PostgresSource;
  let api: ApiUnderTest;
  before(async () => {
    source = await postgresSource(SALES);
    api = await apiUnderTest(SALES_MODEL, { readOnly: true, database: source.readerUrl });
  });
  after(async () => {
    await api.close();
    await source.close();
  });

  const read = async (target: string, etag = ''): Promise<Seen> =>
    api.send({ send: `GET /api/v1/${target}`, headers: etag === '' ? {} : { 'If-None-Match': etag } });

  /** Reads until a page is cached: the first read finds the snapshot, the next two admit the page. */
  const readOften = async (target: string): Promise<Seen> => {
    for (let count = 0; count < 4; count += 1) await read(target);
    return read(target);
  };

  it('[CACHE-2] are answered without the table while nothing is committed', async () => {
    const targets = ['films', 'films?expand=maker', 'films?title[starts_with]=T'];
    const known: Seen[] = [];
    for (const target of targets) known.push(await readOften(target));
    const locked = await source.lock('lock table film in access exclusive mode');
    try {
      for (const [at, target] of targets.entries()) {
        const etag = known[at]?.headers.get('etag') ?? '';
        const again = await read(target);
        assert.deepEqual([again.status, again.text], [200, known[at]?.text], target);
        assert.equal(again.headers.get('etag'), etag);
        assert.equal((await read(target, etag)).status, 304, target);
      }
    } finally {
      await locked.release();
    }
  });

  it('[CACHE-2] keep the ETags of their pages past commits to other tables', async () => {
    const etag = (await readOften('films')).headers.get('etag') ?? '';
    await source.change('insert into spare values (22)');
    for (let count = 0; count < 5; count += 1) assert.equal((await read('films', etag)).status, 304);
  });

  it('[OPS-5] show a transaction of another program once it is committed, however long it was open', async () => {
    const open = await source.lock(`update film set title = 'Late' where id = 3`);
    await source.change('update maker set id = id');
    const early = [await readOften('films/3'), await readOften('films')];
    await open.release();
    for (const [at, target] of ['films/3', 'films'].entries()) {
      const late = await read(target, early[at]?.headers.get('etag') ?? '');
      assert.equal(late.status, 200, target);
      assert.match(late.text, /Late/);
    }
  });

  for (const [title, target, change] of CHANGES)
    it(`[OPS-5] show ${title}, with the next request`, async () => {
      const known = await readOften(target);
      assert.equal(known.status, 200);
      await source.change(change);
      const later = await read(target, known.headers.get('etag') ?? '');
      assert.equal(later.status, 200);
      assert.notEqual(later.text, known.text);
      assert.equal((await read(target)).text, later.text);
    });

  it('[CACHE-2] ask a view each time, which may be another one without a commit', async () => {
    const seen = new Set<string>();
    for (let count = 0; count < 5; count += 1) seen.add((await read('clocks')).text);
    assert.equal(seen.size, 5);
  });

  it('[OPS-7d] are 503 once a right is missing', async () => {
    await readOften('makers');
    await source.change('revoke select on maker from READER');
    assert.equal((await read('makers')).status, 503);
  });
});
