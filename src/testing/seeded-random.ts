/** Numbers that look random and are the same for the same seed, so that a failing case comes again by its seed. */
export class SeededRandom {
  #state: number;

  /** @param seed an integer */
  constructor(seed: number) {
    this.#state = seed;
  }

  /** An integer from 0 to one below the bound. The generator is mulberry32. */
  integer(bound: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000) * bound);
  }

  /** True once in so many times. */
  oneIn(times: number): boolean {
    return this.integer(times) === 0;
  }

  /** One of the values. @throws {RangeError} where there is none */
  pick<T>(values: readonly T[]): T {
    const value = values[this.integer(values.length)];
    if (value === undefined) throw new RangeError('There is nothing to choose from');
    return value;
  }
}
