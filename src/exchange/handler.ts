import type { Coding } from '../conventions/media/content-coding.ts';
import type { Scheme } from '../conventions/headers/forwarded.ts';
import type { HostRule } from '../conventions/url/host.ts';
import type { MaybePromise } from '../platform/maybe-promise.ts';

/** The body of a request, read once and only when a stage needs it. */
export interface RequestBody {
  /** The declared `Content-Length` in bytes; null when the body is chunked. */
  readonly length: number | null;

  /**
   * All bytes.
   *
   * @param limit most bytes to read
   * @throws {ApiError} REQUEST_BODY_TOO_LARGE, REQUEST_TIMEOUT, REQUEST_HEADER_INVALID (a forbidden trailer field)
   */
  read(limit: number): Promise<Uint8Array>;

  /**
   * The bytes as they arrive, however many. The next ones are read from the socket when the consumer pulls. For bodies
   * that are processed piece by piece (MET-13), instead of `read`. Ending the iteration early leaves the rest unread.
   *
   * @throws {ApiError} REQUEST_TIMEOUT: no byte came within `requestTimeout`; REQUEST_MALFORMED: the connection ended
   *   before the body did
   */
  chunks(): AsyncIterable<Uint8Array>;

  /**
   * Reports how many of the bytes of `chunks` the consumer still holds, such as those of an incomplete line. They count
   * with the bodies that are being received. Absent if the bytes are in memory anyway.
   *
   * @throws {ApiError} SERVER_OVERLOADED: all bodies together exceed the limit
   */
  keep?(bytes: number): void;
}

/**
 * A request as it was received, with nothing decided yet.
 *
 * @example
 * ```ts
 * const request: RawRequest = {
 *   method: 'GET', target: '/api/v1/notes', headers: ['Host', 'localhost'],
 *   body: null, httpVersion: '1.1', peer: '127.0.0.1',
 * };
 * ```
 */
export interface RawRequest {
  readonly method: string;
  /** The request target, byte for byte. */
  readonly target: string;
  /** Names and values alternating, as received. */
  readonly headers: readonly string[];
  /** null if the request carries none. */
  readonly body: RequestBody | null;
  /** `1.0` or `1.1`. */
  readonly httpVersion: string;
  /** Address of the peer. */
  readonly peer: string;
  /** The scheme of the connection to the peer. Default: http. */
  readonly scheme?: Scheme;
  /**
   * The values of `Host` that the host application accepts (AUTH-7). Default: those of the API, loopback names unless
   * `allowAnyHost`.
   */
  readonly hosts?: HostRule;
  /**
   * The connection of the client. `destroyed`: no response can reach it, so no more work is done for it.
   * `readableEnded`: the client has closed its side, but may still read a response.
   */
  readonly client?: { readonly destroyed: boolean; readonly readableEnded?: boolean };
  /**
   * False if the host application sends its own CORS fields, so that responses have none of the model (OPS-3). Default:
   * true.
   */
  readonly cors?: boolean;
  /** True if it is a part of another request, which has taken its unit of the rate (LIM-2). Default: false. */
  readonly isPartOfPaid?: boolean;
  /** The name that an agent gives itself, for events whose caller has no `client` (EVT-2). Default: none. */
  readonly agent?: string | null;
}

/** Header fields: names and values alternating. */
export type HeaderList = readonly string[];

interface ResponseHead {
  readonly status: number;
  /** The server adds `Content-Length`, `Date` and connection fields. */
  readonly headers: HeaderList;
}

/** A response whose body is in memory. */
export interface BufferedResponse extends ResponseHead {
  /** null if the response has no body. For HEAD the server withholds it and sends its length. */
  readonly body: string | Uint8Array | null;
  /** Returns the body in a coding. Only of a body that is cached in all of them. */
  readonly compressed?: (coding: Coding) => MaybePromise<Uint8Array>;
}

/** A response whose body is written piece by piece. */
export interface StreamedResponse extends ResponseHead {
  readonly body: BodyStream;
}

/**
 * A response, with all of its body or written piece by piece.
 *
 * @example
 * ```ts
 * const { status, headers, body }: ApiResponse = await api.handle(request);
 * ```
 */
export type ApiResponse = BufferedResponse | StreamedResponse;

export function isStreamed(response: ApiResponse): response is StreamedResponse {
  const { body } = response;
  return typeof body === 'object' && body !== null && !(body instanceof Uint8Array);
}

/**
 * Ends a response that is not sent. A streamed body may hold a resource until it is read, such as a place among the
 * readers of the feed.
 */
export function abandon(response: ApiResponse): void {
  if (isStreamed(response)) void response.body[Symbol.asyncIterator]().return?.();
}

/**
 * A body that is written piece by piece: the next piece is requested when the previous one has been sent. If it throws,
 * the connection is closed without the last chunk (ERR-1). A consumer that stops reading calls `return` on its
 * iterator.
 */
export type BodyStream = AsyncIterable<string>;

/**
 * One API, as every way to mount it sees it.
 *
 * @example
 * ```ts
 * const handler: Handler = api;
 * const { status } = await handler.handle(request);
 * ```
 */
export interface Handler {
  /** Responds to any request; never rejects. A cached response is returned synchronously. */
  handle(request: RawRequest): MaybePromise<ApiResponse>;

  /**
   * Responds to a connection that sent no complete request: an error of the HTTP parser, a timeout before the headers
   * arrived, overload.
   *
   * @param request as much of it as is known. Its header fields give the correlation id and `Accept`
   */
  refuse(error: unknown, request: Pick<RawRequest, 'method' | 'target' | 'headers' | 'cors'>): BufferedResponse;

  /**
   * Ends the live feeds, which have no end of their own. Called when a server stops. Later requests for feeds are
   * refused.
   */
  endFeeds?(): Promise<void>;
}

/** Makes a request body of bytes in memory. */
export function bufferedBody(bytes: Uint8Array): RequestBody {
  return {
    length: bytes.length,
    read: () => Promise.resolve(bytes),
    chunks: async function* chunks() {
      yield await Promise.resolve(bytes);
    },
  };
}
