import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { type ApiUnderTest, apiUnderTest } from '../../pipeline/support/api-under-test.ts';
import { SHOP, SHOP_MODEL, sourceFile } from '../../stores/existing/source-file.ts';

async function openShop(context: TestContext): Promise<ApiUnderTest> {
  const api = await apiUnderTest(SHOP_MODEL, { readOnly: true, database: sourceFile(context, SHOP) });
  context.after(() => api.close());
  return api;
}

/** The revisions of a list of rows, by their ids. */
function byId(rows: readonly { readonly id: string; readonly revision: number }[]): ReadonlyMap<string, number> {
  return new Map(rows.map(({ id, revision }) => [id, revision]));
}

async function readRows(api: ApiUnderTest, target: string): Promise<ReadonlyMap<string, number>> {
  const { status, body, text } = await api.send({ send: `GET /api/v1/${target}` });
  assert.equal(status, 200, text);
  return byId(body.data);
}

describe('the revision of a row of a table that exists', () => {
  it('[REP-8] is the same in the item, and in pages of whole rows and of some fields', async (context) => {
    const api = await openShop(context);
    for (const [resource, field] of [
      ['films', 'title'],
      ['orders', 'code'],
      ['lines', 'line'],
      ['tags', 'weight'],
    ]) {
      const page = await readRows(api, `${resource}`);
      assert.ok(page.size > 1);
      assert.equal(new Set(page.values()).size, page.size);
      assert.deepEqual(await readRows(api, `${resource}?fields=${field}`), page);
      assert.deepEqual(await readRows(api, `${resource}?limit=${page.size - 1}&offset=1`), new Map([...page].slice(1)));
      for (const [id, revision] of page) {
        const target = `${resource}/${encodeURIComponent(id)}`;
        for (const query of ['', `?fields=${field}`])
          await api.row({ send: `GET /api/v1/${target}${query}`, status: 200, has: { revision } });
      }
    }
  });

  it('[REP-8] is the same in related rows', async (context) => {
    const api = await openShop(context);
    const [films, customers] = [await readRows(api, 'films'), await readRows(api, 'customers')];
    const { body: ann } = await api.row({ send: 'GET /api/v1/customers/1?expand=films', status: 200 });
    assert.deepEqual(byId(ann.films.data), new Map([['1', films.get('1')]]));
    const { body: film } = await api.row({ send: 'GET /api/v1/films/1?expand=customer', status: 200 });
    assert.equal(film.customer.revision, customers.get('1'));
  });

  it('[QRY-1] is what a filter and a sort compare, from page to page', async (context) => {
    const api = await openShop(context);
    const films = await readRows(api, 'films');
    for (const [id, revision] of films)
      assert.deepEqual(await readRows(api, `films?revision=${revision}`), new Map([[id, revision]]));
    const sorted: number[] = [];
    for (let target = '/api/v1/films?sort=revision&limit=1'; target !== ''; ) {
      const { body } = await api.row({ send: `GET ${target}`, status: 200 });
      sorted.push(...byId(body.data).values());
      target = body.links.next ?? '';
    }
    assert.deepEqual(
      sorted,
      [...films.values()].toSorted((one, other) => one - other),
    );
  });
});

describe('a page of related rows of a table that exists', () => {
  it('[PAGE-5] is continued after a stored value that does not fit its field', async (context) => {
    const model = SHOP_MODEL.replace('    search: [title]', '    sort: -released');
    const file = sourceFile(
      context,
      `${SHOP} with recursive count (n) as (values (10) union all select n + 1 from count where n < 39)
       insert into film (film_id, title, "Release Year", customer) select n, 'Film', 'unknown ' || n, 2 from count`,
    );
    await using api = await apiUnderTest(model, { readOnly: true, database: file });
    const { body } = await api.row({ send: 'GET /api/v1/customers/2?expand=films', status: 200 });
    const { body: next } = await api.row({ send: `GET ${body.films.links.next}`, status: 200 });
    assert.deepEqual(
      [...body.films.data, ...next.data].map(({ id }: { id: string }) => Number(id)),
      [...Array.from({ length: 30 }, (_, at) => 39 - at), 2],
    );
  });
});
