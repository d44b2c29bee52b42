import { type Client, createClient, type ClientOptions, type Fetch } from '../../src/client/client.ts';
import type { ApiOf } from '../../src/client/model-types.ts';
import type { WebPlatform } from '../../src/platform/web.ts';
import { serveHttp } from '../../src/http/serve-http.ts';
import { ALL_SCOPES, fakeTokens } from '../pipeline/fake-tokens.ts';
import { type ApiUnderTest, apiUnderTest, START } from '../pipeline/api-under-test.ts';
import { model } from './shop.ts';

export type Shop = ApiOf<typeof model>;
type Options = Partial<ClientOptions<Shop>>;

/** A request of a client, as it was sent. */
interface SentRequest {
  readonly method: string;
  /** With its query, after the root. */
  readonly target: string;
  readonly headers: Headers;
  readonly body: unknown;
}

/** What happens to a request in place of sending it. */
export type Intercept = (send: () => Promise<Response>, url: string, init: RequestInit) => Promise<Response>;

/** An API that listens, with its clients. */
export interface ServedShop extends AsyncDisposable {
  readonly under: ApiUnderTest;
  readonly url: string;
  readonly sent: readonly SentRequest[];
  /** The pauses of the clients, in milliseconds. They end at once, and the clock of the clients has advanced by them. */
  readonly pauses: readonly number[];
  readonly api: Client<Shop>;
  clientWith(options: Options): Client<Shop>;
  /** From now on each request is passed to one of these, in order, until there are no more. */
  intercept(...next: readonly Intercept[]): void;
}

/** Waits for nothing: the clock advances. The middle of all random numbers. */
function fakePlatform(pauses: number[]): WebPlatform {
  let keys = 0;
  let time = START;
  return {
    now: () => time,
    wait: async (milliseconds) => {
      pauses.push(milliseconds);
      time += milliseconds;
    },
    random: () => 0.5,
    uniqueKey: () => `key-${++keys}`,
  };
}

const AUTH = {
  issuers: [{ issuer: 'https://id.example.com', audience: 'test', hs256_secret: '0123456789abcdef0123456789abcdef' }],
};

/** Serves the shop on a free port. */
export async function serveShop(): Promise<ServedShop> {
  const definition = { ...model.definition, auth: AUTH, limits: { rate: false } };
  const under = await apiUnderTest({ ...model, definition }, { tokens: fakeTokens });
  const server = await serveHttp({ api: under.api, port: 0 });
  const url = `http://127.0.0.1:${server.port}/api`;
  const sent: SentRequest[] = [];
  const pauses: number[] = [];
  const waiting: Intercept[] = [];
  const observed: Fetch = async (input, init) => {
    const target = input.slice(url.length);
    const body = typeof init.body === 'string' ? init.body : null;
    sent.push({ method: init.method ?? 'GET', target, headers: new Headers(init.headers), body });
    const next = waiting.shift();
    return next === undefined ? fetch(input, init) : next(() => fetch(input, init), input, init);
  };
  const platform = fakePlatform(pauses);
  const clientWith = (options: Options): Client<Shop> =>
    createClient<typeof model>({ url, token: ALL_SCOPES, fetch: observed, platform, ...options });
  return {
    under,
    url,
    sent,
    pauses,
    api: clientWith({}),
    clientWith,
    intercept: (...next) => void waiting.push(...next),
    async [Symbol.asyncDispose]() {
      await server.close();
      await under.close();
    },
  };
}

/** All that an iterable yields, or what a function makes of it. */
export async function collected<T, R = T>(from: AsyncIterable<T>, map?: (each: T) => R): Promise<R[]>;
export async function collected<T>(from: AsyncIterable<T>, map = (each: T): unknown => each): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const each of from) all.push(map(each));
  return all;
}
