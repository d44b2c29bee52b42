import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { describe, it } from 'node:test';
import { bufferedBody } from '../../../src/exchange/handler.ts';
import { type ApiUnderTest, apiUnderTest, rawRequest, type Seen } from '../support/api-under-test.ts';
import { create, SHOP } from '../models/shop-model.ts';

const NDJSON = { 'Content-Type': 'application/x-ndjson' };

function lines({ text }: Pick<Seen, 'text'>): readonly Record<string, unknown>[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

function post(
  shop: ApiUnderTest,
  body: string | Uint8Array,
  row: Partial<Parameters<ApiUnderTest['row']>[0]> = {},
): Promise<Seen> {
  return shop.row({ send: 'POST /api/v1/notes', body, status: 200, ...row, headers: { ...NDJSON, ...row.headers } });
}

describe('NDJSON lines', () => {
  it('[MET-13] [CACHE-3] are all written with the ETag of the collection before the first line', async () => {
    await using shop = await apiUnderTest(SHOP);
    const count = 600;
    const headers = { Accept: 'application/x-ndjson' };
    const { headers: read } = await shop.send({ send: 'GET /api/v1/notes', headers });
    const body = Array.from({ length: count }, (_, index) => JSON.stringify({ id: `n${index}` })).join('\n');
    const tag = { ...headers, 'If-Match': read.get('etag') ?? '' };
    const answer = await post(shop, body, { headers: tag, events: Array<string>(count).fill('note.created') });
    assert.deepEqual(new Set(lines(answer).map(({ status }) => status)), new Set([201]));
    await post(shop, '{"id":"late"}', { headers: tag, status: 412 });
  });

  it('[MET-13] are written one by one, with results in order', async () => {
    await using shop = await apiUnderTest(SHOP);
    const body = '{"id":"a"}\n{"id":"a"}\nnot JSON\n\n{"id":"b","unknown":1}\r\n{"id":"c"}';
    const answer = await post(shop, body, {
      events: ['note.created', 'note.created'],
      expectHeaders: {
        'Content-Type': 'application/x-ndjson',
        'Cache-Control': 'no-store',
        Location: null,
        ETag: null,
      },
    });
    const [first, second, third, fifth, sixth, ...rest] = lines(answer);
    assert.deepEqual(rest, []);
    assert.deepEqual(first, { line: 1, status: 201, id: 'a', location: '/api/v1/notes/a' });
    assert.deepEqual(sixth, { line: 6, status: 201, id: 'c', location: '/api/v1/notes/c' });
    for (const [result, line, status, code] of [
      [second, 2, 409, 'NOTE_ALREADY_EXISTS'],
      [third, 3, 400, 'REQUEST_BODY_MALFORMED'],
      [fifth, 5, 400, 'NOTE_INVALID'],
    ] as const) {
      assert.deepEqual(Object.keys(result ?? {}), ['line', 'status', 'error']);
      assert.equal(result?.['line'], line);
      assert.equal(result?.['status'], status);
      const error = result?.['error'] as Record<string, unknown>;
      assert.deepEqual(Object.keys(error), [
        'httpStatus',
        'errorCode',
        'errorMessage',
        'correlationId',
        'timestamp',
        'details',
      ]);
      assert.equal(error['errorCode'], code);
      assert.equal(error['correlationId'], answer.headers.get('x-correlation-id'));
    }
  });

  it('[MET-13] are created below an existing parent', async () => {
    await using shop = await apiUnderTest(SHOP);
    const product = await create(shop, 'products', { sku: 's', name: 'n', price: '1' });
    const send = `POST /api/v1/products/${product.id}/reviews`;
    const answer = await post(shop, '{"stars":1}\n{"stars":9}\n', { send, events: ['review.created'] });
    assert.deepEqual(
      lines(answer).map(({ status }) => status),
      [201, 400],
    );
    await post(shop, '{"stars":1}\n', {
      send: 'POST /api/v1/products/none/reviews',
      status: 404,
      has: { errorCode: 'PRODUCT_NOT_FOUND' },
    });
  });

  it('[MET-13] have at most 1 MiB each, without a total limit', async () => {
    await using shop = await apiUnderTest(SHOP);
    const long = JSON.stringify({ id: 'long', text: 'x'.repeat(1_048_576) });
    const big = JSON.stringify({ id: 'big', text: 'x'.repeat(1_000_000) });
    const answer = await post(shop, `${big}\n${long}\n{"id":"last"}\n`, { events: ['note.created', 'note.created'] });
    assert.deepEqual(
      lines(answer).map(({ status }) => status),
      [201, 413, 201],
    );
  });

  it('[NEG-2] may be gzip; invalid gzip ends with an error line', async () => {
    await using shop = await apiUnderTest(SHOP);
    const gzip = { headers: { 'Content-Encoding': 'gzip' } };
    const answer = await post(shop, gzipSync('{"id":"a"}\n{"id":"b"}\n'), {
      ...gzip,
      events: ['note.created', 'note.created'],
    });
    assert.equal(lines(answer).length, 2);
    const raw = rawRequest({
      send: 'POST /api/v1/notes',
      headers: { ...NDJSON, 'Content-Encoding': 'gzip' },
      body: gzipSync('{"id":"c"}\n').subarray(0, 20),
    });
    const { body } = await shop.api.handle(raw);
    const received: string[] = [];
    assert.ok(typeof body === 'object' && body !== null && !(body instanceof Uint8Array));
    await assert.rejects(async () => {
      for await (const piece of body) received.push(piece);
    });
    assert.match(received.at(-1) ?? '', /^\{"error":\{"httpStatus":400,"errorCode":"REQUEST_BODY_MALFORMED"/);
  });

  it('[NEG-2] [LIM-1] end with an error line where gzip becomes far more than was sent', async () => {
    await using shop = await apiUnderTest(`${SHOP}\nlimits: { body: 8KiB }`);
    for (const bomb of ['\n'.repeat(90_000) + ' '.repeat(400_000), '{"name":"A"}\n'.repeat(10_000)]) {
      const raw = rawRequest({
        send: 'POST /api/v1/suppliers',
        headers: { ...NDJSON, 'Content-Encoding': 'gzip' },
        body: gzipSync(bomb),
      });
      const { body } = await shop.api.handle(raw);
      const received: string[] = [];
      assert.ok(typeof body === 'object' && body !== null && !(body instanceof Uint8Array));
      await assert.rejects(async () => {
        for await (const piece of body) received.push(piece);
      });
      assert.match(received.at(-1) ?? '', /^\{"error":\{"httpStatus":413,"errorCode":"REQUEST_BODY_TOO_LARGE"/);
      assert.ok(received.length < 6_000, 'what exceeds a body of the usual size is not read');
    }
  });

  it('[LIM-1] report how many bytes of an incomplete line they keep, inflated where it is gzip', async () => {
    await using shop = await apiUnderTest(SHOP);
    for (const gzipped of [false, true]) {
      const kept: number[] = [];
      const bytes = Buffer.from('{"id":"a"}\n{"id":"a"}\nnot complete');
      const body = { ...bufferedBody(gzipped ? gzipSync(bytes) : bytes), keep: (size: number) => void kept.push(size) };
      const coding: Record<string, string> = gzipped ? { 'Content-Encoding': 'gzip' } : {};
      const raw = rawRequest({ send: 'POST /api/v1/notes', headers: { ...NDJSON, ...coding }, body: '' });
      const response = await shop.api.handle({ ...raw, body });
      assert.ok(typeof response.body === 'object' && response.body !== null && !(response.body instanceof Uint8Array));
      for await (const piece of response.body) assert.notEqual(piece, '');
      assert.deepEqual(kept, ['not complete'.length]);
    }
  });

  it('[LIM-1] that are in memory leave time for other requests', async () => {
    await using shop = await apiUnderTest(SHOP);
    let turns = 0;
    const otherRequests = setInterval(() => (turns += 1), 1);
    const body = ['a', 'b'].map((id) => `${'x\n'.repeat(999)}{"id":"${id}"}\n`).join('');
    const { text } = await post(shop, body, { events: ['note.created', 'note.created'] });
    clearInterval(otherRequests);
    assert.equal(text.split('\n').length, 2_001);
    assert.ok(turns >= 5, `${turns} turns`);
  });

  it('[MET-12] [MET-13] run once per key: a repeated upload resumes and marks the lines that were written before', async () => {
    await using shop = await apiUnderTest(SHOP);
    const headers = { 'Idempotency-Key': 'import-1' };
    const send = 'POST /api/v1/suppliers';
    const first = await post(shop, '{"name":"A"}\n{"name":""}\n', { send, headers, events: ['supplier.created'] });
    const again = await post(shop, '{"name":"A"}\n{"name":"B"}\n{"name":"C"}\n', {
      send,
      headers,
      events: ['supplier.created', 'supplier.created'],
    });
    assert.deepEqual(lines(again)[0], { ...lines(first)[0], replayed: true });
    assert.deepEqual(
      lines(again).map((line) => 'replayed' in line),
      [true, false, false],
    );
    assert.deepEqual(
      lines(again).map(({ status }) => status),
      [201, 201, 201],
    );
    const other = await post(shop, '{"name":"Z"}\n', { send, headers });
    assert.deepEqual(
      lines(other).map(({ status }) => status),
      [422],
    );
  });

  it('[MET-14] are checked but not stored with dry_run', async () => {
    await using shop = await apiUnderTest(SHOP);
    const answer = await post(shop, '{"id":"a"}\n{}\n', {
      send: 'POST /api/v1/notes?dry_run=true',
      expectHeaders: { 'Dry-Run': 'true' },
    });
    assert.deepEqual(
      lines(answer).map(({ status }) => status),
      [200, 400],
    );
    await shop.row({ send: 'GET /api/v1/notes', status: 200, has: { data: [] } });
  });

  it('[NEG-1] are answered with NDJSON only', async () => {
    await using shop = await apiUnderTest(SHOP);
    await post(shop, '{"id":"a"}\n', { headers: { Accept: 'application/json' }, status: 406 });
    await post(shop, '{"id":"a"}\n', { headers: { Accept: 'application/x-ndjson' }, events: ['note.created'] });
    await post(shop, '{"id":"b"}\n', { send: 'PUT /api/v1/notes/b', status: 415 });
  });

  it('[MET-13] have their results immediately, while the next lines are still awaited', async () => {
    await using shop = await apiUnderTest(SHOP);
    const raw = rawRequest({ send: 'POST /api/v1/notes', headers: NDJSON, body: '' });
    const more = Promise.withResolvers<void>();
    const chunks = async function* chunks(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('{"id":"a"}\n');
      await more.promise;
      yield Buffer.from('{"id":"b"}\n');
    };
    const { body } = await shop.api.handle({
      ...raw,
      body: { ...bufferedBody(new Uint8Array()), length: null, chunks },
    });
    assert.ok(typeof body === 'object' && body !== null && !(body instanceof Uint8Array));
    const results = body[Symbol.asyncIterator]();
    assert.match(String((await results.next()).value), /"line":1,"status":201/);
    more.resolve();
    assert.match(String((await results.next()).value), /"line":2,"status":201/);
    assert.equal((await results.next()).done, true);
    await shop.newEvents();
  });

  it('[MET-13] are read no faster than the client reads results', async () => {
    await using shop = await apiUnderTest(SHOP);
    let read = 0;
    const raw = rawRequest({ send: 'POST /api/v1/notes', headers: NDJSON, body: '' });
    const chunks = async function* chunks(): AsyncGenerator<Uint8Array> {
      for (;;) yield Buffer.from(`{"id":"${(read += 1)}"}\n`);
    };
    const { body } = await shop.api.handle({
      ...raw,
      body: { length: null, read: () => Promise.reject(new Error('read whole')), chunks },
    });
    assert.ok(typeof body === 'object' && body !== null && !(body instanceof Uint8Array));
    const results = body[Symbol.asyncIterator]();
    for (let taken = 0; taken < 10; taken++) await results.next();
    assert.ok(read < 300, `${read} lines were read for 10 results`);
    await results.return?.();
    await shop.newEvents();
  });
});
