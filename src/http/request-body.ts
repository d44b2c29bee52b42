import { cut } from '../conventions/text/quoted.ts';
import type { IncomingMessage } from 'node:http';
import { bodyTooLargeError, incompleteBodyError, requestTimeoutError } from '../conventions/receive-errors.ts';
import { type ApiError, apiError } from '../conventions/errors.ts';
import type { BodyMemory, HeldBytes } from '../limits/body-memory.ts';
import type { RequestBody } from '../exchange/handler.ts';
import { forbiddenTrailer } from './forbidden-trailers.ts';

export interface NodeRequestBodyOptions {
  readonly request: IncomingMessage;
  /** The declared `Content-Length` in bytes; null when the body is chunked. */
  readonly length: number | null;
  /** Sends `100 Continue`; null where the client does not wait for it. */
  readonly sendContinue: (() => void) | null;
  /** Milliseconds that a buffered body may take to arrive, and that a streamed one may pause. */
  readonly timeout: number;
  /** The memory of all bodies that are being received. */
  readonly memory: BodyMemory;
}

/** The body of a request of `node:http`. It is received, and `100 Continue` is sent, only once it is read (URL-8). */
export class NodeRequestBody implements RequestBody {
  readonly length: number | null;
  readonly #request: IncomingMessage;
  #sendContinue: (() => void) | null;
  #failure: ApiError | null = null;
  #rejectReader: ((error: ApiError) => void) | null = null;
  readonly #timeout: number;
  readonly #memory: BodyMemory;
  #held: HeldBytes | null = null;
  #isStreaming = false;
  #isRead = false;

  constructor({ request, length, sendContinue, timeout, memory }: NodeRequestBodyOptions) {
    this.#timeout = timeout;
    this.#memory = memory;
    this.#request = request;
    this.length = length;
    this.#sendContinue = sendContinue;
  }

  /** True if a reader waits for bytes of the client. */
  get isWaiting(): boolean {
    return this.#rejectReader !== null;
  }

  /** True if it is streamed, possibly while its response is being sent. */
  get isStreaming(): boolean {
    return this.#isStreaming;
  }

  /** True if every byte has arrived, read or not. */
  get complete(): boolean {
    return this.#request.complete;
  }

  /**
   * True if every byte is buffered. The parser reports a body with a `Content-Length` as complete only once it has been
   * read.
   */
  get #hasArrived(): boolean {
    return this.complete || this.#request.readableLength === this.length;
  }

  /**
   * True if the rest can be read and discarded, so that the connection can serve another request. The body has at most
   * `limit` bytes, and the client does not wait for `100 Continue`.
   */
  canDiscard(limit: number): boolean {
    if (this.complete) return true;
    return this.#failure === null && this.#sendContinue === null && this.length !== null && this.length <= limit;
  }

  /** Reads and discards the rest, within the time that a body may take. */
  discard(): void {
    const request = this.#request;
    request.resume();
    // After the last byte of a `Content-Length` the parser reports the end by itself.
    if (request.complete || this.#isRead) return;
    const { socket } = request;
    const timer = setTimeout(() => request.destroy(), this.#timeout);
    const stop = (): void => {
      clearTimeout(timer);
      request.off('close', stop);
      socket.off('close', stop);
    };
    // A request whose response is sent does not notice that its connection is closed.
    request.once('close', stop);
    socket.once('close', stop);
  }

  /** Rejects the current or the next read with an error of the parser or a timeout. Only the first error counts. */
  fail(error: ApiError): void {
    this.#failure ??= error;
    this.#rejectReader?.(this.#failure);
  }

  async read(limit: number): Promise<Uint8Array> {
    if (this.length !== null && this.length > limit) throw bodyTooLargeError(limit);
    // Bytes that came with the head are buffered after this.
    await Promise.resolve();
    if (this.#failure === null && this.#hasArrived) return this.#readBuffered(limit);
    // Before 100 Continue: a client that waits for it has sent nothing yet.
    const held = this.#memory.open();
    try {
      if (this.#sendContinue !== null) this.#continueIfExpected();
      if (this.#failure !== null) throw this.#failure;
      if (this.#request.destroyed) throw incompleteBodyError();
      return await this.#readArriving(limit, held);
    } finally {
      held.release();
    }
  }

  keep(bytes: number): void {
    this.#held?.hold(bytes);
  }

  /** Reads a body that is buffered completely, as most are: they arrive with their heads. */
  #readBuffered(limit: number): Uint8Array {
    const request = this.#request;
    const field = findForbiddenTrailer(request);
    if (field !== null) throw trailerNotAllowed(field);
    const chunks: Buffer[] = [];
    for (let chunk: unknown = request.read(); chunk instanceof Buffer; chunk = request.read()) chunks.push(chunk);
    this.#isRead = true;
    // Lets 'end' be emitted.
    request.resume();
    const bytes = concatenate(chunks);
    if (bytes.length > limit) throw bodyTooLargeError(limit);
    return bytes;
  }

  async #readArriving(limit: number, held: HeldBytes): Promise<Uint8Array> {
    const timer = setTimeout(() => this.fail(requestTimeoutError()), this.#timeout);
    try {
      return await this.#collect(limit, held);
    } finally {
      clearTimeout(timer);
      this.#rejectReader = null;
    }
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    const request = this.#request;
    this.#isStreaming = true;
    await Promise.resolve();
    this.#held = this.#memory.open();
    try {
      if (this.#sendContinue !== null) this.#continueIfExpected();
      for (;;) {
        if (this.#failure !== null) throw this.#failure;
        const chunk: unknown = request.read();
        if (chunk instanceof Uint8Array) yield chunk;
        else if (request.readableEnded) break;
        else if (request.destroyed) throw incompleteBodyError();
        else await this.#waitForMore();
      }
    } finally {
      this.#held.release();
      this.#held = null;
    }
    const field = findForbiddenTrailer(request);
    if (field !== null) throw trailerNotAllowed(field);
  }

  /** Waits until there are bytes to read, or the body has ended. */
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

  /** RFC 9110 10.1.1: no 100 is sent once the client has begun to send the body. */
  #continueIfExpected(): void {
    if (!this.complete && this.#request.readableLength === 0) this.#sendContinue?.();
    this.#sendContinue = null;
  }

  #collect(limit: number, held: HeldBytes): Promise<Uint8Array> {
    const request = this.#request;
    const chunks: Buffer[] = [];
    let size = 0;
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        request.off('data', take).off('end', finish).off('close', onClose).pause();
      };
      const fail = (error: ApiError): void => {
        stop();
        reject(error);
      };
      const take = (chunk: Buffer): void => {
        size += chunk.length;
        if (size > limit) return fail(bodyTooLargeError(limit));
        try {
          held.hold(size);
          chunks.push(chunk);
        } catch (error) {
          chunks.length = 0;
          stop();
          reject(error);
        }
      };
      const finish = (): void => {
        const field = findForbiddenTrailer(request);
        if (field !== null) return fail(trailerNotAllowed(field));
        stop();
        resolve(concatenate(chunks));
      };
      const onClose = (): void => fail(incompleteBodyError());
      this.#rejectReader = fail;
      request.on('data', take).on('end', finish).on('close', onClose);
    });
  }
}

/**
 * The forbidden field of the trailer section; null where there is none. Synthetic requests of test tools have no
 * `rawTrailers`.
 */
function findForbiddenTrailer({ rawTrailers }: { readonly rawTrailers?: readonly string[] }): string | null {
  return rawTrailers === undefined ? null : forbiddenTrailer(rawTrailers);
}

/** Does not copy a single chunk, which most bodies are. */
function concatenate(chunks: readonly Buffer[]): Uint8Array {
  const [only] = chunks;
  return only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks);
}

function trailerNotAllowed(name: string): ApiError {
  const field = cut(name);
  return apiError(
    'REQUEST_HEADER_INVALID',
    `The field ${field} is not allowed in the trailer section. Send it with the header fields.`,
    { details: [{ field, message: `${field} is not allowed in the trailer section.` }] },
  );
}
