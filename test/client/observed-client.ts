// Clients of the shop whose requests, pauses and clock a test observes. It needs the web platform alone, so that the
// suite runs in browsers, too.
import { type Client, createClient, type ClientOptions, type Fetch } from '../../src/client/client.ts';
import type { ApiOf } from '../../src/client/model-types.ts';
import type { WebPlatform } from '../../src/platform/web.ts';
import type { model } from './shop.ts';

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

/** The handler of a request in place of sending it. */
export type Intercept = (send: () => Promise<Response>, url: string, init: RequestInit) => Promise<Response>;

/** The clients of an API. */
export interface ObservedClients {
  readonly url: string;
  readonly sent: readonly SentRequest[];
  /**
   * The pauses of the clients, in milliseconds. They end at once, and the clock of the clients has advanced by them.
   */
  readonly pauses: readonly number[];
  readonly api: Client<Shop>;
  clientWith(options: Options): Client<Shop>;
  /** From now on each request is passed to one of these, in order, until there are no more. */
  intercept(...next: readonly Intercept[]): void;
}

/** The first time of the clock of the clients. */
const START = Date.parse('2026-01-02T03:04:05.678Z');

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

/** @param token of a caller with all scopes */
export function observedClients(url: string, token: string): ObservedClients {
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
    createClient<typeof model>({ url, token, fetch: observed, platform, ...options });
  return { url, sent, pauses, api: clientWith({}), clientWith, intercept: (...next) => void waiting.push(...next) };
}

/** All that an iterable yields, or what a function makes of it. */
export async function collected<T, R = T>(from: AsyncIterable<T>, map?: (each: T) => R): Promise<R[]>;
export async function collected<T>(from: AsyncIterable<T>, map = (each: T): unknown => each): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const each of from) all.push(map(each));
  return all;
}
