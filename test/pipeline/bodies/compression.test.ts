import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest } from '../support/api-under-test.ts';
import { create, SHOP } from '../models/shop-model.ts';

let shop: ApiUnderTest;
before(async () => {
  shop = await apiUnderTest(SHOP);
  await create(shop, 'notes', { id: 'short', text: 'x' });
  await create(shop, 'notes', { id: 'long', text: 'é'.repeat(2000) });
});
after(() => shop.close());

const LONG = 'GET /api/v1/notes/long';

describe('a long response', () => {
  const accepted: readonly (readonly [accept: string | null, coding: string | null])[] = [
    [null, null],
    ['', null],
    ['identity', null],
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['br', 'br'],
    ['zstd', 'zstd'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip;q=1, br;q=0.5', 'gzip'],
    ['br;q=0, *', 'zstd'],
    ['gzip;q=0.1, identity;q=0.5', null],
    ['deflate', null],
    ['identity;q=0', null],
    ['*;q=0', null],
  ];
  for (const [accept, coding] of accepted) {
    it(`[NEG-7] is sent with ${coding ?? 'no coding'} for Accept-Encoding: ${accept}`, async () => {
      const headers: Record<string, string> = accept === null ? {} : { 'Accept-Encoding': accept };
      const answer = await shop.row({
        send: LONG,
        headers,
        status: 200,
        expectHeaders: { 'Content-Encoding': coding, Vary: /Accept-Encoding/ },
      });
      assert.equal(answer.body['text'], 'é'.repeat(2000));
      if (coding !== null) assert.ok(answer.bytes.length < 1000);
    });
  }

  it('[NEG-7] [CACHE-1] has an ETag per coding, which 304 uses', async () => {
    const tags = new Set<string>();
    for (const coding of ['identity', 'gzip', 'br', 'zstd']) {
      const headers = { 'Accept-Encoding': coding };
      const tag = (await shop.row({ send: LONG, headers, status: 200 })).headers.get('etag') ?? '';
      tags.add(tag);
      await shop.row({
        send: LONG,
        headers: { ...headers, 'If-None-Match': tag },
        status: 304,
        expectHeaders: { ETag: tag, 'Content-Encoding': null },
      });
    }
    assert.equal(tags.size, 4);
  });

  it('[NEG-7] [MET-5] has the same header fields for HEAD', async () => {
    const headers = { 'Accept-Encoding': 'gzip' };
    const got = await shop.row({ send: LONG, headers, status: 200 });
    const head = await shop.row({ send: LONG.replace('GET', 'HEAD'), headers, status: 200 });
    assert.equal(head.headers.get('content-encoding'), 'gzip');
    assert.equal(head.headers.get('etag'), got.headers.get('etag'));
    assert.equal(head.bytes.length, got.bytes.length);
  });

  it('[NEG-7] is compressed for writes and errors too', async () => {
    const headers = { 'Accept-Encoding': 'gzip' };
    const expectHeaders = { 'Content-Encoding': 'gzip' };
    await shop.row({
      send: 'POST /api/v1/notes',
      headers,
      body: { id: 'made', text: 'x'.repeat(2000) },
      status: 201,
      expectHeaders,
      events: ['note.created'],
    });
    const unknown = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`unknown_${index}`, 1]));
    await shop.row({ send: 'POST /api/v1/notes', headers, body: { id: 'a', ...unknown }, status: 400, expectHeaders });
  });

  it('[CACHE-3] [NEG-7] can be changed with the ETag of any coding, because preconditions compare revisions', async () => {
    const { headers } = await shop.row({ send: LONG, headers: { 'Accept-Encoding': 'br' }, status: 200 });
    await shop.row({
      send: 'PATCH /api/v1/notes/long',
      headers: { 'If-Match': headers.get('etag') ?? '' },
      body: { text: 'é'.repeat(2000) },
      status: 200,
    });
  });
});

describe('a short response', () => {
  const headers = { 'Accept-Encoding': 'gzip' };

  it('[NEG-7] is not compressed', async () => {
    await shop.row({
      send: 'GET /api/v1/notes/short',
      headers,
      status: 200,
      expectHeaders: { 'Content-Encoding': null },
    });
  });

  // In bytes, not characters: é has two.
  for (const [bytes, coding] of [
    [1_024, null],
    [1_025, 'gzip'],
  ] as const) {
    it(`[NEG-7] ends at 1 KiB: ${bytes} bytes are sent with ${coding ?? 'no coding'}`, async () => {
      const id = `of-${bytes}`;
      const { text: empty } = await shop.send({ send: `PUT /api/v1/notes/${id}`, body: { text: '' } });
      const text = `é${'x'.repeat(bytes - Buffer.byteLength(empty) - 2)}`;
      await shop.send({ send: `PUT /api/v1/notes/${id}`, body: { text } });
      await shop.newEvents();
      const seen = await shop.row({
        send: `GET /api/v1/notes/${id}`,
        headers,
        status: 200,
        expectHeaders: { 'Content-Encoding': coding },
      });
      assert.equal(Buffer.byteLength(seen.text), bytes);
    });
  }
});
