import { isSafeMethod } from '../conventions/methods.ts';

/** Bytes of a response that is always sent: Node reads no further requests of a client that has not read as much. */
export const SMALL_RESPONSE = 16_384;

/**
 * Counts the bytes of all responses that clients have not read yet, over all connections (LIM-1). A client that reads
 * slowly, or not at all, keeps its response in memory until its connection times out.
 */
export class ResponseMemory {
  readonly #max: number;
  #held = 0;

  /** @param max bytes */
  constructor(max: number) {
    this.#max = max;
  }

  /**
   * True if a response that is ready may be sent. If too many became ready since its request was accepted, a large one
   * to a read is dropped. A write has happened, so that its response is sent.
   */
  admits(bytes: number, method: string): boolean {
    return bytes <= SMALL_RESPONSE || !this.isExceeded || !isSafeMethod(method);
  }

  /** True if no further response may be made. It can be exceeded by one response, however large that is. */
  get isExceeded(): boolean {
    return this.#held > this.#max;
  }

  /** Adds a response that is ready. */
  hold(bytes: number): void {
    this.#held += bytes;
  }

  /** Removes a response that was sent completely, or lost with its connection. */
  release(bytes: number): void {
    this.#held -= bytes;
  }
}
