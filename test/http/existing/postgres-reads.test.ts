import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest } from '../../pipeline/support/api-under-test.ts';
import { CINEMA, CINEMA_MODEL, type PostgresSource, postgresSource } from '../../stores/existing/postgres-source.ts';
import { LOG_MODEL, WALKED_ROWS, walkPages, WALKS } from './walk-pages.ts';

/** Everything of the database that a statement could have created. */
const OBJECTS = `select format('%s.%s %s', n.nspname, c.relname, c.relkind) from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
union all select nspname::text from pg_namespace union all select oid::regprocedure::text from pg_proc order by 1`;

describe('the rows of a table that exists in PostgreSQL', () => {
  let source: PostgresSource;
  let api: ApiUnderTest;
  let objects: readonly unknown[];
  before(async () => {
    source = await postgresSource(CINEMA);
    objects = await source.list(OBJECTS);
    api = await apiUnderTest(CINEMA_MODEL, { readOnly: true, database: source.readerUrl });
  });
  after(async () => {
    await api.close();
    await source.close();
  });

  /** The ids of a page, in its order. */
  const listIds = async (target: string): Promise<readonly string[]> => {
    const { status, body, text } = await api.send({ send: `GET /api/v1/${target}` });
    assert.equal(status, 200, `${target}: ${text}`);
    return body.data.map(({ id }: { id: string }) => id);
  };

  it('[REP-1] have the fields of the model, of the types of the model, read with the right SELECT alone', async () => {
    const { body } = await api.row({ send: 'GET /api/v1/films/1', status: 200 });
    const { revision, links, ...fields } = body;
    assert.deepEqual([String(revision)], await source.list('select xmin::text from film where film_id = 1'));
    assert.deepEqual(links, {
      self: '/api/v1/films/1',
      collection: '/api/v1/films',
      customer: '/api/v1/customers/1',
    });
    assert.deepEqual(fields, {
      id: '1',
      title: 'Ämne 10',
      released: 2004,
      price: '0.99',
      customer_id: '1',
      rented: true,
      poster: 'AP8=',
      meta: { size: 3 },
      updated_at: '2004-01-02T03:04:05.000Z',
    });
  });

  it('[REP-3] are shown for every type', async () => {
    const { body } = await api.row({ send: 'GET /api/v1/kinds/9007199254740993', status: 200 });
    const { revision: _revision, links: _links, ...fields } = body;
    assert.deepEqual(fields, {
      id: '9007199254740993',
      words: ['a', 'b,c'],
      numbers: [1, 2],
      letters: 'Abc',
      padded: 'ab',
      folded: 'Mixed',
      yes: true,
      small: 7,
      big: '9007199254740993',
      exact: '1.5',
      single: 0.1,
      double: 1e300,
      day: '2004-02-29',
      hour: '23:59:59.5',
      zoned: '12:00:00+02',
      stamp: '2004-01-02T03:04:05.500Z',
      moment: '2004-01-02T03:04:05.123456Z',
      span: 'P1Y2DT3H',
      mark: '0b8e4c0e-6c1f-4d5c-9d3a-0123456789ab',
      bytes: '3q2+7w==',
      mood: 'NC-17',
      short: 'short',
      address: '10.0.0.1/24',
      net: '10.0.0.0/8',
      mac: '08:00:2b:01:02:03',
      cost: '$12.30',
      bits: '101',
      raw: { b: 1, a: [1.5] },
      bin: { b: 1 },
      attributes: { k: 'v' },
      period: '[1,5)',
      twins: '(1,two)',
    });
  });

  it('show a value that does not fit its type as null, which is reported once for its table', async () => {
    const { body } = await api.send({ send: 'GET /api/v1/kinds/2' });
    const { exact, single, double, day, stamp, moment, numbers, bin } = body;
    for (const value of [exact, single, double, day, stamp, moment, numbers, bin]) assert.equal(value, null);
    await api.send({ send: 'GET /api/v1/kinds' });
    const misfits = api.observations.filter(({ kind }) => kind === 'value-misfit');
    assert.deepEqual(misfits, [{ kind: 'value-misfit', table: 'kinds', column: 'numbers' }]);
  });

  it('[QRY-7] are filtered by each type, also by values that its columns cannot hold', async () => {
    const first = ['9007199254740993'];
    // Values that are shown as null are compared as they are stored: NaN is greater than all numbers.
    const both = ['2', ...first];
    const queries: readonly (readonly [string, readonly string[] | 400])[] = [
      ['words[contains]=b%2Cc', first],
      ['numbers[contains]=2', first],
      ['letters=Abc', first],
      ['letters=abc', []],
      ['letters[starts_with]=A', first],
      ['letters[contains]=b', first],
      ['padded=ab', first],
      ['padded=ab%20', []],
      ['folded=MIXED', first],
      ['folded[starts_with]=mix', []],
      ['yes=true', first],
      ['small=7', first],
      ['small=100000', []],
      ['small[lt]=100000', first],
      ['big=9007199254740993', first],
      ['big[gt]=99999999999999999999', 400],
      ['exact=1.5', first],
      ['exact[lt]=2', first],
      ['single=0.1', first],
      ['single[lt]=1e300', both],
      ['single[gt]=1e-300', both],
      ['double[gte]=1e300', both],
      ['day=2004-02-29', first],
      ['day=2004-02-30', 400],
      ['hour=23:59:59.5', first],
      ['hour=x', []],
      ['zoned=12:00:00%2B02', first],
      ['stamp=2004-01-02T03:04:05.5Z', first],
      ['moment[gt]=2004-01-02T03:04:05.123Z', first],
      ['moment[lt]=2004-01-02T03:04:05.124Z', both],
      ['span=P1Y2DT3H', first],
      ['mark=0b8e4c0e-6c1f-4d5c-9d3a-0123456789ab', first],
      ['mood=NC-17', first],
      ['mood[in]=G,NC-17', first],
      ['short=short', first],
      ['address=10.0.0.1/24', first],
      ['address=10.0.0', []],
      ['net=10.0.0.0/8', first],
      ['mac=08:00:2b:01:02:03', first],
      ['cost=$12.30', first],
      ['bits=101', first],
      ['bits=2', []],
      ['bin.b=1', first],
      ['period=%5B1,5)', first],
      ['twins=(1,two)', first],
      ['words[exists]=true', first],
      ['moment[exists]=false', []],
      ['letters[exists]=false', ['2']],
    ];
    const found: (readonly [string, unknown])[] = [];
    for (const [query] of queries) {
      const { status, body } = await api.send({ send: `GET /api/v1/kinds?${query}` });
      found.push([query, status === 200 ? body.data.map(({ id }: { id: string }) => id) : status]);
    }
    assert.deepEqual(found, queries);
  });

  for (const id of ['4', '01', '1.0', '+1', '1 ', 'x', '9223372036854775808', '2147483648'])
    it(`are 404 by ${JSON.stringify(id)}, which is the id of none`, async () => {
      await api.row({ send: `GET /api/v1/films/${encodeURIComponent(id)}`, status: 404 });
    });

  it('[URL-3] are found by keys of several columns, of each type, in tables with any name, and in views', async () => {
    assert.deepEqual(await listIds('order-lines'), ['a\\\\b,2', 'x\\,y,1', 'x\\,y,2']);
    assert.deepEqual(await listIds('odds'), ['0b8e4c0e-6c1f-4d5c-9d3a-111111111111']);
    assert.deepEqual(await listIds('tags'), ['0', 'ä/b']);
    assert.deepEqual(await listIds('logs'), ['one', 'two']);
    assert.deepEqual(await listIds('cheap-films'), ['1', '3']);
    assert.deepEqual(await listIds('totals'), ['1', '2']);
    assert.deepEqual(await listIds('parts'), ['1,2019-01-01', '1,2021-01-01', '2,2021-01-01']);
    for (const self of [
      'order-lines/x%5C%2Cy%2C2',
      'order-lines/a%5C%5Cb%2C2',
      'odds/0b8e4c0e-6c1f-4d5c-9d3a-111111111111',
      'tags/%C3%A4%2Fb',
      'cheap-films/3',
      'totals/2',
      'parts/1%2C2021-01-01',
    ])
      await api.row({ send: `GET /api/v1/${self}`, status: 200, has: {} });
    for (const self of ['order-lines/x%5C%2Cy', 'order-lines/x%2Cy%2C1', 'tags/0%20', 'odds/x', 'parts/1%2C2021-02-31'])
      await api.row({ send: `GET /api/v1/${self}`, status: 404 });
  });

  it('have a number of their transaction as the revision, or in views a digest of what is shown', async () => {
    for (const target of ['parts/1%2C2019-01-01', 'cheap-films/1', 'totals/1']) {
      const { body } = await api.send({ send: `GET /api/v1/${target}` });
      assert.ok(Number.isSafeInteger(body.revision) && body.revision > 0, target);
    }
  });

  it('are filtered, sorted, searched and expanded', async () => {
    const queries: readonly (readonly [string, readonly string[]])[] = [
      ['films?released=2004', ['1']],
      ['films?price[lt]=0.99', ['3']],
      ['films?price=0.990', ['1']],
      ['films?rented=true', ['1']],
      ['films?customer_id=2', ['2']],
      ['films?customer_id[in]=1,2,x', ['1', '2']],
      ['films?customer.name=BOB', ['2']],
      ['films?updated_at[gte]=2005-01-01T00:00:00Z', ['3']],
      ['films?updated_at[gte]=2005-01-01T00:00:00Z&updated_at[lt]=2006-01-01T00:00:00Z', ['3']],
      ['films?meta.size=3', ['1']],
      ['films?id[in]=3,1,x', ['1', '3']],
      ['films?title[starts_with]=%C3%84mne%201', ['1']],
      ['films?sort=title', ['2', '1', '3']],
      ['films?sort=-price,title', ['2', '1', '3']],
      ['films?sort=-id', ['3', '2', '1']],
      ['films?q=amne', ['1', '2']],
      ['films?q=%C3%A4mn%2010', ['1']],
      ['films?q=mne', []],
      ['order-lines?sort=-id', ['x\\,y,2', 'x\\,y,1', 'a\\\\b,2']],
    ];
    for (const [target, ids] of queries) assert.deepEqual(await listIds(target), ids, target);
    const { body } = await api.send({ send: 'GET /api/v1/films/2?expand=customer' });
    assert.equal(body.customer.name, 'bob');
    const { body: page } = await api.send({ send: 'GET /api/v1/films?expand=customer&sort=id' });
    assert.deepEqual(
      page.data.map(({ customer }: { customer: { name: string } | null }) => customer?.name ?? null),
      ['Ann', 'bob', null],
    );
    const { body: owner } = await api.send({ send: 'GET /api/v1/customers/1?expand=films' });
    assert.deepEqual(
      owner.films.data.map(({ id }: { id: string }) => id),
      ['1'],
    );
  });

  it('[CACHE-2] have ETags of their content, and a 304 for as long as nothing changes', async () => {
    for (const target of ['films/1', 'films', 'customers/1', 'films/1?expand=customer', 'films?expand=customer']) {
      for (let count = 0; count < 3; count += 1) {
        const first = await api.send({ send: `GET /api/v1/${target}` });
        const etag = first.headers.get('etag') ?? '';
        await api.row({ send: `GET /api/v1/${target}`, headers: { 'If-None-Match': etag }, status: 304 });
      }
    }
  });

  it('are seen as another program has written them, by the next request', async () => {
    const read = async (target: string, etag = ''): ReturnType<typeof api.send> =>
      api.send({ send: `GET /api/v1/${target}`, headers: etag === '' ? {} : { 'If-None-Match': etag } });
    // The third read would be served from a cache.
    for (let count = 0; count < 3; count += 1) await Promise.all([read('customers/1'), read('customers')]);
    const [item, page] = [await read('customers/1'), await read('customers')];
    await source.change(`update customer set name = 'New' where id = 1; insert into customer values (9, 'z')`);
    const later = await read('customers/1', item.headers.get('etag') ?? '');
    assert.deepEqual([later.status, later.body.name], [200, 'New']);
    assert.notEqual(later.body.revision, item.body.revision);
    const others = await read('customers', page.headers.get('etag') ?? '');
    assert.deepEqual(
      others.body.data.map(({ id }: { id: string }) => id),
      ['1', '2', '9'],
    );
    await source.change(`update customer set name = 'Ann' where id = 1; delete from customer where id = 9`);
    assert.equal((await read('customers/9')).status, 404);
  });

  it('[MET-1] are not written: 405 with Allow', async () => {
    for (const method of ['POST', 'PATCH', 'PUT', 'DELETE']) {
      const target = method === 'POST' ? '' : '/1';
      const allowed = method === 'POST' ? 'GET, HEAD, QUERY, OPTIONS' : 'GET, HEAD, OPTIONS';
      const expectHeaders = { Allow: allowed };
      await api.row({ send: `${method} /api/v1/films${target}`, body: {}, status: 405, expectHeaders });
    }
  });

  it('[OPS-7d] are 503 while a table, a column or a right is missing, and are read again once it is there', async () => {
    const changes: readonly (readonly [string, string])[] = [
      ['alter table customer rename column name to title', 'alter table customer rename column title to name'],
      ['alter table customer rename to client', 'alter table client rename to customer'],
      ['revoke select on customer from READER', 'grant select on customer to READER'],
    ];
    for (const [change, back] of changes) {
      await source.change(change);
      for (const target of ['customers/1', 'customers', 'films?customer.name=bob', 'films?expand=customer&q=amne'])
        await api.row({ send: `GET /api/v1/${target}`, status: 503 });
      await source.change(back);
      await api.row({ send: 'GET /api/v1/customers/1', status: 200, has: { name: 'Ann' } });
    }
  });

  it('leave the database as it was: no schema, view or function is created', async () => {
    assert.deepEqual(await source.list(OBJECTS), objects);
    assert.deepEqual(await source.list(`select locktype from pg_locks where locktype = 'advisory'`), []);
  });

  it('are read by the start with what cursors depend on, and are ready', async () => {
    assert.ok(api.observations.some(({ kind }) => kind === 'temporary-secret'));
    await api.row({ send: 'GET /readyz', status: 200, has: {} });
  });
});

/** Rows of which many have equal values, or none, in collations other than that of bytes, and microseconds. */
const ROWS_SQL = `
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
create table part (a text collate english, b int, c text, primary key (a, b));
insert into part select coalesce(kind, 'n') || (id % 3), id, kind from entry where id % 7 > 3 or id % 7 = 1;
`;

describe('a walk through the pages of a table that exists in PostgreSQL', () => {
  let source: PostgresSource;
  let api: ApiUnderTest;
  before(async () => {
    source = await postgresSource(ROWS_SQL);
    api = await apiUnderTest(LOG_MODEL, { readOnly: true, database: source.url });
  });
  after(async () => {
    await api.close();
    await source.close();
  });

  for (const target of WALKS)
    it(`[PAGE-5] by ${target} repeats and skips no row, whatever its values and its collation`, async () => {
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
    const ids = await source.list(`select a || ',' || b from part order by a, b`);
    assert.deepEqual(forward, ids);
    const descending = await walkPages(api, 'parts?sort=-id&limit=900', 'next');
    assert.deepEqual(descending.toReversed(), forward);
  });
});
