import type { StageTime } from '../observe/observation.ts';
import type { ApiResponse } from './handler.ts';
import { attempt, chain, type MaybePromise } from '../platform/maybe-promise.ts';

/** The times of the stages of one request, and of the store's operations within them. */
export class StageRecorder {
  readonly #elapsed: () => number;
  readonly #start: number;
  readonly #times: StageTime[] = [];
  #begun = 0;

  /** @param elapsed monotonic milliseconds @param start when the request began */
  constructor(elapsed: () => number, start: number) {
    this.#elapsed = elapsed;
    this.#start = start;
  }

  get times(): readonly StageTime[] {
    return this.#times;
  }

  /** Ends a stage, which began when the previous one ended. */
  end(name: string): void {
    const end = this.#now();
    this.#times.push({ name, start: this.#begun, end });
    this.#begun = end;
  }

  /** Times a part of a stage. */
  during<T>(name: string, run: () => MaybePromise<T>): MaybePromise<T> {
    const start = this.#now();
    const done = (): void => void this.#times.push({ name, start, end: this.#now() });
    const result = attempt(run, (error) => {
      done();
      throw error;
    });
    return chain(result, (value) => {
      done();
      return value;
    });
  }

  #now(): number {
    return this.#elapsed() - this.#start;
  }
}

/** Adds `Server-Timing` to a response whose stages were timed. */
export function withServerTiming(
  response: ApiResponse,
  { stages }: { readonly stages: StageRecorder | null },
): ApiResponse {
  if (stages === null) return response;
  return { ...response, headers: [...response.headers, 'Server-Timing', serverTiming(stages.times)] };
}

/** Writes the value of `Server-Timing` (W3C Server Timing): milliseconds per stage, those of one name together. */
export function serverTiming(times: readonly StageTime[]): string {
  const durations = new Map<string, number>();
  for (const { name, start, end } of times) durations.set(name, (durations.get(name) ?? 0) + end - start);
  return [...durations].map(([name, duration]) => `${name};dur=${Math.round(duration * 1_000) / 1_000}`).join(', ');
}
