import { OnceAnIteration } from '../../../platform/once-an-iteration.ts';
import { StoreOverloaded } from '../../store.ts';
import { MAX_UNANSWERED } from './postgres-client.ts';

/** A read of the database that all callers in an event-loop iteration wait for, up to a number. */
export class SharedRead<T> {
  readonly #read: OnceAnIteration<T>;
  #waiting = 0;

  constructor(run: (iteration: number) => Promise<T>) {
    this.#read = new OnceAnIteration(run);
  }

  /** The number of callers that wait. */
  get waiting(): number {
    return this.#waiting;
  }

  /** @throws {StoreOverloaded} {StoreUnavailable} */
  async run(): Promise<T> {
    // Checked before anything is sent, so that a failure is never an unhandled rejection.
    if (this.#waiting >= MAX_UNANSWERED)
      throw new StoreOverloaded(`${MAX_UNANSWERED} reads wait for the database already`);
    this.#waiting += 1;
    try {
      return await this.#read.run();
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Makes the next caller run it again, in the same iteration too. */
  renew(): void {
    this.#read.renew();
  }
}
