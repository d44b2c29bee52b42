import type { MaybePromise } from '../platform/maybe-promise.ts';

/** The body of a request, read once and only when a stage asks for it. */
export interface RequestBody {
  /** The declared `Content-Length` in bytes; null when the body is chunked. */
  readonly length: number | null;

  /**
   * All bytes.
   *
   * @param limit most bytes to take in
   * @throws {ApiError} REQUEST_BODY_TOO_LARGE, REQUEST_TIMEOUT, REQUEST_HEADER_INVALID (a forbidden trailer field)
   */
  read(limit: number): Promise<Uint8Array>;

  /**
   * The bytes as they arrive, however many: the next ones are taken off the wire when they are asked for. For bodies that are read piece by
   * piece (MET-13); `read` is not called beside it. Ending the iteration early leaves the rest unread.
   *
   * @throws {ApiError} REQUEST_TIMEOUT: no byte came within `requestTimeout`; REQUEST_MALFORMED: the connection ended before the body did
   */
  chunks(): AsyncIterable<Uint8Array>;
}

/** A request as it came from the wire, nothing decided yet. */
export interface RawRequest {
  readonly method: string;
  /** The request target, byte for byte. */
  readonly target: string;
  /** Names and values in turn, in the order and spelling of the wire. */
  readonly headers: readonly string[];
  /** null where the request carries none. */
  readonly body: RequestBody | null;
  /** `1.0` or `1.1`. */
  readonly httpVersion: string;
  /** Address of the peer. */
  readonly peer: string;
}

interface ResponseHead {
  readonly status: number;
  /** Names and values in turn. `Content-Length`, `Date` and connection fields are the server's. */
  readonly headers: readonly string[];
}

/** What goes back, its body at hand. */
export interface BufferedResponse extends ResponseHead {
  /** null where the answer has no body. For HEAD the server withholds it, and keeps its length. */
  readonly body: string | Uint8Array | null;
}

/** What goes back piece by piece. */
export interface StreamedResponse extends ResponseHead {
  readonly body: BodyStream;
}

/** What goes back. */
export type ApiResponse = BufferedResponse | StreamedResponse;

/** Whether an answer is written piece by piece. */
export function isStreamed(answer: ApiResponse): answer is StreamedResponse {
  const { body } = answer;
  return typeof body === 'object' && body !== null && !(body instanceof Uint8Array);
}

/**
 * A body that is written piece by piece, each asked for when the one before has left. Where it throws, the connection is cut without the
 * last chunk (ERR-1). Whoever stops reading calls `return` on its iterator.
 */
export type BodyStream = AsyncIterable<string>;

/** One API, as every way to mount it sees it. */
export interface Handler {
  /** Answers any request; never rejects. */
  handle(request: RawRequest): MaybePromise<ApiResponse>;

  /**
   * Answers what never became a request: a fault of the HTTP parser, a timeout before the headers were in, overload.
   *
   * @param headers what is known of the request's fields, for its correlation id and `Accept`
   */
  refuse(error: unknown, request: Pick<RawRequest, 'method' | 'target' | 'headers'>): BufferedResponse;
}
