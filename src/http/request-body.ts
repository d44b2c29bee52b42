import type { IncomingMessage } from 'node:http';
import { bodyTooLargeError, incompleteBodyError, requestTimeoutError } from '../conventions/receive-errors.ts';
import { type ApiError, apiError } from '../conventions/errors.ts';
import type { RequestBody } from '../pipeline/exchange.ts';
import { forbiddenTrailer } from './forbidden-trailers.ts';

export interface NodeRequestBodyOptions {
  readonly request: IncomingMessage;
  /** The declared `Content-Length` in bytes; null when the body is chunked. */
  readonly length: number | null;
  /** Sends `100 Continue`; null where the client does not wait for it. */
  readonly sendContinue: (() => void) | null;
  /** How long a whole body that is read at once may take, and one that is read piece by piece may pause. Milliseconds. */
  readonly timeout: number;
}

/** The body of a request on the wire: nothing is taken in, and no `100 Continue` is sent, before somebody reads it (URL-8). */
export class NodeRequestBody implements RequestBody {
  readonly length: number | null;
  readonly #request: IncomingMessage;
  #sendContinue: (() => void) | null;
  #failure: ApiError | null = null;
  #rejectReader: ((error: ApiError) => void) | null = null;
  readonly #timeout: number;
  #isStreaming = false;

  constructor({ request, length, sendContinue, timeout }: NodeRequestBodyOptions) {
    this.#timeout = timeout;
    this.#request = request;
    this.length = length;
    this.#sendContinue = sendContinue;
  }

  /** Whether somebody waits for bytes of the client. */
  get isWaiting(): boolean {
    return this.#rejectReader !== null;
  }

  /** Whether it is read piece by piece, while its answer may be under way. */
  get isStreaming(): boolean {
    return this.#isStreaming;
  }

  /** Whether every byte has arrived, read or not. */
  get complete(): boolean {
    return this.#request.complete;
  }

  /** Whether nothing is left to wait for. The parser says so of a body by its length only when it is through with it. */
  get #hasArrived(): boolean {
    return this.complete || this.#request.readableLength === this.length;
  }

  /**
   * Whether what is left may be read and thrown away, so that the connection serves another request: at most `limit` bytes, none
   * of which the client holds back until it is told to continue.
   */
  canDiscard(limit: number): boolean {
    if (this.complete) return true;
    return this.#failure === null && this.#sendContinue === null && this.length !== null && this.length <= limit;
  }

  /** Throws the rest away as it arrives, for as long as a body may take. */
  discard(): void {
    const request = this.#request;
    request.resume();
    if (request.complete) return;
    const timer = setTimeout(() => request.destroy(), this.#timeout);
    request.once('close', () => clearTimeout(timer));
  }

  /** What the parser or a timeout found wrong with the body: told to whoever reads it now or later. The first fault stays. */
  fail(error: ApiError): void {
    this.#failure ??= error;
    this.#rejectReader?.(this.#failure);
  }

  async read(limit: number): Promise<Uint8Array> {
    if (this.length !== null && this.length > limit) throw bodyTooLargeError(limit);
    // What came with the head is there when this goes on.
    await Promise.resolve();
    if (this.#sendContinue !== null) this.#continueIfExpected();
    if (this.#failure !== null) throw this.#failure;
    if (this.#request.destroyed) throw incompleteBodyError();
    return this.#hasArrived ? this.#readBuffered(limit) : this.#readArriving(limit);
  }

  /** All of a body that has arrived: most are small, and come with their heads. Each packet is read by itself. */
  #readBuffered(limit: number): Uint8Array {
    const request = this.#request;
    const field = forbiddenTrailerOf(request);
    if (field !== null) throw trailerNotAllowed(field);
    const chunks: Buffer[] = [];
    for (let chunk: unknown = request.read(); chunk instanceof Buffer; chunk = request.read()) chunks.push(chunk);
    // Whoever waits for the end of the request is told of it.
    request.resume();
    const bytes = concatenate(chunks);
    if (bytes.length > limit) throw bodyTooLargeError(limit);
    return bytes;
  }

  async #readArriving(limit: number): Promise<Uint8Array> {
    const timer = setTimeout(() => this.fail(requestTimeoutError()), this.#timeout);
    try {
      return await this.#collect(limit);
    } finally {
      clearTimeout(timer);
      this.#rejectReader = null;
    }
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    const request = this.#request;
    this.#isStreaming = true;
    await Promise.resolve();
    if (this.#sendContinue !== null) this.#continueIfExpected();
    for (;;) {
      if (this.#failure !== null) throw this.#failure;
      const chunk: unknown = request.read();
      if (chunk instanceof Uint8Array) yield chunk;
      else if (request.readableEnded) break;
      else if (request.destroyed) throw incompleteBodyError();
      else await this.#waitForMore();
    }
    const field = forbiddenTrailerOf(request);
    if (field !== null) throw trailerNotAllowed(field);
  }

  /** Waits until there is something to read, or nothing more to come. */
  async #waitForMore(): Promise<void> {
    const request = this.#request;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => reject(requestTimeoutError()), this.#timeout);
    this.#rejectReader = reject;
    const wake = (): void => resolve();
    request.once('readable', wake).once('end', wake).once('close', wake);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      this.#rejectReader = null;
      request.off('readable', wake).off('end', wake).off('close', wake);
    }
  }

  /** RFC 9110 10.1.1: no 100 is due once the client has begun to send. */
  #continueIfExpected(): void {
    if (!this.complete && this.#request.readableLength === 0) this.#sendContinue?.();
    this.#sendContinue = null;
  }

  #collect(limit: number): Promise<Uint8Array> {
    const request = this.#request;
    const chunks: Buffer[] = [];
    let size = 0;
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        request.off('data', take).off('end', finish).off('close', cut).pause();
      };
      const fail = (error: ApiError): void => {
        stop();
        reject(error);
      };
      const take = (chunk: Buffer): void => {
        size += chunk.length;
        if (size > limit) fail(bodyTooLargeError(limit));
        else chunks.push(chunk);
      };
      const finish = (): void => {
        const field = forbiddenTrailerOf(request);
        if (field !== null) return fail(trailerNotAllowed(field));
        stop();
        resolve(concatenate(chunks));
      };
      const cut = (): void => fail(incompleteBodyError());
      this.#rejectReader = fail;
      request.on('data', take).on('end', finish).on('close', cut);
    });
  }
}

/** The field in the trailer section that may not stand there; null where there is none. Requests that were made up have no such section. */
function forbiddenTrailerOf({ rawTrailers }: { readonly rawTrailers?: readonly string[] }): string | null {
  return rawTrailers === undefined ? null : forbiddenTrailer(rawTrailers);
}

/** Most bodies arrive in one piece, which need not be copied. */
function concatenate(chunks: readonly Buffer[]): Uint8Array {
  const [only] = chunks;
  return only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks);
}

function trailerNotAllowed(field: string): ApiError {
  return apiError(
    'REQUEST_HEADER_INVALID',
    `The field ${field} may not come after the body; send it with the header fields.`,
    { details: [{ field, message: `${field} may not stand in the trailer section.` }] },
  );
}
