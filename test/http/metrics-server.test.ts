import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { type MetricsServer, serveMetrics } from '../../src/http/metrics-server.ts';

const TEXT = `# HELP a_total A.\n# TYPE a_total counter\n${'a_total{b="c"} 1\n'.repeat(100)}`;
const SOURCE = { host: '127.0.0.1', port: 0, now: () => Date.parse('2026-01-02T03:04:05Z'), uuid: () => 'id-1' };

let server: MetricsServer;
let text: () => Promise<string> = () => Promise.resolve(TEXT);
before(async () => {
  server = await serveMetrics({ ...SOURCE, hosts: 'loopback', text: () => text() });
});
after(() => server.close());

interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

function send(method: string, path: string, headers: http.OutgoingHttpHeaders = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = http.request({ port: server.port, host: '127.0.0.1', method, path, headers, agent: false });
    request.on('error', reject).on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    request.end();
  });
}

describe('a listener for metrics', () => {
  it('[AUTH-10b] serves /metrics without credentials, and nothing else', async () => {
    for (const path of ['/metrics', '/metrics?name=a']) {
      const { status, headers, body } = await send('GET', path);
      assert.equal(status, 200);
      assert.equal(body.toString(), TEXT);
      assert.equal(headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
      assert.equal(headers['cache-control'], 'no-store');
      assert.equal(headers.server, undefined);
    }
    for (const path of ['/', '/api', '/livez', '/metrics/', '/metricsx']) {
      const { status, body } = await send('GET', path);
      assert.equal(status, 404, path);
      assert.deepEqual(JSON.parse(body.toString()), {
        httpStatus: 404,
        errorCode: 'REQUEST_ROUTE_NOT_FOUND',
        errorMessage: 'This server has /metrics only.',
        details: [],
        correlationId: 'id-1',
        timestamp: '2026-01-02T03:04:05.000Z',
      });
    }
  });

  it('[AUTH-10b] has GET, HEAD and OPTIONS', async () => {
    const head = await send('HEAD', '/metrics');
    assert.deepEqual([head.status, head.headers['content-length'], head.body.length], [200, String(TEXT.length), 0]);
    const options = await send('OPTIONS', '/metrics');
    assert.deepEqual([options.status, options.headers.allow], [204, 'GET, HEAD, OPTIONS']);
    const post = await send('POST', '/metrics');
    assert.deepEqual([post.status, post.headers.allow], [405, 'GET, HEAD, OPTIONS']);
  });

  it('[AUTH-10b] compresses on request', async () => {
    const { headers, body } = await send('GET', '/metrics', { 'Accept-Encoding': 'gzip' });
    assert.equal(headers['content-encoding'], 'gzip');
    assert.equal(gunzipSync(body).toString(), TEXT);
  });

  it('[AUTH-10b] takes loopback names alone on a loopback address', async () => {
    const { status, body } = await send('GET', '/metrics', { Host: 'evil.example' });
    assert.equal(status, 400);
    assert.match(body.toString(), /REQUEST_HEADER_INVALID/);
    assert.equal((await send('GET', '/metrics', { Host: 'localhost:1' })).status, 200);
  });

  it('[AUTH-10b] responds 500 where the metrics cannot be read', async () => {
    text = () => Promise.reject(new Error('secret'));
    const { status, body } = await send('GET', '/metrics');
    text = () => Promise.resolve(TEXT);
    assert.equal(status, 500);
    assert.doesNotMatch(body.toString(), /secret/);
  });

  it('[AUTH-10b] names the port that is in use', async () => {
    const { port } = server;
    const opening = serveMetrics({ ...SOURCE, port, hosts: 'loopback', text });
    await assert.rejects(opening, /Port \d+ on 127\.0\.0\.1 is in use by another program/);
  });
});
