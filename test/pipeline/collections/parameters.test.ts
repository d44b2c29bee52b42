import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUnderTest, column, type Seen } from '../support/api-under-test.ts';
import { parseIds } from '../models/shop-model.ts';
import { fourThings } from '../models/things-model.ts';

let shop: ApiUnderTest;
before(async () => {
  shop = await fourThings();
});
after(() => shop.close());

const get = (query: string): Promise<Seen> => shop.row({ send: `GET /api/v1/things?${query}`, status: 200 });

describe('a sort', () => {
  const rows: readonly (readonly [sort: string, ids: string])[] = [
    ['id', 'abcd'],
    ['-id', 'dcba'],
    ['name', 'cbad'],
    ['-name', 'dabc'],
    ['count', 'dcba'],
    ['price,-id', 'dcab'],
    ['place.city,id', 'cdab'],
    ['place.zip.code,-id', 'dcba'],
    ['-created_at,name', 'cdba'],
    ['%2Did', 'dcba'],
    ['n%61me', 'cbad'],
  ];
  for (const [sort, ids] of rows) {
    it(`[QRY-3] by ${sort} gives ${ids}`, async () => assert.equal(parseIds(await get(`sort=${sort}`)).join(''), ids));
  }

  const refused: readonly (readonly [sort: string, message: RegExp])[] = [
    ['', /""; sortable fields: id, name/],
    ['colour', /"colour"; sortable fields: id, name/],
    ['tags', /"tags"/],
    ['labels', /"labels"/],
    ['place', /"place"/],
    ['links', /"links"/],
    ['name,', /""/],
    ['name,,id', /""/],
    ['-', /""/],
    ['--name', /"-name"/],
    ['+name', /" name"/],
    ['nme%2Cid', /"nme"/],
    ['NAME', /"NAME"/],
    ['name,-name', /key name more than once/],
    ['name,count,ratio,truth,price,serial', /6 keys; at most 5/],
  ];
  for (const [sort, message] of refused) {
    it(`[QRY-3] by ${JSON.stringify(sort)} is rejected with the sortable fields`, async () => {
      const { body } = await shop.row({
        send: `GET /api/v1/things?sort=${sort}`,
        status: 400,
        has: { errorCode: 'QUERY_SORT_INVALID' },
      });
      assert.deepEqual(column(body['details'], 'field'), ['sort']);
      assert.match(body['details'][0]['message'], message);
    });
  }

  it('[QRY-3] has at most five keys', async () => {
    await get('sort=name,count,ratio,truth,price');
  });

  it('[QRY-3] on a field that is not sortable lists the sortable ones', async () => {
    const { body } = await shop.row({ send: 'GET /api/v1/narrow?sort=shut', status: 400 });
    assert.match(body['details'][0]['message'], /sortable fields: id, open, created_at$/);
  });
});

describe('a parameter', () => {
  const unknown: readonly (readonly [query: string, near: string | null])[] = [
    ['nmae=x', 'name'],
    ['nmae[gte]=x', 'name[gte]'],
    ['filter[nmae]=x', 'filter[name]'],
    ['Name=x', 'name'],
    ['limt=1', 'limit'],
    ['Sort=id', 'sort'],
    ['prices=1', 'price'],
    ['place.cit=Oslo', 'place.city'],
    ['place=Oslo', null],
    ['labels.l=m', null],
    ['zzzzzzzzzzzz=1', null],
    ['filter[nmae]=x', null],
    ['place[city]=x', 'place.city'],
    ['place[city][gte]=x', 'place.city[gte]'],
    ['place[zip][code]=x', 'place.zip.code'],
    ['place[zip][code][in]=x', 'place.zip.code[in]'],
    ['place[nothing]=x', null],
    ['=x', null],
    ['constructor=x', null],
    ['__proto__=x', null],
    ['links=x', null],
  ];
  for (const [query, near] of unknown) {
    it(`[QRY-5] that is unknown is 400 with the closest known name: ${query}`, async () => {
      const { body } = await shop.row({
        send: `GET /api/v1/things?${query}`,
        status: 400,
        has: { errorCode: 'REQUEST_PARAMETER_UNKNOWN' },
      });
      assert.deepEqual(column(body['details'], 'field'), [query.replace(/=.*/, '')]);
      if (near !== null)
        assert.match(body['details'][0]['message'], new RegExp(RegExp.escape(`did you mean "${near}"`)));
    });
  }

  for (const query of [
    'limit=1&limit=1',
    'sort=id&sort=id',
    'page=1&page=2',
    'include_total=true&include_total=true',
    'name[in]=x&name[in]=y',
    'name[eq]=x&name[eq]=x',
    'api_version=1&api_version=1',
    'limit=1&l%69mit=2',
  ]) {
    it(`[QRY-5] that repeats is 400: ${query}`, async () => {
      const { body } = await shop.row({
        send: `GET /api/v1/things?${query}`,
        status: 400,
        has: { errorCode: 'REQUEST_PARAMETER_DUPLICATED' },
      });
      assert.equal(body['details'].length, 1);
    });
  }

  it('[QRY-5] that is unknown or repeats is ignored with handling=lenient, but no other error', async () => {
    const headers = { Prefer: 'handling=lenient' };
    const expectHeaders = { 'Preference-Applied': 'handling=lenient' };
    const lenient = (query: string) => ({ send: `GET /api/v1/things?${query}`, headers, expectHeaders });
    const { body, ...seen } = await shop.row({
      ...lenient('nmae=q&name=x&limit=1&limit=2&name[in]=x&name[in]=y'),
      status: 200,
    });
    assert.deepEqual([parseIds(seen), body['page']['limit']], [['b'], 1]);
    assert.equal(body['links']['self'], '/api/v1/things?name=x&name%5Bin%5D=x&limit=1', 'links carry what was obeyed');
    for (const query of ['limit=0', 'sort=colour', 'count=x', 'name[like]=x']) {
      await shop.row({ ...lenient(query), status: 400, expectHeaders: {} });
    }
  });

  it('[QRY-5] of a collection is unknown for items, the root and writes', async () => {
    const has = { errorCode: 'REQUEST_PARAMETER_UNKNOWN' };
    for (const query of ['limit=1', 'sort=id', 'name=x', 'after=x']) {
      await shop.row({ send: `GET /api/v1/things/a?${query}`, status: 400, has });
      await shop.row({ send: `GET /api/v1?${query}`, status: 400, has });
      await shop.row({ send: `POST /api/v1/things?${query}`, body: { id: 'z' }, status: 400, has });
      await shop.row({ send: `PUT /api/v1/things/z?${query}`, body: {}, status: 400, has });
      await shop.row({ send: `DELETE /api/v1/things/a?${query}`, status: 400, has });
    }
  });

  it('[QRY-5] is unknown without effect: q without search in the model, dry_run of a read', async () => {
    for (const query of ['q=x', 'dry_run=true']) {
      await shop.row({
        send: `GET /api/v1/things?${query}`,
        status: 400,
        has: { errorCode: 'REQUEST_PARAMETER_UNKNOWN' },
      });
    }
  });

  it('[QRY-1] that is empty is skipped', async () => {
    assert.deepEqual(parseIds(await get('&name=x&&')), ['b']);
  });
});
