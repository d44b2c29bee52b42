import { createCache } from './cache.ts';

/** Room for a few hundred short strings. */
const DEFAULT_WEIGHT = 32_768;
/** What a result counts besides the characters of its key. */
const ENTRY_WEIGHT = 64;

/**
 * Memoizes a pure function of a string, for the few values that nearly all requests send: `Host`, `Accept`, a sort order. What it throws is
 * thrown again each time. A result depends on its key alone: on none of identity, permission, visibility and contract, unless the function is
 * one contract's.
 *
 * @param maxWeight bound of the characters of all keys, for clients choose what they send; a longer key than a 64th of it is not memoized
 */
export function memoize<T>(compute: (text: string) => T, maxWeight = DEFAULT_WEIGHT): (text: string) => T {
  const results = createCache<{ readonly value: T }>({
    maxWeight,
    weigh: (_result, key) => ENTRY_WEIGHT + key.length,
  });
  return (text) => {
    const known = results.get(text);
    if (known !== undefined) return known.value;
    const value = compute(text);
    results.set(text, { value });
    return value;
  };
}

/** Memoizes a function of an object, for as long as the object is alive: what follows from a compiled model or resource. */
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
