import { fnv1a } from './fnv1a.ts';

/**
 * Values by key, within a bound: two generations, of which the older one goes when the younger is full. What is asked for again moves to the
 * younger one, so that what nobody needs is let go of first. A hit in the younger one costs one look-up; nothing is put in order.
 *
 * They are found by the hashes of their keys, and of those that share one the last is kept. A `Map` of texts has V8 enter each text that it is
 * asked for into a table of all that are known, in the generation that is collected last, even where it holds no such text: that takes longer
 * than all else here, fills the memory, and leaves a text behind that `JSON.stringify` writes slowly.
 */
export class GenerationalCache<V> {
  readonly #bound: number;
  readonly #weigh: (value: V, key: string) => number;
  #young = new Map<number, Kept<V>>();
  #old = new Map<number, Kept<V>>();
  /** Of the younger one. */
  #weight = 0;

  /**
   * @param bound of the weight of one generation; there are two. A value that weighs more than a hundredth of it is not kept
   * @param weigh what a value weighs, such as its characters; asked once
   */
  constructor(bound: number, weigh: (value: V, key: string) => number) {
    this.#bound = bound;
    this.#weigh = weigh;
  }

  get(key: string): V | undefined {
    const hash = fnv1a(key);
    const kept = this.#young.get(hash) ?? this.#grownOld(hash);
    return kept?.key === key ? kept.value : undefined;
  }

  set(key: string, value: V): void {
    const hash = fnv1a(key);
    this.#weight -= this.#young.get(hash)?.weight ?? 0;
    this.#young.delete(hash);
    this.#old.delete(hash);
    const weight = this.#weigh(value, key);
    if (weight * 100 <= this.#bound) this.#keep(hash, { key, value, weight });
  }

  /** Lets go of all values. */
  clear(): void {
    this.#young = new Map();
    this.#old = new Map();
    this.#weight = 0;
  }

  /** What the older generation has, which is young again now that it is asked for. */
  #grownOld(hash: number): Kept<V> | undefined {
    const old = this.#old.get(hash);
    if (old === undefined) return undefined;
    this.#old.delete(hash);
    this.#keep(hash, old);
    return old;
  }

  #keep(hash: number, kept: Kept<V>): void {
    if (this.#weight + kept.weight > this.#bound) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#weight = 0;
    }
    this.#young.set(hash, kept);
    this.#weight += kept.weight;
  }
}

interface Kept<V> {
  readonly key: string;
  readonly value: V;
  readonly weight: number;
}
