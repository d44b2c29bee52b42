/** A power of two. */
const SLOTS = 65_536;
/** FNV-1a. */
const BASIS = 0x811c9dc5;
const PRIME = 0x01000193;
const SPREAD = 0x85ebca6b;

/**
 * Tells what is asked for again, in a quarter of a megabyte however much is asked for: most things are asked for once, and what keeps those
 * lets go of what it could tell again. It may err, for a key has no more than 32 bits here: one may be taken for another, or forgotten for it.
 */
export class SeenLately {
  readonly #slots = new Int32Array(SLOTS);

  /** Whether a key was seen lately; from now on it was. */
  again(key: string): boolean {
    let hash = BASIS;
    for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), PRIME);
    // Keys that are nearly alike differ in few bits until they are spread.
    hash = Math.imul(hash ^ (hash >>> 15), SPREAD);
    const slot = (hash ^ (hash >>> 13)) & (SLOTS - 1);
    if (this.#slots[slot] === hash) return true;
    this.#slots[slot] = hash;
    return false;
  }
}
