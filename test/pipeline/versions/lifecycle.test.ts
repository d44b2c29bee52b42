import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createMetrics } from '../../../src/observe/metrics/metrics.ts';
import { type ApiUnderTest, apiUnderTest, type Setting } from '../support/api-under-test.ts';

/** Its default version is deprecated; collections were renamed, and one is nested. */
const MODEL = `
name: shop
version: 2.0.0
default_version: 1
cors: { origins: [https://app.example.com] }
resources:
  wares:
    id: client
    schema: { type: object, properties: { name: { type: string } } }
  notes:
    parent: wares
    id: client
    schema: { type: object, properties: { text: { type: string } } }
versions:
  1.3.0:
    deprecated: 2026-06-01
    sunset: 2028-06-01
    deprecation_page: https://docs.example.com/move?from=1
    changes:
      - { resource: wares, collection: products, singular: product }
`;

const PAGE = '<https://docs.example.com/move?from=1>; rel="deprecation"';

const shop = (setting: Setting = {}, text = MODEL) => apiUnderTest(text, setting);

function versionFields({ headers }: { readonly headers: ReadonlyMap<string, string> }) {
  return ['api-version', 'deprecation', 'sunset', 'link'].map((name) => headers.get(name) ?? null);
}

function deprecatedUses(api: ApiUnderTest): number {
  return api.observations.filter(({ kind }) => kind === 'deprecated-contract').length;
}

const NONE = [null, null, null, null];

describe('a target without a version', () => {
  const rows: readonly (readonly [send: string, status: number, headers?: Readonly<Record<string, string>>])[] = [
    ['GET /livez', 200],
    ['HEAD /livez', 200],
    ['OPTIONS /livez', 204],
    ['POST /livez', 405],
    ['GET /readyz', 200],
    ['GET /metrics', 200],
    ['OPTIONS *', 204],
    ['GET /nothing', 404],
    ['GET /', 308],
    ['GET /api/v1/products/', 308],
    ['GET /api/v7/products', 404],
    ['GET /api/v1/products/%zz', 400],
    ['BREW /api/v1/products', 501],
    ['GET /api/v1/products', 400, { Host: 'a b' }],
    ['OPTIONS /api/v1/products', 204, { Origin: 'https://app.example.com', 'Access-Control-Request-Method': 'GET' }],
  ];
  for (const [send, status, headers = {}] of rows) {
    it(`[VER-4a] [VER-4b] names neither a version nor a deprecation: ${send} ${status}`, async () => {
      await using api = await shop({ metrics: createMetrics() });
      const seen = await api.send({ send, headers });
      assert.equal(seen.status, status, seen.text);
      assert.deepEqual(versionFields(seen), NONE);
      assert.equal(deprecatedUses(api), 0);
    });
  }

  it('[VER-4a] [VER-4b] is a description without one; with one it is of that version', async () => {
    await using api = await shop();
    for (const path of ['/openapi.json', '/asyncapi.json', '/docs']) {
      const plain = await api.send({ send: `GET ${path}` });
      assert.deepEqual([plain.status, ...versionFields(plain).slice(0, 3)], [200, null, null, null], path);
      const older = await api.send({ send: `GET ${path}?api_version=1` });
      assert.deepEqual(versionFields(older).slice(0, 3), ['1.3.0', '@1780272000', 'Thu, 01 Jun 2028 00:00:00 GMT']);
      assert.ok(
        older.headers.get('link')?.includes(`<${path}>; rel="successor-version"`),
        String(older.headers.get('link')),
      );
      const unknown = await api.send({ send: `GET ${path}?api_version=9` });
      assert.deepEqual([unknown.status, ...versionFields(unknown)], [400, ...NONE]);
    }
    assert.equal(deprecatedUses(api), 3);
  });
});

describe('the successor of a deprecated version', () => {
  const rows: readonly (readonly [send: string, status: number, successor: string])[] = [
    ['GET /api/v1', 200, '/api/v2'],
    ['GET /api', 200, '/api/v2'],
    ['GET /api/v1/products', 200, '/api/v2/wares'],
    ['GET /api/v1/products?name=a&limit=5', 200, '/api/v2/wares'],
    ['GET /api/products?api_version=1', 200, '/api/v2/wares'],
    ['GET /api/v1/products/a%2Fb%20c', 200, '/api/v2/wares/a%2Fb%20c'],
    ['GET /api/v1/products/none', 404, '/api/v2/wares/none'],
    ['GET /api/v1/products/a%2Fb%20c/notes', 200, '/api/v2/wares/a%2Fb%20c/notes'],
    ['GET /api/v1/products/a%2Fb%20c/notes/n', 200, '/api/v2/wares/a%2Fb%20c/notes/n'],
    ['DELETE /api/v1/products/a%2Fb%20c/notes/n', 204, '/api/v2/wares/a%2Fb%20c/notes/n'],
    ['PUT /api/v1/products', 405, '/api/v2/wares'],
    ['GET /api/v1/wares', 404, '/api/v2'],
    ['GET /api/v1/events', 200, '/api/v2/events'],
    ['GET /api/v1/events/none', 404, '/api/v2/events/none'],
    ['POST /api/v1/batches', 400, '/api/v2/batches'],
  ];
  for (const [send, status, successor] of rows) {
    it(`[VER-4b] is named for ${send}: ${successor}`, async () => {
      await using api = await shop();
      await api.send({ send: 'POST /api/v2/wares', body: { id: 'a/b c', name: 'a' } });
      await api.send({ send: 'POST /api/v2/wares/a%2Fb%20c/notes', body: { id: 'n' } });
      const seen = await api.send({ send });
      assert.equal(seen.status, status, seen.text);
      const [version, deprecation, , link = ''] = versionFields(seen);
      assert.deepEqual([version, deprecation], ['1.3.0', '@1780272000']);
      assert.ok(`${link},`.startsWith(`${PAGE}, <${successor}>; rel="successor-version",`), String(link));
    });
  }

  it('[VER-4b] is absolute where the public URL is set, and none where it has the same URL', async () => {
    const text = `public_url: https://api.example.com\n${MODEL.replace('version: 2.0.0', 'version: 1.4.0')}`;
    await using api = await shop({}, text);
    const renamed = await api.send({ send: 'GET /api/products?api_version=1.3' });
    assert.ok(
      renamed.headers.get('link')?.includes('<https://api.example.com/api/v1/wares>; rel="successor-version"'),
      String(renamed.headers.get('link')),
    );
    const root = await api.send({ send: 'GET /api?api_version=1.3' });
    assert.ok(root.headers.get('link')?.startsWith(PAGE));
    assert.doesNotMatch(root.headers.get('link') ?? '', /successor-version/);
  });

  it('[VER-4b] has a page about it before the deprecation, too', async () => {
    const text = MODEL.replace(/ {4}deprecated: .*\n {4}sunset: .*\n/, '');
    await using api = await shop({}, text);
    const seen = await api.send({ send: 'GET /api/v1/products' });
    assert.deepEqual(versionFields(seen).slice(0, 3), ['1.3.0', null, null]);
    assert.ok(seen.headers.get('link')?.startsWith(PAGE));
    assert.doesNotMatch(seen.headers.get('link') ?? '', /successor-version/);
    assert.equal(deprecatedUses(api), 0);
  });

  it('[VER-4b] has its page in the descriptions', async () => {
    await using api = await shop();
    const { body } = await api.send({ send: 'GET /openapi.json?api_version=1' });
    assert.ok(body.info.description.includes('(https://docs.example.com/move?from=1)'));
    const live = body.paths['/livez'].get.responses['200'].$ref.split('/').at(-1);
    const { headers } = body.components.responses[live];
    assert.deepEqual([headers['API-Version'], headers.Deprecation], [undefined, undefined]);
    const docs = await api.send({ send: 'GET /docs' });
    assert.ok(docs.text.includes('href="https://docs.example.com/move?from=1"'));
  });

  for (const page of ['docs.example.com/move', 'ftp://a.example', 'https://a.example/<x>', 'https://a.example/é']) {
    it(`[VER-4b] has no page at ${page}: a model error`, async () => {
      const text = MODEL.replace('https://docs.example.com/move?from=1', page);
      await assert.rejects(async () => shop({}, text), /deprecation_page/);
    });
  }
});
