import { serverOverloadedError } from '../conventions/receive-errors.ts';

/** The memory of one request body that is being received. */
export interface HeldBytes {
  /**
   * Sets how many bytes are held. @throws {ApiError} SERVER_OVERLOADED where all bodies together would exceed the limit
   */
  hold(bytes: number): void;
  /** Gives the memory back: the body is complete, refused or lost. From then on nothing is held. */
  release(): void;
}

/**
 * Counts the bytes of all request bodies that are being received (LIM-1), over all connections. Many slow clients would
 * otherwise fill the memory, each within the limit of a body. Bytes count once they are here: a body that is announced
 * and does not come costs nothing.
 */
export class BodyMemory {
  readonly #max: number;
  #held = 0;

  /** @param max bytes */
  constructor(max: number) {
    this.#max = max;
  }

  /** The bytes that are held now. */
  get held(): number {
    return this.#held;
  }

  /** Begins a body. @throws {ApiError} SERVER_OVERLOADED where the memory is full */
  open(): HeldBytes {
    if (this.#held >= this.#max) throw serverOverloadedError();
    let own = 0;
    let isReleased = false;
    const set = (bytes: number): void => {
      this.#held += bytes - own;
      own = bytes;
    };
    return {
      hold: (bytes) => {
        if (isReleased) return;
        if (bytes > own && this.#held + bytes - own > this.#max) throw serverOverloadedError();
        set(bytes);
      },
      release: () => {
        isReleased = true;
        set(0);
      },
    };
  }
}
