/** The last events that are remembered: transactions that overlap have sequences between them. */
export const WINDOW = 512;

/** The last events of the known state. Those of transactions that overlap become visible in any order. */
export class SeenEvents {
  readonly #sequences: Set<number>;
  /** All events after it are in the set. */
  #start: number;

  /** @param sequences the last ones of a state: all of them where they are fewer than {@link WINDOW} */
  constructor(sequences: readonly number[] = []) {
    this.#sequences = new Set(sequences);
    this.#start = sequences.length < WINDOW ? 0 : Math.min(...sequences) - 1;
  }

  get start(): number {
    return this.#start;
  }

  get sequences(): readonly number[] {
    return [...this.#sequences];
  }

  has(sequence: number): boolean {
    return this.#sequences.has(sequence);
  }

  add(sequences: readonly number[]): void {
    for (const each of sequences) this.#sequences.add(each);
    if (this.#sequences.size <= 2 * WINDOW) return;
    // An event that appears later before the rest is found missing by its number.
    const rest = [...this.#sequences].sort((one, other) => one - other).slice(-WINDOW);
    this.#start = (rest[0] ?? 1) - 1;
    for (const each of this.#sequences) if (each <= this.#start) this.#sequences.delete(each);
  }
}
