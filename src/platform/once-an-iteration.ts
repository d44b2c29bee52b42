import { loopIteration } from './clock.ts';

/**
 * Runs something once in an iteration of the event loop, for all callers in it.
 *
 * @example
 * ```ts
 * const state = new OnceAnIteration(() => readState());
 * const [one, other] = await Promise.all([state.run(), state.run()]); // read once
 * ```
 */
export class OnceAnIteration<T> {
  readonly #run: (iteration: number) => Promise<T>;
  #running: { readonly iteration: number; readonly result: Promise<T> } | null = null;

  constructor(run: (iteration: number) => Promise<T>) {
    this.#run = run;
  }

  /** Resolves to the result of the iteration. */
  run(): Promise<T> {
    const iteration = loopIteration();
    if (this.#running?.iteration !== iteration) this.#running = { iteration, result: this.#run(iteration) };
    return this.#running.result;
  }

  /** Makes the next caller run it again, in the same iteration too. */
  renew(): void {
    this.#running = null;
  }
}
