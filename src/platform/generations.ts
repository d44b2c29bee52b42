/**
 * Values by key within a bound: two generations, of which the older one goes when the younger is full. What is asked for again moves to the
 * younger one, so that what nobody needs is let go of first. A hit costs one look-up, and nothing is put in order.
 */
export class Generations<V> {
  readonly #bound: number;
  #young = new Map<string, V>();
  #old = new Map<string, V>();
  readonly #weigh: (value: V) => number;
  #weight = 0;

  /**
   * @param bound of the weight of one generation; there are two. A value that weighs more than a hundredth of it is not kept
   * @param weigh what a value weighs, such as its characters
   */
  constructor(bound: number, weigh: (value: V) => number) {
    this.#bound = bound;
    this.#weigh = weigh;
  }

  get(key: string): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old === undefined) return undefined;
    this.#old.delete(key);
    this.set(key, old);
    return old;
  }

  set(key: string, value: V): void {
    const weight = this.#weigh(value);
    if (weight * 100 > this.#bound) return;
    if (this.#weight + weight > this.#bound) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#weight = 0;
    }
    this.#young.set(key, value);
    this.#weight += weight;
  }

  delete(key: string): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }

  clear(): void {
    this.#young = new Map();
    this.#old = new Map();
    this.#weight = 0;
  }
}
