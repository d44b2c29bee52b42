/** Concurrent deliveries of a process, to all subscriptions of all subscribers. */
const MAX_CONCURRENT = 256;
/** Maximum of these to subscriptions whose last attempt failed: however many hang, the others go on. */
const MAX_FAILING = 128;

/** Limits the concurrent deliveries of a process. */
export class DeliveryBudget {
  #used = 0;
  #failing = 0;

  get used(): number {
    return this.#used;
  }

  /** Takes a slot if one is free. @param isFailing true if the last attempt of the subscription failed */
  take(isFailing: boolean): boolean {
    if (this.#used >= MAX_CONCURRENT || (isFailing && this.#failing >= MAX_FAILING)) return false;
    this.#used += 1;
    if (isFailing) this.#failing += 1;
    return true;
  }

  /** @param isFailing as it was taken */
  release(isFailing: boolean): void {
    this.#used -= 1;
    if (isFailing) this.#failing -= 1;
  }
}
