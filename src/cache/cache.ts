import { fnv1a } from './fnv1a.ts';

/** The uses of a cache since it was created. */
export interface CacheStatistics {
  readonly hits: number;
  readonly misses: number;
  /** Entries that had to make room for others; not those that were replaced or cleared. */
  readonly evictions: number;
}

/** A cache as metrics read it and as an idle server clears it, by whatever it is found. */
export interface ClearableCache {
  readonly statistics: CacheStatistics;

  /** Evicts everything. */
  clear(): void;
}

/** The contract of every cache: its entries are found by strings that come with requests, or by objects. */
export interface Cache<V, K = string> extends ClearableCache {
  /** @returns the value that was last set under this very key; undefined where it was evicted or never admitted */
  get(key: K): V | undefined;

  /** Stores a value in place of the one before, if the key is admitted. */
  set(key: K, value: V): void;

  /** Counts the last hit as a miss: what was found is not valid any more. */
  missAfterAll(): void;
}

/** A part of a cache: entries by the hashes of their keys, one for each hash. */
export interface Generation<V, H = number> {
  /** Number of entries. */
  readonly size: number;

  get(hash: H, key: string): V | undefined;
  set(hash: H, key: string, value: V): void;

  /** @returns whether there was an entry */
  delete(hash: H): boolean;

  clear(): void;
}

export interface CacheOptions<V, H> {
  /** Bound of the weight of all entries. One entry may have a 64th of it; a heavier one is not stored. */
  readonly maxWeight: number;
  /** The weight of an entry, such as its characters; positive. */
  readonly weigh: (value: V, key: string) => number;
  /** True if a key that is not in the cache is stored. Default: every key is. */
  readonly admits?: (hash: H) => boolean;
  /**
   * The number of generations that share `maxWeight`. Default 2; with more a larger part of the entries survives an
   * eviction.
   */
  readonly generations?: number;
  /** Default: a `Map`. */
  readonly newGeneration?: (maxWeight: number) => Generation<V, H>;
}

const MAX_SHARE = 1 / 64;

/**
 * The cache, with the eviction policy of all caches: entries are set in the youngest generation. When that is full, the
 * oldest generation is evicted as a whole. A hit in the oldest one promotes the entry to the youngest, so that what is
 * used stays. Nothing is kept in order: a hit writes nothing otherwise.
 */
export class GenerationalCache<V, H = number> implements Cache<V> {
  readonly statistics = { hits: 0, misses: 0, evictions: 0 };
  readonly #options: CacheOptions<V, H>;
  readonly #hash: (key: string) => H;
  readonly #maxWeight: number;
  /** The youngest first. */
  readonly #generations: Generation<V, H>[];
  /** The weight of the youngest generation. An entry that is replaced still counts until its generation is evicted. */
  #weight = 0;

  /**
   * @param hash of a key; two keys with one hash evict each other. Long-lived strings can be their own hashes. A `Map`
   *   of strings makes V8 internalize each key, which is slow for strings of requests and fills the memory
   */
  constructor(options: CacheOptions<V, H>, hash: (key: string) => H) {
    const { maxWeight, generations = 2, newGeneration = () => new MapGeneration<V, H>() } = options;
    this.#options = options;
    this.#hash = hash;
    this.#maxWeight = maxWeight / generations;
    this.#generations = Array.from({ length: generations }, () => newGeneration(this.#maxWeight));
  }

  get(key: string): V | undefined {
    const hash = this.#hash(key);
    const generations = this.#generations;
    const oldest = generations.length - 1;
    for (let index = 0; index <= oldest; index += 1) {
      const value = generations[index]?.get(hash, key);
      if (value === undefined) continue;
      this.statistics.hits += 1;
      if (index === oldest) this.#promote(hash, key, value);
      return value;
    }
    this.statistics.misses += 1;
    return undefined;
  }

  set(key: string, value: V): void {
    const { admits } = this.#options;
    const hash = this.#hash(key);
    if (this.#delete(hash) || admits === undefined || admits(hash)) this.#add(hash, key, value);
  }

  clear(): void {
    for (const generation of this.#generations) generation.clear();
    this.#weight = 0;
  }

  missAfterAll(): void {
    this.statistics.hits -= 1;
    this.statistics.misses += 1;
  }

  #promote(hash: H, key: string, value: V): void {
    this.#delete(hash);
    this.#add(hash, key, value);
  }

  #add(hash: H, key: string, value: V): void {
    const { maxWeight, weigh } = this.#options;
    const weight = weigh(value, key);
    if (weight > maxWeight * MAX_SHARE) return;
    if (this.#weight + weight > this.#maxWeight) this.#evict();
    this.#generations[0]?.set(hash, key, value);
    this.#weight += weight;
  }

  /** Empties the oldest generation, which becomes the youngest. */
  #evict(): void {
    const oldest = this.#generations.pop();
    if (oldest === undefined) return;
    this.statistics.evictions += oldest.size;
    oldest.clear();
    this.#generations.unshift(oldest);
    this.#weight = 0;
  }

  /** No two generations have an entry of one hash. */
  #delete(hash: H): boolean {
    let isDeleted = false;
    for (const generation of this.#generations) isDeleted = generation.delete(hash) || isDeleted;
    return isDeleted;
  }
}

class MapGeneration<V, H> implements Generation<V, H> {
  #entries = new Map<H, { readonly key: string; readonly value: V }>();

  get size(): number {
    return this.#entries.size;
  }

  get(hash: H, key: string): V | undefined {
    const entry = this.#entries.get(hash);
    return entry?.key === key ? entry.value : undefined;
  }

  set(hash: H, key: string, value: V): void {
    this.#entries.set(hash, { key, value });
  }

  delete(hash: H): boolean {
    return this.#entries.delete(hash);
  }

  clear(): void {
    this.#entries = new Map();
  }
}

/** Shows several caches as one: those that each contract has of one kind. */
export function joinCaches(caches: readonly ClearableCache[]): ClearableCache {
  const sum = (count: (statistics: CacheStatistics) => number): number =>
    caches.reduce((total, { statistics }) => total + count(statistics), 0);
  return {
    get statistics() {
      return {
        hits: sum(({ hits }) => hits),
        misses: sum(({ misses }) => misses),
        evictions: sum(({ evictions }) => evictions),
      };
    },
    clear() {
      for (const cache of caches) cache.clear();
    },
  };
}

/** A cache for keys that come with requests. */
export function createCache<V>(options: CacheOptions<V, number>): Cache<V> {
  return new GenerationalCache(options, fnv1a);
}
