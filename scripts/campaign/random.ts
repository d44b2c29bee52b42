/** A sequence of random choices that its seed determines. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** At least 0 and below 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** An integer from `least` to `most`, both included. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  /** @throws {Error} where the list is empty */
  pick<T>(items: readonly T[]): T {
    const index = this.integer(0, items.length - 1);
    for (const item of items.slice(index, index + 1)) return item;
    throw new Error('nothing to pick from');
  }

  /** Some of the items, in their order. */
  some<T>(items: readonly T[], probability: number): readonly T[] {
    return items.filter(() => this.chance(probability));
  }

  /** A text of letters, punctuation that formats escape, and characters outside of ASCII. */
  text(most: number): string {
    return Array.from({ length: this.integer(0, most) }, () => this.pick(CHARACTERS)).join('');
  }
}

const CHARACTERS = Array.from(
  `abcdefghijklmnopABCXYZ0123456789     +%&=,;:/?#[]{}"'<>\\|^\`~!@$*()-_.\n\téÅßøñ你好😀𝒳\u00A0\u0301\uFFFD`,
);
