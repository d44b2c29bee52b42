import { knownMethod } from '../../observe/metrics/known-method.ts';
import { type ApiResponse, type BodyStream, isStreamed } from '../exchange.ts';

/** Requests whose response has not begun, or is being streamed, by their method. */
export class ActiveRequests {
  readonly #byMethod = new Map<string, number>();

  begin(method: string): void {
    this.#add(method, 1);
  }

  /** @returns the response, at whose end the request ends where it is streamed: or when its reader stops */
  end(response: ApiResponse, method: string): ApiResponse {
    if (isStreamed(response)) {
      const end = (): void => this.#add(method, -1);
      return { ...response, body: endingStream(response.body, end) };
    }
    this.#add(method, -1);
    return response;
  }

  entries(): readonly (readonly [method: string, count: number])[] {
    return [...this.#byMethod];
  }

  #add(method: string, change: number): void {
    const known = knownMethod(method);
    this.#byMethod.set(known, (this.#byMethod.get(known) ?? 0) + change);
  }
}

async function* endingStream(body: BodyStream, end: () => void): AsyncGenerator<string> {
  try {
    yield* body;
  } finally {
    end();
  }
}
