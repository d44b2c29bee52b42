import {
  type ApiResponse,
  type BodyStream,
  type Handler,
  isStreamed,
  type RawRequest,
  type BufferedResponse,
} from '../../pipeline/exchange.ts';
import { chain, attempt, type MaybePromise } from '../../platform/maybe-promise.ts';
import { settlesWithin } from '../../platform/timeout.ts';
import type { OpenedApi } from '../open-database.ts';

/** One API in its turn of serving. */
interface ActiveApi {
  readonly opened: OpenedApi;
  inFlight: number;
  /** Called when the last of its requests is answered; null while it is the one that serves. */
  ended: (() => void) | null;
}

/** A handler whose API can be exchanged while it serves: a request is finished by the API that it began with. */
export class ReloadableApi implements Handler {
  #turn: ActiveApi;
  readonly #closing = new Set<Promise<void>>();

  constructor(opened: OpenedApi) {
    this.#turn = { opened, inFlight: 0, ended: null };
  }

  /** Queued writes of the API that serves. */
  get waiting(): number {
    return this.#turn.opened.store.writes.pending;
  }

  /** The model that is served now. */
  get model(): OpenedApi['api']['model'] {
    return this.#turn.opened.api.model;
  }

  handle(request: RawRequest): MaybePromise<ApiResponse> {
    const turn = this.#turn;
    turn.inFlight += 1;
    const fail = (error: unknown): never => {
      end(turn);
      throw error;
    };
    return chain(
      attempt(() => turn.opened.api.handle(request), fail),
      (answer) => {
        if (isStreamed(answer)) return { ...answer, body: pieces(answer.body, turn) };
        end(turn);
        return answer;
      },
    );
  }

  refuse(...refused: Parameters<Handler['refuse']>): BufferedResponse {
    return this.#turn.opened.api.refuse(...refused);
  }

  /** Serves with another API from now on. The one before closes its store once its requests are answered. */
  reload(next: OpenedApi): void {
    const before = this.#turn;
    this.#turn = { opened: next, inFlight: 0, ended: null };
    const closing = endOf(before).then(() => before.opened.close());
    this.#closing.add(closing);
  }

  /**
   * Closes the store, and those of APIs before that are not closed yet. Call it when no request is in flight any more.
   *
   * @param patience milliseconds for APIs before, whose requests may never end
   */
  async close(patience: number): Promise<void> {
    const closing = settlesWithin(Promise.all(this.#closing), patience);
    await this.#turn.opened.close();
    await closing;
  }
}

/** A request is answered. */
function end(turn: ActiveApi): void {
  turn.inFlight -= 1;
  if (turn.inFlight === 0) turn.ended?.();
}

/** The pieces of an answer, which is in flight until the last of them. */
async function* pieces(body: BodyStream, turn: ActiveApi): AsyncGenerator<string> {
  try {
    yield* body;
  } finally {
    end(turn);
  }
}

function endOf(turn: ActiveApi): Promise<void> {
  return new Promise((resolve) => {
    if (turn.inFlight === 0) resolve();
    else turn.ended = resolve;
  });
}
