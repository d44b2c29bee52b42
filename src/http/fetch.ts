import {
  bodyAlreadyReadError,
  bodyTooLargeError,
  incompleteBodyError,
  requestTimeoutError,
} from '../conventions/receive-errors.ts';
import { BodyMemory, type HeldBytes } from '../limits/body-memory.ts';
import { type BodyStream, isStreamed, type RawRequest, type RequestBody } from '../exchange/handler.ts';
import { withTimeout } from '../platform/timeout.ts';
import { handleWithTimeout } from './handler-timeout.ts';
import { mountApi, type MountedApi, type MountOptions } from './mounted-api.ts';

export type { MountedApi } from './mounted-api.ts';

/** Facts about a request that are not part of the `Request`. */
export interface FetchInfo {
  /** Address of the peer. */
  readonly peer?: string;
}

/** Statuses without a body (Fetch standard, null body status). */
const NULL_BODY = new Set([204, 304]);

/**
 * Mounts an API in runtimes and frameworks with `Request` and `Response`: Bun, Deno, Hono, Next.js, workers. This
 * module does not use Node; the store may. The URL of a `Request` is already normalized, so that the API cannot reject
 * every invalid URL.
 *
 * @example
 * ```ts
 * const handle = createFetchHandler(api);
 * Bun.serve({ port: 3000, fetch: handle });
 * ```
 */
export function createFetchHandler(
  api: MountedApi,
  options: MountOptions = {},
): (request: Request, info?: FetchInfo) => Promise<Response> {
  const rules = mountApi(api, options);
  const { requestTimeout: timeout, bodyMemory } = api.model.limits;
  const receiving = { timeout, memory: new BodyMemory(bodyMemory) };
  return async (request, info = {}) => {
    const raw = { ...rawRequest(request, info, receiving), ...rules };
    const result = request.bodyUsed
      ? api.refuse(bodyAlreadyReadError(request.headers.get('content-type')), raw)
      : await handleWithTimeout(api, raw);
    const headers = new Headers();
    for (let at = 0; at < result.headers.length; at += 2)
      headers.append(result.headers[at] ?? '', result.headers[at + 1] ?? '');
    const { status } = result;
    if (isStreamed(result)) return new Response(readable(result.body), { status, headers });
    if (NULL_BODY.has(status)) return new Response(null, { status, headers });
    const bytes = typeof result.body === 'string' ? new TextEncoder().encode(result.body) : result.body;
    headers.set('Content-Length', String(bytes?.length ?? 0));
    // Copied, because a Response accepts no view of a shared buffer.
    const body = bytes === null || request.method === 'HEAD' ? null : new Uint8Array(bytes);
    return new Response(body, { status, headers });
  };
}

/** The limits and services for receiving bodies. */
interface Receiving {
  /** Milliseconds: for the whole body, and for a pause where it is streamed. */
  readonly timeout: number;
  /** The memory of all bodies that are being received. */
  readonly memory: BodyMemory;
}

function rawRequest(request: Request, { peer = '' }: FetchInfo, receiving: Receiving): RawRequest {
  const { url, method } = request;
  const start = url.indexOf('/', url.indexOf('://') + '://'.length);
  const [target = '/'] = url.slice(start).split('#', 1);
  const headers = [...request.headers].flat();
  if (!request.headers.has('host')) headers.push('Host', url.slice(url.indexOf('://') + '://'.length, start));
  const length = request.headers.get('content-length');
  const bytes = length === null ? null : Number(length);
  const body = request.body === null ? null : new FetchBody(request.body, bytes, receiving);
  const scheme = url.startsWith('https:') ? 'https' : 'http';
  return { method, target, headers, body, httpVersion: '1.1', peer, scheme };
}

class FetchBody implements RequestBody {
  readonly length: number | null;
  readonly #stream: ReadableStream<Uint8Array>;
  readonly #receiving: Receiving;
  #held: HeldBytes | null = null;

  constructor(stream: ReadableStream<Uint8Array>, length: number | null, receiving: Receiving) {
    this.#stream = stream;
    this.length = length;
    this.#receiving = receiving;
  }

  async read(limit: number): Promise<Uint8Array> {
    if (this.length !== null && this.length > limit) throw bodyTooLargeError(limit);
    const { memory, timeout } = this.#receiving;
    const held = memory.open();
    const reader = this.#stream.getReader();
    try {
      return await withTimeout(collect(reader, limit, held), timeout, requestTimedOut);
    } finally {
      held.release();
      cancelReader(reader);
    }
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    this.#held = this.#receiving.memory.open();
    const reader = this.#stream.getReader();
    try {
      for (;;) {
        const chunk = await withTimeout(next(reader), this.#receiving.timeout, requestTimedOut);
        if (chunk === undefined) return;
        yield chunk;
      }
    } finally {
      this.#held.release();
      this.#held = null;
      cancelReader(reader);
    }
  }

  keep(bytes: number): void {
    this.#held?.hold(bytes);
  }
}

async function collect(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  limit: number,
  held: HeldBytes,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let chunk = await next(reader); chunk !== undefined; chunk = await next(reader)) {
    size += chunk.length;
    if (size > limit) throw bodyTooLargeError(limit);
    held.hold(size);
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** undefined after the last chunk. */
async function next(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | undefined> {
  const { value } = await reader.read().catch((cause: unknown) => {
    throw incompleteBodyError(cause);
  });
  return value;
}

/** @throws {ApiError} REQUEST_TIMEOUT */
function requestTimedOut(): never {
  throw requestTimeoutError();
}

/** Cancels the rest of a body. The response does not wait for its source. */
function cancelReader(reader: ReadableStreamDefaultReader<Uint8Array>): void {
  reader.cancel().catch(() => undefined);
}

/** Streams with backpressure. */
function readable(body: BodyStream): ReadableStream<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await chunks.return?.();
    },
  });
}
