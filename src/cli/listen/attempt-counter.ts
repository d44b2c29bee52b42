/** Ids that are counted: a new one replaces the oldest. */
const MAX_IDS = 1_000;

/** Counts the attempts to deliver an event. */
export class AttemptCounter {
  readonly #counts = new Map<string, number>();

  /** Counts an attempt. @param id of the event @returns its number, from 1 */
  count(id: string): number {
    const number = (this.#counts.get(id) ?? 0) + 1;
    this.#counts.delete(id);
    this.#counts.set(id, number);
    if (this.#counts.size > MAX_IDS) {
      const [oldest] = this.#counts.keys();
      if (oldest !== undefined) this.#counts.delete(oldest);
    }
    return number;
  }
}
