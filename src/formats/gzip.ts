import { promisify } from 'node:util';
import { gunzip as gunzipWithCallback } from 'node:zlib';
import { refusal } from '../conventions/errors.ts';

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
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    if (code === 'ERR_BUFFER_TOO_LARGE') {
      throw refusal('REQUEST_BODY_TOO_LARGE', `The body has more than ${limit} bytes once inflated: send less.`, {
        cause,
      });
    }
    // zlib's own codes are all about the data; anything else is a fault of ours.
    if (!code.startsWith('Z_') || code === 'Z_MEM_ERROR') throw cause;
    throw refusal('REQUEST_BODY_MALFORMED', 'The body cannot be inflated: send whole gzip data, or none.', { cause });
  }
}
