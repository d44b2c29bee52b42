import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { SHELF } from '../pipeline/shelf-model.ts';
import { skipWithout } from '../installed-programs.ts';
import { type RequestToSend, sendRequest, type ReceivedResponse } from './send-request.ts';
import { cacheNames, cachePrograms, startCacheServers, type CacheServers } from './cache-servers.ts';

type Fields = Readonly<Record<string, string>>;

const ANN = { Authorization: 'Bearer ann' };
const BOB = { Authorization: 'Bearer bob' };
const CALLERS: readonly Fields[] = [ANN, BOB, {}];

/** Fields by which forms of one URL differ, and some by which they do not. */
const FORMS: readonly Fields[] = [
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

/** Targets that every form is asked of. */
const TARGETS = [
  '/api/v1/books',
  '/api/v1/books/b',
  '/api/v1/books?fields=title',
  '/api/v1/books?colour=red',
  '/api/v1/books/b?expand=genre',
  '/api/v1/books/b?expand=reader',
  '/api/v1/readers/r',
  '/api/v1/drafts',
  '/api/v1/nobody',
];
const UNVERSIONED = ['/api/books', '/api/books/b', '/api/books/b?api_version=1'];

/** What an answer says of its own, beside what belongs to the connection, the exchange, the cache and the hour. */
const OWN = [
  'content-type',
  'content-encoding',
  'content-length',
  'etag',
  'vary',
  'cache-control',
  'link',
  'api-version',
  'preference-applied',
  'x-next-cursor',
  'x-content-type-options',
];

/** An answer as two ways to it are compared: the body of an error holds the time and the id of its exchange. */
function own({ status, headers, bytes }: ReceivedResponse): object {
  const isError = status >= 400;
  const names = isError ? OWN.filter((name) => name !== 'content-length') : OWN;
  return {
    status,
    fields: names.map((name) => [name, headers[name]]),
    content: isError ? null : bytes.toString('latin1'),
  };
}

const skip = skipWithout(...cachePrograms);

describe('callers behind one shared cache', { skip }, () => {
  let stand: CacheServers;
  let stamps = 0;
  const origin = (asked: RequestToSend): Promise<ReceivedResponse> => sendRequest(stand.origin, asked);
  const put = async (path: string, body: object): Promise<void> => {
    const { status } = await origin({ send: `PUT /api/v1/${path}`, body });
    assert.ok(status === 200 || status === 201, `PUT ${path} answered ${status}`);
  };

  before(async () => {
    stand = await startCacheServers(SHELF);
    await put('genres/g', { name: 'Novel' });
    await put('readers/r', { name: 'Ann' });
    await put('drafts/d', { text: 'x' });
    await put('books/b', { title: 'é'.repeat(1_500), genre_id: 'g', reader_id: 'r', draft_id: 'd' });
    // From then on dates are compared too (CACHE-4).
    while ((await origin({ send: 'HEAD /api/v1/books/b' })).headers['last-modified'] === undefined) await pause(50);
  });
  after(() => stand[Symbol.asyncDispose]());

  for (const name of cacheNames) {
    describe(`which is ${name}`, () => {
      const cached = (asked: RequestToSend): Promise<ReceivedResponse> => sendRequest(stand.caches[name], asked);

      it('[CACHE-6a] [ERR-5] share what is public, each under the id of its own request', async () => {
        await put(`books/${name}`, { title: 'old' });
        const send = `GET /api/v1/books/${name}`;
        const first = await cached({ send, headers: { ...ANN, 'X-Correlation-ID': 'of-ann' } });
        await put(`books/${name}`, { title: 'new' });
        for (const [index, caller] of [BOB, {}, ANN].entries()) {
          const id = { 'X-Correlation-ID': `other-${index}` };
          const told = await cached({ send, headers: { ...caller, ...id } });
          assert.deepEqual(own(told), own(first), 'it is kept');
          assert.equal(told.headers['date'], first.headers['date'], 'and says when it was made');
          assert.equal(told.headers['x-correlation-id'], id['X-Correlation-ID']);
          assert.equal(told.headers['x-cache'], 'HIT');
        }
        const nameless = await cached({ send });
        assert.match(nameless.headers['x-correlation-id'] ?? '', /^[A-Za-z0-9._~:-]{8,128}$/);
        const faulty = await cached({ send, headers: { 'X-Correlation-ID': 'a b' } });
        assert.notEqual(faulty.headers['x-correlation-id'], 'a b');
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
        it(`[CACHE-6a] each get their own answer of what is not public: ${target}`, async () => {
          for (const caller of [...CALLERS, ...CALLERS.toReversed(), ANN]) {
            // Another answer for each request: what is told to one caller stands in no later answer.
            stamps += 1;
            const stamp = `${name} told ${stamps}`;
            await put(path, { [field]: stamp });
            for (const form of [{}, { 'Accept-Encoding': 'gzip' }, { Accept: 'application/xml' }]) {
              const asked = { send: `GET /api/v1/${target}`, headers: { ...caller, ...form } };
              const told = await cached(asked);
              assert.deepEqual(own(told), own(await origin(asked)));
              assert.notEqual(told.headers['x-cache'], 'HIT');
              assert.doesNotMatch(told.headers['cache-control'] ?? '', /public/);
              if (!('Accept-Encoding' in form)) assert.ok(told.bytes.toString().includes(stamp));
            }
          }
        });
      }

      it('[CACHE-6a] each get their own error, though all ask at once, and no error once there is something', async () => {
        for (const collection of ['books', 'drafts']) {
          const send = `GET /api/v1/${collection}/${name}-later`;
          const ids = Array.from({ length: 40 }, (_, index) => `${collection}-${index}`);
          const answers = ids.map((id) => cached({ send, headers: { 'X-Correlation-ID': id } }));
          for (const [index, { status, headers, bytes }] of (await Promise.all(answers)).entries()) {
            const { correlationId } = JSON.parse(bytes.toString());
            const told = [status, correlationId, headers['x-correlation-id'], headers['cache-control']];
            assert.deepEqual(told, [404, ids[index], ids[index], 'no-store']);
          }
          await put(`${collection}/${name}-later`, {});
          assert.equal((await cached({ send })).status, 200);
        }
      });

      it('[CACHE-6a] [NEG-3a] get the form that they ask for, whoever asked for another before', async () => {
        const asked = [
          ...TARGETS.flatMap((target) => FORMS.map((headers) => ({ target, headers }))),
          ...UNVERSIONED.flatMap((target) => [...FORMS, ...VERSIONS].map((headers) => ({ target, headers }))),
        ];
        const requests = asked.flatMap(({ target, headers }) =>
          ['HEAD', 'GET'].map((method): RequestToSend => ({ send: `${method} ${target}`, headers })),
        );
        const expected = new Map<RequestToSend, object>();
        for (const request of requests) expected.set(request, own(await origin(request)));
        let hits = 0;
        const compare = async (request: RequestToSend): Promise<void> => {
          const told = await cached(request);
          assert.deepEqual(own(told), expected.get(request), JSON.stringify(request));
          if (told.headers['x-cache'] === 'HIT') hits += 1;
        };
        // All forms at once first, when nothing is kept yet.
        await Promise.all(requests.map(compare));
        for (const request of requests.toReversed()) await compare(request);
        // What is kept up to here hangs on which of them the cache took first.
        hits = 0;
        for (const request of byForm(requests)) await compare(request);
        assert.ok(hits > requests.length / 2, `${hits} of ${requests.length} from the cache`);
      });

      it('[CACHE-6a] [MET-9] get the answer to their own QUERY', async () => {
        const send = 'QUERY /api/v1/books?sort=id';
        const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
        const page = { send: 'GET /api/v1/books?sort=id' };
        for (const body of ['fields=title', 'title=nothing', '']) {
          const asked = { send, headers, body };
          assert.deepEqual(own(await cached(asked)), own(await origin(asked)));
          assert.deepEqual(own(await cached(page)), own(await origin(page)));
        }
      });

      for (const target of ['books/b', 'books', 'drafts/d', 'readers', 'books/b?expand=reader']) {
        it(`[CACHE-2] [CACHE-6a] are told 304 for the form that they have alone: ${target}`, async () => {
          const send = `GET /api/v1/${target}`;
          const forms: readonly Fields[] = [{}, { 'Accept-Encoding': 'gzip' }, { Accept: 'application/xml' }];
          const tags = new Map<Fields, string>();
          for (const form of forms) tags.set(form, (await cached({ send, headers: form })).headers['etag'] ?? '');
          assert.equal(new Set(tags.values()).size, forms.length);
          for (const form of forms) {
            for (const [other, tag] of tags) {
              for (const known of [tag, `W/${tag}`, `"0", ${tag}`]) {
                const asked = { send, headers: { ...form, ...BOB, 'If-None-Match': known } };
                const told = await cached(asked);
                assert.deepEqual(own(told), own(await origin(asked)));
                assert.equal(told.status, form === other ? 304 : 200, known);
                assert.ok(told.headers['date'] !== undefined);
              }
            }
          }
        });
      }

      it('[CACHE-3] [CACHE-6a] are told 412 in the words of the server', async () => {
        for (const headers of [{ 'If-Match': '"0"' }, { 'If-Unmodified-Since': new Date(0).toUTCString() }]) {
          const asked = { send: 'GET /api/v1/books/b', headers };
          const told = await cached(asked);
          assert.deepEqual(own(told), own(await origin(asked)));
          assert.equal(JSON.parse(told.bytes.toString()).errorCode, 'BOOK_PRECONDITION_FAILED');
        }
      });

      it('[CACHE-3] [CACHE-6a] write under the tag that the cache told them, in any coding, each once', async () => {
        for (const [index, form] of [{}, { 'Accept-Encoding': 'gzip' }, { 'Accept-Encoding': 'br' }].entries()) {
          const path = `books/${name}-guarded-${index}`;
          await put(path, { title: 'x'.repeat(3_000) });
          await cached({ send: `GET /api/v1/${path}`, headers: form });
          const { headers } = await cached({ send: `GET /api/v1/${path}`, headers: form });
          assert.equal(headers['x-cache'], 'HIT');
          const guarded = { send: `PATCH /api/v1/${path}`, headers: { 'If-Match': headers['etag'] ?? '' } };
          const results = await Promise.all(['a', 'b', 'c'].map((title) => cached({ ...guarded, body: { title } })));
          const statuses = results.map(({ status }) => status);
          assert.deepEqual(
            statuses.toSorted((one, other) => one - other),
            [200, 412, 412],
          );
          for (const told of results) assert.equal(told.headers['cache-control'], 'no-store');
        }
      });

      it('[CACHE-5] [CACHE-6a] write, and no answer to a write is told to anybody else', async () => {
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

      it('[MET-13] [CACHE-6a] send lines, however many, and are told what became of each', async () => {
        const lines = Array.from({ length: 5_000 }, (_, index) =>
          JSON.stringify({ id: `${name}-${index}`, text: 'x' }),
        );
        const headers = { 'Content-Type': 'application/x-ndjson' };
        const told = await cached({ send: 'POST /api/v1/drafts', headers, body: lines.join('\n') });
        assert.equal(told.headers['cache-control'], 'no-store');
        const results = told.bytes.toString().trimEnd().split('\n');
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
        it(`[CACHE-6a] get what is theirs, though the first to ask sent ${JSON.stringify(headers)}`, async () => {
          const path = `books/${name}-odd-${index}`;
          await put(path, { title: 'x'.repeat(1_500) });
          const send = `GET /api/v1/${path}`;
          await cached({ send, headers, ...('Content-Length' in headers ? { body: '{}' } : {}) });
          for (const plain of [{ send }, { send: send.replace('GET', 'HEAD') }]) {
            assert.deepEqual(own(await cached(plain)), own(await origin(plain)));
          }
        });
      }
    });
  }
});

/** The same requests, each form of every target after the other. */
function byForm(requests: readonly RequestToSend[]): readonly RequestToSend[] {
  return [...Map.groupBy(requests, ({ headers }) => JSON.stringify(headers)).values()].flat();
}
