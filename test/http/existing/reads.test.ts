import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { type ApiUnderTest, apiUnderTest } from '../../pipeline/support/api-under-test.ts';
import { SHOP, SHOP_MODEL, sourceFile } from '../../stores/existing/source-file.ts';
import { assertReadOnly, listIds } from './pages.ts';

async function open(context: TestContext): Promise<ApiUnderTest> {
  const api = await apiUnderTest(SHOP_MODEL, { readOnly: true, database: sourceFile(context, SHOP) });
  context.after(() => api.close());
  return api;
}

describe('the rows of a table that exists', () => {
  it('[REP-1] have the fields of the model, of the types of the model', async (context) => {
    const api = await open(context);
    const { body } = await api.row({ send: 'GET /api/v1/films/1', status: 200 });
    const { revision, links, ...fields } = body;
    assert.ok(Number.isSafeInteger(revision));
    assert.deepEqual(links, {
      self: '/api/v1/films/1',
      collection: '/api/v1/films',
      customer: '/api/v1/customers/1',
    });
    assert.deepEqual(fields, {
      id: '1',
      title: 'Ämne',
      released: 2004,
      price: '0.99',
      customer_id: '1',
      rented: true,
      poster: 'AP8=',
      meta: { size: 3 },
      updated_at: '2004-01-02T03:04:05.000Z',
    });
  });

  it('show a value that does not fit its type as null, which is reported once for its table', async (context) => {
    const api = await open(context);
    const { body } = await api.send({ send: 'GET /api/v1/films/2' });
    assert.deepEqual([body.released, body.meta, body.updated_at], [null, null, null]);
    await api.send({ send: 'GET /api/v1/films' });
    const misfits = api.observations.filter(({ kind }) => kind === 'value-misfit');
    assert.deepEqual(misfits, [{ kind: 'value-misfit', table: 'film', column: 'Release Year' }]);
  });

  for (const id of ['4', '01', '1.0', '+1', '1 ', 'x', '9223372036854775808'])
    it(`are 404 by ${JSON.stringify(id)}, which is the id of none`, async (context) => {
      const api = await open(context);
      await api.row({ send: `GET /api/v1/films/${encodeURIComponent(id)}`, status: 404 });
    });

  it('[URL-3] are found by keys of several columns, of text, and by the rowid', async (context) => {
    const api = await open(context);
    assert.deepEqual(await listIds(api, 'orders'), ['a\\\\b,2', 'x\\,y,1', 'x\\,y,2']);
    assert.deepEqual(await listIds(api, 'tags'), ['0', 'ä/b']);
    assert.deepEqual(await listIds(api, 'lines'), ['1', '2']);
    assert.deepEqual(await listIds(api, 'cheap-films'), ['1', '3']);
    for (const self of ['orders/x%5C%2Cy%2C2', 'orders/a%5C%5Cb%2C2', 'tags/%C3%A4%2Fb', 'lines/2', 'cheap-films/3'])
      await api.row({ send: `GET /api/v1/${self}`, status: 200, has: {} });
    for (const self of ['orders/x%5C%2Cy', 'orders/x%2Cy%2C1', 'orders/x%5C', 'cheap-films/2'])
      await api.row({ send: `GET /api/v1/${self}`, status: 404 });
  });

  it('are filtered, sorted, searched and expanded', async (context) => {
    const api = await open(context);
    const queries: readonly (readonly [string, readonly string[]])[] = [
      ['films?released=2004', ['1']],
      ['films?price[lt]=0.99', ['3']],
      ['films?price=0.990', ['1']],
      ['films?rented=true', ['1']],
      ['films?customer_id=2', ['2']],
      ['films?customer.name=BOB', ['2']],
      ['films?updated_at[gte]=2005-01-01T00:00:00Z', ['3']],
      ['films?meta.size=3', ['1']],
      ['films?id[in]=3,1,x', ['1', '3']],
      ['films?sort=-price,title', ['2', '1', '3']],
      ['films?sort=-id', ['3', '2', '1']],
      ['films?q=%C3%A4m', ['1']],
      ['orders?sort=-id', ['x\\,y,2', 'x\\,y,1', 'a\\\\b,2']],
    ];
    for (const [target, ids] of queries) assert.deepEqual(await listIds(api, target), ids, target);
    const { body } = await api.send({ send: 'GET /api/v1/films/2?expand=customer' });
    assert.equal(body.customer.name, 'bob');
    const { body: owner } = await api.send({ send: 'GET /api/v1/customers/1?expand=films' });
    assert.deepEqual(
      owner.films.data.map(({ id }: { id: string }) => id),
      ['1'],
    );
  });

  it('[CACHE-2] have ETags, a 304, and Last-Modified where a time has a column', async (context) => {
    const api = await open(context);
    for (const target of ['films/1', 'films', 'customers/1']) {
      const first = await api.send({ send: `GET /api/v1/${target}` });
      const etag = first.headers.get('etag') ?? '';
      await api.row({ send: `GET /api/v1/${target}`, headers: { 'If-None-Match': etag }, status: 304 });
    }
    api.clock.advance(60_000);
    await api.row({ send: 'GET /api/v1/films/1', status: 200, expectHeaders: { 'Last-Modified': /GMT$/ } });
    for (const target of ['films/2', 'customers/1'])
      await api.row({ send: `GET /api/v1/${target}`, status: 200, expectHeaders: { 'Last-Modified': null } });
  });

  it('are written as CSV, NDJSON and XML', async (context) => {
    const api = await open(context);
    const get = async (type: string): Promise<string> =>
      (await api.send({ send: 'GET /api/v1/customers', headers: { Accept: type } })).text;
    assert.match(await get('text/csv'), /^id,name,revision\r\n1,Ann,\d+\r\n2,bob,\d+\r\n$/);
    assert.match(await get('application/x-ndjson'), /^\{"id":"1","name":"Ann","revision":\d+/);
    assert.match(await get('application/xml'), /<id>1<\/id><name>Ann<\/name><revision>/);
  });

  it('[MET-1] are not written: 405 with Allow, also in a batch', async (context) => {
    const api = await open(context);
    await assertReadOnly(api, 'films', '1');
  });

  it('have no times without columns: they are unknown to sorts, filters, fields and pagination', async (context) => {
    const api = await open(context);
    for (const query of ['sort=created_at', 'created_at=x', 'fields=created_at', 'start_time=2004-01-01T00:00:00Z'])
      await api.row({ send: `GET /api/v1/films?${query}`, status: 400 });
    const { text } = await api.send({ send: 'GET /openapi.json' });
    assert.ok(!text.includes('"created_at":{"type":["string","null"]'));
    assert.ok(text.includes('"updated_at":{"type":["string","null"]'));
  });

  it('leave the file and its folder as they are', async (context) => {
    const file = sourceFile(context, `pragma journal_mode = wal; ${SHOP}`);
    const before = readFileSync(file);
    const api = await apiUnderTest(SHOP_MODEL, { readOnly: true, database: file });
    await api.row({ send: 'GET /api/v1/films', status: 200 });
    await api.close();
    assert.deepEqual(readFileSync(file), before);
    assert.deepEqual(readdirSync(path.dirname(file)), [path.basename(file)]);
  });
});
