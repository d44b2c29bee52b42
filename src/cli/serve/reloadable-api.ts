import type { StartedApi } from '../../start-api.ts';
import {
  type ApiResponse,
  type BufferedResponse,
  type Handler,
  isStreamed,
  type RawRequest,
} from '../../exchange/handler.ts';
import { endingStream } from '../../platform/ending-stream.ts';
import { chain, attempt, type MaybePromise } from '../../platform/maybe-promise.ts';
import { settlesWithin } from '../../platform/timeout.ts';

/** An API and its requests in flight. */
interface ActiveApi {
  readonly opened: StartedApi;
  inFlight: number;
  /** Called after the last response of a replaced API; null for the current one. */
  onIdle: (() => void) | null;
}

/** A handler whose API can be replaced while it serves. Each request is completed by the API that it started with. */
export class ReloadableApi implements Handler {
  #current: ActiveApi;
  readonly #closing = new Set<Promise<void>>();

  constructor(opened: StartedApi) {
    this.#current = { opened, inFlight: 0, onIdle: null };
  }

  /** Number of writes of the current API that wait for their commit. */
  get pendingWrites(): number {
    return this.#current.opened.store.writes.pending;
  }

  /** The rows of the current API. */
  get rows(): StartedApi['store']['rows'] {
    return this.#current.opened.store.rows;
  }

  /** The model of the current API. */
  get model(): StartedApi['api']['model'] {
    return this.#current.opened.api.model;
  }

  handle(request: RawRequest): MaybePromise<ApiResponse> {
    const active = this.#current;
    active.inFlight += 1;
    const fail = (error: unknown): never => {
      finishRequest(active);
      throw error;
    };
    return chain(
      attempt(() => active.opened.api.handle(request), fail),
      (response) => {
        if (isStreamed(response))
          return { ...response, body: endingStream(response.body, () => finishRequest(active)) };
        finishRequest(active);
        return response;
      },
    );
  }

  refuse(...refused: Parameters<Handler['refuse']>): BufferedResponse {
    return this.#current.opened.api.refuse(...refused);
  }

  async endFeeds(): Promise<void> {
    await this.#current.opened.api.endFeeds();
  }

  /** Serves new requests with another API. The previous one is closed after its last response. */
  reload(next: StartedApi): void {
    const previous = this.#current;
    this.#current = { opened: next, inFlight: 0, onIdle: null };
    void previous.opened.api.endFeeds();
    this.#closing.add(waitUntilIdle(previous).then(() => previous.opened.close()));
  }

  /**
   * Closes the current API and the previous ones. Call it when the current one has no request in flight.
   *
   * @param timeout milliseconds to wait for the requests of previous APIs
   */
  async close(timeout: number): Promise<void> {
    const closing = settlesWithin(Promise.all(this.#closing), timeout);
    await this.#current.opened.close();
    await closing;
  }
}

function finishRequest(active: ActiveApi): void {
  active.inFlight -= 1;
  if (active.inFlight === 0) active.onIdle?.();
}

function waitUntilIdle(active: ActiveApi): Promise<void> {
  return new Promise((resolve) => {
    if (active.inFlight === 0) resolve();
    else active.onIdle = resolve;
  });
}
