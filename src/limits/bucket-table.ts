import type { HashedKey } from './keyed-hash.ts';

/** Buckets that share a place: so many are compared to find one. */
const WAYS = 8;
/** Default number of buckets: 16 bytes each, 4 MiB. */
const BUCKETS = 2 ** 18;

/**
 * The time at which each of many buckets is full (`gcra.ts`), in memory of a fixed size that V8 does not manage. A
 * bucket has eight slots to be in, chosen by its hash. If all of them are taken, a new bucket gets the slot of the
 * fullest one, **and its time**. A full one has the time of a new one, so nothing is lost. Otherwise the new bucket
 * begins as empty as the one that it displaced.
 *
 * An attacker with any number of addresses can fill the table. That takes more requests than `buckets / (time of one
 * unit)` all the time (with 60 per 60 s 262,144 in a second). Then new callers begin with less than their quota, and
 * share the refilled units. No attacker can get a bucket of its own back full. A displaced one returns with a slot at
 * least as empty as it left, and the secret of the hash decides which buckets share slots.
 */
export class BucketTable {
  /** Two words of each hash. */
  readonly #hashes: Uint32Array;
  /** Milliseconds. */
  readonly #fullAt: Float64Array;
  readonly #mask: number;

  /** @param buckets a power of two, at least 8 */
  constructor(buckets = BUCKETS) {
    this.#hashes = new Uint32Array(2 * buckets);
    this.#fullAt = new Float64Array(buckets);
    this.#mask = buckets / WAYS - 1;
  }

  /** The slot of a bucket; -1 where it has none. */
  find({ high, low }: HashedKey): number {
    const hashes = this.#hashes;
    const first = (low & this.#mask) * WAYS;
    for (let slot = first; slot < first + WAYS; slot += 1) {
      if (hashes[2 * slot] === high && hashes[2 * slot + 1] === low) return slot;
    }
    return -1;
  }

  /** Gives a bucket without a slot that of the fullest one, with its time. */
  claim({ high, low }: HashedKey): number {
    const first = (low & this.#mask) * WAYS;
    let fullest = first;
    for (let slot = first + 1; slot < first + WAYS; slot += 1) {
      if (this.fullAt(slot) < this.fullAt(fullest)) fullest = slot;
    }
    this.#hashes[2 * fullest] = high;
    this.#hashes[2 * fullest + 1] = low;
    return fullest;
  }

  fullAt(slot: number): number {
    return this.#fullAt[slot] ?? 0;
  }

  setFullAt(slot: number, fullAt: number): void {
    this.#fullAt[slot] = fullAt;
  }
}
