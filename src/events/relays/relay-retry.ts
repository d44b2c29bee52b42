import type { Observe } from '../../observe/observation.ts';
import type { Relay } from './relay.ts';

/** Milliseconds before the first attempt after a failure, and at most. */
const FIRST_DELAY = 200;
const MAX_DELAY = 10_000;

interface RelayRetryOptions {
  readonly relay: Pick<Relay, 'settings'>;
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly observe: Observe;
}

/** Delays attempts while a broker fails, longer each time, and reports when it begins to fail and when it is back. */
export class RelayRetry {
  readonly #options: RelayRetryOptions;
  #failures = 0;
  /** Monotonic milliseconds. */
  #next = 0;
  #problem: string | null = null;

  constructor(options: RelayRetryOptions) {
    this.#options = options;
  }

  /** Milliseconds until the broker is called again; 0 or less for now. */
  get wait(): number {
    return this.#failures === 0 ? 0 : this.#next - this.#options.elapsed();
  }

  /** Notes a failure. @returns milliseconds until the next attempt */
  failed(problem: string): number {
    const { elapsed, random, observe, relay } = this.#options;
    const delay = Math.min(FIRST_DELAY * 2 ** this.#failures, MAX_DELAY) * (0.75 + random() / 4);
    this.#failures += 1;
    this.#next = elapsed() + delay;
    if (problem !== this.#problem) observe({ kind: 'relay-failed', relay: relay.settings.name, problem });
    this.#problem = problem;
    return delay;
  }

  succeeded(): void {
    if (this.#failures === 0) return;
    this.#failures = 0;
    this.#problem = null;
    this.#options.observe({ kind: 'relay-resumed', relay: this.#options.relay.settings.name });
  }
}
