import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { JwtVerifier } from '../../../src/auth/jwt.ts';
import { createMetrics } from '../../../src/observe/metrics/metrics.ts';
import { StatementTimeout, StoreOverloaded, StoreUnavailable } from '../../../src/stores/store.ts';
import { type ApiUnderTest, apiUnderTest, type Setting } from '../support/api-under-test.ts';
import { as, callerTokens } from '../support/caller-tokens.ts';
import { fakeTokens } from '../support/fake-tokens.ts';
import { create, LAMP, SHOP } from '../models/shop-model.ts';

const NOTES = `
name: notes
resources:
  notes: { schema: { type: object, properties: { text: { type: string } } } }
`;
const PROTECTED = `${NOTES}
auth:
  issuers:
    - { name: test, issuer: 'https://id.example.com', audience: notes, hs256_secret: 0123456789abcdef0123456789abcdef }
`;

const OWNED = `
name: notes
auth:
  issuers:
    - { name: test, issuer: 'https://id.example.com', audience: notes, hs256_secret: 0123456789abcdef0123456789abcdef }
resources:
  notes:
    schema: { type: object, properties: { text: { type: string }, secret: { type: string }, owner_id: { type: string, readOnly: true } } }
    access: { read: authenticated, write: authenticated, owner: owner_id, fields: { secret: { read: { scope: notes:hidden } } } }
`;
const OF_CALLERS = ['callers', 'contracts', 'permissions', 'verdicts', 'visibilities'];

/** An API that is measured. */
async function measured(model: string, setting: Setting = {}): Promise<ApiUnderTest> {
  const metrics = createMetrics();
  const api = await apiUnderTest(model, { metrics, ...setting });
  const close = async (): Promise<void> => {
    metrics.close();
    await api.close();
  };
  return { ...api, close, [Symbol.asyncDispose]: close };
}

async function scrape(api: ApiUnderTest): Promise<string> {
  const { status, text } = await api.send({ send: 'GET /metrics' });
  assert.equal(status, 200);
  return text;
}

/** Reads the value of a series; null if it is absent. */
async function readSeries(api: ApiUnderTest, series: string): Promise<number | null> {
  const text = await scrape(api);
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? null : Number(line.slice(series.length + 1));
}

describe('/metrics', () => {
  it('[OPS-2b] is text of Prometheus that no cache stores, whatever is accepted', async () => {
    await using api = await measured(NOTES);
    const expectHeaders = { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8', 'Cache-Control': 'no-store' };
    for (const accept of ['*/*', 'application/json', 'application/openmetrics-text;version=1.0.0,text/plain;q=0.5']) {
      await api.row({ send: 'GET /metrics', headers: { Accept: accept }, status: 200, expectHeaders });
    }
    await api.row({ send: 'GET /metrics?name[]=up', status: 200, expectHeaders });
    await api.row({ send: 'HEAD /metrics', status: 200, expectHeaders });
  });

  it('[OPS-2b] is compressed on request', async () => {
    await using api = await measured(NOTES);
    const headers = { 'Accept-Encoding': 'gzip' };
    const { text } = await api.row({
      send: 'GET /metrics',
      headers,
      status: 200,
      expectHeaders: { 'Content-Encoding': 'gzip' },
    });
    assert.match(text, /^# TYPE restwright_build_info gauge$/m);
  });

  it('[OPS-2b] has GET, HEAD and OPTIONS', async () => {
    await using api = await measured(NOTES);
    const expectHeaders = { Allow: 'GET, HEAD, OPTIONS' };
    await api.row({ send: 'POST /metrics', body: {}, status: 405, expectHeaders });
    await api.row({ send: 'OPTIONS /metrics', status: 204, expectHeaders });
    await api.row({ send: 'GET /metrics/', status: 308 });
  });

  it('[OPS-2b] is no route of an API that does not serve it', async () => {
    await using api = await apiUnderTest(NOTES);
    await api.row({ send: 'GET /metrics', status: 404, has: { errorCode: 'REQUEST_ROUTE_NOT_FOUND' } });
  });

  it('[AUTH-10b] needs the scope metrics:read of an API with authentication', async () => {
    await using api = await measured(PROTECTED, { tokens: fakeTokens });
    const send = 'GET /metrics';
    await api.row({
      send,
      status: 401,
      has: { errorCode: 'AUTH_REQUIRED' },
      expectHeaders: { 'WWW-Authenticate': /^Bearer realm="notes"/ },
    });
    await api.row({
      send,
      headers: { Authorization: 'Bearer bad' },
      status: 401,
      has: { errorCode: 'AUTH_TOKEN_INVALID' },
    });
    await api.row({
      send,
      headers: { Authorization: 'Bearer alice.notes_read' },
      status: 403,
      has: { errorCode: 'AUTH_SCOPE_INSUFFICIENT' },
      expectHeaders: { 'WWW-Authenticate': /scope="metrics:read"/ },
    });
    await api.row({ send, headers: { Authorization: 'Bearer prometheus.metrics_read' }, status: 200 });
    const { body } = await api.row({ send: 'GET /.well-known/oauth-protected-resource/api', status: 200 });
    assert.deepEqual(body.scopes_supported, ['events:read', 'metrics:read', 'notes:read', 'notes:write']);
  });
});

describe('what is measured of requests', () => {
  it('[OPS-2b] has method, pattern, status and version as labels, and durations in seconds', async () => {
    await using api = await measured(SHOP);
    const { id } = await create(api, 'products', LAMP);
    await api.send({ send: `GET /api/v1/products/${id}` });
    await api.send({ send: `GET /api/v1/products/${id}` });
    const text = await scrape(api);
    assert.doesNotMatch(text, new RegExp(id));
    const labels =
      'http_request_method="GET",http_route="/api/products/{id}",http_response_status_code="200",api_version="1.4.2"';
    const bounds = [...text.matchAll(/^http_server_request_duration_seconds_bucket\{(.*),le="(.*)"\} 2$/gm)];
    assert.deepEqual(
      bounds.map(([, of, bound]) => [of, bound]),
      [
        '0.005',
        '0.01',
        '0.025',
        '0.05',
        '0.075',
        '0.1',
        '0.25',
        '0.5',
        '0.75',
        '1',
        '2.5',
        '5',
        '7.5',
        '10',
        '+Inf',
      ].map((bound) => [labels, bound]),
    );
    assert.match(text, /^# TYPE http_server_request_duration_seconds histogram$/m);
  });

  it('[OPS-2b] measures the duration with the clock of the API', async () => {
    await using api = await measured(NOTES, {
      breaking: (store) => ({
        ...store,
        rows: { ...store.rows, list: async (plan) => (api.clock.advance(300), store.rows.list(plan)) },
      }),
    });
    await api.send({ send: 'GET /api/v1/notes' });
    const labels =
      'http_request_method="GET",http_route="/api/notes",http_response_status_code="200",api_version="1.0.0"';
    assert.equal(await readSeries(api, `http_server_request_duration_seconds_sum{${labels}}`), 0.3);
    assert.equal(await readSeries(api, `http_server_request_duration_seconds_bucket{${labels},le="0.25"}`), 0);
    assert.equal(await readSeries(api, `http_server_request_duration_seconds_bucket{${labels},le="0.5"}`), 1);
  });

  it('[OPS-2b] collapses unknown routes and unknown methods', async () => {
    await using api = await measured(NOTES);
    for (const path of ['/a', '/b', '/api/v1/c', '/api/v1/notes/x/y']) await api.send({ send: `GET ${path}` });
    for (const method of ['PURGE', 'PROPFIND', 'FOO']) await api.send({ send: `${method} /api/v1/notes` });
    const text = await scrape(api);
    assert.match(
      text,
      /^http_server_request_duration_seconds_count\{http_request_method="GET",http_response_status_code="404",.*version="1.*\} 2$/m,
    );
    assert.match(
      text,
      /^http_server_request_duration_seconds_count\{http_request_method="GET",http_response_status_code="404"\} 2$/m,
    );
    assert.doesNotMatch(text, /PURGE|PROPFIND|FOO/);
    assert.match(
      text,
      /^restwright_http_errors_total\{http_request_method="_OTHER",error_code="REQUEST_METHOD_NOT_IMPLEMENTED"\} 2$/m,
    );
  });

  it('[OPS-2b] counts error codes, and the sizes of bodies as they are sent', async () => {
    await using api = await measured(NOTES);
    const body = JSON.stringify({ text: 'é' });
    const { bytes } = await api.send({ send: 'POST /api/v1/notes', body });
    await api.send({ send: 'GET /api/v1/notes?limit=x' });
    await api.send({ send: 'GET /api/v1/notes?limit=x' });
    const errors = 'http_request_method="GET",http_route="/api/notes",error_code="PAGINATION_LIMIT_INVALID"';
    assert.equal(await readSeries(api, `restwright_http_errors_total{${errors}}`), 2);
    const post = 'http_request_method="POST",http_route="/api/notes"';
    assert.equal(await readSeries(api, `http_server_request_body_size_bytes_sum{${post}}`), Buffer.byteLength(body));
    assert.equal(await readSeries(api, `http_server_response_body_size_bytes_sum{${post}}`), bytes.length);
  });

  it('[OPS-2b] counts requests in progress, and streams until they have ended', async () => {
    await using api = await measured(NOTES);
    const active = 'http_server_active_requests{http_request_method="POST"}';
    const ndjson = { 'Content-Type': 'application/x-ndjson' };
    await api.send({ send: 'POST /api/v1/notes', headers: ndjson, body: '{"text":"a"}\n' });
    assert.equal(await readSeries(api, active), 0);
    assert.equal(await readSeries(api, 'http_server_active_requests{http_request_method="GET"}'), 1);
  });
});

describe('what is measured besides requests', () => {
  it('[OPS-2b] has commits, their sizes and the last event', async () => {
    await using api = await measured(NOTES);
    await Promise.all(['a', 'b', 'c'].map((text) => api.send({ send: 'POST /api/v1/notes', body: { text } })));
    assert.equal(await readSeries(api, 'restwright_store_commit_units_sum'), 3);
    // Writes that arrive in one iteration of the event loop share a commit; over a socket they may not.
    const commits = (await readSeries(api, 'restwright_store_commit_units_count')) ?? 0;
    assert.ok(commits >= 1 && commits <= 3, `${commits} commits`);
    assert.equal(await readSeries(api, 'restwright_store_commit_duration_seconds_count'), commits);
    assert.equal(await readSeries(api, 'restwright_store_pending_writes'), 0);
    assert.equal(await readSeries(api, 'restwright_store_up'), 1);
    assert.equal(await readSeries(api, 'restwright_events_last_sequence'), 3);
  });

  const failures: readonly (readonly [series: string, error: Error])[] = [
    ['restwright_store_reads_stopped_total{reason="timeout"}', new StatementTimeout('slow')],
    ['restwright_store_reads_stopped_total{reason="queue"}', new StoreOverloaded('full')],
    ['restwright_store_unavailable_total{reason="locked"}', new StoreUnavailable('locked', { reason: 'locked' })],
    ['restwright_internal_errors_total', new Error('bug')],
  ];
  for (const [series, error] of failures) {
    it(`[OPS-2b] counts ${series}, from 0`, async () => {
      await using api = await measured(NOTES, {
        breaking: (store) => ({ ...store, rows: { ...store.rows, list: () => Promise.reject(error) } }),
      });
      assert.equal(await readSeries(api, series), 0);
      await api.send({ send: 'GET /api/v1/notes' });
      assert.equal(await readSeries(api, series), 1);
    });
  }

  it('[OPS-2b] is served while the database cannot be used', async () => {
    await using api = await measured(NOTES, {
      breaking: (store) => ({ ...store, ping: () => Promise.reject(new StoreUnavailable('gone')) }),
    });
    assert.equal(await readSeries(api, 'restwright_store_up'), 0);
    assert.equal(await readSeries(api, 'restwright_store_pending_writes'), 0);
  });

  it('[OPS-2b] counts hits, misses and evictions of caches', async () => {
    await using api = await measured(NOTES);
    const { id } = await create(api, 'notes', { text: 'a' });
    const read = async (times: number): Promise<void> => {
      for (let time = 0; time < times; time += 1) await api.send({ send: `GET /api/v1/notes/${id}` });
    };
    await read(5);
    const misses = await readSeries(api, 'restwright_cache_requests_total{cache="items",result="miss"}');
    assert.equal(
      await readSeries(api, 'restwright_cache_requests_total{cache="items",result="hit"}'),
      5 - (misses ?? 0),
    );
    await api.send({
      send: `PATCH /api/v1/notes/${id}`,
      body: { text: 'b' },
      headers: { 'Content-Type': 'application/merge-patch+json' },
    });
    await read(1);
    assert.equal(
      await readSeries(api, 'restwright_cache_requests_total{cache="items",result="miss"}'),
      (misses ?? 0) + 1,
      'stale is no hit',
    );
    for (const cache of ['items', 'pages', 'bodies'])
      assert.equal(await readSeries(api, `restwright_cache_evictions_total{cache="${cache}"}`), 0);
  });

  it('[OPS-2b] counts the uses of prepared statements and of verified tokens, and the reads that wait for a thread', async () => {
    await using api = await measured(NOTES, {
      breaking: (store) => ({
        ...store,
        usage: () => ({ statements: { hits: 0, misses: 0, evictions: 0 }, ...store.usage?.(), queuedReads: 7 }),
      }),
    });
    const uses = (result: string): Promise<number | null> =>
      readSeries(api, `restwright_cache_requests_total{cache="statements",result="${result}"}`);
    await create(api, 'notes', { text: 'a' });
    const [hits, misses] = [await uses('hit'), await uses('miss')];
    await create(api, 'notes', { text: 'b' });
    assert.ok(((await uses('hit')) ?? 0) > (hits ?? 0));
    assert.equal(await uses('miss'), misses, 'its statements are prepared already');
    assert.equal(await readSeries(api, 'restwright_cache_evictions_total{cache="statements"}'), 0);
    assert.equal(await readSeries(api, 'restwright_store_queued_reads'), 7);
  });

  it('[OPS-2b] has the transactions that overlap, as they are once the last sequence was read', async () => {
    let commitsInFlight = 9;
    await using api = await measured(NOTES, {
      breaking: (store) => ({
        ...store,
        events: Object.assign(Object.create(store.events), {
          lastSequence: async () => {
            commitsInFlight = 3;
            return 7;
          },
        }),
        writeUsage: () => ({ commitsInFlight, horizonAge: 1.5 }),
      }),
    });
    assert.equal(await readSeries(api, 'restwright_store_commits_in_flight'), 3);
    assert.equal(await readSeries(api, 'restwright_log_horizon_age_seconds'), 1.5);
  });

  it('[OPS-2b] counts the look-ups of verified tokens', async () => {
    const metrics = createMetrics();
    const tokens = new JwtVerifier([], () => 0);
    await using api = await apiUnderTest(PROTECTED, { metrics, tokens });
    await api.send({ send: 'GET /api/v1/notes', headers: { Authorization: 'Bearer a.b.c' } });
    assert.match(await metrics.text(), /^restwright_cache_requests_total\{cache="tokens",result="miss"\} 1$/m);
    metrics.close();
  });

  it('[OPS-2b] counts the look-ups of callers and of all that is cached for them, which an idle API clears', async (context) => {
    mock.timers.enable({ apis: ['setTimeout'] });
    context.after(() => mock.timers.reset());
    const metrics = createMetrics();
    await using api = await apiUnderTest(OWNED, { metrics, tokens: callerTokens() });
    const headers = as({ subject: 'ann', scopes: ['notes:secret'] });
    const note = await api.send({ send: 'POST /api/v1/notes', headers, body: { text: 'a' } });
    const read = async (): Promise<void> => {
      await api.send({ send: `GET ${note.headers.get('location')}`, headers });
    };
    const misses = async (): Promise<readonly (readonly [cache: string, count: number])[]> =>
      [...(await metrics.text()).matchAll(/^restwright_cache_requests_total\{cache="(\w+)",result="miss"\} (\d+)$/gm)]
        .map(([, cache = '', count]) => [cache, Number(count)] as const)
        .filter(([cache]) => OF_CALLERS.includes(cache));
    for (let time = 0; time < 3; time += 1) await read();
    const before = await misses();
    assert.deepEqual(before.map(([cache]) => cache).toSorted(), OF_CALLERS);
    await read();
    assert.deepEqual(await misses(), before, 'everything is cached');
    for (let second = 0; second < 60; second += 1) mock.timers.tick(1_000);
    await read();
    const after = new Map(await misses());
    for (const [cache, count] of before)
      if (cache !== 'verdicts') assert.ok((after.get(cache) ?? 0) > count, `${cache} was not cleared`);
    metrics.close();
  });

  it('[OPS-2b] counts refusals by rate limits', async () => {
    await using api = await measured(`${NOTES}\nlimits: { rate: { requests: 2, per: 60s } }\n`);
    const text = async (): Promise<string> => (await api.send({ send: 'GET /metrics' })).text;
    await api.send({ send: 'GET /api/v1/notes' });
    assert.match(await text(), /^restwright_rate_limited_total\{bucket="address"\} 0$/m);
    await api.row({ send: 'GET /api/v1/notes', status: 429 });
    api.clock.advance(60_000);
    assert.match(await text(), /^restwright_rate_limited_total\{bucket="address"\} 1$/m);
  });

  it('[OPS-2b] has the process, its memory and its event loop', async () => {
    await using api = await measured(NOTES);
    const text = await scrape(api);
    for (const name of [
      'process_cpu_seconds_total',
      'process_resident_memory_bytes',
      'process_start_time_seconds',
      'nodejs_eventloop_delay_p99_seconds',
      'v8js_memory_heap_used_bytes',
    ])
      assert.match(text, new RegExp(`^${name} [0-9.e+-]+$`, 'm'));
    assert.match(text, /^nodejs_eventloop_time_seconds_total\{nodejs_eventloop_state="active"\} [0-9.]+$/m);
    assert.match(text, /^restwright_build_info\{version="[^"]+",nodejs_version="[^"]+"\} 1$/m);
  });
});
