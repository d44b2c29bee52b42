import type { TokenVerifier, VerifiedToken } from './auth/token-verifier.ts';
import type { Api } from './api.ts';
import type { EventEnvelope } from './conventions/events/event.ts';
import type { JsonObject } from './conventions/json/json.ts';
import { createFetchHandler } from './http/fetch.ts';
import type { Model } from './model/model.ts';
import type { Observe } from './observe/observation.ts';
import { standardErrorLog } from './observe/standard-error-log.ts';
import { collectScopes } from './pipeline/early-responses.ts';
import type { Clock } from './platform/clock.ts';
import { createIds } from './platform/ids.ts';
import { startApi, type StartApiOptions } from './start-api.ts';

/** The options of an API for tests. Those that are not named here are those of `startApi`. */
export interface TestApiOptions extends Omit<StartApiOptions, 'database' | 'tokens' | 'clock' | 'ids'> {
  /** Default: `:memory:`, a database of SQLite that ends with the API. */
  readonly database?: string;
  /** The time at which the clock stands. Default: `2026-01-01T00:00:00Z`. */
  readonly time?: string | number;
}

/** A clock that stands still until a test moves it. */
export interface TestClock extends Clock {
  /** Sets the time. @param time milliseconds since the epoch, or a timestamp such as `2026-01-31T12:00:00Z` */
  set(time: string | number): void;
  /** Moves the time forward. */
  advance(milliseconds: number): void;
}

/** The facts about a caller that a token has. */
export interface TestCallerOptions {
  /** Default: every scope that the model declares. */
  readonly scopes?: readonly string[];
  /** The claims that policies and `x-default` read, next to `sub`. */
  readonly claims?: JsonObject;
  /** The client that acts for the caller. Default: none. */
  readonly client?: string;
  /** The name of the issuer in the model. Default: that of the first one. */
  readonly issuer?: string;
}

/** `fetch` without a network: paths such as `/api/v1/notes` are those of the API. */
export type TestFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** A caller of an API under test. */
export interface TestCaller {
  /** Its bearer token, which this API alone accepts. */
  readonly token: string;
  /** Sends a request with the token. It is also an option of the typed client. */
  readonly fetch: TestFetch;
}

/** An API with a database, a clock and ids of its own, for tests of a model. */
export interface TestApi extends AsyncDisposable {
  readonly api: Api;
  /** The URL of the API, for the typed client. */
  readonly url: string;
  readonly clock: TestClock;
  /** Sends a request without credentials. */
  readonly fetch: TestFetch;
  /** Makes a caller by its name, for models with `auth`. @throws {Error} where the model has none */
  as(subject: string, options?: TestCallerOptions): TestCaller;
  /** Reads all events that were logged, in their order. */
  events(): Promise<readonly EventEnvelope[]>;
  close(): Promise<void>;
}

const START = '2026-01-01T00:00:00Z';
const ORIGIN = 'http://localhost';
/** Events that are read at a time. */
const PAGE = 1_000;

/**
 * Starts an API in memory for a test of a model. Its clock stands still, its ids are the same in every run, and its
 * callers have names. Nothing listens on a port.
 *
 * @throws {ModelError} where the model is invalid
 *
 * @example
 * ```ts
 * await using test = await startTestApi({ model });
 * const ann = test.as('ann', { scopes: ['notes:read'] });
 * assert.equal((await ann.fetch('/api/v1/notes')).status, 200);
 * ```
 */
export async function startTestApi({
  time = START,
  database = ':memory:',
  observe = reportProblems(),
  ...options
}: TestApiOptions): Promise<TestApi> {
  const clock = createTestClock(time);
  const callers = new Map<string, VerifiedToken>();
  const ids = createIds({ clock, random: ZEROS });
  const parts = { database, observe, clock, ids, tokens: verifyCallers(callers) };
  const { api, store, close } = await startApi({ ...parts, ...options });
  const handle = createFetchHandler(api);
  const createFetch =
    (token: string | null): TestFetch =>
    (input, init) =>
      handle(createRequest(token, input, init));
  return {
    api,
    url: ORIGIN + api.model.basePath,
    clock,
    fetch: createFetch(null),
    as(subject, caller = {}) {
      const token = `test-${callers.size + 1}`;
      callers.set(token, describeCaller(api.model, subject, caller));
      return { token, fetch: createFetch(token) };
    },
    async events() {
      const found: EventEnvelope[] = [];
      for (;;) {
        const page = await store.events.after(Number(found.at(-1)?.metadata.sequence ?? 0), PAGE);
        found.push(...page);
        if (page.length < PAGE) return found;
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Ids differ by their counter: `...-7000-8000-000000000000`, `...-7001-8000-000000000000`. */
const ZEROS = { hex: (bytes: number): string => '00'.repeat(bytes) };

function createTestClock(start: string | number): TestClock {
  let now = readTime(start);
  return {
    now: () => now,
    set: (time) => void (now = readTime(time)),
    advance: (milliseconds) => void (now += milliseconds),
  };
}

/** @throws {Error} for a text that is no time */
function readTime(time: string | number): number {
  const milliseconds = typeof time === 'number' ? time : Date.parse(time);
  if (Number.isSafeInteger(milliseconds)) return milliseconds;
  throw new Error(`'${time}' is not a time; use one such as ${START}, or whole milliseconds since the epoch.`);
}

function verifyCallers(callers: ReadonlyMap<string, VerifiedToken>): TokenVerifier {
  return {
    verify(token) {
      const found = callers.get(token);
      if (found !== undefined) return { kind: 'verified', token: found };
      return { kind: 'invalid', reason: 'it is not the token of a caller of this test' };
    },
  };
}

/** @throws {Error} where the model has no callers */
function describeCaller(
  model: Model,
  subject: string,
  { scopes = collectScopes(model, []), claims = {}, client, issuer }: TestCallerOptions,
): VerifiedToken {
  const { auth } = model;
  if (auth === null) throw new Error('The model has no callers: add auth to it, or use fetch of the API under test.');
  const name = issuer ?? auth.issuers[0]?.name ?? 'test';
  const named = { sub: subject, ...claims };
  return { issuer: name, subject, client: client ?? null, scopes: new Set(scopes), claims: named };
}

function createRequest(token: string | null, input: string | URL | Request, init: RequestInit | undefined): Request {
  const request = new Request(typeof input === 'string' ? new URL(input, ORIGIN) : input, init);
  if (token === null || request.headers.has('Authorization')) return request;
  request.headers.set('Authorization', `Bearer ${token}`);
  return request;
}

/** Logs warnings and errors. A test mounts its API without a server. */
function reportProblems(): Observe {
  const log = standardErrorLog();
  return (observation) => {
    if (observation.kind !== 'mounted-without-auth') log(observation);
  };
}
