/**
 * Values by key within a bound: two generations, of which the older one goes when the younger is full. What is asked for again moves to the
 * younger one, so that what nobody needs is let go of first. A hit costs one look-up, and nothing is put in order.
 */
export class Generations<V> {
  readonly #bound: number;
  readonly #weigh: (value: V, key: string) => number;
  #young = new Map<string, Kept<V>>();
  #old = new Map<string, Kept<V>>();
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
    const young = this.#young.get(key);
    if (young !== undefined) return young.value;
    const old = this.#old.get(key);
    if (old === undefined) return undefined;
    this.#old.delete(key);
    this.#keep(key, old);
    return old.value;
  }

  set(key: string, value: V): void {
    this.delete(key);
    const weight = this.#weigh(value, key);
    if (weight * 100 <= this.#bound) this.#keep(key, { value, weight });
  }

  delete(key: string): void {
    this.#weight -= this.#young.get(key)?.weight ?? 0;
    this.#young.delete(key);
    this.#old.delete(key);
  }

  clear(): void {
    this.#young = new Map();
    this.#old = new Map();
    this.#weight = 0;
  }

  #keep(key: string, kept: Kept<V>): void {
    if (this.#weight + kept.weight > this.#bound) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#weight = 0;
    }
    this.#young.set(key, kept);
    this.#weight += kept.weight;
  }
}

interface Kept<V> {
  readonly value: V;
  readonly weight: number;
}
