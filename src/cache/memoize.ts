import { type Cache, GenerationalCache } from './cache.ts';

/** Room for a few hundred short strings. */
const DEFAULT_WEIGHT = 32_768;
/** The weight of a result besides the characters of its key. */
const ENTRY_WEIGHT = 64;

/**
 * Memoizes a pure function of a string, for the few values that nearly all requests send: `Host`, `Accept`, a sort
 * order. What it throws is thrown again each time. A result depends on its key alone: on none of identity, permission,
 * visibility and contract, unless the function is one contract's.
 *
 * @param maxWeight bound of the characters of all keys, for clients choose what they send; a longer key than a 64th of
 *   it is not memoized
 */
export function memoize<T>(compute: (text: string) => T, maxWeight = DEFAULT_WEIGHT): (text: string) => T {
  // By the strings themselves: they are few, and a `Map` finds a short string sooner than it is hashed here.
  const results: Cache<Result<T>> = new GenerationalCache<Result<T>, string>(
    { maxWeight, weigh: (_result, key) => ENTRY_WEIGHT + key.length },
    (key) => key,
  );
  let last: Result<T> | null = null;
  return (text) => {
    if (last?.key === text) return last.value;
    last = results.get(text) ?? null;
    if (last !== null) return last.value;
    last = { key: text, value: compute(text) };
    results.set(text, last);
    return last.value;
  };
}

interface Result<T> {
  readonly key: string;
  readonly value: T;
}

/**
 * Memoizes a function of an object, such as a compiled resource, for as long as the object is alive. A result depends
 * on the object alone: on the *contract*.
 */
export function weakMemoize<K extends object, V>(compute: (key: K) => V): (key: K) => V {
  const results = new WeakMap<K, { readonly value: V }>();
  return (key) => {
    const known = results.get(key);
    if (known !== undefined) return known.value;
    const value = compute(key);
    results.set(key, { value });
    return value;
  };
}

/**
 * Memoizes a function without parameters: computes its result when it is first needed. An error is thrown again each
 * time.
 */
export function lazy<T>(compute: () => T): () => T {
  let result: { readonly value: T } | null = null;
  return () => {
    result ??= { value: compute() };
    return result.value;
  };
}

/** Memoizes the last result of a pure function, for runs of equal arguments. */
export function memoizeLast<K extends number | string, V>(compute: (key: K) => V): (key: K) => V {
  let last: { readonly key: K; readonly value: V } | null = null;
  return (key) => {
    if (last === null || last.key !== key) last = { key, value: compute(key) };
    return last.value;
  };
}
