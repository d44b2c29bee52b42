/** When requests are due, independent of earlier responses. */
interface Schedule {
  /** Number of requests. */
  readonly total: number;
  /** Number of requests due so far. @param elapsed milliseconds since the start */
  readonly dueBy: (elapsed: number) => number;
  /** When a request is due, in milliseconds since the start. @param index from 0 */
  readonly dueAt: (index: number) => number;
}

/** Evenly spaced requests, the first at time 0. @param rate requests per second */
export function schedule(rate: number, seconds: number): Schedule {
  const total = Math.floor(rate * seconds);
  return {
    total,
    dueBy: (elapsed) => (elapsed < 0 ? 0 : Math.min(total, Math.floor((elapsed * rate) / 1000) + 1)),
    dueAt: (index) => (index * 1000) / rate,
  };
}
