import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { skipWithout } from '../installed-programs.ts';
import { type RequestToSend, sendRequest, type ReceivedResponse } from './send-request.ts';
import { cacheNames, cachePrograms, startCacheServers, type CacheServers } from './cache-servers.ts';

const TEXT = 'type: object, properties: { text: { type: string } }';
const NEWS = `
name: news
resources:
  flashes: { id: client, cache: { max_age: 1, scope: public }, schema: { ${TEXT} } }
  articles:
    id: client
    cache: { max_age: 3600, scope: public }
    schema:
      type: object
      properties:
        text: { type: string }
        flash_id: { type: string, x-references: { resource: flashes, inverse: articles } }
  comments: { id: client, parent: articles, on_parent_delete: cascade, cache: { max_age: 3600, scope: public }, schema: { ${TEXT} } }
`;

/**
 * Milliseconds for which a response of `flashes` may be served: max-age, and up to a second, since caches truncate
 * times.
 */
const MAX_AGE = 2_000;

const textOf = ({ bytes }: ReceivedResponse): string => JSON.parse(bytes.toString()).text;
const skip = skipWithout(...cachePrograms);

describe('a cached response', { skip }, () => {
  let servers: CacheServers;
  const origin = (request: RequestToSend): Promise<ReceivedResponse> => sendRequest(servers.origin, request);
  const put = async (path: string, body: object): Promise<void> => {
    const { status } = await origin({ send: `PUT /api/v1/${path}`, body });
    assert.ok(status === 200 || status === 201, `PUT ${path} returned ${status}`);
  };
  before(async () => {
    servers = await startCacheServers(NEWS);
  });
  after(() => servers[Symbol.asyncDispose]());

  /** Repeats a request until the response changes, and asserts the age of every unchanged response. */
  async function waitForChange(
    port: number,
    request: RequestToSend,
    first: ReceivedResponse,
    firstTime: number,
  ): Promise<ReceivedResponse> {
    for (;;) {
      const sent = performance.now();
      const response = await sendRequest(port, request);
      if (!response.bytes.equals(first.bytes)) return response;
      assert.ok(sent - firstTime <= MAX_AGE, `served again ${sent - firstTime} ms later`);
      assert.ok(Number(response.headers['age'] ?? 0) <= 1);
      await pause(25);
    }
  }

  const targets = [
    'flashes/{id}',
    'flashes?text[starts_with]={id}',
    'articles/{id}?expand=flash',
    'articles?expand=flash&id[eq]={id}',
    'flashes/{id}?expand=articles.comments',
  ];
  describe('is not served longer than max-age', { concurrency: true }, () => {
    for (const name of cacheNames) {
      for (const [index, target] of targets.entries()) {
        it(`[CACHE-6b] by ${name}: ${target}`, async () => {
          const port = servers.caches[name];
          const id = `${name}-${index}`;
          await put(`flashes/${id}`, { text: `${id} old` });
          await put(`articles/${id}`, { flash_id: id });
          const request = { send: `GET /api/v1/${target.replace('{id}', id)}` };
          const first = await sendRequest(port, request);
          const firstTime = performance.now();
          assert.equal(first.headers['cache-control'], 'public, max-age=1');
          await put(`flashes/${id}`, { text: `${id} new` });
          const changed = await waitForChange(port, request, first, firstTime);
          assert.match(changed.bytes.toString(), new RegExp(`${id} new"`));
        });
      }
    }
  });

  for (const name of cacheNames) {
    const cached = (request: RequestToSend): Promise<ReceivedResponse> => sendRequest(servers.caches[name], request);

    it(`[CACHE-6b] is revalidated by ${name} on Cache-Control: no-cache, and then served to all clients`, async () => {
      const path = `articles/${name}-revalidated`;
      const send = `GET /api/v1/${path}`;
      await put(path, { text: 'old' });
      assert.equal(textOf(await cached({ send })), 'old');
      await put(path, { text: 'new' });
      assert.equal(textOf(await cached({ send })), 'old');
      assert.equal(textOf(await cached({ send, headers: { 'Cache-Control': 'no-cache' } })), 'new');
      const later = await cached({ send });
      assert.deepEqual([textOf(later), later.headers['x-cache']], ['new', 'HIT']);
    });

    it(`[CACHE-2] [CACHE-6b] is never stale for a conditional request to ${name}: the server evaluates it`, async () => {
      const path = `articles/${name}-conditional`;
      const send = `GET /api/v1/${path}`;
      await put(path, { text: 'old' });
      const headers = { 'If-None-Match': (await cached({ send })).headers['etag'] ?? '' };
      assert.equal((await cached({ send, headers })).status, 304);
      await put(path, { text: 'new' });
      assert.equal(textOf(await cached({ send, headers })), 'new');
      assert.equal(textOf(await cached({ send })), 'old');
    });
  }

  const variants: readonly RequestToSend['headers'][] = [
    {},
    { Accept: 'application/xml' },
    { 'Accept-Encoding': 'gzip' },
  ];
  const cachedRequests = (id: string): readonly RequestToSend[] =>
    [
      `/api/v1/articles/${id}`,
      `/api/articles/${id}`,
      `/api/v1/articles/${id}?fields=text`,
      `/api/v1/articles/${id}/comments`,
      '/api/v1/articles?limit=100',
      `/api/v1/articles?id[eq]=${id}`,
      '/api/articles?api_version=1&page=1',
    ].flatMap((target) => variants.map((headers) => ({ send: `GET ${target}`, ...(headers && { headers }) })));
  const writes: readonly (readonly [write: string, body: unknown])[] = [
    ['PATCH /api/v1/articles/{id}', { text: 'new' }],
    ['PUT /api/articles/{id}', { text: 'new' }],
    ['POST /api/v1/articles', { id: '{id}-made' }],
    ['POST /api/v1/articles/{id}/comments', { id: '{id}-c', text: 'x' }],
    ['DELETE /api/v1/articles/{id}', undefined],
    ['POST /api/v1/batches', { operations: [{ method: 'PATCH', path: '/articles/{id}', body: { text: 'batch' } }] }],
  ];
  for (const [index, [write, body]] of writes.entries()) {
    it(`[CACHE-6b] is purged from Varnish by a write: ${write}`, async () => {
      const id = `purged-${index}`;
      const filled = (text: string): string => text.replaceAll('{id}', id);
      const cached = (request: RequestToSend): Promise<ReceivedResponse> =>
        sendRequest(servers.caches.varnish, request);
      await put(`articles/${id}`, { text: 'x'.repeat(2_000) });
      for (const request of cachedRequests(id)) await cached(request);
      for (const request of cachedRequests(id)) assert.equal((await cached(request)).headers['x-cache'], 'HIT');
      const sent = body === undefined ? {} : { body: JSON.parse(filled(JSON.stringify(body))) };
      const { status } = await cached({ send: filled(write), ...sent });
      assert.ok(status < 300, `returned ${status}`);
      for (const request of cachedRequests(id)) {
        const [response, fresh] = [await cached(request), await origin(request)];
        assert.equal(response.status, fresh.status, request.send);
        assert.equal(response.headers['etag'], fresh.headers['etag'], request.send);
      }
    });
  }

  it('[CACHE-6b] stays in Varnish after a refused write', async () => {
    const cached = (request: RequestToSend): Promise<ReceivedResponse> => sendRequest(servers.caches.varnish, request);
    const send = 'GET /api/v1/articles/refused';
    await put('articles/refused', {});
    await cached({ send });
    for (const [headers, body, status] of [
      [{ 'If-Match': '"0"' }, {}, 412],
      [{}, { text: 7 }, 400],
      [{ 'Content-Type': 'text/plain' }, {}, 415],
    ] as const) {
      assert.equal((await cached({ send: 'PATCH /api/v1/articles/refused', headers, body })).status, status);
      assert.equal((await cached({ send })).headers['x-cache'], 'HIT');
    }
  });

  it('[CACHE-2] [CACHE-6b] is revalidated with its ETag when it is stale, and no longer served once the server is gone', async () => {
    const urls = { brief: 'GET /api/v1/flashes/left', long: 'GET /api/v1/articles/left' };
    await put('flashes/left', { text: 'x' });
    await put('articles/left', { text: 'x' });
    const ports = Object.values(servers.caches);
    for (const port of ports) await sendRequest(port, { send: urls.brief });
    const made = new Map<number, ReceivedResponse>();
    for (const port of ports) made.set(port, await sendRequest(port, { send: urls.long }));
    await pause(MAX_AGE);
    for (const port of ports) assert.equal(textOf(await sendRequest(port, { send: urls.brief })), 'x');
    const firstTime = performance.now();
    await servers.stopOrigin();
    const unchanged = /"path":"\/api\/v1\/flashes\/left".*"status":304/;
    assert.ok(unchanged.test(servers.log()), 'Varnish still has the response, and revalidates it');
    for (const port of ports) {
      const { bytes, headers } = await sendRequest(port, { send: urls.long });
      assert.deepEqual(bytes, made.get(port)?.bytes);
      assert.equal(headers['date'], made.get(port)?.headers['date'], 'downstream caches can compute its age');
      for (;;) {
        const sent = performance.now();
        const { status } = await sendRequest(port, { send: urls.brief });
        if (status >= 500) break;
        assert.ok(sent - firstTime <= MAX_AGE, `served again ${sent - firstTime} ms later`);
        await pause(25);
      }
    }
  });
});
