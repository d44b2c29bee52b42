/** When requests are due, whatever becomes of the ones before. */
export interface Schedule {
  /** How many in all. */
  readonly total: number;
  /** How many are due by then. @param elapsed milliseconds from the start */
  readonly dueBy: (elapsed: number) => number;
  /** When a request is due, in milliseconds from the start. @param index from 0 */
  readonly dueAt: (index: number) => number;
}

/** Requests at even distances, the first at once. @param rate requests per second */
export function schedule(rate: number, seconds: number): Schedule {
  const total = Math.floor(rate * seconds);
  return {
    total,
    dueBy: (elapsed) => (elapsed < 0 ? 0 : Math.min(total, Math.floor((elapsed * rate) / 1000) + 1)),
    dueAt: (index) => (index * 1000) / rate,
  };
}
