/**
 * Runs something after a period without use, such as clearing a cache. It holds a timer only while it is in use, and
 * none keeps the process alive.
 */
export class IdleTimer {
  readonly #timeout: number;
  readonly #run: () => void;
  #isUsed = false;
  #isWaiting = false;

  /**
   * @param timeout milliseconds without use; up to twice as many pass
   * @param run called once for each period of use; never throws
   */
  constructor(timeout: number, run: () => void) {
    this.#timeout = timeout;
    this.#run = run;
  }

  /** Notes a use. It sets no timer while one is waiting, so that it costs nothing. */
  touch(): void {
    this.#isUsed = true;
    if (!this.#isWaiting) this.#wait();
  }

  #wait(): void {
    this.#isWaiting = true;
    setTimeout(this.#check, this.#timeout).unref();
  }

  readonly #check = (): void => {
    const wasUsed = this.#isUsed;
    this.#isUsed = false;
    this.#isWaiting = false;
    if (wasUsed) this.#wait();
    else this.#run();
  };
}
