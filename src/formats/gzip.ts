import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip, gunzip as gunzipWithCallback } from 'node:zlib';
import { type ApiError, apiError } from '../conventions/errors.ts';

const gunzip = promisify(gunzipWithCallback);

/**
 * The number of bytes that a streamed body may become for each byte that was received. JSON of equal rows becomes 20 to
 * 50.
 */
const MAX_RATIO = 100;

/**
 * Decompresses a gzip body (NEG-2, RFC 1952). It stops as soon as the limit is exceeded, so that a small body cannot
 * use much memory.
 *
 * @param limit the maximum size of the result in bytes, at least 1
 * @throws {ApiError} REQUEST_BODY_TOO_LARGE: the result exceeds `limit`; REQUEST_BODY_MALFORMED: not gzip, or
 *   incomplete
 */
export async function inflate(bytes: Uint8Array, limit: number): Promise<Uint8Array> {
  try {
    return await gunzip(bytes, { maxOutputLength: limit });
  } catch (cause) {
    if (readErrorCode(cause) === 'ERR_BUFFER_TOO_LARGE')
      throw createExpansionError(`exceeds ${limit} bytes; send less`, { cause });
    throw gzipError(cause);
  }
}

/**
 * Decompresses a gzip body as a stream, on demand. Its size has no limit, but its ratio has: a few bytes that become
 * many would cost the server far more than the client.
 *
 * @param floor bytes that the result may have in any case, however few were received
 * @throws {ApiError} REQUEST_BODY_TOO_LARGE: the result exceeds `floor` and 100 times what was received;
 *   REQUEST_BODY_MALFORMED: not gzip, or incomplete; errors of the source are passed on
 */
export async function* inflateChunks(chunks: AsyncIterable<Uint8Array>, floor: number): AsyncGenerator<Uint8Array> {
  const size = { received: 0, inflated: 0 };
  const source = Readable.from(measured(chunks, size), { objectMode: false });
  const inflated = createGunzip();
  source.once('error', (error) => inflated.destroy(error));
  try {
    for await (const chunk of source.pipe(inflated)) {
      size.inflated += chunk.length;
      if (size.inflated > Math.max(floor, size.received * MAX_RATIO))
        throw createExpansionError(
          `is more than ${MAX_RATIO} times as large as what was sent; send it less compressed`,
        );
      yield chunk;
    }
  } catch (cause) {
    throw gzipError(cause);
  } finally {
    source.destroy();
    inflated.destroy();
  }
}

async function* measured(chunks: AsyncIterable<Uint8Array>, size: { received: number }): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    size.received += chunk.length;
    yield chunk;
  }
}

function createExpansionError(what: string, options?: ErrorOptions): ApiError {
  return apiError('REQUEST_BODY_TOO_LARGE', `The decompressed body ${what}.`, options);
}

function readErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Codes that begin with Z_ are about the data, except Z_MEM_ERROR. Other errors are passed on. */
function gzipError(cause: unknown): unknown {
  const code = readErrorCode(cause);
  if (!code.startsWith('Z_') || code === 'Z_MEM_ERROR') return cause;
  return apiError('REQUEST_BODY_MALFORMED', 'Malformed body: not complete gzip data.', { cause });
}
