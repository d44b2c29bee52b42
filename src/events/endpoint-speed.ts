import type { Speed } from './delivery-budget.ts';

/** The end of an attempt. */
export interface EndedAttempt {
  readonly succeeded: boolean;
  /** Milliseconds. */
  readonly duration: number;
}

/** Milliseconds above which a successful attempt counts as slow, as one that failed does. */
const SLOW = 2_000;
/** Quick successes in a row after which a slow endpoint is quick again: one that alternates stays slow. */
const QUICK_AGAIN = 10;

/** The class of an endpoint, by the attempts that have ended (EVT-6c). */
export class EndpointSpeed {
  value: Speed = 'unknown';
  /** Quick successes since the last attempt that was slow. */
  #quick = 0;

  ended({ succeeded, duration }: EndedAttempt): void {
    this.#quick = succeeded && duration <= SLOW ? this.#quick + 1 : 0;
    if (this.#quick === 0) this.value = 'slow';
    else if (this.value === 'unknown' || this.#quick >= QUICK_AGAIN) this.value = 'quick';
  }
}
