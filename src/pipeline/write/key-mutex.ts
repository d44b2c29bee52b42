/** Lets work on the same thing take turns, so that two writes to one row in this process do not race. */
export class KeyMutex {
  readonly #tails = new Map<string, Promise<unknown>>();

  /** Runs `work` once all earlier work under the key has ended, however it ended. */
  runExclusive<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key);
    const mine = before === undefined ? work() : before.then(work, work);
    this.#tails.set(key, mine);
    const end = (): void => {
      if (this.#tails.get(key) === mine) this.#tails.delete(key);
    };
    mine.then(end, end);
    return mine;
  }
}
