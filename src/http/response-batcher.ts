import process from 'node:process';
import { monotonicNow } from '../platform/clock.ts';
import { atEndOfTick } from '../platform/end-of-tick.ts';

/** When answers leave. */
export interface ResponseBatcherOptions {
  /** Runs what it is given when those are ready that become so together. */
  readonly schedule: (run: () => void) => void;
  /** Milliseconds from any beginning. */
  readonly now?: () => number;
}

/** Milliseconds for which an answer may wait for those of later requests; when one of these is ready, it is looked at. */
const MAX_DELAY = 1;

/**
 * Answers that become ready together leave together. Sending wakes whoever waits at the other end: sent one by one, with the work for
 * the next one between, each finds its reader asleep again, and to wake it costs the system more than most answers take; sent one after
 * another, the first wakes it for all of them.
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

  /** Another answer is ready. @param leave sends it, later and never at once; never throws */
  send(leave: () => void): void {
    const now = this.#now();
    if (this.#waiting.length > 0 && now - this.#since > MAX_DELAY) this.#flush();
    if (this.#waiting.length === 0) {
      this.#since = now;
      this.#schedule(this.#flush);
    }
    this.#waiting.push(leave);
  }

  readonly #flush = (): void => {
    const leaving = this.#waiting;
    this.#waiting = [];
    for (const leave of leaving) leave();
  };
}

/** For what is answered at once: those that arrived in one turn of the event loop leave at its end, before a commit begins. */
export function endOfTickBatcher(): ResponseBatcher {
  return new ResponseBatcher({ schedule: (run) => atEndOfTick('flush', run) });
}

/** For what waited, such as for a commit: those that it was good for leave when all of them are told, before anything else is looked at. */
export function nextTickBatcher(): ResponseBatcher {
  return new ResponseBatcher({ schedule: (run) => process.nextTick(run) });
}
