/**
 * Slots that share a bucket, the most recent first. With one slot for each key, two keys of one slot would evict each
 * other for ever.
 */
const BUCKET = 8;

/**
 * Second-hit admission: admits a key that was offered before, recently. Most keys are used once; stored, they would
 * evict those that are used again. A doorkeeper of four bytes for each key that may err: one key may pass for another,
 * or be evicted by it.
 *
 * @param keys how many recent keys it knows, a power of two: about as many entries as the cache has room for. A key
 *   that comes back after more others than that would have been evicted by then
 * @returns whether the key of a hash is admitted; remembers it
 */
export function secondHit(keys: number): (hash: number) => boolean {
  const slots = new Int32Array(keys);
  return (hash) => {
    const first = Math.imul(hash, BUCKET) & (keys - 1);
    // The hash goes to the front of its bucket. The others move up as far as to where it was; if it was not there, the
    // last one goes.
    let moving = hash;
    for (let slot = first; slot < first + BUCKET; slot += 1) {
      const before = slots[slot] ?? 0;
      slots[slot] = moving;
      if (before === hash) return true;
      moving = before;
    }
    return false;
  };
}
