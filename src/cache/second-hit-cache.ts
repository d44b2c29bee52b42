import { GenerationalCache } from './generational-cache.ts';
import { fnv1a } from './fnv1a.ts';
import { AdmissionFilter } from './admission-filter.ts';

export interface RecurringOptions<V> {
  /** Of the weight of one generation; there are two. A value that weighs more than a hundredth of it is not kept. */
  readonly bound: number;
  /** What a value weighs with its key, such as their characters; asked once. */
  readonly weigh: (value: V, key: string) => number;
  /** About as many values as there is room for, a power of two. */
  readonly keys: number;
}

/** Values by key, within a bound, kept from the second time on that they come: most are needed once, and would drive out those that are not. */
export class SecondHitCache<V> {
  readonly #kept: GenerationalCache<V>;
  readonly #seen: AdmissionFilter;

  constructor({ bound, weigh, keys }: RecurringOptions<V>) {
    this.#kept = new GenerationalCache(bound, weigh);
    this.#seen = new AdmissionFilter(keys);
  }

  get(key: string): V | undefined {
    return this.#kept.get(key);
  }

  /** Lets go of all values. */
  clear(): void {
    this.#kept.clear();
  }

  /** Keeps a value whose key was offered lately. */
  set(key: string, value: V): void {
    if (this.#seen.admits(fnv1a(key))) this.#kept.set(key, value);
  }
}
