import process from 'node:process';
import { steady } from '../platform/clock.ts';
import { atEndOfTurn } from '../platform/end-of-turn.ts';

/** When answers leave. */
export interface DepartureTimes {
  /** Runs what it is given when those are ready that become so together. */
  readonly together: (run: () => void) => void;
  /** Milliseconds from any beginning. */
  readonly now?: () => number;
}

/** Milliseconds for which an answer may wait for those of later requests; when one of these is ready, it is looked at. */
const LONGEST_WAIT = 1;

/**
 * Answers that become ready together leave together. Sending wakes whoever waits at the other end: sent one by one, with the work for
 * the next one between, each finds its reader asleep again, and to wake it costs the system more than most answers take; sent one after
 * another, the first wakes it for all of them.
 */
export class Departures {
  readonly #together: DepartureTimes['together'];
  readonly #now: () => number;
  #waiting: (() => void)[] = [];
  #since = 0;

  constructor({ together, now = steady }: DepartureTimes) {
    this.#together = together;
    this.#now = now;
  }

  /** Another answer is ready. @param leave sends it, later and never at once; never throws */
  add(leave: () => void): void {
    const now = this.#now();
    if (this.#waiting.length > 0 && now - this.#since > LONGEST_WAIT) this.#leave();
    if (this.#waiting.length === 0) {
      this.#since = now;
      this.#together(this.#leave);
    }
    this.#waiting.push(leave);
  }

  readonly #leave = (): void => {
    const leaving = this.#waiting;
    this.#waiting = [];
    for (const leave of leaving) leave();
  };
}

/** For what is answered at once: those that arrived in one turn of the event loop leave at its end, before a commit begins. */
export function departuresOfTurn(): Departures {
  return new Departures({ together: (run) => atEndOfTurn('leave', run) });
}

/** For what waited, such as for a commit: those that it was good for leave when all of them are told, before anything else is looked at. */
export function departuresOfWait(): Departures {
  return new Departures({ together: (run) => process.nextTick(run) });
}
