import { Generations } from './generations.ts';
import { hashOf } from './hash.ts';
import { SeenLately } from './seen-lately.ts';

export interface RecurringOptions<V> {
  /** Of the weight of one generation; there are two. A value that weighs more than a hundredth of it is not kept. */
  readonly bound: number;
  /** What a value weighs with its key, such as their characters; asked once. */
  readonly weigh: (value: V, key: string) => number;
  /** About as many values as there is room for, a power of two. */
  readonly keys: number;
}

/** Values by key, within a bound, kept from the second time on that they come: most are needed once, and would drive out those that are not. */
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

  /** Lets go of all values. */
  forget(): void {
    this.#kept.forget();
  }

  /** Keeps a value whose key was offered lately. */
  offer(key: string, value: V): void {
    if (this.#seen.again(hashOf(key))) this.#kept.set(key, value);
  }
}
