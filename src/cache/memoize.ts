/** Texts of one kind that are remembered, and how long one of them may be: callers of an API are of few kinds, and choose what they send. */
const MOST = 64;
const LONGEST = 512;

/**
 * A pure function of a text that remembers what came of the texts it was given last: callers send the same `Host` and `Accept` with every
 * request. What it throws is worked out each time.
 */
export function memoize<T>(work: (text: string) => T): (text: string) => T {
  let known = new Map<string, T>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const made = work(text);
    if (known.size === MOST) known = new Map();
    if (text.length <= LONGEST) known.set(text, made);
    return made;
  };
}

/** Calls a function once for each object, and holds the result for as long as the object is alive. */
export function weakMemoize<K extends object, V>(work: (key: K) => V): (key: K) => V {
  const results = new WeakMap<K, { readonly value: V }>();
  return (key) => {
    const before = results.get(key);
    if (before !== undefined) return before.value;
    const value = work(key);
    results.set(key, { value });
    return value;
  };
}
