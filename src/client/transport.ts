import type { WebPlatform } from '../platform/web.ts';
import { describedFailure, FailedRequest, isClientError } from './request-error.ts';
import { readRetryAfter } from './retry-after.ts';

/**
 * A bearer token, or a function that returns the current one; null for none. It is called for each request, and once
 * again, with the token that the server has refused, if that is invalid or expired.
 */
export type TokenSource = string | null | ((refused: string | null) => string | null | Promise<string | null>);

/** The part of `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** A request of the client. */
export interface ClientRequest {
  readonly method: string;
  /** With its query, relative to the root of the version: `/products?limit=3`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for each attempt. */
  readonly timeout?: number | undefined;
}

/** The means by which a client sends requests, and repeats them. */
export interface TransportSettings {
  /** The root of the version, without a trailing slash. */
  readonly root: string;
  /** The header fields of every request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly token: TokenSource;
  readonly fetch: Fetch;
  /** Maximum number of repetitions of a request. */
  readonly retries: number;
  readonly timeout: number;
  readonly platform: WebPlatform;
}

/** Reads the body of a response that succeeded. */
export type ReadBody<T> = (response: Response) => Promise<T>;

/** Milliseconds of the first back-off; each is twice the one before. */
const FIRST_DELAY = 250;
const MAX_DELAY = 8_000;
/** A request is not repeated if the server wants a longer pause. */
const MAX_RETRY_AFTER = 60_000;

/**
 * The response statuses, of the API or of a proxy, after which the same request may succeed. The API has changed
 * nothing then, unless its code says otherwise.
 */
const REPEATABLE_STATUSES: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

/** Sends requests, and repeats those that are safe to repeat. */
export class Transport {
  readonly #settings: TransportSettings;

  constructor(settings: TransportSettings) {
    this.#settings = settings;
  }

  /**
   * Sends a request until it is answered, or until it is not repeated.
   *
   * @throws {RequestError}
   */
  async send<T>(request: ClientRequest, read: ReadBody<T>): Promise<T> {
    const { platform, retries } = this.#settings;
    const { token } = this.#settings;
    let bearer = typeof token === 'function' ? await token(null) : token;
    let isRenewed = typeof token !== 'function';
    let isLost = false;
    for (let attempt = 0; ; ) {
      try {
        return await this.#attempt(request, bearer, read);
      } catch (error) {
        if (!(error instanceof FailedRequest)) throw error;
        if (!isRenewed && typeof token === 'function' && isTokenRefused(error)) {
          isRenewed = true;
          bearer = await token(bearer);
          continue;
        }
        if (isLost && isGone(request, error)) return await read(new Response(null, { status: 204 }));
        isLost ||= mayHaveRun(error);
        if (attempt === retries || !mayRepeat(request, error)) throw error;
        await platform.wait(this.#delay(error, attempt), request.signal);
        request.signal?.throwIfAborted();
        attempt += 1;
      }
    }
  }

  /** Full jitter: any part of a delay that doubles, after the time that the server requests. */
  #delay({ retryAfter }: FailedRequest, attempt: number): number {
    const backOff = this.#settings.platform.random() * Math.min(MAX_DELAY, FIRST_DELAY * 2 ** attempt);
    return (retryAfter ?? 0) + backOff;
  }

  async #attempt<T>(request: ClientRequest, bearer: string | null, read: ReadBody<T>): Promise<T> {
    const { root, fetch: send } = this.#settings;
    const limit = new AttemptLimit(request, request.timeout ?? this.#settings.timeout);
    const { method, path, body } = request;
    try {
      const headers = {
        ...this.#settings.headers,
        ...request.headers,
        ...(bearer !== null && { Authorization: `Bearer ${bearer}` }),
      };
      const { signal } = limit;
      const response = await send(root + path, {
        method,
        headers,
        ...(body !== undefined && { body }),
        ...(signal !== null && { signal }),
      });
      return response.ok ? await read(response) : await this.#fail(response);
    } catch (error) {
      throw limit.failureOf(error);
    } finally {
      limit.end();
    }
  }

  async #fail(response: Response): Promise<never> {
    const retryAfter = readRetryAfter(response.headers.get('Retry-After'), this.#settings.platform.now());
    const text = await response.text();
    const described = describedFailure(parsed(text), retryAfter);
    if (described !== null) throw described;
    const message = `The response with status ${response.status} is not one of the API.`;
    throw new FailedRequest('CLIENT_RESPONSE_INVALID', message, { status: response.status, retryAfter });
  }
}

/** The JSON of a response; null for one without a body. @throws {SyntaxError} for a body that is no JSON */
export async function parseResponse<T>(response: Response): Promise<T> {
  const text = await response.text();
  return JSON.parse(text === '' ? 'null' : text);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isTokenRefused({ kind }: FailedRequest): boolean {
  return kind === 'AUTH_TOKEN_EXPIRED' || kind === 'AUTH_TOKEN_INVALID';
}

/**
 * True if a DELETE finds nothing: where the response to an earlier attempt was lost, that attempt has deleted the item.
 */
function isGone({ method }: ClientRequest, { status }: FailedRequest): boolean {
  return method === 'DELETE' && (status === 404 || status === 410);
}

/** True if the same request may succeed a while later. */
export function isTemporary({ kind, status }: FailedRequest): boolean {
  return kind === 'CLIENT_CONNECTION_FAILED' || kind === 'CLIENT_TIMEOUT' || REPEATABLE_STATUSES.has(status);
}

/** True if a failed request may have been executed: its response was lost, or that of the database to the server. */
function mayHaveRun({ kind, status }: FailedRequest): boolean {
  return kind === 'SERVER_OUTCOME_UNKNOWN' || (isClientError(kind) && status !== 429);
}

/**
 * True if a failed request may be sent again: if the server has not executed it, or if a second execution changes
 * nothing. With `If-Match` it would fail, because the first has changed the revision.
 */
function mayRepeat({ method, headers }: ClientRequest, error: FailedRequest): boolean {
  const { kind, retryAfter } = error;
  if ((retryAfter ?? 0) > MAX_RETRY_AFTER) return false;
  const isRepeatable = isTemporary(error) || kind === 'IDEMPOTENCY_KEY_IN_PROGRESS';
  if (!isRepeatable || !mayHaveRun(error) || 'Idempotency-Key' in headers) return isRepeatable;
  return method !== 'POST' && method !== 'PATCH' && !('If-Match' in headers);
}

/** The end of one attempt: by the caller's signal, or by time. */
class AttemptLimit {
  readonly #caller: AbortSignal | undefined;
  readonly #timeout: number;
  readonly #controller: AbortController | null;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #abort = (): void => this.#controller?.abort();

  constructor({ signal }: ClientRequest, timeout: number) {
    signal?.throwIfAborted();
    this.#caller = signal;
    this.#timeout = timeout;
    this.#controller = signal === undefined && timeout === 0 ? null : new AbortController();
    if (timeout !== 0) this.#timer = setTimeout(this.#abort, timeout);
    signal?.addEventListener('abort', this.#abort);
  }

  get signal(): AbortSignal | null {
    return this.#controller?.signal ?? null;
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener('abort', this.#abort);
  }

  /** The error of the caller for an exception. */
  failureOf(error: unknown): unknown {
    if (error instanceof FailedRequest) return error;
    if (this.#caller?.aborted === true) return this.#caller.reason;
    const facts = { status: 0, cause: error };
    if (this.#controller?.signal.aborted === true)
      return new FailedRequest('CLIENT_TIMEOUT', `No response within ${this.#timeout} ms.`, facts);
    if (error instanceof SyntaxError)
      return new FailedRequest('CLIENT_RESPONSE_INVALID', 'The body of the response is not JSON.', facts);
    const cause = error instanceof Error ? `: ${error.message}` : '';
    return new FailedRequest('CLIENT_CONNECTION_FAILED', `No complete response${cause}.`, facts);
  }
}
