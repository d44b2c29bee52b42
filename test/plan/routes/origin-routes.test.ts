import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ORIGIN_NAMES, isHealthPath, isHealthTarget } from '../../../src/conventions/url/origin-names.ts';
import { segmentsOfTarget } from '../../../src/conventions/url/url.ts';
import { pathsOutsideBase } from '../../../src/http/mounted-api.ts';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import { ORIGIN_PATHS } from '../../../src/model/compile/fields/names.ts';
import { compileOriginRoutes } from '../../../src/plan/routes/origin-routes.ts';
import { audienceWarnings } from '../../../src/plan/routes/protected-resource.ts';
import type { RouteKind } from '../../../src/plan/routes/route-table.ts';

const AUTH = { resource: null };

describe('the routes outside of the base path', () => {
  const rows: readonly (readonly [path: string, basePath: string, kind: RouteKind | null])[] = [
    ['/docs', '/api', 'docs'],
    ['/docs', '', 'docs'],
    ['/docs', '/shop/api', 'docs'],
    ['/shop/docs', '/shop/api', 'docs'],
    ['/shop%2Fdocs', '/shop/api', null],
    ['/shop/docs', '/api', null],
    ['/other/docs', '/shop/api', null],
    ['/shop/api/docs', '/shop/api', null],
    ['/shop/livez', '/shop/api', null],
    ['/shop/openapi.json', '/shop/api', 'openapi'],
    ['/asyncapi.json', '/api', 'asyncapi'],
    ['/llms.txt', '/api', 'llms'],
    ['/shop/llms.txt', '/shop/api', 'llms'],
    ['/api/mcp', '/api', 'mcp'],
    ['/mcp', '', 'mcp'],
    ['/mcp', '/api', null],
    ['/livez', '/api', 'live'],
    ['/livez/x', '/api', null],
    ['/readyz', '', 'ready'],
    ['/metrics', '/api', 'metrics'],
    ['/', '/api', 'home'],
    ['/', '', null],
    ['/.well-known/oauth-protected-resource/api', '/api', 'metadata'],
    ['/.well-known/oauth-protected-resource', '/api', null],
    ['/.well-known/oauth-protected-resource', '', 'metadata'],
    ['/.well-known/oauth-protected-resource%2Fapi', '/api', null],
  ];
  for (const [path, basePath, kind] of rows) {
    it(`[OPS-1c] [OPS-2a] are ${kind ?? 'none'} at ${path} where the base path is ${basePath || '/'}`, () => {
      const find = compileOriginRoutes({ model: { basePath, auth: AUTH }, servesMetrics: true, servesAgents: true });
      assert.equal(find(segmentsOfTarget(path)), kind);
    });
  }

  it('[OPS-2a] are reserved names and health checks of one list', () => {
    assert.deepEqual([...ORIGIN_PATHS], Object.values(ORIGIN_NAMES));
    const names = [...ORIGIN_PATHS];
    assert.deepEqual(
      names.filter((name) => isHealthPath([name])),
      ['livez', 'readyz'],
    );
    assert.deepEqual(
      names.filter((name) => isHealthTarget(`/${name}?x`)),
      ['livez', 'readyz'],
    );
    assert.deepEqual(
      [isHealthTarget('/livez'), isHealthTarget('/livezz'), isHealthPath(['livez', 'x'])],
      [true, false, false],
    );
  });

  it('[OPS-1c] [AUTH-8a] are served by a mount next to its base path', () => {
    const { model } = loadModel({
      file: 'model.yaml',
      text: 'name: shop\nbase_path: /shop/api\nauth: { api_keys: true }\nresources: { notes: { schema: { type: object } } }\n',
      env: {},
    });
    const handler = { handle: () => assert.fail(), refuse: () => assert.fail() };
    assert.deepEqual(pathsOutsideBase({ ...handler, model }).toSorted(), [
      '/.well-known/oauth-protected-resource/shop/api',
      '/livez',
      '/readyz',
      '/shop/asyncapi.json',
      '/shop/docs',
      '/shop/llms.txt',
      '/shop/openapi.json',
    ]);
  });
});

describe('the audiences of an API', () => {
  const warn = (publicUrl: string | null, audiences: readonly string[], resource: string | null = null) =>
    audienceWarnings({
      basePath: '/api',
      publicUrl,
      auth: {
        issuers: [
          {
            name: 'id',
            issuer: 'https://id.example.com',
            audiences,
            keys: { kind: 'discovery' },
            allowTypJwt: false,
            scopeClaims: ['scope'],
            clientClaim: 'client_id',
          },
        ],
        gateway: null,
        apiKeys: null,
        databaseRole: null,
        resource,
      },
    }).length;

  it('[AUTH-8a] lead to a warning where none is the resource', () => {
    assert.equal(warn('https://api.example.com', ['https://api.example.com']), 1);
    assert.equal(warn('https://api.example.com', ['shop', 'https://api.example.com/api']), 0);
    assert.equal(warn('https://api.example.com', ['https://api.example.com'], 'https://api.example.com'), 0);
    assert.equal(warn(null, ['shop']), 0);
  });
});
