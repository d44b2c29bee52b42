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

/** Values by key within a bound, kept from the second time on that they are offered: most are needed once, and would drive out those that are not. */
export class Recurring<V> {
  readonly #kept: Generations<V>;
  readonly #seen: SeenLately;

  constructor({ bound, weigh, keys }: RecurringOptions<V>) {
    this.#kept = new Generations(bound, weigh);
    this.#seen = new SeenLately(keys);
  }

  get(key: string): V | undefined {
    return this.#kept.get(key);
  }

  /** Keeps a value whose key was offered before. @returns whether it was */
  offer(key: string, value: V): boolean {
    const again = this.#seen.again(key);
    if (again) this.#kept.set(key, value);
    return again;
  }

  /** Keeps a value, however often its key was offered. */
  set(key: string, value: V): void {
    this.#kept.set(key, value);
  }

  delete(key: string): void {
    this.#kept.delete(key);
  }

  clear(): void {
    this.#kept.clear();
  }
}
