import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { describeEvents } from '../../describe/asyncapi/described-events.ts';
import { apiUnderTest } from '../support/api-under-test.ts';
import { fakeTokens } from '../support/fake-tokens.ts';

const MODEL = `
name: shop
version: 2.0.0
default_version: 2
resources:
  products: { events: full, schema: { type: object, properties: { name: { type: string } } } }
versions:
  1.4.0: { changes: [{ resource: products, rename: { title: name } }] }
`;
const AUTH =
  'auth: { issuers: [{ name: test, issuer: https://id.example.com, audience: test, hs256_secret: 0123456789abcdef0123456789abcdef }] }';

describe('/asyncapi.json', () => {
  it('[OPS-1b] [EVT-10c] has the description of the newest contract, and by api_version that of an older one', async () => {
    await using api = await apiUnderTest(MODEL);
    const [newest, older] = describeEvents(MODEL);
    const got = await api.row({
      send: 'GET /asyncapi.json',
      status: 200,
      expectHeaders: { 'Content-Type': 'application/json', ETag: /^"[^"]+"$/ },
    });
    assert.deepEqual(got.body, newest);
    const before = await api.row({ send: 'GET /asyncapi.json?api_version=1', status: 200 });
    assert.deepEqual(before.body, older);
    assert.notEqual(before.headers.get('etag'), got.headers.get('etag'));
    await api.row({ send: 'GET /asyncapi.json?openapi=3.2', status: 400 });
    await api.row({
      send: 'GET /asyncapi.json?api_version=3',
      status: 400,
      has: { errorCode: 'API_VERSION_UNSUPPORTED' },
    });
  });

  it('[OPS-1b] answers HEAD and OPTIONS, is compressed, and is 304 for a current copy', async () => {
    await using api = await apiUnderTest(MODEL);
    const plain = await api.row({ send: 'GET /asyncapi.json', status: 200 });
    const etag = plain.headers.get('etag') ?? '';
    const gzip = await api.row({ send: 'GET /asyncapi.json', headers: { 'Accept-Encoding': 'gzip' }, status: 200 });
    assert.equal(gunzipSync(gzip.bytes).toString(), plain.text);
    await api.row({ send: 'GET /asyncapi.json', headers: { 'If-None-Match': etag }, status: 304 });
    await api.row({ send: 'HEAD /asyncapi.json', status: 200, expectHeaders: { ETag: etag } });
    await api.row({ send: 'OPTIONS /asyncapi.json', status: 204, expectHeaders: { Allow: 'GET, HEAD, OPTIONS' } });
    await api.row({ send: 'DELETE /asyncapi.json', status: 405 });
    await api.row({ send: 'GET /asyncapi.json', headers: { Accept: 'application/xml' }, status: 406 });
  });

  it('[OPS-1b] needs credentials where the model says so', async () => {
    await using closed = await apiUnderTest(`descriptions: authenticated\n${AUTH}${MODEL}`, { tokens: fakeTokens });
    await closed.row({ send: 'GET /asyncapi.json', status: 401, has: { errorCode: 'AUTH_REQUIRED' } });
    const headers = { Authorization: 'Bearer ann' };
    await closed.row({ send: 'GET /asyncapi.json', headers, status: 200, has: { asyncapi: '3.1.0' } });
  });

  it('[OPS-1b] is at the origin, whatever the base path, and linked from the root and the documentation', async () => {
    for (const base of ['/', '/asyncapi', '/a/b']) {
      await using api = await apiUnderTest(`base_path: ${base}${MODEL}`);
      await api.row({ send: 'GET /asyncapi.json', status: 200, has: { asyncapi: '3.1.0' } });
    }
    await using api = await apiUnderTest(MODEL);
    const root = await api.row({ send: 'GET /api/v1', status: 200 });
    assert.equal(root.body.links.service_desc_events, '/asyncapi.json?api_version=1.4.0');
    await api.row({ send: `GET ${root.body.links.service_desc_events}`, status: 200, has: { asyncapi: '3.1.0' } });
    const docs = await api.row({ send: 'GET /docs', headers: { Accept: 'text/html' }, status: 200 });
    assert.match(docs.text, /href="asyncapi\.json\?api_version=2\.0\.0"/);
  });
});
