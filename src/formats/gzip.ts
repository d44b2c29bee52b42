import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip, gunzip as gunzipWithCallback } from 'node:zlib';
import { apiError } from '../conventions/errors.ts';

const gunzip = promisify(gunzipWithCallback);

/**
 * Decompresses a gzip body (NEG-2, RFC 1952). It stops as soon as the limit is exceeded, so that a small body cannot use much memory.
 *
 * @param limit the maximum size of the result in bytes, at least 1
 * @throws {ApiError} REQUEST_BODY_TOO_LARGE: the result exceeds `limit`; REQUEST_BODY_MALFORMED: not gzip, or incomplete
 */
export async function inflate(bytes: Uint8Array, limit: number): Promise<Uint8Array> {
  try {
    return await gunzip(bytes, { maxOutputLength: limit });
  } catch (cause) {
    if (codeOf(cause) === 'ERR_BUFFER_TOO_LARGE') {
      throw apiError('REQUEST_BODY_TOO_LARGE', `The decompressed body exceeds ${limit} bytes; send less.`, {
        cause,
      });
    }
    throw gzipError(cause);
  }
}

/**
 * Decompresses a gzip body as a stream, on demand. It has no limit: the consumer must set one.
 *
 * @throws {ApiError} REQUEST_BODY_MALFORMED: not gzip, or incomplete; errors of the source are passed on
 */
export async function* inflateChunks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = Readable.from(chunks, { objectMode: false });
  const inflated = createGunzip();
  source.once('error', (error) => inflated.destroy(error));
  try {
    for await (const chunk of source.pipe(inflated)) yield chunk;
  } catch (cause) {
    throw gzipError(cause);
  } finally {
    source.destroy();
    inflated.destroy();
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Codes that begin with Z_ are about the data, except Z_MEM_ERROR. Other errors are passed on. */
function gzipError(cause: unknown): unknown {
  const code = codeOf(cause);
  if (!code.startsWith('Z_') || code === 'Z_MEM_ERROR') return cause;
  return apiError('REQUEST_BODY_MALFORMED', 'Malformed body: not complete gzip data.', { cause });
}
