import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest, column, type Seen } from '../support/api-under-test.ts';
import { create, parseIds } from '../models/shop-model.ts';
import { fourThings, THINGS } from '../models/things-model.ts';

let shop: ApiUnderTest;
before(async () => {
  shop = await fourThings();
});
after(() => shop.close());

const get = (query: string): Promise<Seen> => shop.row({ send: `GET /api/v1/things?${query}`, status: 200 });

describe('a filter', () => {
  const rows: readonly (readonly [clause: string, query: string, ids: string])[] = [
    ['QRY-1', 'name=x', 'b'],
    ['QRY-1', 'name[eq]=x', 'b'],
    ['QRY-1', 'name%5Beq%5D=x', 'b'],
    ['QRY-1', 'filter[name]=x', 'b'],
    ['QRY-1', 'filter[name][eq]=x', 'b'],
    ['QRY-1', 'n%61me=%78', 'b'],
    ['QRY-1', 'name=', 'c'],
    ['QRY-1', 'name', 'c'],
    ['QRY-7', 'name=X', ''],
    ['QRY-7', 'name=%20x', ''],
    ['URL-5', 'name=%C3%A9+%26+%2B', 'd'],
    ['URL-5', 'name=%C3%A9%20%26%20%2B', 'd'],
    ['URL-5', 'name=x,y', 'a'],
    ['URL-5', 'name[in]=x,y', 'b'],
    ['URL-5', 'name[in]=x%2Cy', 'a'],
    ['URL-5', 'name[in]=x%2Cy,x', 'ab'],
    ['QRY-1', 'name[in]=', 'c'],
    ['QRY-1', 'name[in]=x,', 'bc'],
    ['QRY-1', 'name[in]=x,x,x', 'b'],
    ['QRY-1', 'name=x&name=', 'bc'],
    ['QRY-1', 'filter[name]=x&filter[name]=', 'bc'],
    ['QRY-1', 'name=x&count=0', 'b'],
    ['QRY-1', 'name=x&count=5', ''],
    ['QRY-1', 'name[in]=x,&name=x', 'b'],
    ['QRY-1', 'name=x&name[eq]=', ''],
    ['QRY-1', 'place.city=Oslo', 'a'],
    ['QRY-7', 'place.city=oslo', 'b'],
    ['QRY-1', 'place.zip.code=0150', 'a'],
    ['QRY-1', 'filter[place.city]=Oslo&place.city[in]=Oslo,oslo', 'a'],
    ['QRY-1', 'filter[limit]=7', 'a'],
    ['QRY-1', 'filter[limit]=7&filter[limit]=8&limit=2', 'ac'],
    ['QRY-1', 'filter[limit][in]=7,8', 'ac'],
    ['QRY-1', 'filter[sort]=up&sort=-id', 'a'],
    ['QRY-1', 'id=a', 'a'],
    ['QRY-1', 'id[in]=c,a,none', 'ac'],
    ['QRY-1', 'twin_id=a', 'b'],
    ['QRY-1', 'twin_id=none', ''],
    ['QRY-2', 'count=5', 'a'],
    ['QRY-2', 'count=-1', 'c'],
    ['QRY-2', 'count=-0', 'b'],
    ['QRY-2', 'count=5e0', 'a'],
    ['QRY-2', 'ratio=15e-1', 'a'],
    ['QRY-2', 'ratio=1e21', 'c'],
    ['QRY-2', 'ratio=1000000000000000000000', 'c'],
    ['QRY-2', 'truth=true', 'a'],
    ['QRY-2', 'truth=false', 'b'],
    ['QRY-7', 'price=19.9', 'a'],
    ['QRY-7', 'price=0019.900', 'a'],
    ['QRY-7', 'price=20.00', 'b'],
    ['QRY-7', 'price=20.001', ''],
    ['QRY-7', 'serial=9007199254740993', 'a'],
    ['QRY-7', 'serial=9007199254740992', ''],
    ['QRY-7', 'serial=-01', 'd'],
    ['QRY-2', 'at=2026-01-02T03:04:05.678Z', 'a'],
    ['QRY-2', 'at=2026-01-02T04:04:05.6789%2B01:00', 'a'],
    ['QRY-2', 'due=2026-02-03', 'a'],
    ['QRY-1', 'created_at=2026-01-02T03:04:05.678Z', 'ab'],
    ['QRY-7', 'truth=true&truth=false', 'ab'],
    ['QRY-1', 'name[ne]=x', 'acd'],
    ['QRY-7', 'count[ne]=5', 'bcd'],
    ['QRY-7', 'count[nin]=5,0', 'cd'],
    ['URL-5', 'name[nin]=x%2Cy,x', 'cd'],
    ['QRY-1', 'count[gt]=0', 'a'],
    ['QRY-1', 'count[gte]=0', 'ab'],
    ['QRY-1', 'count[gte]=0&count[lt]=5', 'b'],
    ['QRY-7', 'price[gt]=19.899', 'ab'],
    ['QRY-7', 'price[gt]=19.901', 'b'],
    ['QRY-7', 'price[lt]=99999999999999999999.9', 'ab'],
    ['QRY-7', 'price[lte]=-99999999999999999999', ''],
    ['QRY-7', 'serial[lt]=9007199254740993', 'd'],
    ['QRY-7', 'truth[lt]=true', 'b'],
    ['QRY-7', 'name[gt]=x', 'ad'],
    ['QRY-7', 'name[lte]=x', 'bc'],
    ['QRY-2', 'at[lte]=2026-01-02T04:04:05.678%2B01:00', 'a'],
    ['QRY-1', 'due[gt]=2026-02-02', 'a'],
    ['QRY-1', 'due[starts_with]=2026-02', 'a'],
    ['QRY-7', 'name[contains]=y', 'a'],
    ['QRY-7', 'name[contains]=Y', ''],
    ['QRY-7', 'name[contains]=%25', ''],
    ['QRY-7', 'name[contains]=,', 'a'],
    ['QRY-1', 'name[contains]=', 'abcd'],
    ['QRY-7', 'name[starts_with]=x', 'ab'],
    ['QRY-7', 'name[starts_with]=_', ''],
    ['QRY-1', 'place.city[starts_with]=Os', 'a'],
    ['QRY-1', 'place.zip.code[contains]=15', 'a'],
    ['QRY-7', 'tags[contains]=t', 'a'],
    ['QRY-7', 'tags[contains]=T', ''],
    ['QRY-1', 'tags[exists]=false', 'bcd'],
    ['QRY-7', 'count[exists]=false', 'd'],
    ['QRY-7', 'place.city[exists]=true', 'ab'],
    ['QRY-1', 'id[gt]=b', 'cd'],
    ['QRY-1', 'revision[gte]=0', 'abcd'],
    ['QRY-1', 'filter[limit][gt]=7', 'c'],
    ['QRY-1', 'twin_id[exists]=true', 'b'],
  ];
  for (const [clause, query, ids] of rows) {
    it(`[${clause}] ${query} finds ${ids === '' ? 'nothing' : ids.split('').join(', ')}`, async () => {
      assert.equal(
        parseIds(await get(query))
          .toSorted()
          .join(''),
        ids,
      );
    });
  }

  it('[QRY-1] matches server-assigned fields: revision and timestamps', async () => {
    const { body } = await shop.send({ send: 'GET /api/v1/things/c' });
    for (const name of ['revision', 'updated_at']) {
      const ids = parseIds(await get(`${name}=${body[name]}`));
      assert.ok(ids.includes('c') && !ids.includes('a'), name);
    }
  });

  it('[QRY-1] [URL-7] applies to nested collections', async () => {
    await using api = await apiUnderTest(`${THINGS}
  parts:
    parent: narrow
    id: client
    schema: { type: object, properties: { kind: { type: string } } }
`);
    for (const id of ['1', '2']) {
      await create(api, 'narrow', { id });
      await create(api, `narrow/${id}/parts`, { id: `p${id}`, kind: 'k' });
    }
    assert.deepEqual(parseIds(await api.send({ send: 'GET /api/v1/narrow/1/parts?kind=k' })), ['p1']);
    assert.deepEqual(parseIds(await api.send({ send: 'GET /api/v1/narrow/1/parts?narrow_id=2' })), []);
  });

  const unusable: readonly (readonly [query: string, fields: readonly string[], message: RegExp])[] = [
    ['count=x', ['count'], /integer/],
    ['count=', ['count'], /integer/],
    ['count=1.5', ['count'], /integer/],
    ['count=9007199254740993', ['count'], /integer/],
    ['count=+5', ['count'], /integer/],
    ['count=0x5', ['count'], /integer/],
    ['ratio=NaN', ['ratio'], /number/],
    ['ratio=1e999', ['ratio'], /number/],
    ['truth=1', ['truth'], /true or false/],
    ['truth=TRUE', ['truth'], /true or false/],
    ['price=1e3', ['price'], /decimal/],
    ['price=', ['price'], /decimal/],
    ['serial=9223372036854775808', ['serial'], /2\^63/],
    ['at=yesterday', ['at'], /offset/],
    ['at=2026-01-02', ['at'], /offset/],
    ['at=2026-01-02T03:04:05', ['at'], /offset/],
    ['at=2026-01-02T03:04:05+01:00', ['at'], /%2B/],
    ['at=2026-13-02T03:04:05Z', ['at'], /./],
    ['due=2026-02-30', ['due'], /date/],
    ['count[in]=1,x,y', ['count[in]'], /integer/],
    ['count=x&truth=maybe&name=x', ['count', 'truth'], /./],
    ['filter[count]=x', ['filter[count]'], /integer/],
    ['tags=t', ['tags'], /tags\[contains\]/],
    ['tags[gt]=t', ['tags[gt]'], /does not support gt/],
    ['count[contains]=1', ['count[contains]'], /does not support contains/],
    ['count[gte]=x&at[lt]=now', ['count[gte]', 'at[lt]'], /integer/],
    ['name[exists]=yes', ['name[exists]'], /true or false/],
    ['name[]=x', ['name[]'], /operator/],
    ['name[EQ]=x', ['name[EQ]'], /operator/],
  ];
  for (const [query, fields, message] of unusable) {
    it(`[QRY-2] that is invalid is 400 with its parameter: ${query}`, async () => {
      const { body } = await shop.row({
        send: `GET /api/v1/things?${query}`,
        status: 400,
        has: { errorCode: 'QUERY_FILTER_INVALID' },
      });
      assert.deepEqual(column(body['details'], 'field'), fields);
      assert.match(body['details'][0]['message'], message);
    });
  }

  it('[QRY-1] on a field that is not filterable is rejected with the filterable fields', async () => {
    const { body } = await shop.row({
      send: 'GET /api/v1/narrow?shut=x',
      status: 400,
      has: { errorCode: 'QUERY_FILTER_INVALID' },
    });
    assert.match(body['details'][0]['message'], /filterable fields: id, open$/);
    await shop.row({ send: 'GET /api/v1/narrow?open=x&id=y', status: 200 });
  });
});
