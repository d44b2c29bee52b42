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

/** Longest that an answer of `flashes` may be told again, in milliseconds: max-age, and the part of a second that clocks of caches drop. */
const LIFE = 2_000;

const textOf = ({ bytes }: ReceivedResponse): string => JSON.parse(bytes.toString()).text;
const skip = skipWithout(...cachePrograms);

describe('what a shared cache keeps', { skip }, () => {
  let stand: CacheServers;
  const origin = (asked: RequestToSend): Promise<ReceivedResponse> => sendRequest(stand.origin, asked);
  const put = async (path: string, body: object): Promise<void> => {
    const { status } = await origin({ send: `PUT /api/v1/${path}`, body });
    assert.ok(status === 200 || status === 201, `PUT ${path} answered ${status}`);
  };
  before(async () => {
    stand = await startCacheServers(NEWS);
  });
  after(() => stand[Symbol.asyncDispose]());

  /** Asks until the answer is another, and holds every answer that is not against its time. */
  async function untilAnother(
    port: number,
    asked: RequestToSend,
    first: ReceivedResponse,
    told: number,
  ): Promise<ReceivedResponse> {
    for (;;) {
      const sent = performance.now();
      const answer = await sendRequest(port, asked);
      if (!answer.bytes.equals(first.bytes)) return answer;
      assert.ok(sent - told <= LIFE, `told again ${sent - told} ms later`);
      assert.ok(Number(answer.headers['age'] ?? 0) <= 1);
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
  describe('and is told no longer than max-age', { concurrency: true }, () => {
    for (const name of cacheNames) {
      for (const [index, target] of targets.entries()) {
        it(`[CACHE-6b] by ${name}: ${target}`, async () => {
          const port = stand.caches[name];
          const id = `${name}-${index}`;
          await put(`flashes/${id}`, { text: `${id} old` });
          await put(`articles/${id}`, { flash_id: id });
          const asked = { send: `GET /api/v1/${target.replace('{id}', id)}` };
          const first = await sendRequest(port, asked);
          const told = performance.now();
          assert.equal(first.headers['cache-control'], 'public, max-age=1');
          await put(`flashes/${id}`, { text: `${id} new` });
          const another = await untilAnother(port, asked, first, told);
          assert.match(another.bytes.toString(), new RegExp(`${id} new"`));
        });
      }
    }
  });

  for (const name of cacheNames) {
    const cached = (asked: RequestToSend): Promise<ReceivedResponse> => sendRequest(stand.caches[name], asked);

    it(`[CACHE-6b] is told anew by ${name} to whoever asks for it, and from then on to everybody`, async () => {
      const path = `articles/${name}-anew`;
      const send = `GET /api/v1/${path}`;
      await put(path, { text: 'old' });
      assert.equal(textOf(await cached({ send })), 'old');
      await put(path, { text: 'new' });
      assert.equal(textOf(await cached({ send })), 'old');
      assert.equal(textOf(await cached({ send, headers: { 'Cache-Control': 'no-cache' } })), 'new');
      const later = await cached({ send });
      assert.deepEqual([textOf(later), later.headers['x-cache']], ['new', 'HIT']);
    });

    it(`[CACHE-2] [CACHE-6b] is never old where ${name} is asked under a condition: the server judges it`, async () => {
      const path = `articles/${name}-judged`;
      const send = `GET /api/v1/${path}`;
      await put(path, { text: 'old' });
      const headers = { 'If-None-Match': (await cached({ send })).headers['etag'] ?? '' };
      assert.equal((await cached({ send, headers })).status, 304);
      await put(path, { text: 'new' });
      assert.equal(textOf(await cached({ send, headers })), 'new');
      assert.equal(textOf(await cached({ send })), 'old');
    });
  }

  const forms: readonly RequestToSend['headers'][] = [{}, { Accept: 'application/xml' }, { 'Accept-Encoding': 'gzip' }];
  const kept = (id: string): readonly RequestToSend[] =>
    [
      `/api/v1/articles/${id}`,
      `/api/articles/${id}`,
      `/api/v1/articles/${id}?fields=text`,
      `/api/v1/articles/${id}/comments`,
      '/api/v1/articles?limit=100',
      `/api/v1/articles?id[eq]=${id}`,
      '/api/articles?api_version=1&page=1',
    ].flatMap((target) => forms.map((headers) => ({ send: `GET ${target}`, ...(headers && { headers }) })));
  const writes: readonly (readonly [write: string, body: unknown])[] = [
    ['PATCH /api/v1/articles/{id}', { text: 'new' }],
    ['PUT /api/articles/{id}', { text: 'new' }],
    ['POST /api/v1/articles', { id: '{id}-made' }],
    ['POST /api/v1/articles/{id}/comments', { id: '{id}-c', text: 'x' }],
    ['DELETE /api/v1/articles/{id}', undefined],
    ['POST /api/v1/batches', { operations: [{ method: 'PATCH', path: '/articles/{id}', body: { text: 'batch' } }] }],
  ];
  for (const [index, [write, body]] of writes.entries()) {
    it(`[CACHE-6b] is forgotten in Varnish once something is written through it: ${write}`, async () => {
      const id = `purged-${index}`;
      const filled = (text: string): string => text.replaceAll('{id}', id);
      const cached = (asked: RequestToSend): Promise<ReceivedResponse> => sendRequest(stand.caches.varnish, asked);
      await put(`articles/${id}`, { text: 'x'.repeat(2_000) });
      for (const asked of kept(id)) await cached(asked);
      for (const asked of kept(id)) assert.equal((await cached(asked)).headers['x-cache'], 'HIT');
      const sent = body === undefined ? {} : { body: JSON.parse(filled(JSON.stringify(body))) };
      const { status } = await cached({ send: filled(write), ...sent });
      assert.ok(status < 300, `answered ${status}`);
      for (const asked of kept(id)) {
        const [told, fresh] = [await cached(asked), await origin(asked)];
        assert.equal(told.status, fresh.status, asked.send);
        assert.equal(told.headers['etag'], fresh.headers['etag'], asked.send);
      }
    });
  }

  it('[CACHE-6b] is kept in Varnish where a write was refused', async () => {
    const cached = (asked: RequestToSend): Promise<ReceivedResponse> => sendRequest(stand.caches.varnish, asked);
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

  it('[CACHE-2] [CACHE-6b] is asked for under its tag when it is old, and is told no longer where nobody is left to ask', async () => {
    const urls = { brief: 'GET /api/v1/flashes/left', long: 'GET /api/v1/articles/left' };
    await put('flashes/left', { text: 'x' });
    await put('articles/left', { text: 'x' });
    const ports = Object.values(stand.caches);
    for (const port of ports) await sendRequest(port, { send: urls.brief });
    const made = new Map<number, ReceivedResponse>();
    for (const port of ports) made.set(port, await sendRequest(port, { send: urls.long }));
    await pause(LIFE);
    for (const port of ports) assert.equal(textOf(await sendRequest(port, { send: urls.brief })), 'x');
    const told = performance.now();
    await stand.stopOrigin();
    const unchanged = /"path":"\/api\/v1\/flashes\/left".*"status":304/;
    assert.ok(unchanged.test(stand.log()), 'Varnish has the answer still, and asks for a change alone');
    for (const port of ports) {
      const { bytes, headers } = await sendRequest(port, { send: urls.long });
      assert.deepEqual(bytes, made.get(port)?.bytes);
      assert.equal(headers['date'], made.get(port)?.headers['date'], 'the next cache is told how old it is');
      for (;;) {
        const sent = performance.now();
        const { status } = await sendRequest(port, { send: urls.brief });
        if (status >= 500) break;
        assert.ok(sent - told <= LIFE, `told again ${sent - told} ms later`);
        await pause(25);
      }
    }
  });
});
