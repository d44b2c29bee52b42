import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest } from '../../pipeline/support/api-under-test.ts';
import { CINEMA, CINEMA_MODEL, type PostgresSource, postgresSource } from '../../stores/existing/postgres-source.ts';
import { assertReadOnly, listIds } from './pages.ts';

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
      ['numbers[contains]=2', both],
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
      ['moment=2004-01-02T03:04:05.123456Z', first],
      ['moment=2004-01-02T04:04:05.1234569%2B01:00', first],
      ['moment=2004-01-02T03:04:05.123Z', []],
      ['moment[ne]=2004-01-02T03:04:05.123456Z', ['2']],
      ['moment[in]=2004-01-02T03:04:05Z,2004-01-02T03:04:05.123456Z', first],
      ['moment[gt]=2004-01-02T03:04:05.123Z', first],
      ['moment[gte]=2004-01-02T03:04:05.123456Z&moment[lt]=2004-01-02T03:04:05.123457Z', first],
      ['moment[gt]=2004-01-02T03:04:05.123456Z&moment[lt]=2004-01-02T03:04:05.124Z', []],
      ['moment[lt]=2004-01-02T03:04:05.123456Z&moment[gt]=2004-01-02T03:04:05.123Z', []],
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

  it('[REP-3] are shown with the items of arrays that are NULL, and no array with an item that does not fit', async () => {
    const { body } = await api.row({ send: 'GET /api/v1/lists/1', status: 200 });
    const { id: _id, revision: _revision, links: _links, ...fields } = body;
    assert.deepEqual(fields, {
      words: ['a', null, 'b,c'],
      shorts: ['a', null],
      folded: ['Mixed'],
      padded: ['ab'],
      moods: ['NC-17', null],
      marks: ['0b8e4c0e-6c1f-4d5c-9d3a-0123456789ab'],
      periods: ['[1,5)', null],
      numbers: [1, null],
      longs: ['9007199254740993'],
      exacts: ['1.50', null],
      singles: [0.1],
      flags: [true, null],
      days: ['2004-02-29', null],
      stamps: ['2004-01-02T03:04:05.500Z'],
      moments: ['2004-01-02T03:04:05.000Z', null, '2004-01-02T01:04:05.123456Z'],
    });
    const { words, shorts, numbers, exacts, days } = (await api.send({ send: 'GET /api/v1/lists/2' })).body;
    assert.deepEqual([words, shorts, numbers, exacts, days], [[], null, null, null, null]);
  });

  it('[QRY-7] are filtered by the items of arrays of each type, as the database compares them', async () => {
    const queries: readonly (readonly [string, readonly string[]])[] = [
      ['words[contains]=b%2Cc', ['1']],
      ['words[contains]=A', []],
      ['words[exists]=true', ['1']],
      ['shorts[contains]=a', ['1']],
      ['shorts[contains]=more%20than%20twenty%20characters', []],
      ['folded[contains]=MIXED', ['1']],
      ['padded[contains]=ab', ['1']],
      ['moods[contains]=NC-17', ['1']],
      ['marks[contains]=0B8E4C0E-6C1F-4D5C-9D3A-0123456789AB', ['1']],
      ['periods[contains]=%5B1,5)', ['1']],
      ['numbers[contains]=1', ['1', '2']],
      ['numbers[contains]=100000000000', []],
      ['longs[contains]=9007199254740993', ['1']],
      ['exacts[contains]=1.5', ['1']],
      ['singles[contains]=0.1', ['1']],
      ['flags[contains]=true', ['1']],
      ['days[contains]=2004-02-29', ['1']],
      ['stamps[contains]=2004-01-02T03:04:05.5Z', ['1']],
      ['moments[contains]=2004-01-02T04:04:05%2B01:00', ['1']],
      ['moments[contains]=2004-01-02T01:04:05.123456Z', ['1']],
      ['moments[contains]=2004-01-02T03:04:06Z', []],
    ];
    for (const [query, ids] of queries) assert.deepEqual(await listIds(api, `lists?${query}`), ids, query);
  });

  for (const id of ['4', '01', '1.0', '+1', '1 ', 'x', '9223372036854775808', '2147483648'])
    it(`are 404 by ${JSON.stringify(id)}, which is the id of none`, async () => {
      await api.row({ send: `GET /api/v1/films/${encodeURIComponent(id)}`, status: 404 });
    });

  it('[URL-3] are found by keys of several columns, of each type, in tables with any name, and in views', async () => {
    assert.deepEqual(await listIds(api, 'order-lines'), ['a\\\\b,2', 'x\\,y,1', 'x\\,y,2']);
    assert.deepEqual(await listIds(api, 'odds'), ['0b8e4c0e-6c1f-4d5c-9d3a-111111111111']);
    assert.deepEqual(await listIds(api, 'tags'), ['0', 'ä/b']);
    assert.deepEqual(await listIds(api, 'logs'), ['one', 'two']);
    assert.deepEqual(await listIds(api, 'cheap-films'), ['1', '3']);
    assert.deepEqual(await listIds(api, 'totals'), ['1', '2']);
    assert.deepEqual(await listIds(api, 'parts'), ['1,2019-01-01', '1,2021-01-01', '2,2021-01-01']);
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
    for (const [target, ids] of queries) assert.deepEqual(await listIds(api, target), ids, target);
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

  it('[MET-1] are not written: 405 with Allow, also in a batch', async () => {
    await assertReadOnly(api, 'films', '1');
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

  it('[OPS-9a] leave the database as it was: no schema, view or function is created', async () => {
    assert.deepEqual(await source.list(OBJECTS), objects);
    assert.deepEqual(await source.list(`select locktype from pg_locks where locktype = 'advisory'`), []);
  });

  it('are read by the start with what cursors depend on, and are ready', async () => {
    assert.ok(api.observations.some(({ kind }) => kind === 'temporary-secret'));
    await api.row({ send: 'GET /readyz', status: 200, has: {} });
  });
});
