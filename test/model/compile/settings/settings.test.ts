import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { limitsOfInstance } from '../../../../src/model/rate-quota.ts';
import type { Model } from '../../../../src/model/model.ts';
import { type InvalidDocument, load, rejectsEach } from '../../loading.ts';

const settingsDocument = (top: string): string =>
  `name: shop\n${top}\nresources: { items: { schema: { type: object } } }\n`;
const loadSettings = (top: string): Model => load(settingsDocument(top)).model;

describe('the settings of an API', () => {
  it('[LIM-1] have defaults', () => {
    const {
      resources: _resources,
      collections: _collections,
      fingerprint: _fingerprint,
      ...settings
    } = loadSettings('');
    assert.deepEqual(settings, {
      name: 'shop',
      title: 'shop',
      version: { major: 1, minor: 0, patch: 0 },
      basePath: '/api',
      publicUrl: null,
      defaultVersion: 1,
      versions: [],
      cors: null,
      auth: null,
      trustedProxies: [],
      requireTls: false,
      descriptions: 'public',
      console: null,
      secret: null,
      events: { retention: 2_592_000_000, maxRows: null, hold: 2_592_000_000, relays: [] },
      webhooks: null,
      relays: null,
      system: { batches: 'batches', events: 'events' },
      limits: {
        page: { default: 20, max: 100, maxOffset: 1_000_000, countCap: 10_000, bytes: 16_777_216 },
        body: 1_048_576,
        bodyMemory: 67_108_864,
        row: 2_097_152,
        target: 8192,
        headers: 16_384,
        headerLines: 100,
        depth: 32,
        items: 10_000,
        headersTimeout: 10_000,
        requestTimeout: 30_000,
        handlerTimeout: 30_000,
        statementTimeout: 5000,
        shutdownTimeout: 25_000,
        eventLoopDelay: 500,
        queueDepth: 1000,
        responseMemory: 268_435_456,
        feeds: { perCaller: 4, total: 1_000 },
        rate: null,
      },
    });
  });

  it('[EVT-8c] say how long events are stored', () => {
    const { events } = loadSettings('events: { retention: 2h, max_rows: 5000 }');
    assert.deepEqual(events, { retention: 7_200_000, maxRows: 5_000, hold: 7_200_000, relays: [] });
  });

  const AUTH =
    'auth: { issuers: [{ issuer: https://id.example.com, audience: shop, hs256_secret: 0123456789abcdef0123456789abcdef }] }';
  const rates: readonly (readonly [
    auth: boolean,
    rate: string | null,
    caller: [number, number],
    address: [number, number],
  ])[] = [
    [true, null, [600, 60_000], [60, 60_000]],
    [true, '{}', [600, 60_000], [60, 60_000]],
    [true, '{ requests: 5, per: 1s }', [5, 1_000], [5, 1_000]],
    [true, '{ requests: 100000 }', [100_000, 60_000], [60, 60_000]],
    [true, '{ requests: 120, per: 1h }', [120, 3_600_000], [60, 1_800_000]],
    [true, '{ instances: 4 }', [150, 60_000], [15, 60_000]],
    [false, '{ requests: 100, per: 10s }', [100, 10_000], [100, 10_000]],
    [false, '{ requests: 2, per: 60s, instances: 4 }', [1, 120_000], [1, 120_000]],
  ];
  for (const [auth, rate, [requests, per], [anonymous, anonymousPer]] of rates) {
    it(`[LIM-2a] [LIM-2c] [LIM-2d] have rates ${auth ? 'with' : 'without'} auth, declared as ${rate ?? 'nothing'}`, () => {
      const { limits } = loadSettings(
        [...(auth ? [AUTH] : []), ...(rate === null ? [] : [`limits: { rate: ${rate} }`])].join('\n'),
      );
      const { caller, address } = limitsOfInstance(limits.rate ?? assert.fail('no limits'));
      assert.deepEqual(
        [caller, address],
        [
          { requests, per },
          { requests: anonymous, per: anonymousPer },
        ],
      );
    });
  }

  it('[LIM-1] have memory for at least one body', () => {
    assert.equal(loadSettings('limits: { body: 200MiB }').limits.bodyMemory, 209_715_200);
  });

  it('[LIM-1] let a row grow to twice the size of a body', () => {
    assert.equal(loadSettings('limits: { body: 200MiB }').limits.row, 419_430_400);
    assert.equal(loadSettings('limits: { body: 1KiB }').limits.row, 2_097_152);
  });

  it('[LIM-1] contain the declared limits', () => {
    const keys = [
      'body: 2MiB',
      'body_memory: 3MiB',
      'row: 5MiB',
      'target: 4KiB',
      'headers: 8KiB',
      'header_lines: 50',
      'depth: 16',
      'items: 10',
      'headers_timeout: 1s',
      'request_timeout: 2s',
      'handler_timeout: 3s',
      'statement_timeout: 100ms',
      'shutdown_timeout: 1m',
      'event_loop_delay: 1s',
      'queue_depth: 5',
      'response_memory: 1KiB',
      'feeds: { per_caller: 2, total: 3 }',
      'page: { default: 5, max: 1000, max_offset: 0, count_cap: 7, bytes: 1KiB }',
    ];
    assert.deepEqual(loadSettings(`limits: { ${keys.join(', ')} }`).limits, {
      page: { default: 5, max: 1000, maxOffset: 0, countCap: 7, bytes: 1024 },
      body: 2_097_152,
      bodyMemory: 3_145_728,
      row: 5_242_880,
      target: 4096,
      headers: 8192,
      headerLines: 50,
      depth: 16,
      items: 10,
      headersTimeout: 1000,
      requestTimeout: 2000,
      handlerTimeout: 3000,
      statementTimeout: 100,
      shutdownTimeout: 60_000,
      eventLoopDelay: 1000,
      queueDepth: 5,
      responseMemory: 1024,
      feeds: { perCaller: 2, total: 3 },
      rate: null,
    });
  });

  it('[URL-1] accept the root or any path as base path', () => {
    assert.equal(loadSettings('base_path: /').basePath, '');
    assert.equal(loadSettings('base_path: /shop/api').basePath, '/shop/api');
  });

  it('[REP-9d] contain the origin that clients use, without a trailing slash', () => {
    assert.equal(loadSettings('public_url: https://api.example.com').publicUrl, 'https://api.example.com');
    assert.equal(loadSettings('public_url: https://api.example.com/').publicUrl, 'https://api.example.com');
    assert.equal(loadSettings('public_url: http://[::1]:8080').publicUrl, 'http://[::1]:8080');
  });

  it('[AUTH-6b] contain the networks of trusted proxies', () => {
    assert.deepEqual(loadSettings('trusted_proxies: [10.0.0.0/8, "::1"]').trustedProxies, [
      { address: [10, 0, 0, 0], prefix: 8 },
      { address: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], prefix: 128 },
    ]);
  });

  it('[VER-2] use the only major version by default', () => {
    assert.equal(loadSettings('version: 3.4.5').defaultVersion, 3);
    assert.deepEqual(loadSettings('version: 3.4.5\ndefault_version: 3').version, { major: 3, minor: 4, patch: 5 });
  });

  const rejected = (title: string, top: string, path: string, cause: RegExp, fix = /./): InvalidDocument => ({
    title,
    text: settingsDocument(top),
    path,
    line: 2,
    cause,
    fix,
  });
  rejectsEach([
    rejected(
      '[EVT-8c] store events for a minute at least',
      'events: { retention: 59s }',
      'events.retention',
      /the retention time is too short or too long/,
      /from 1m to 36500d/,
    ),
    rejected(
      '[AUTH-6b] contain no proxy by name',
      'trusted_proxies: [10.0.0.1, proxy.example.com]',
      'trusted_proxies[1]',
      /'proxy.example.com' is not an address or a network/,
      /such as 10\.0\.0\.0\/8/,
    ),
    rejected(
      '[AUTH-6b] contain no network with bits after its prefix',
      'trusted_proxies: [10.0.0.1/8]',
      'trusted_proxies[0]',
      /is not an address or a network/,
    ),
    {
      title: 'require a name',
      text: 'resources: { items: { schema: { type: object } } }\n',
      path: 'name',
      line: 1,
      cause: /name is required/,
      fix: /such as shop/,
    },
    {
      title: 'require a resource',
      text: 'name: shop\nresources: {}\n',
      path: 'resources',
      line: 2,
      cause: /at least 1 entry/,
      fix: /plural/,
    },
    {
      title: 'require a schema of each resource',
      text: 'name: shop\nresources:\n  items: { id: uuid }\n',
      path: 'resources.items.schema',
      line: 3,
      cause: /schema is required/,
      fix: /JSON Schema/,
    },
    {
      title: 'must be an object',
      text: '- a\n',
      path: '',
      line: 1,
      cause: /the document must be an object, not an array/,
      fix: /name and its resources/,
    },
    {
      title: 'cannot be empty',
      text: '',
      path: '',
      line: 1,
      cause: /the document is empty/,
      fix: /name and its resources/,
    },
    rejected('reject misspelt keys', 'titel: Shop', 'titel', /unknown key/, /write title/),
    rejected(
      '[VER-1] require a version of three numbers',
      'version: "1.0"',
      'version',
      /must match/,
      /MAJOR.MINOR.PATCH/,
    ),
    rejected(
      '[VER-1] require the version as a string',
      'version: 1.0',
      'version',
      /must be a string, not a number/,
      /MAJOR.MINOR.PATCH/,
    ),
    rejected(
      '[VER-2] require a declared default version',
      'default_version: 2',
      'default_version',
      /version 2 is not served/,
      /write 1/,
    ),
    rejected(
      '[URL-1] require a base path that starts with a slash',
      'base_path: api',
      'base_path',
      /must match/,
      /such as \/api/,
    ),
    rejected(
      '[URL-1] reject a base path that ends with a slash',
      'base_path: /api/',
      'base_path',
      /must match/,
      /such as \/api/,
    ),
    rejected(
      '[OPS-1a, OPS-1b, OPS-1c] reject the paths of the server',
      'base_path: /docs',
      'base_path',
      /is a path of the server/,
      /another/,
    ),
    rejected(
      '[OPS-1a] reject the path of the description as a base path',
      'base_path: /openapi.json',
      'base_path',
      /is a path of the server/,
      /another/,
    ),
    rejected(
      '[OPS-1a] reject descriptions for authenticated callers where there are none',
      'descriptions: authenticated',
      'descriptions',
      /need auth/,
      /declare auth/,
    ),
    ...[
      'api.example.com',
      'ftp://example.com',
      'https://example.com/api',
      'https://example.com?a',
      'https://u:p@example.com',
      'https://',
    ].map((url) =>
      rejected(
        `[REP-9d] reject the public URL ${url}`,
        `public_url: ${url}`,
        'public_url',
        /not an http or https origin/,
        /base_path/,
      ),
    ),
    rejected('[PAGE-6] reject an empty secret', 'secret: ""', 'secret', /at least 1 character/, /environment/),
    rejected(
      '[LIM-1] reject a page size above 1,000',
      'limits: { page: { max: 1001 } }',
      'limits.page.max',
      /at most 1000/,
    ),
    rejected(
      '[LIM-1] reject a default page size above the maximum',
      'limits: { page: { max: 10 } }',
      'limits.page.max',
      /exceeds the maximum/,
    ),
    rejected(
      '[LIM-1] require a unit for sizes',
      'limits: { body: 1MB }',
      'limits.body',
      /must match/,
      /512KiB or 1MiB/,
    ),
    rejected(
      '[LIM-1] require sizes as strings',
      'limits: { body: 1000 }',
      'limits.body',
      /must be a string/,
      /512KiB or 1MiB/,
    ),
    rejected(
      '[LIM-1] reject body limits that do not fit in memory',
      'limits: { body: 257MiB }',
      'limits.body',
      /out of range/,
      /256MiB/,
    ),
    rejected(
      '[LIM-2a] reject a search that counts more than all requests',
      'limits: { rate: { requests: 3, weights: { search: 5 } } }',
      'limits.rate.weights.search',
      /the weight of a search exceeds the quota/,
      /at most 3, or requests to at least 5/,
    ),
    rejected(
      '[LIM-2a] reject a rate of less than a second',
      'limits: { rate: { per: 10ms } }',
      'limits.rate.per',
      /out of range/,
      /from 1s to 1d/,
    ),
    rejected(
      '[LIM-2a] reject a rate of no requests',
      'limits: { rate: { requests: 0 } }',
      'limits.rate.requests',
      /at least 1/,
      /./,
    ),
    rejected(
      '[LIM-2a] reject unknown members of a rate',
      'limits: { rate: { burst: 1 } }',
      'limits.rate.burst',
      /burst/,
      /./,
    ),
    rejected(
      '[LIM-1] reject memory for less than one body',
      'limits: { body: 2MiB, body_memory: 1MiB }',
      'limits.body_memory',
      /less than body/,
      /at least body/,
    ),
    rejected(
      '[LIM-1] require a unit for durations',
      'limits: { handler_timeout: 30 }',
      'limits.handler_timeout',
      /must be a string/,
      /30s/,
    ),
    rejected(
      '[LIM-1] reject a timeout of zero',
      'limits: { handler_timeout: 0s }',
      'limits.handler_timeout',
      /out of range/,
      /default is 30s/,
    ),
    rejected(
      '[LIM-1] reject a headers timeout above the request timeout',
      'limits: { headers_timeout: 40s }',
      'limits.headers_timeout',
      /exceeds request_timeout/,
      /at most/,
    ),
    rejected('[LIM-1] reject unknown limits', 'limits: { boddy: 1MiB }', 'limits.boddy', /unknown key/, /write body/),
  ]);
});
