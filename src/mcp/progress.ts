/** Milliseconds between two reports of a call that has not ended. */
const INTERVAL = 1_000;

/** Calls a function again and again, until the returned function is called. */
export type Repeat = (milliseconds: number, run: () => void) => () => void;

/** Repeats by a timer that keeps no process alive. */
export const repeatByTimer: Repeat = (milliseconds, run) => {
  const timer = setInterval(run, milliseconds);
  timer.unref();
  return () => clearInterval(timer);
};

/**
 * Reports while a call runs that it still does, once a second.
 *
 * @param report null if the client requests none
 */
export async function withProgress<T>(
  work: () => Promise<T>,
  report: ((seconds: number) => void) | null,
  repeat: Repeat,
): Promise<T> {
  if (report === null) return work();
  let seconds = 0;
  const stop = repeat(INTERVAL, () => {
    seconds += 1;
    report(seconds);
  });
  try {
    return await work();
  } finally {
    stop();
  }
}
