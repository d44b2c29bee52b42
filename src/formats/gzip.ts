import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip, gunzip as gunzipWithCallback } from 'node:zlib';
import { apiError } from '../conventions/errors.ts';

const gunzip = promisify(gunzipWithCallback);

/**
 * Inflates a body that came in gzip (NEG-2, RFC 1952). It stops as soon as the limit is passed, so that a small body cannot take
 * much memory.
 *
 * @param limit most bytes that may come out; at least 1
 * @throws {ApiError} REQUEST_BODY_TOO_LARGE: more than `limit` comes out; REQUEST_BODY_MALFORMED: not gzip, or cut off
 */
export async function inflate(bytes: Uint8Array, limit: number): Promise<Uint8Array> {
  try {
    return await gunzip(bytes, { maxOutputLength: limit });
  } catch (cause) {
    if (codeOf(cause) === 'ERR_BUFFER_TOO_LARGE') {
      throw apiError('REQUEST_BODY_TOO_LARGE', `The body has more than ${limit} bytes once inflated: send less.`, {
        cause,
      });
    }
    throw told(cause);
  }
}

/**
 * Inflates a body piece by piece, as it is asked for. How much comes out is its reader's to bound.
 *
 * @throws {ApiError} REQUEST_BODY_MALFORMED: not gzip, or cut off; whatever the source throws
 */
export async function* inflateChunks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = Readable.from(chunks, { objectMode: false });
  const inflated = createGunzip();
  source.once('error', (error) => inflated.destroy(error));
  try {
    for await (const chunk of source.pipe(inflated)) yield chunk;
  } catch (cause) {
    throw told(cause);
  } finally {
    source.destroy();
    inflated.destroy();
  }
}

function codeOf(failure: unknown): string {
  return failure instanceof Error && 'code' in failure ? String(failure.code) : '';
}

/** zlib's own codes are all about the data; anything else is a fault of ours or of the source. */
function told(cause: unknown): unknown {
  const code = codeOf(cause);
  if (!code.startsWith('Z_') || code === 'Z_MEM_ERROR') return cause;
  return apiError('REQUEST_BODY_MALFORMED', 'The body cannot be inflated: send whole gzip data, or none.', { cause });
}
