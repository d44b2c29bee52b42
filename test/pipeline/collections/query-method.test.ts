import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { describe, it } from 'node:test';
import { apiUnderTest } from '../support/api-under-test.ts';
import { sevenNotes } from '../models/desk-model.ts';
import { SHOP } from '../models/shop-model.ts';

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

describe('QUERY', () => {
  const asked: readonly (readonly [url: string, form: string, get: string])[] = [
    ['', 'kind=y&limit=1', '?kind=y&limit=1'],
    ['', '', ''],
    ['?kind=y', 'limit=1', '?kind=y&limit=1'],
    ['', 'sort=-id&page=2&limit=3', '?sort=-id&page=2&limit=3'],
    ['', 'kind[in]=x,y&limit=2', '?kind[in]=x,y&limit=2'],
    ['', 'kind=%C3%A9', '?kind=%C3%A9'],
    ['', 'kind=é', '?kind=%C3%A9'],
    ['', 'kind=a+b', '?kind=a+b'],
  ];
  for (const [url, form, get] of asked) {
    it(`[MET-9] with ${JSON.stringify(form)} at ${JSON.stringify(url)} returns the response of GET ${JSON.stringify(get)}`, async () => {
      await using desk = await sevenNotes();
      const expected = await desk.row({ send: `GET /api/v1/notes${get}`, status: 200 });
      const got = await desk.row({
        send: `QUERY /api/v1/notes${url}`,
        headers: FORM,
        body: form,
        status: 200,
        expectBody: expected.body,
      });
      for (const name of ['etag', 'link', 'cache-control', 'content-type', 'vary'])
        assert.equal(got.headers.get(name), expected.headers.get(name));
      assert.equal(got.headers.get('location'), expected.body['links']['self']);
    });
  }

  it('[MET-9] has no Location if the GET URL would be too long', async () => {
    await using desk = await sevenNotes();
    const ids = Array.from({ length: 900 }, (_, index) => `id-number-${index}`).join(',');
    await desk.row({
      send: 'QUERY /api/v1/notes',
      headers: FORM,
      body: `id[in]=a,${ids}`,
      status: 200,
      expectHeaders: { Location: null },
    });
  });

  it('[MET-9] is 400 without a Content-Type, and 415 with another one', async () => {
    await using desk = await sevenNotes();
    await desk.row({ send: 'QUERY /api/v1/notes', status: 400, has: { errorCode: 'REQUEST_HEADER_INVALID' } });
    await desk.row({
      send: 'QUERY /api/v1/notes',
      body: { kind: 'y' },
      status: 415,
      expectHeaders: { Accept: 'application/x-www-form-urlencoded' },
    });
  });

  it('[MET-9] rejects a parameter in both the URL and the form', async () => {
    await using desk = await sevenNotes();
    await desk.row({
      send: 'QUERY /api/v1/notes?limit=1',
      headers: FORM,
      body: 'limit=2',
      status: 400,
      has: { errorCode: 'REQUEST_PARAMETER_DUPLICATED' },
    });
    await desk.row({
      send: 'QUERY /api/v1/notes',
      headers: FORM,
      body: 'nope=1',
      status: 400,
      has: { errorCode: 'REQUEST_PARAMETER_UNKNOWN' },
    });
    await desk.row({
      send: 'QUERY /api/v1/notes?page=1',
      headers: FORM,
      body: 'offset=1',
      status: 400,
      has: { errorCode: 'PAGINATION_CONFLICT' },
    });
    await desk.row({
      send: 'QUERY /api/v1/notes',
      headers: FORM,
      body: 'api_version=1',
      status: 400,
      has: { errorCode: 'REQUEST_PARAMETER_INVALID' },
    });
  });

  it('[MET-9] [CACHE-2] returns 304 if nothing has changed', async () => {
    await using desk = await sevenNotes();
    const query = { send: 'QUERY /api/v1/notes', headers: FORM, body: 'kind=y' };
    const first = await desk.row({ ...query, status: 200 });
    await desk.row({ ...query, headers: { ...FORM, 'If-None-Match': first.headers.get('etag') ?? '' }, status: 304 });
  });

  it('[MET-9] [NEG-2] accepts a form with gzip', async () => {
    await using desk = await sevenNotes();
    const got = await desk.row({
      send: 'QUERY /api/v1/notes',
      headers: { ...FORM, 'Content-Encoding': 'gzip' },
      body: gzipSync('kind=y'),
      status: 200,
    });
    assert.equal(got.body['page'].count, 2);
  });

  it('[MET-5] [MET-6] is supported for collections', async () => {
    await using shop = await apiUnderTest(SHOP);
    await shop.row({
      send: 'OPTIONS /api/v1/notes',
      status: 204,
      expectHeaders: { Allow: 'GET, HEAD, QUERY, POST, OPTIONS', 'Accept-Query': 'application/x-www-form-urlencoded' },
    });
    await shop.row({ send: 'QUERY /api/v1/notes/a', headers: FORM, body: '', status: 405 });
    await shop.row({ send: 'QUERY /api/v1', headers: FORM, body: '', status: 405 });
  });
});
