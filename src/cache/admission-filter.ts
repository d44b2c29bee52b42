/** Keys that share one place, the one that was seen last first. With one for each, two that want the same place would forget each other for ever. */
const SHARED = 8;

/**
 * Tells what is asked for again, in four bytes for each key that it knows: most things are asked for once, and what keeps those lets go of
 * what it could tell again. It may err, for a key has no more than 32 bits here: one may be taken for another, or forgotten for it.
 */
export class AdmissionFilter {
  readonly #slots: Int32Array;

  /**
   * @param keys how many are known, a power of two: about as many as there is room for what they name. What comes again after more others than
   *   that would have gone by then, and to keep it now drives out what comes more often
   */
  constructor(keys: number) {
    this.#slots = new Int32Array(keys);
  }

  /** Whether a key was seen lately; from now on it was. @param hash of the key */
  admits(hash: number): boolean {
    const first = Math.imul(hash, SHARED) & (this.#slots.length - 1);
    // It goes before the others, which move up as far as to where it was; where it was not, the last of them goes.
    let moving = hash;
    for (let at = first; at < first + SHARED; at += 1) {
      const before = this.#slots[at] ?? 0;
      this.#slots[at] = moving;
      if (before === hash) return true;
      moving = before;
    }
    return false;
  }
}
