/** Milliseconds before a repeated observation is logged again. */
const REPEAT_INTERVAL = 60_000;
/** Milliseconds after the end of an outage in which late errors of it are not the beginning of another one. */
const LATE = 2_000;

/** Selects the reports of an unavailable store that are logged. */
export class Outages {
  readonly #logged = new Map<string, number>();
  /** The time of the last report of a server that is away; null while there is none. */
  #away: number | null = null;
  #endedAt = Number.NEGATIVE_INFINITY;

  /**
   * True if a report is logged: once a minute for each message. A server that is away is logged once, however many
   * requests and loops report it.
   *
   * @param at milliseconds since the epoch
   */
  isDue(error: Error, at: number): boolean {
    if (!('reason' in error) || error.reason !== 'away') return this.#isRepeated(error.message, at);
    // The system clock may go back.
    if (Math.abs(at - this.#endedAt) < LATE) return false;
    const isNew = this.#away === null || Math.abs(at - this.#away) >= REPEAT_INTERVAL;
    this.#away = at;
    return isNew;
  }

  /** Ends an outage. @returns true if there was one */
  end(at: number): boolean {
    if (this.#away === null) return false;
    this.#away = null;
    this.#endedAt = at;
    return true;
  }

  #isRepeated(message: string, at: number): boolean {
    const before = this.#logged.get(message);
    if (before !== undefined && Math.abs(at - before) < REPEAT_INTERVAL) return false;
    this.#logged.set(message, at);
    return true;
  }
}
