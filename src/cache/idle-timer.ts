/** Tells when something was not used for a while: then what was kept for the next time can go. It has a timer only while it is used. */
export class IdleTimer {
  readonly #after: number;
  readonly #run: () => void;
  #used = false;
  #waits = false;

  /**
   * @param after milliseconds without use; up to twice as many pass
   * @param run runs once each time that it was used and then no more; never throws
   */
  constructor(after: number, run: () => void) {
    this.#after = after;
    this.#run = run;
  }

  /** It is used now. */
  touch(): void {
    this.#used = true;
    if (!this.#waits) this.#wait();
  }

  #wait(): void {
    this.#waits = true;
    setTimeout(this.#look, this.#after).unref();
  }

  readonly #look = (): void => {
    const used = this.#used;
    this.#used = false;
    this.#waits = false;
    if (used) this.#wait();
    else this.#run();
  };
}
