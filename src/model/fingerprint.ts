/** Digest of a string, in characters that are valid in an entity tag. */
export type Digest = (text: string) => string;

/** Serializes a model for its fingerprint, with the order of members, map entries and fields. */
export function serialize(value: object): string {
  return JSON.stringify(value, (_, held: unknown) => {
    if (held instanceof Map || held instanceof Set) return [...held];
    // Functions count: other code makes other representations.
    return held instanceof RegExp ? held.source : typeof held === 'function' ? String(held) : held;
  });
}
