import { knownMethod } from '../../observe/metrics/known-method.ts';
import { endingStream } from '../../platform/ending-stream.ts';
import type { MaybePromise } from '../../platform/maybe-promise.ts';
import { type ApiResponse, isStreamed } from '../../exchange/handler.ts';

/** Counts requests whose response has not begun, or is being streamed, by their method. */
export class ActiveRequests {
  // A metric without a series would be missing.
  readonly #byMethod = new Map<string, number>([['GET', 0]]);

  /**
   * Counts a request until its response is made, and has been read if it is streamed. A response that is made
   * synchronously is never in progress.
   */
  track(response: MaybePromise<ApiResponse>, method: string): MaybePromise<ApiResponse> {
    if (!(response instanceof Promise)) return this.#untilRead(response, method);
    this.#add(method, 1);
    return response.then((settled) => {
      this.#add(method, -1);
      return this.#untilRead(settled, method);
    });
  }

  entries(): readonly (readonly [method: string, count: number])[] {
    return [...this.#byMethod];
  }

  #untilRead(response: ApiResponse, method: string): ApiResponse {
    if (!isStreamed(response)) return response;
    this.#add(method, 1);
    return { ...response, body: endingStream(response.body, () => this.#add(method, -1)) };
  }

  #add(method: string, change: number): void {
    const known = knownMethod(method);
    this.#byMethod.set(known, (this.#byMethod.get(known) ?? 0) + change);
  }
}
