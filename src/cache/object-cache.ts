import type { Cache } from './cache.ts';

/**
 * A cache by objects, such as verified tokens. An entry lives as long as its key, so that the bound of the keys bounds
 * the cache, and nothing is evicted but by `clear`.
 */
export class ObjectCache<K extends object, V> implements Cache<V, K> {
  readonly statistics = { hits: 0, misses: 0, evictions: 0 };
  #entries = new WeakMap<K, V>();

  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) this.statistics.misses += 1;
    else this.statistics.hits += 1;
    return value;
  }

  set(key: K, value: V): void {
    this.#entries.set(key, value);
  }

  clear(): void {
    this.#entries = new WeakMap();
  }

  missAfterAll(): void {
    this.statistics.hits -= 1;
    this.statistics.misses += 1;
  }
}
