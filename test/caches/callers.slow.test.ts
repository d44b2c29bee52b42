import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { SHELF } from '../pipeline/models/shelf-model.ts';
import { skipWithout } from '../installed-programs.ts';
import { type RequestToSend, sendRequest, type ReceivedResponse } from './send-request.ts';
import { cacheNames, cachePrograms, startCacheServers, type CacheServers } from './cache-servers.ts';
import { comparable } from './comparable.ts';

type Fields = Readonly<Record<string, string>>;

const ANN = { Authorization: 'Bearer ann' };
const BOB = { Authorization: 'Bearer bob' };
const CALLERS: readonly Fields[] = [ANN, BOB, {}];

/** Header fields that select a variant of a URL, and some that do not. */
const VARIANTS: readonly Fields[] = [
  {},
  { Accept: '*/*' },
  { Accept: 'application/json' },
  { Accept: 'application/xml' },
  { Accept: 'text/plain' },
  { Accept: 'text/csv, application/json;q=0.1' },
  { Accept: 'application/json;q=0.1, application/xml' },
  { Accept: 'application/vnd.shelf.v1+json' },
  { Accept: 'image/png' },
  { Accept: ';;' },
  { 'Accept-Encoding': 'gzip' },
  { 'Accept-Encoding': 'br, gzip' },
  { 'Accept-Encoding': 'zstd' },
  { 'Accept-Encoding': 'gzip;q=0, identity' },
  { Accept: 'application/xml', 'Accept-Encoding': 'gzip' },
  { Prefer: 'handling=lenient' },
  { Prefer: 'handling=lenient', 'Accept-Encoding': 'gzip' },
  { 'Accept-Language': 'nb' },
  { Cookie: 'a=b' },
  ANN,
  { ...BOB, Accept: 'application/xml' },
];
const VERSIONS: readonly Fields[] = [{ 'API-Version': '1' }, { 'API-Version': '1.4' }, { 'API-Version': '9' }];

/** Targets that every variant is requested of. */
const TARGETS = [
  '/api/v1/books',
  '/api/v1/books/b',
  '/api/v1/books?fields=title',
  '/api/v1/books?colour=red',
  '/api/v1/books/b?expand=genre',
  '/api/v1/books/b?expand=reader',
  '/api/v1/readers/r',
  '/api/v1/drafts',
  '/api/v1/unknown',
];
const UNVERSIONED = ['/api/books', '/api/books/b', '/api/books/b?api_version=1'];

const skip = skipWithout(...cachePrograms);

describe('callers behind one shared cache', { skip }, () => {
  let servers: CacheServers;
  let stamps = 0;
  const origin = (request: RequestToSend): Promise<ReceivedResponse> => sendRequest(servers.origin, request);
  const put = async (path: string, body: object): Promise<void> => {
    const { status } = await origin({ send: `PUT /api/v1/${path}`, body });
    assert.ok(status === 200 || status === 201, `PUT ${path} returned ${status}`);
  };

  before(async () => {
    servers = await startCacheServers(SHELF);
    await put('genres/g', { name: 'Novel' });
    await put('readers/r', { name: 'Ann' });
    await put('drafts/d', { text: 'x' });
    await put('books/b', { title: 'é'.repeat(1_500), genre_id: 'g', reader_id: 'r', draft_id: 'd' });
    // Dates are compared once the server sends them (CACHE-4).
    while ((await origin({ send: 'HEAD /api/v1/books/b' })).headers['last-modified'] === undefined) await pause(50);
  });
  after(() => servers[Symbol.asyncDispose]());

  for (const name of cacheNames) {
    describe(`which is ${name}`, () => {
      const cached = (request: RequestToSend): Promise<ReceivedResponse> => sendRequest(servers.caches[name], request);

      it('[CACHE-6a] [ERR-5] share public responses, each with the id of its own request', async () => {
        await put(`books/${name}`, { title: 'old' });
        const send = `GET /api/v1/books/${name}`;
        const first = await cached({ send, headers: { ...ANN, 'X-Correlation-ID': 'of-ann' } });
        await put(`books/${name}`, { title: 'new' });
        for (const [index, caller] of [BOB, {}, ANN].entries()) {
          const id = { 'X-Correlation-ID': `other-${index}` };
          const response = await cached({ send, headers: { ...caller, ...id } });
          assert.deepEqual(comparable(response), comparable(first), 'it is cached');
          assert.equal(response.headers['date'], first.headers['date'], 'and has the date of the first response');
          assert.equal(response.headers['x-correlation-id'], id['X-Correlation-ID']);
          assert.equal(response.headers['x-cache'], 'HIT');
        }
        const withoutId = await cached({ send });
        assert.match(withoutId.headers['x-correlation-id'] ?? '', /^[A-Za-z0-9._~:-]{8,128}$/);
        const invalid = await cached({ send, headers: { 'X-Correlation-ID': 'a b' } });
        assert.notEqual(invalid.headers['x-correlation-id'], 'a b');
      });

      const unshared: readonly (readonly [target: string, path: string, field: string])[] = [
        ['drafts/d', 'drafts/d', 'text'],
        ['drafts', 'drafts/d', 'text'],
        ['drafts?fields=text&limit=1', 'drafts/d', 'text'],
        ['readers/r', 'readers/r', 'name'],
        ['readers', 'readers/r', 'name'],
        ['books/b?expand=reader', 'readers/r', 'name'],
        ['books?expand=genre,draft', 'drafts/d', 'text'],
        ['genres/g?expand=books.reader', 'readers/r', 'name'],
      ];
      for (const [target, path, field] of unshared) {
        it(`[CACHE-6a] get their own response where it is not public: ${target}`, async () => {
          for (const caller of [...CALLERS, ...CALLERS.toReversed(), ANN]) {
            // Each response is unique: no later response may contain the data of another caller.
            stamps += 1;
            const stamp = `${name} stamp ${stamps}`;
            await put(path, { [field]: stamp });
            for (const variant of [{}, { 'Accept-Encoding': 'gzip' }, { Accept: 'application/xml' }]) {
              const request = { send: `GET /api/v1/${target}`, headers: { ...caller, ...variant } };
              const response = await cached(request);
              assert.deepEqual(comparable(response), comparable(await origin(request)));
              assert.notEqual(response.headers['x-cache'], 'HIT');
              assert.doesNotMatch(response.headers['cache-control'] ?? '', /public/);
              if (!('Accept-Encoding' in variant)) assert.ok(response.bytes.toString().includes(stamp));
            }
          }
        });
      }

      it('[CACHE-6a] get their own error for concurrent requests, and none once the resource exists', async () => {
        for (const collection of ['books', 'drafts']) {
          const send = `GET /api/v1/${collection}/${name}-later`;
          const ids = Array.from({ length: 40 }, (_, index) => `${collection}-${index}`);
          const responses = ids.map((id) => cached({ send, headers: { 'X-Correlation-ID': id } }));
          for (const [index, { status, headers, bytes }] of (await Promise.all(responses)).entries()) {
            const { correlationId } = JSON.parse(bytes.toString());
            const actual = [status, correlationId, headers['x-correlation-id'], headers['cache-control']];
            assert.deepEqual(actual, [404, ids[index], ids[index], 'no-store']);
          }
          await put(`${collection}/${name}-later`, {});
          assert.equal((await cached({ send })).status, 200);
        }
      });

      it('[CACHE-6a] [NEG-3a] get the variant that they request, whatever was requested before', async () => {
        const combinations = [
          ...TARGETS.flatMap((target) => VARIANTS.map((headers) => ({ target, headers }))),
          ...UNVERSIONED.flatMap((target) => [...VARIANTS, ...VERSIONS].map((headers) => ({ target, headers }))),
        ];
        const requests = combinations.flatMap(({ target, headers }) =>
          ['HEAD', 'GET'].map((method): RequestToSend => ({ send: `${method} ${target}`, headers })),
        );
        const expected = new Map<RequestToSend, object>();
        for (const request of requests) expected.set(request, comparable(await origin(request)));
        let hits = 0;
        const compare = async (request: RequestToSend): Promise<void> => {
          const response = await cached(request);
          assert.deepEqual(comparable(response), expected.get(request), JSON.stringify(request));
          if (response.headers['x-cache'] === 'HIT') hits += 1;
        };
        // First all variants concurrently, with an empty cache.
        await Promise.all(requests.map(compare));
        for (const request of requests.toReversed()) await compare(request);
        // The cached variants depend on which request the cache handled first.
        hits = 0;
        for (const request of byVariant(requests)) await compare(request);
        assert.ok(hits > requests.length / 2, `${hits} of ${requests.length} from the cache`);
      });

      it('[CACHE-6a] [MET-9] get the response to their own QUERY', async () => {
        const send = 'QUERY /api/v1/books?sort=id';
        const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
        const page = { send: 'GET /api/v1/books?sort=id' };
        for (const body of ['fields=title', 'title=nothing', '']) {
          const request = { send, headers, body };
          assert.deepEqual(comparable(await cached(request)), comparable(await origin(request)));
          assert.deepEqual(comparable(await cached(page)), comparable(await origin(page)));
        }
      });

      for (const target of ['books/b', 'books', 'drafts/d', 'readers', 'books/b?expand=reader']) {
        it(`[CACHE-2] [CACHE-6a] get 304 only for the variant that they have: ${target}`, async () => {
          const send = `GET /api/v1/${target}`;
          const variants: readonly Fields[] = [{}, { 'Accept-Encoding': 'gzip' }, { Accept: 'application/xml' }];
          const etags = new Map<Fields, string>();
          const bodies = new Set<string>();
          for (const variant of variants) {
            const { headers, bytes } = await cached({ send, headers: variant });
            etags.set(variant, headers['etag'] ?? '');
            bodies.add(bytes.toString('base64'));
          }
          // A body below the compression threshold is the same for both codings, and so is its ETag.
          assert.equal(new Set(etags.values()).size, bodies.size);
          for (const variant of variants) {
            for (const etag of new Set(etags.values())) {
              for (const known of [etag, `W/${etag}`, `"0", ${etag}`]) {
                const request = { send, headers: { ...variant, ...BOB, 'If-None-Match': known } };
                const response = await cached(request);
                assert.deepEqual(comparable(response), comparable(await origin(request)));
                assert.equal(response.status, etags.get(variant) === etag ? 304 : 200, known);
                assert.ok(response.headers['date'] !== undefined);
              }
            }
          }
        });
      }

      it('[CACHE-3] [CACHE-6a] get 412 with the body of the server', async () => {
        for (const headers of [{ 'If-Match': '"0"' }, { 'If-Unmodified-Since': new Date(0).toUTCString() }]) {
          const request = { send: 'GET /api/v1/books/b', headers };
          const response = await cached(request);
          assert.deepEqual(comparable(response), comparable(await origin(request)));
          assert.equal(JSON.parse(response.bytes.toString()).errorCode, 'BOOK_PRECONDITION_FAILED');
        }
      });

      it('[CACHE-3] [CACHE-6a] write once with the ETag from the cache, in any coding', async () => {
        for (const [index, variant] of [{}, { 'Accept-Encoding': 'gzip' }, { 'Accept-Encoding': 'br' }].entries()) {
          const path = `books/${name}-guarded-${index}`;
          await put(path, { title: 'x'.repeat(3_000) });
          await cached({ send: `GET /api/v1/${path}`, headers: variant });
          const { headers } = await cached({ send: `GET /api/v1/${path}`, headers: variant });
          assert.equal(headers['x-cache'], 'HIT');
          const guarded = { send: `PATCH /api/v1/${path}`, headers: { 'If-Match': headers['etag'] ?? '' } };
          const results = await Promise.all(['a', 'b', 'c'].map((title) => cached({ ...guarded, body: { title } })));
          const statuses = results.map(({ status }) => status);
          assert.deepEqual(
            statuses.toSorted((one, other) => one - other),
            [200, 412, 412],
          );
          for (const response of results) assert.equal(response.headers['cache-control'], 'no-store');
        }
      });

      it('[CACHE-5] [CACHE-6a] write, and no response to a write is cached', async () => {
        const path = `/api/v1/drafts/${name}-written`;
        for (const [index, caller] of CALLERS.entries()) {
          const text = `write ${index}`;
          const id = `${name}-posted-${index}`;
          const posted = await cached({ send: 'POST /api/v1/drafts', headers: caller, body: { id, text } });
          const written = await cached({ send: `PUT ${path}`, headers: caller, body: { text } });
          for (const { headers, bytes } of [posted, written]) {
            assert.equal(headers['cache-control'], 'no-store');
            assert.equal(JSON.parse(bytes.toString()).text, text);
          }
          assert.equal(JSON.parse((await cached({ send: `GET ${path}` })).bytes.toString()).text, text);
          assert.equal(posted.status, 201);
          assert.equal((await cached({ send: `GET ${posted.headers['location'] ?? ''}` })).status, 200);
        }
      });

      it('[MET-13] [CACHE-6a] send many NDJSON lines, and get the result of each', async () => {
        const lines = Array.from({ length: 5_000 }, (_, index) =>
          JSON.stringify({ id: `${name}-${index}`, text: 'x' }),
        );
        const headers = { 'Content-Type': 'application/x-ndjson' };
        const response = await cached({ send: 'POST /api/v1/drafts', headers, body: lines.join('\n') });
        assert.equal(response.headers['cache-control'], 'no-store');
        const results = response.bytes.toString().trimEnd().split('\n');
        assert.equal(results.filter((line) => JSON.parse(line).status === 201).length, lines.length);
      });

      const odd: readonly Fields[] = [
        { Host: 'localhost:1' },
        { Host: 'evil.example' },
        { 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'gopher' },
        { Forwarded: 'host=evil.example' },
        { 'X-Original-URL': '/api/v1/readers/r', 'X-Rewrite-URL': '/api/v1/readers/r' },
        { 'X-HTTP-Method-Override': 'DELETE', 'X-HTTP-Method': 'DELETE' },
        { Range: 'bytes=0-4' },
        { 'If-None-Match': '*' },
        { 'If-Match': '"0"' },
        { 'If-Unmodified-Since': new Date(0).toUTCString() },
        { 'If-Modified-Since': new Date(Date.now() + 60_000).toUTCString() },
        { Expect: '100-continue' },
        { 'Content-Length': '2', 'Content-Type': 'application/json' },
      ];
      for (const [index, headers] of odd.entries()) {
        it(`[CACHE-6a] get the correct response after a request with ${JSON.stringify(headers)}`, async () => {
          const path = `books/${name}-odd-${index}`;
          await put(path, { title: 'x'.repeat(1_500) });
          const send = `GET /api/v1/${path}`;
          await cached({ send, headers, ...('Content-Length' in headers ? { body: '{}' } : {}) });
          for (const plain of [{ send }, { send: send.replace('GET', 'HEAD') }]) {
            assert.deepEqual(comparable(await cached(plain)), comparable(await origin(plain)));
          }
        });
      }
    });
  }
});

/** The same requests, ordered by variant. */
function byVariant(requests: readonly RequestToSend[]): readonly RequestToSend[] {
  return [...Map.groupBy(requests, ({ headers }) => JSON.stringify(headers)).values()].flat();
}
