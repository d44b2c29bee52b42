import assert from 'node:assert/strict';
import { after as afterAll, before, describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest, column, type Seen } from '../support/api-under-test.ts';
import { SMALL_SHOP } from '../models/shop-model.ts';

const VARY = 'Accept, Accept-Encoding, Prefer';

let api: ApiUnderTest;
const ids: string[] = [];
before(async () => {
  api = await apiUnderTest(SMALL_SHOP);
  for (const [index, name] of ['E', 'B', 'D', 'A', 'C', 'B', 'A'].entries()) {
    const { body } = await api.send({
      send: 'POST /api/v1/products',
      body: { sku: `s${index}`, name, price: String(10 - index), currency: index % 2 === 0 ? 'EUR' : 'USD' },
    });
    ids.push(body['id']);
    api.clock.advance(1);
  }
  await api.newEvents();
});
afterAll(() => api.close());

const names = ({ body }: Seen) => column(body['data'], 'name');
const get = (target: string, headers: Readonly<Record<string, string>> = {}) =>
  api.send({ send: `GET ${target}`, headers });

describe('representations', () => {
  it('[REP-9a, REP-9b, REP-9e] link to themselves, their collection and their relations, in the version carrier of the client', async () => {
    const path = `/products/${ids[0] ?? ''}`;
    const byPath = await get(`/api/v1${path}`);
    assert.deepEqual(byPath.body['links'], {
      self: `/api/v1${path}`,
      collection: '/api/v1/products',
      reviews: `/api/v1${path}/reviews`,
    });
    assert.equal(byPath.headers.get('link'), undefined);
    const byQuery = await get(`/api${path}?api_version=1.4`);
    assert.equal(byQuery.body['links']['self'], `/api${path}?api_version=1.4`);
    assert.equal(byQuery.headers.get('link'), `</api/v1${path}>; rel="canonical"`);
    const byHeader = await get(`/api${path}`, { 'API-Version': '1', Host: 'localhost' });
    assert.equal(byHeader.body['links']['self'], `/api${path}`);
    assert.equal(byHeader.headers.get('link'), `</api/v1${path}>; rel="canonical"`);
  });

  it('[REP-10a] [REP-1] list the collections at the root, with and without a version', async () => {
    await api.row({
      send: 'GET /api/v1',
      status: 200,
      has: {
        links: {
          self: '/api/v1',
          suppliers: '/api/v1/suppliers',
          products: '/api/v1/products',
          order_items: '/api/v1/order-items',
          notes: '/api/v1/notes',
          events: '/api/v1/events',
          service_desc: '/openapi.json',
          service_desc_events: '/asyncapi.json',
          service_doc: '/docs',
        },
      },
    });
    await api.row({
      send: 'GET /api',
      status: 200,
      expectHeaders: {
        Link: '</api/v1>; rel="canonical", </openapi.json>; rel="service-desc", </docs>; rel="service-doc"',
      },
    });
  });

  it('[URL-1] have one URL: extra slashes return 308 with the query, and never redirect to another host', async () => {
    for (const [from, to] of [
      ['/api/v1/products/', '/api/v1/products'],
      ['//api//v1/products?limit=2', '/api/v1/products?limit=2'],
      ['//evil.example/api', '/evil.example/api'],
    ] as const) {
      await api.row({ send: `GET ${from}`, status: 308, expectHeaders: { Location: to } });
    }
  });

  it('[URL-6] [URL-7] return 404 with the code of the first missing resource in the path', async () => {
    const id = ids[0] ?? '';
    await api.row({ send: 'GET /api/v1/products/..%2F', status: 404, has: { errorCode: 'PRODUCT_NOT_FOUND' } });
    for (const [path, errorCode] of [
      [`missing/reviews/x`, 'PRODUCT_NOT_FOUND'],
      [`missing/reviews`, 'PRODUCT_NOT_FOUND'],
      [`${id}/reviews/missing/comments`, 'REVIEW_NOT_FOUND'],
      [`${id}/reviews/missing`, 'REVIEW_NOT_FOUND'],
    ]) {
      await api.row({ send: `GET /api/v1/products/${path ?? ''}`, status: 404, has: { errorCode } });
    }
    await api.row({ send: 'GET /api/v1/reviews', status: 404, has: { errorCode: 'REQUEST_ROUTE_NOT_FOUND' } });
  });
});

describe('every response', () => {
  it('[NEG-3a] [VER-4a] [ERR-5] [OPS-3b] has Vary, API-Version and X-Correlation-ID', async () => {
    for (const send of [
      'GET /api/v1/products',
      'GET /api/v1/nothing',
      'GET /api/v1/products/',
      'DELETE /api/v1/products',
    ]) {
      const { headers } = await api.send({ send, headers: { 'X-Correlation-ID': 'my:id~1' } });
      assert.equal(headers.get('vary'), VARY, send);
      // A redirect to the canonical URL is not yet the answer of a version.
      assert.equal(headers.get('api-version'), send.endsWith('/') ? undefined : '1.4.2', send);
      assert.equal(headers.get('x-correlation-id'), 'my:id~1', send);
      assert.equal(headers.get('x-content-type-options'), 'nosniff', send);
    }
    const { headers } = await get('/api/products', { 'X-Correlation-ID': 'not valid' });
    assert.equal(headers.get('vary'), `${VARY}, API-Version`);
    assert.notEqual(headers.get('x-correlation-id'), 'not valid');
  });

  it('[MET-5] [MET-6] lists the methods with OPTIONS and 405; an unknown method is 501', async () => {
    const allow = 'GET, HEAD, QUERY, POST, OPTIONS';
    await api.row({
      send: 'OPTIONS /api/v1/products',
      status: 204,
      expectHeaders: {
        Allow: allow,
        'Accept-Post': /^application\/json, application\/vnd.shop.v1\+json, .*, application\/x-ndjson$/,
      },
    });
    await api.row({ send: 'PROPFIND /api/v1/products', status: 405, expectHeaders: { Allow: allow } });
    await api.row({
      send: 'FETCH /api/v1/products',
      status: 501,
      has: { errorCode: 'REQUEST_METHOD_NOT_IMPLEMENTED' },
    });
  });

  it('[ERR-6] is a problem if Accept prefers it: first the six members, in order', async () => {
    const { body, headers } = await get('/api/v1/nothing', {
      Accept: 'application/problem+json, application/json;q=0.9',
    });
    assert.equal(headers.get('content-type'), 'application/problem+json');
    assert.deepEqual(Object.keys(body), [
      'httpStatus',
      'errorCode',
      'errorMessage',
      'correlationId',
      'timestamp',
      'details',
      'type',
      'title',
      'status',
      'detail',
      'instance',
    ]);
    const plain = await get('/api/v1/nothing', { Accept: 'image/png' });
    assert.equal(plain.headers.get('content-type'), 'application/json');
  });

  it('[ERR-6] is XML or text if Accept prefers it, with the same six members', async () => {
    const asked = (accept: string) => api.send({ send: 'GET /api/v1/cities?b%01=1', headers: { Accept: accept } });
    const xml = await asked('application/xml');
    assert.match(
      xml.text,
      /^<\?xml [^>]*>\n<error [^>]*><httpStatus>404<\/httpStatus><errorCode>REQUEST_ROUTE_NOT_FOUND<\/errorCode><errorMessage>.*<\/errorMessage><correlationId>.*<\/correlationId><timestamp>.*<\/timestamp><details\/><\/error>$/,
    );
    const text = await asked('text/plain, application/json;q=0.1');
    assert.deepEqual(
      text.text.split('\n').map((line) => line.split(':', 1)[0]),
      ['httpStatus', 'errorCode', 'errorMessage', 'correlationId', 'timestamp', 'details', ''],
    );
    assert.ok(text.headers.get('content-type') === 'text/plain; charset=utf-8');
  });

  it('[AUTH-7] is 400 for a Host that is not a loopback name', async () => {
    await api.row({
      send: 'GET /api/v1/products',
      headers: { Host: 'rebound.example' },
      status: 400,
      has: { errorCode: 'REQUEST_HEADER_INVALID' },
    });
  });

  it('[OPS-2d] is observed once, without its query', async () => {
    await get('/api/v1/products?name=secret');
    const last = api.observations.at(-1);
    assert.ok(last?.kind === 'request');
    assert.deepEqual([last.target, last.route, last.status], ['/api/v1/products', '/api/products', 200]);
  });
});

describe('collections', () => {
  it('[PAGE-1] [PAGE-2] [PAGE-3] use the cursor technique and the default order by default', async () => {
    const { body, headers } = await get('/api/v1/products');
    assert.deepEqual(column(body['data'], 'id'), ids.slice(0, 3));
    assert.deepEqual(Object.keys(body), ['data', 'page', 'links']);
    assert.deepEqual(body['page'], {
      technique: 'cursor',
      limit: 3,
      count: 3,
      has_more: true,
      after: null,
      next_cursor: body['page']['next_cursor'],
      prev_cursor: null,
    });
    assert.equal(body['links']['next'], `/api/v1/products?limit=3&after=${body['page']['next_cursor']}`);
    assert.match(headers.get('link') ?? '', /rel="self".*rel="next"/);
  });

  it('[PAGE-5] [PAGE-6] visit every item once with next and prev links, also with ties', async () => {
    const seen: string[] = [];
    let last = '';
    for (let next: string | undefined = '/api/v1/products?sort=name&limit=2'; next !== undefined; ) {
      const { body } = await get(next);
      seen.push(...column(body['data'], 'id'));
      last = next;
      next = body['links']['next'];
    }
    assert.deepEqual([...seen].sort(), [...ids].sort());
    const back: string[] = [];
    for (let prev: string | undefined = last; prev !== undefined; ) {
      const { body } = await get(prev);
      back.unshift(...column(body['data'], 'id'));
      prev = body['links']['prev'];
    }
    assert.deepEqual(back, seen);
  });

  it('[PAGE-6] reject a cursor that is forged, of another collection, or combined with another query', async () => {
    const { body } = await get('/api/v1/products?sort=name&currency=EUR');
    const after = body['page']['next_cursor'];
    await api.row({
      send: `GET /api/v1/products?after=${after.slice(0, -1)}`,
      status: 400,
      has: { errorCode: 'PAGINATION_CURSOR_INVALID' },
    });
    await api.row({
      send: `GET /api/v1/suppliers?after=${after}`,
      status: 400,
      has: { errorCode: 'PAGINATION_CURSOR_INVALID' },
    });
    for (const other of ['sort=-name', 'currency=USD', 'name=A']) {
      await api.row({
        send: `GET /api/v1/products?after=${after}&${other}`,
        status: 400,
        has: { errorCode: 'PAGINATION_CURSOR_MISMATCH' },
      });
    }
    const alone = await get(`/api/v1/products?after=${after}`);
    const together = await get(`/api/v1/products?after=${after}&sort=name&currency=EUR`);
    assert.deepEqual(names(alone), names(together));
  });

  it('[PAGE-4] [PAGE-9a, PAGE-9c] count with page and offset, up to the cap with a filter', async () => {
    const whole = await get('/api/v1/products?page=2');
    assert.deepEqual(
      [whole.body['page']['page'], whole.body['page']['total_count'], whole.body['page']['total_count_relation']],
      [2, 7, 'eq'],
    );
    assert.equal(whole.body['links']['last'], '/api/v1/products?limit=3&page=3');
    const filtered = await get('/api/v1/products?offset=0&name=A&name=B&name=C&name=D&name=E');
    assert.deepEqual([filtered.body['page']['total_count'], filtered.body['page']['total_count_relation']], [4, 'gte']);
    const uncounted = await get('/api/v1/products?offset=0&include_total=false');
    assert.equal('total_count' in uncounted.body['page'], false);
  });

  it('[PAGE-8] are empty past the end, and reject an offset above the maximum', async () => {
    await api.row({ send: 'GET /api/v1/products?page=9', status: 200, has: { data: [] } });
    for (const query of ['offset=51', 'page=100', 'page=0', 'offset=-1', 'page=x']) {
      await api.row({
        send: `GET /api/v1/products?${query}`,
        status: 400,
        has: { errorCode: 'PAGINATION_POSITION_INVALID' },
      });
    }
  });

  it('[PAGE-3] [PAGE-4] clamp the limit, and reject invalid limits and conflicting techniques', async () => {
    assert.equal((await get('/api/v1/products?per_page=99')).body['page']['limit'], 5);
    for (const limit of ['0', '-1', '1.5', 'x', '']) {
      await api.row({
        send: `GET /api/v1/products?limit=${limit}`,
        status: 400,
        has: { errorCode: 'PAGINATION_LIMIT_INVALID' },
      });
    }
    await api.row({
      send: 'GET /api/v1/products?page=1&offset=0',
      status: 400,
      has: { errorCode: 'PAGINATION_CONFLICT' },
    });
  });

  it('[QRY-1] [QRY-2] filter by one or several values, coerced by the schema', async () => {
    assert.deepEqual(names(await get('/api/v1/products?price=9.0')), ['B']);
    assert.deepEqual(names(await get('/api/v1/products?name=A&name=E&sort=name')), ['A', 'A', 'E']);
    assert.deepEqual(names(await get('/api/v1/products?filter[name][in]=A,E&sort=-name')), ['E', 'A', 'A']);
    const { body } = await api.row({
      send: 'GET /api/v1/products?price=much&released_at=2026-01-01T00:00:00+02:00',
      status: 400,
      has: { errorCode: 'QUERY_FILTER_INVALID' },
    });
    assert.deepEqual(column(body['details'], 'field'), ['price', 'released_at']);
    assert.match(body['details'][1]?.['message'] ?? '', /%2B/, '[URL-4] the plus became a space');
  });

  it('[QRY-3] sort by several keys in both directions, and list the sortable fields', async () => {
    assert.deepEqual(names(await get('/api/v1/products?sort=currency,-name&limit=5')), ['E', 'D', 'C', 'A', 'B']);
    const { body } = await api.row({
      send: 'GET /api/v1/products?sort=cost',
      status: 400,
      has: { errorCode: 'QUERY_SORT_INVALID' },
    });
    assert.match(body['details'][0]?.['message'] ?? '', /sortable fields: id, sku, name/);
  });

  it('[QRY-5] reject unknown and repeated parameters, and ignore them with handling=lenient', async () => {
    await api.row({
      send: 'GET /api/v1/products?nmae=A',
      status: 400,
      has: {
        errorCode: 'REQUEST_PARAMETER_UNKNOWN',
        details: [{ field: 'nmae', message: 'is not a known parameter; did you mean "name"?' }],
      },
    });
    await api.row({
      send: 'GET /api/v1/products?limit=1&limit=2',
      status: 400,
      has: { errorCode: 'REQUEST_PARAMETER_DUPLICATED' },
    });
    await api.row({
      send: 'GET /api/v1/products?nmae=A&limit=1&limit=2',
      headers: { Prefer: 'handling=lenient' },
      status: 200,
      expectHeaders: { 'Preference-Applied': 'handling=lenient' },
    });
    await api.row({ send: `GET /api/v1/products/${ids[0] ?? ''}?limit=1`, status: 400 });
  });
});

describe('ETags', () => {
  it('[CACHE-1] differ by version carrier, media type and revision', async () => {
    const id = ids[0] ?? '';
    const tags = [
      await get(`/api/v1/products/${id}`),
      await get(`/api/products/${id}`),
      await get(`/api/v1/products/${id}`, { Accept: 'application/vnd.shop.v1+json' }),
    ].map(({ headers }) => headers.get('etag'));
    assert.equal(new Set(tags).size, 3);
    assert.ok(tags.every((tag) => /^"\d+\.[\w-]+"$/.test(tag ?? '')));
  });

  it('[CACHE-2] return 304 for an unchanged response, with the required header fields only', async () => {
    for (const path of [`/api/v1/products/${ids[0] ?? ''}`, '/api/v1/products', '/api/v1']) {
      const { headers } = await get(path);
      const tag = headers.get('etag') ?? '';
      await api.row({
        send: `GET ${path}`,
        headers: { 'If-None-Match': `"other", W/${tag}` },
        status: 304,
        expectHeaders: { ETag: tag, 'Cache-Control': 'no-cache', Vary: VARY, 'Content-Type': null, Link: null },
      });
      const status = path === '/api/v1' ? 200 : 412;
      await api.row({ send: `GET ${path}`, headers: { 'If-Match': '"other"' }, status });
    }
  });
});
