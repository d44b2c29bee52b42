import process from 'node:process';
import { monotonicNow } from '../platform/clock.ts';
import { atEndOfTick } from '../platform/end-of-tick.ts';

interface ResponseBatcherOptions {
  /** Runs a function once the responses that become ready together are ready. */
  readonly schedule: (run: () => void) => void;
  /** Monotonic milliseconds from an arbitrary start. */
  readonly now?: () => number;
}

/** Milliseconds that a response waits for later ones at most; checked when the next one is ready. */
const MAX_DELAY = 1;

/**
 * Sends responses that become ready together one right after the other. To send wakes the reader at the other end. With
 * the work for the next response in between, each finds its reader asleep again. Waking it costs the system more than
 * most responses do.
 */
export class ResponseBatcher {
  readonly #schedule: ResponseBatcherOptions['schedule'];
  readonly #now: () => number;
  #waiting: (() => void)[] = [];
  #since = 0;

  constructor({ schedule, now = monotonicNow }: ResponseBatcherOptions) {
    this.#schedule = schedule;
    this.#now = now;
  }

  /** Adds a response that is ready. @param write sends it, later and never synchronously; never throws */
  send(write: () => void): void {
    const now = this.#now();
    if (this.#waiting.length > 0 && now - this.#since > MAX_DELAY) this.#flush();
    if (this.#waiting.length === 0) {
      this.#since = now;
      this.#schedule(this.#flush);
    }
    this.#waiting.push(write);
  }

  readonly #flush = (): void => {
    const writes = this.#waiting;
    this.#waiting = [];
    for (const write of writes) write();
  };
}

/**
 * For synchronous responses: those to requests of one event-loop iteration are sent at its end, before a commit begins.
 */
export function endOfTickBatcher(): ResponseBatcher {
  return new ResponseBatcher({ schedule: (run) => atEndOfTick('flush', run) });
}

/**
 * For responses that waited, for example for a commit: all that one commit serves are sent together, before other
 * events are handled.
 */
export function nextTickBatcher(): ResponseBatcher {
  return new ResponseBatcher({ schedule: (run) => process.nextTick(run) });
}
