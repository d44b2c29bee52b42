import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Coding } from '../../src/conventions/media/content-coding.ts';
import {
  type CompressionCache,
  compressResponse,
  createCompressionCache,
} from '../../src/represent/content-encoding.ts';

const FIRST = 'a'.repeat(5_000);
const SECOND = 'b'.repeat(5_000);

interface Sent {
  readonly method?: string;
  readonly target?: string;
  readonly coding?: Coding;
  readonly etag?: string | null;
}

/** Compresses the body of a response. Its ETag is derived from the body by default. */
async function compressBody(
  cache: CompressionCache,
  body: string,
  { method = 'GET', target = '/notes', coding = 'gzip', etag = `"${body.slice(0, 3)}"` }: Sent = {},
): Promise<Uint8Array> {
  const request = { method, target, headers: [] };
  const headers = ['Content-Type', 'ETag', ...(etag === null ? [] : ['ETag', etag])];
  const response = await compressResponse({ status: 200, headers, body }, { request, coding }, cache);
  assert.ok(response.body instanceof Uint8Array);
  return response.body;
}

describe('response compression', () => {
  it('[NEG-7] serves a body from the cache the third time', async () => {
    const cache = createCompressionCache();
    await compressBody(cache, FIRST);
    await compressBody(cache, FIRST);
    const cached = await compressBody(cache, FIRST);
    assert.equal(await compressBody(cache, FIRST), cached);
    assert.equal(await compressBody(cache, FIRST, { method: 'HEAD' }), cached);
  });

  it('[NEG-7] compresses again, to the same bytes, after the cache was cleared', async () => {
    const cache = createCompressionCache();
    await compressBody(cache, FIRST);
    await compressBody(cache, FIRST);
    const cached = await compressBody(cache, FIRST);
    cache.clear();
    const again = await compressBody(cache, FIRST);
    assert.notEqual(again, cached);
    assert.deepEqual(Buffer.from(again), Buffer.from(cached));
  });

  it('[NEG-7] caches the bytes without the buffer behind them', async () => {
    const cache = createCompressionCache();
    await compressBody(cache, FIRST);
    await compressBody(cache, FIRST);
    const cached = await compressBody(cache, FIRST);
    assert.equal(cached.buffer.byteLength, cached.length);
  });

  it('[NEG-7] [CACHE-1] never serves the body of another ETag, target or coding', async () => {
    const cache = createCompressionCache();
    for (let round = 0; round < 3; round += 1) {
      for (const text of [FIRST, SECOND]) {
        assert.equal(gunzipSync(await compressBody(cache, text)).toString(), text);
        assert.equal(gunzipSync(await compressBody(cache, text, { target: '/notes?limit=1' })).toString(), text);
        assert.notDeepEqual(await compressBody(cache, text, { coding: 'zstd' }), await compressBody(cache, text));
      }
      // One ETag may identify two bodies of different targets (RFC 9110 8.8.3).
      for (const [target, text] of [
        ['/notes/a', FIRST],
        ['/notes/b', SECOND],
      ] as const) {
        assert.equal(gunzipSync(await compressBody(cache, text, { target, etag: '"1"' })).toString(), text);
      }
    }
  });

  for (const [response, sent] of [
    ['the response of a POST', { method: 'POST' }],
    ['the response of a QUERY', { method: 'QUERY' }],
    ['a response without an ETag', { etag: null }],
    ['a response with a weak ETag', { etag: 'W/"1"' }],
  ] as const) {
    it(`[NEG-7] does not cache ${response}`, async () => {
      const cache = createCompressionCache();
      await compressBody(cache, FIRST, sent);
      const second = await compressBody(cache, FIRST, sent);
      assert.notEqual(await compressBody(cache, FIRST, sent), second);
    });
  }
});
