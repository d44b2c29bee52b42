import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { ApiUnderTest, ExchangeRow } from '../support/api-under-test.ts';
import { filledShelf } from '../models/shelf-model.ts';

let shelf: ApiUnderTest;
before(async () => {
  shelf = await filledShelf();
});
after(() => shelf.close());

const CREDENTIALS = { Authorization: 'Bearer a' };

describe('Cache-Control of a read', () => {
  /** The value without and with credentials. */
  const rows: readonly (readonly [target: string, without: string, withThem: string])[] = [
    ['', 'no-cache', 'private, no-cache'],
    ['/drafts', 'no-cache', 'private, no-cache'],
    ['/drafts/d', 'no-cache', 'private, no-cache'],
    ['/drafts/d?fields=text', 'no-cache', 'private, no-cache'],
    ['/books/b/pages', 'no-cache', 'private, no-cache'],
    ['/books/b/pages/p', 'no-cache', 'private, no-cache'],
    ['/readers', 'private, max-age=90', 'private, max-age=90'],
    ['/readers/r', 'private, max-age=90', 'private, max-age=90'],
    ['/genres/g', 'public, max-age=30', 'public, max-age=30'],
    ['/books', 'public, max-age=60', 'public, max-age=60'],
    ['/books?page=9', 'public, max-age=60', 'public, max-age=60'],
    ['/books/b?fields=title', 'public, max-age=60', 'public, max-age=60'],
  ];
  for (const [target, without, withThem] of rows) {
    it(`[CACHE-5] is ${without} at ${target === '' ? 'the root' : target}, and ${withThem} with credentials`, async () => {
      const expected = [
        [{}, without],
        [CREDENTIALS, withThem],
      ] as const;
      for (const [headers, value] of expected) await answersWith(target, headers, value);
    });
  }

  const expanded: readonly (readonly [target: string, value: string])[] = [
    ['/books/b?expand=genre', 'public, max-age=30'],
    ['/genres/g?expand=books', 'public, max-age=30'],
    ['/books?expand=genre.books', 'public, max-age=30'],
    ['/books/b?expand=reader', 'private, max-age=60'],
    ['/books?expand=genre,reader', 'private, max-age=30'],
    ['/genres?expand=books.reader', 'private, max-age=30'],
    ['/readers/r?expand=books', 'private, max-age=60'],
    ['/books/b?expand=draft', 'no-cache'],
    ['/books?expand=pages,genre', 'no-cache'],
    ['/genres?expand=books.draft', 'no-cache'],
    ['/drafts/d?expand=books', 'no-cache'],
  ];
  for (const [target, value] of expanded) {
    it(`[CACHE-5] is the strictest of all resources in the response: ${value} at ${target}`, () =>
      answersWith(target, {}, value));
  }

  it('[CACHE-5] applies to batches', async () => {
    const operations = [{ method: 'PATCH', path: '/drafts/d', body: {} }];
    const { headers } = await shelf.row({ send: 'POST /api/v1/batches', body: { operations }, status: 201 });
    const target = (headers.get('location') ?? '').replace('/api/v1', '');
    await answersWith(target, {}, 'no-cache');
    await answersWith(target, CREDENTIALS, 'private, no-cache');
  });

  it('[CACHE-5] [MET-9] applies to QUERY', async () => {
    for (const [headers, value] of [
      [{}, 'no-cache'],
      [CREDENTIALS, 'private, no-cache'],
    ] as const) {
      await shelf.row({
        send: 'QUERY /api/v1/drafts',
        headers: { ...headers, 'Content-Type': 'application/x-www-form-urlencoded' },
        body: 'limit=1',
        status: 200,
        expectHeaders: { 'Cache-Control': value },
      });
    }
  });
});

/** Checks that GET, HEAD and 304 have the same value. */
async function answersWith(target: string, headers: Readonly<Record<string, string>>, value: string): Promise<void> {
  const expectHeaders = { 'Cache-Control': value };
  for (const method of ['GET', 'HEAD']) {
    const send = `${method} /api/v1${target}`;
    const seen = await shelf.row({ send, headers, status: 200, expectHeaders });
    const known = { ...headers, 'If-None-Match': seen.headers.get('etag') ?? '' };
    await shelf.row({ send, headers: known, status: 304, expectHeaders });
  }
}

describe('a 304', () => {
  const OF_THE_200 = ['etag', 'cache-control', 'content-location', 'date', 'vary'];
  const OF_EVERY_RESPONSE = [
    'x-correlation-id',
    'api-version',
    'x-content-type-options',
    'cross-origin-resource-policy',
  ];
  const id = { 'X-Correlation-ID': 'same' };
  const forms: readonly Readonly<Record<string, string>>[] = [
    id,
    { ...id, ...CREDENTIALS },
    { ...id, Accept: 'application/xml', 'Accept-Encoding': 'gzip' },
    { ...id, Prefer: 'handling=lenient' },
    { ...id, Accept: 'text/csv, application/json;q=0.1' },
  ];
  for (const target of [
    '/v1',
    '/v1/books',
    '/v1/books/b',
    '/books/b',
    '/v1/drafts/d?expand=books',
    '/v1/books/b/pages/p',
  ]) {
    for (const headers of forms) {
      it(`[CACHE-2] has the required header fields of the 200: ${target} ${JSON.stringify(headers)}`, async () => {
        for (const method of ['GET', 'HEAD']) {
          const send = `${method} /api${target}`;
          const whole = await shelf.row({ send, headers, status: 200 });
          const kept = new Set([...OF_THE_200, ...OF_EVERY_RESPONSE]);
          const expected = [...whole.headers].filter(([name]) => kept.has(name));
          const known = { ...headers, 'If-None-Match': whole.headers.get('etag') ?? '' };
          const unchanged = await shelf.row({ send, headers: known, status: 304 });
          assert.deepEqual(Object.fromEntries(unchanged.headers), Object.fromEntries(expected));
          assert.equal(unchanged.bytes.length, 0);
        }
      });
    }
  }
});

describe('an uncacheable response', () => {
  const body = { title: 'One' };
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const rows: readonly ExchangeRow[] = [
    { send: 'GET /api/v1/nothing', status: 404 },
    { send: 'GET /api/v1/books/missing', status: 404 },
    { send: 'GET /api/v1/books/missing/pages', status: 404 },
    { send: 'GET /api/v9/books', status: 404 },
    { send: 'GET /api/books?api_version=9', status: 400 },
    { send: 'GET /api/v1/books?colour=red', status: 400 },
    { send: 'GET /api/v1/books?limit=0', status: 400 },
    { send: 'GET /api/v1/books?expand=missing', status: 400 },
    { send: 'GET /api/v1/books?after=forged', status: 400 },
    { send: 'GET /api/v1/books/%zz', status: 400 },
    { send: 'GET /api/v1/books/', status: 308 },
    { send: 'GET /api/v1//books/b', status: 308 },
    { send: 'GET /api/v1/books', headers: { Accept: 'image/png' }, status: 406 },
    { send: 'GET /api/v1/books', headers: { Accept: ';;' }, status: 400 },
    { send: 'GET /api/v1/books', headers: { 'API-Version': '9' }, status: 400 },
    { send: 'GET /api/v1/books', headers: { 'If-None-Match': 'b' }, status: 400 },
    { send: 'GET /api/v1/books', headers: { 'If-Match': '"b"' }, status: 412 },
    { send: 'GET /api/v1/books/b', headers: { 'If-Unmodified-Since': new Date(0).toUTCString() }, status: 412 },
    { send: 'GET /api/v1/books', headers: { Expect: 'magic' }, status: 417 },
    { send: 'GET /api/v1/books', headers: { Host: 'evil.example' }, status: 400 },
    { send: `GET /api/v1/books?q=${'x'.repeat(9_000)}`, status: 414 },
    { send: 'GET /api/v1/books', headers: { Cookie: 'x'.repeat(20_000) }, status: 431 },
    { send: 'TRACE /api/v1/books', status: 405 },
    { send: 'DELETE /api/v1/books', status: 405 },
    { send: 'BREW /api/v1/books', status: 501 },
    { send: 'OPTIONS /api/v1/books', status: 204 },
    { send: 'GET /livez', status: 200 },
    { send: 'GET /readyz', status: 200 },
    { send: 'QUERY /api/v1/books', status: 400, headers: form, body: 'colour=red' },
    { send: 'POST /api/v1/books', body: { id: 'new' }, status: 201, events: ['book.created'] },
    {
      send: 'POST /api/v1/books',
      headers: { Prefer: 'return=minimal' },
      body: { id: 'least' },
      status: 201,
      events: ['book.created'],
    },
    { send: 'POST /api/v1/books', body: { id: 'new' }, status: 409 },
    { send: 'POST /api/v1/books', body: { id: 'x', title: 7 }, status: 400 },
    { send: 'POST /api/v1/books', headers: { 'Content-Type': 'text/plain' }, body: 'x', status: 415 },
    { send: 'POST /api/v1/books?dry_run=true', body: { id: 'dry' }, status: 200 },
    {
      send: 'POST /api/v1/books',
      headers: { 'Idempotency-Key': 'k' },
      body: { id: 'key' },
      status: 201,
      events: ['book.created'],
    },
    { send: 'POST /api/v1/books', headers: { 'Idempotency-Key': 'k' }, body: { id: 'key' }, status: 201 },
    { send: 'POST /api/v1/books', headers: { 'Idempotency-Key': 'k' }, body: { id: 'other' }, status: 422 },
    {
      send: 'POST /api/v1/books',
      headers: { 'Content-Type': 'application/x-ndjson' },
      body: '{"id":"line"}\n',
      status: 200,
      events: ['book.created'],
    },
    {
      send: 'POST /api/v1/batches',
      body: { operations: [{ method: 'DELETE', path: '/books/line' }] },
      status: 201,
      events: ['book.deleted'],
    },
    { send: 'POST /api/v1/batches', body: { operations: [{ method: 'DELETE', path: '/books/line' }] }, status: 404 },
    { send: 'PUT /api/v1/books/put', body, status: 201, events: ['book.created'] },
    { send: 'PUT /api/v1/books/put', body, status: 200 },
    { send: 'PATCH /api/v1/books/put', body: {}, status: 200 },
    { send: 'PATCH /api/v1/books/put', headers: { Prefer: 'return=minimal' }, body: {}, status: 204 },
    { send: 'PATCH /api/v1/books/put', headers: { 'If-Match': '"0"' }, body: {}, status: 412 },
    { send: 'DELETE /api/v1/books/b', status: 409 },
    { send: 'DELETE /api/v1/books/put?dry_run=true', status: 200 },
    { send: 'DELETE /api/v1/books/put', status: 204, events: ['book.deleted'] },
    { send: 'DELETE /api/v1/books/put', status: 404 },
  ];
  for (const [index, row] of rows.entries()) {
    it(`[CACHE-5] [ERR-7] is no-store: ${row.status} of ${row.send.slice(0, 60)} (${index + 1})`, async () => {
      await shelf.row({ ...row, expectHeaders: { 'Cache-Control': 'no-store', 'Last-Modified': null } });
    });
  }
});

describe('a response for shared caches', () => {
  /** Request header fields that are not in `Vary`. */
  const OTHERS: Readonly<Record<string, string>> = {
    Authorization: 'Bearer b',
    Cookie: 'session=b',
    'Accept-Language': 'nb',
    'Accept-Charset': 'iso-8859-1',
    'User-Agent': 'b',
    Referer: 'https://b.example/',
    Origin: 'https://b.example',
    Forwarded: 'for=203.0.113.1;host=b.example;proto=https',
    'X-Forwarded-For': '203.0.113.1',
    'X-Forwarded-Host': 'b.example',
    'X-Forwarded-Proto': 'https',
    'X-Original-URL': '/api/v1/readers',
    'X-HTTP-Method-Override': 'DELETE',
    'X-Auth-Subject': 'b',
    Host: 'localhost:4000',
    Range: 'bytes=0-1',
    'If-Range': '"0"',
    TE: 'trailers',
    'Cache-Control': 'no-cache',
    Pragma: 'no-cache',
    'Idempotency-Key': 'b',
    'Content-Type': 'text/plain',
  };
  for (const [name, value] of Object.entries(OTHERS)) {
    it(`[CACHE-6a] [NEG-3a] is byte-identical for any ${name}`, async () => {
      for (const target of ['/api/v1/books', '/api/books/b', '/api/v1/books/b?expand=genre']) {
        const id = { 'X-Correlation-ID': 'same' };
        const plain = await shelf.row({ send: `GET ${target}`, headers: id, status: 200 });
        const other = await shelf.row({ send: `GET ${target}`, headers: { ...id, [name]: value }, status: 200 });
        assert.deepEqual(Object.fromEntries(other.headers), Object.fromEntries(plain.headers));
        assert.deepEqual(other.bytes, plain.bytes);
      }
    });
  }
});
