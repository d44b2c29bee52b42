import { Generations } from './generations.ts';
import { SeenLately } from './seen-lately.ts';

export interface RecurringOptions<V> {
  /** Of the weight of one generation; there are two. A value that weighs more than a hundredth of it is not kept. */
  readonly bound: number;
  /** What a value weighs with its key, such as their characters; asked once. */
  readonly weigh: (value: V, key: string) => number;
  /** About as many values as there is room for, a power of two. */
  readonly keys: number;
}

/** Values by key, in families of keys, within a bound, kept from the second time on that they are offered: most are needed once, and would drive out those that are not. */
export class Recurring<V> {
  readonly #kept: Generations<V>;
  readonly #seen: SeenLately;

  constructor({ bound, weigh, keys }: RecurringOptions<V>) {
    this.#kept = new Generations(bound, weigh);
    this.#seen = new SeenLately(keys);
  }

  get(key: string, family = 0): V | undefined {
    return this.#kept.get(key, family);
  }

  /** Keeps a value whose key was offered before. @returns whether it was */
  offer(key: string, value: V, family = 0): boolean {
    const again = this.#seen.again(key, family);
    if (again) this.#kept.set(key, value, family);
    return again;
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
