import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { describeVersions } from '../../describe/openapi/described.ts';
import { describedContracts } from '../../../src/describe/described-contract.ts';
import { openApiDocument } from '../../../src/describe/openapi/open-api-document.ts';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import { apiUnderTest } from '../support/api-under-test.ts';
import { fakeTokens } from '../support/fake-tokens.ts';

const MODEL = `
name: shop
version: 2.0.0
default_version: 1
resources:
  products: { schema: { type: object, required: [name], properties: { name: { type: string } } } }
versions:
  1.4.0: { deprecated: 2026-06-01, changes: [{ resource: products, rename: { title: name } }] }
  1.3.0: { retired: true }
  0.9.0: { retired: true }
`;

const AUTH =
  'auth: { issuers: [{ name: test, issuer: https://id.example.com, audience: test, hs256_secret: 0123456789abcdef0123456789abcdef }] }';

describe('/openapi.json', () => {
  it('[OPS-1a] has the description of the newest contract, and by api_version that of an older one', async () => {
    await using api = await apiUnderTest(MODEL);
    const [newest, older] = describeVersions(MODEL);
    const { body, headers } = await api.row({
      send: 'GET /openapi.json',
      status: 200,
      expectHeaders: {
        'Content-Type': 'application/json',
        'API-Version': null,
        Deprecation: null,
        ETag: /^"[^"]+"$/,
        'Cache-Control': /no-cache$/,
      },
    });
    assert.deepEqual(body, newest);
    for (const send of ['GET /openapi.json?api_version=1', 'GET /openapi.json?api_version=1.4.2']) {
      const got = await api.row({ send, status: 200, expectHeaders: { 'API-Version': '1.4.0', Deprecation: /^@/ } });
      assert.deepEqual(got.body, older);
      assert.notEqual(got.headers.get('etag'), headers.get('etag'));
    }
    const byField = await api.send({ send: 'GET /openapi.json', headers: { 'API-Version': '1' } });
    assert.deepEqual(byField.body, older);
  });

  it('[OPS-1a] is in OpenAPI 3.2 where the query says so', async () => {
    await using api = await apiUnderTest(MODEL);
    const [newest] = describeVersions(MODEL, '3.2');
    assert.deepEqual((await api.row({ send: 'GET /openapi.json?openapi=3.2', status: 200 })).body, newest);
    await api.row({ send: 'GET /openapi.json?openapi=3.1', status: 200, has: { openapi: '3.1.1' } });
    await api.row({
      send: 'GET /openapi.json?openapi=2.0',
      status: 400,
      has: { errorCode: 'REQUEST_PARAMETER_INVALID', details: [{ field: 'openapi', message: 'must be 3.1 or 3.2' }] },
    });
    await api.row({
      send: 'GET /openapi.json?version=1',
      status: 400,
      has: { errorCode: 'REQUEST_PARAMETER_UNKNOWN' },
    });
  });

  it('[OPS-1e] is for generators where the query says so, of every version, with an ETag of its own', async () => {
    await using api = await apiUnderTest(MODEL);
    const full = await api.send({ send: 'GET /openapi.json' });
    const contracts = describedContracts(loadModel({ text: MODEL, env: {} }).model);
    const tags = new Set([full.headers.get('etag')]);
    for (const [index, version] of ['2', '1'].entries()) {
      for (const edition of ['3.1', '3.2'] as const) {
        const send = `GET /openapi.json?profile=generators&api_version=${version}&openapi=${edition}`;
        const { body, headers } = await api.row({ send, status: 200 });
        assert.deepEqual(body, openApiDocument(contracts[index] ?? assert.fail(version), edition, 'generators'));
        const etag = headers.get('etag') ?? '';
        tags.add(etag);
        await api.row({ send, headers: { 'If-None-Match': etag }, status: 304 });
      }
    }
    assert.equal(tags.size, 5);
    assert.deepEqual((await api.row({ send: 'GET /openapi.json?profile=full', status: 200 })).body, full.body);
    await api.row({
      send: 'GET /openapi.json?profile=people',
      status: 400,
      has: {
        errorCode: 'REQUEST_PARAMETER_INVALID',
        details: [{ field: 'profile', message: 'must be full or generators' }],
      },
    });
    await api.row({
      send: 'GET /asyncapi.json?profile=generators',
      status: 400,
      has: { errorCode: 'REQUEST_PARAMETER_UNKNOWN' },
    });
  });

  it('[OPS-1a] [VER-3a, VER-3b] refuses versions like any other request that names them in its query', async () => {
    await using api = await apiUnderTest(MODEL);
    const refused = async (version: string, status: number, errorCode: string): Promise<void> => {
      await api.row({ send: `GET /openapi.json?api_version=${version}`, status, has: { errorCode } });
    };
    await refused('7', 400, 'API_VERSION_UNSUPPORTED');
    await refused('2.1', 400, 'API_VERSION_UNSUPPORTED');
    await refused('v1', 400, 'API_VERSION_INVALID');
    await refused('0.9', 410, 'API_VERSION_RETIRED');
  });

  it('[OPS-1a] [CACHE-2] [NEG-7] answers HEAD, is compressed, and is 304 for a current copy in the same coding', async () => {
    await using api = await apiUnderTest(MODEL);
    const plain = await api.row({ send: 'GET /openapi.json', status: 200 });
    const gzip = { 'Accept-Encoding': 'gzip' };
    for (const turn of ['made', 'kept']) {
      const got = await api.row({
        send: 'GET /openapi.json',
        headers: gzip,
        status: 200,
        expectHeaders: { 'Content-Encoding': 'gzip' },
      });
      assert.equal(gunzipSync(got.bytes).toString(), plain.text, turn);
      assert.ok(got.bytes.length < plain.bytes.length / 4);
      const [etag = '', other = ''] = [got.headers.get('etag'), plain.headers.get('etag')];
      assert.notEqual(etag, other);
      const headers = { ...gzip, 'If-None-Match': etag };
      await api.row({
        send: 'GET /openapi.json',
        headers,
        status: 304,
        expectHeaders: { ETag: etag, 'Content-Type': null },
      });
      await api.row({ send: 'GET /openapi.json', headers: { ...gzip, 'If-None-Match': other }, status: 200 });
    }
    await api.row({
      send: 'HEAD /openapi.json',
      status: 200,
      expectHeaders: { ETag: plain.headers.get('etag') ?? '', 'Content-Type': 'application/json' },
    });
  });

  it('[OPS-1a] [MET-5] [MET-6] answers OPTIONS, and no other method', async () => {
    await using api = await apiUnderTest(MODEL);
    await api.row({ send: 'OPTIONS /openapi.json', status: 204, expectHeaders: { Allow: 'GET, HEAD, OPTIONS' } });
    await api.row({
      send: 'POST /openapi.json',
      body: {},
      status: 405,
      expectHeaders: { Allow: 'GET, HEAD, OPTIONS' },
    });
    await api.row({ send: 'GET /openapi.json', headers: { Accept: 'application/xml' }, status: 406 });
  });

  it('[OPS-1a] is at the origin, whatever the base path', async () => {
    for (const base of ['/', '/openapi', '/a/b']) {
      await using api = await apiUnderTest(`base_path: ${base}${MODEL}`);
      await api.row({ send: 'GET /openapi.json', status: 200, has: { openapi: '3.1.1' } });
    }
    await using api = await apiUnderTest(MODEL);
    await api.row({ send: 'GET /api/openapi.json', status: 404, has: { errorCode: 'REQUEST_ROUTE_NOT_FOUND' } });
  });

  it('[OPS-1a] needs no credentials, unless the model says so', async () => {
    const setting = { tokens: fakeTokens };
    await using open = await apiUnderTest(`${AUTH}${MODEL}`, setting);
    await open.row({ send: 'GET /openapi.json', status: 200, expectHeaders: { 'Cache-Control': 'no-cache' } });
    await using closed = await apiUnderTest(`descriptions: authenticated\n${AUTH}${MODEL}`, setting);
    await closed.row({ send: 'GET /openapi.json', status: 401, has: { errorCode: 'AUTH_REQUIRED' } });
    await closed.row({ send: 'OPTIONS /openapi.json', status: 204 });
    const { body } = await closed.row({
      send: 'GET /openapi.json',
      headers: { Authorization: 'Bearer ann' },
      status: 200,
      expectHeaders: { 'Cache-Control': 'private, no-cache', Vary: /Authorization/ },
    });
    assert.ok('/api/v2/products' in body.paths);
  });

  it('[REP-10b] is linked from the root, in its body and in Link', async () => {
    await using api = await apiUnderTest(MODEL);
    const root = async (send: string, href: string): Promise<void> => {
      const { body, headers } = await api.row({ send, status: 200 });
      assert.equal(body.links.service_desc, href);
      assert.ok(headers.get('link')?.includes(`<${href}>; rel="service-desc"`), send);
      await api.row({ send: `GET ${href}`, status: 200, has: { openapi: '3.1.1' } });
    };
    await root('GET /api/v2', '/openapi.json');
    await root('GET /api/v1', '/openapi.json?api_version=1.4.0');
    await using placed = await apiUnderTest(`public_url: https://api.example.com${MODEL}`);
    const { body } = await placed.row({ send: 'GET /api/v2', status: 200 });
    assert.equal(body.links.service_desc, 'https://api.example.com/openapi.json');
  });
});
