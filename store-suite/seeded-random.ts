/**
 * A pseudorandom generator (mulberry32). The same seed gives the same sequence, so that failing cases can be
 * reproduced.
 */
export class SeededRandom {
  #state: number;

  /** @param seed an integer */
  constructor(seed: number) {
    this.#state = seed;
  }

  /** A random integer from 0 (inclusive) to `bound` (exclusive). */
  integer(bound: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000) * bound);
  }

  /** True with a probability of 1 in `times`. */
  oneIn(times: number): boolean {
    return this.integer(times) === 0;
  }

  /** One of the values at random. @throws {RangeError} if there are none */
  pick<T>(values: readonly T[]): T {
    const value = values[this.integer(values.length)];
    if (value === undefined) throw new RangeError('Cannot pick from an empty array.');
    return value;
  }
}
