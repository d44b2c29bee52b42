import type { Observe } from '../observe/observation.ts';
import { StoreUnavailable } from '../stores/store.ts';

/** Reports the errors of a loop that polls the store, and when the store is available to it again. */
export class StoreReports {
  readonly #observe: Observe;
  #isAvailable = true;

  constructor(observe: Observe) {
    this.#observe = observe;
  }

  /** Reports an error of a run. Every run reports a store that is unavailable; the log has one line of them. */
  failed(error: unknown): void {
    if (!(error instanceof StoreUnavailable)) {
      this.#observe({ kind: 'error', correlationId: null, error });
      return;
    }
    this.#isAvailable = false;
    this.#observe({ kind: 'store-unavailable', error });
  }

  /** Call it after each run that has used the store. */
  succeeded(): void {
    if (this.#isAvailable) return;
    this.#isAvailable = true;
    this.#observe({ kind: 'store-available' });
  }
}
