import { secondHit } from '../cache/admission-filter.ts';
import { type Cache, createCache } from '../cache/cache.ts';
import { compress, isCompressible } from '../formats/compress.ts';
import { chain, type MaybePromise } from '../platform/maybe-promise.ts';
import { type ApiResponse, type BufferedResponse, isStreamed } from '../exchange/handler.ts';
import type { Exchange } from '../exchange/exchange.ts';

/** Characters of keys and bytes of cached bodies. */
const MAX_WEIGHT = 8_388_608;
/** Keys that the admission filter knows, about as many as there is room for. */
const RECENT_KEYS = 1_024;

/**
 * Caches compressed bodies of GET and HEAD by target, ETag and coding. A strong ETag of a target names one sequence of
 * bytes (RFC 9110 8.8.1), so that no body is served for another. Through its ETag, a body depends on the *contract*,
 * the *permission* and, for a page, the *visibility*. It never depends on an identity.
 */
export type CompressionCache = Cache<Uint8Array>;

export function createCompressionCache(): CompressionCache {
  return createCache({
    maxWeight: MAX_WEIGHT,
    weigh: (bytes, key) => key.length + bytes.length,
    admits: secondHit(RECENT_KEYS),
  });
}

/**
 * Compresses a response in the coding that the client prefers (NEG-7). Short and streamed responses stay as they are.
 */
export function compressResponse(
  response: ApiResponse,
  exchange: Pick<Exchange, 'request' | 'coding'>,
  cache: CompressionCache,
): MaybePromise<ApiResponse> {
  const { coding } = exchange;
  if (coding === 'identity' || isStreamed(response)) return response;
  const { status, headers, body } = response;
  if (body === null || !isCompressible(body)) return response;
  const bytes = response.compressed?.(coding) ?? compressedBody(response, body, { exchange, cache });
  return chain(bytes, (compressed) => ({
    status,
    headers: [...headers, 'Content-Encoding', coding],
    body: compressed,
  }));
}

interface CompressContext {
  readonly exchange: Pick<Exchange, 'request' | 'coding'>;
  readonly cache: CompressionCache;
}

function compressedBody(
  response: BufferedResponse,
  body: string | Uint8Array,
  { exchange, cache }: CompressContext,
): MaybePromise<Uint8Array> {
  const { coding } = exchange;
  const key = cacheKey(response, exchange);
  return key === null ? compress(body, coding) : (cache.get(key) ?? compressAndCache(body, coding, key, cache));
}

async function compressAndCache(
  body: string | Uint8Array,
  coding: Exchange['coding'],
  key: string,
  cache: CompressionCache,
): Promise<Uint8Array> {
  const bytes = await compress(body, coding);
  // zlib returns a view of a larger buffer, all of which would be cached with it.
  cache.set(key, new Uint8Array(bytes));
  return bytes;
}

/**
 * Makes the key of a compressed body. It is null if the body is not cached: it has no strong ETag, or a client is not
 * likely to request it again.
 */
function cacheKey(
  { status, headers }: BufferedResponse,
  { request: { method, target }, coding }: Pick<Exchange, 'request' | 'coding'>,
): string | null {
  if (status !== 200 || (method !== 'GET' && method !== 'HEAD')) return null;
  const index = headers.findIndex((name, at) => at % 2 === 0 && name === 'ETag');
  const etag = index < 0 ? 'W/' : (headers[index + 1] ?? 'W/');
  return etag.startsWith('W/') ? null : [coding, etag, target].join(' ');
}
