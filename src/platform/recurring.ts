import { Generations } from './generations.ts';
import { SeenLately } from './seen-lately.ts';

export interface RecurringOptions<V> {
  /** Of the weight of one generation; there are two. A value that weighs more than a hundredth of it is not kept. */
  readonly bound: number;
  /** What a value weighs with its key, such as their characters; asked once. */
  readonly weigh: (value: V, key: string) => number;
  /** About as many values as there is room for, a power of two. */
  readonly keys: number;
  /** How often a key comes again, each time lately, until its value is kept. Default: once. */
  readonly recurrences?: number;
}

/**
 * Values by key, in families of keys, within a bound, kept once they come again: most are needed once, and would drive out those that are not.
 * Of very many of which any may be needed next, some come twice by chance: a value that is made in no time is not worth keeping for that.
 */
export class Recurring<V> {
  readonly #kept: Generations<V>;
  /** What came, what came again, and so on. */
  readonly #seen: readonly SeenLately[];

  constructor({ bound, weigh, keys, recurrences = 1 }: RecurringOptions<V>) {
    this.#kept = new Generations(bound, weigh);
    this.#seen = Array.from({ length: recurrences }, () => new SeenLately(keys));
  }

  get(key: string, family = 0): V | undefined {
    return this.#kept.get(key, family);
  }

  /** Keeps a value whose key was offered often enough before. @returns whether it was */
  offer(key: string, value: V, family = 0): boolean {
    const recurs = this.#seen.every((seen) => seen.again(key, family));
    if (recurs) this.#kept.set(key, value, family);
    return recurs;
  }

  /** Keeps a value, however often its key was offered. */
  set(key: string, value: V, family = 0): void {
    this.#kept.set(key, value, family);
  }

  delete(key: string, family = 0): void {
    this.#kept.delete(key, family);
  }

  clear(): void {
    this.#kept.clear();
  }
}
