import { createHash } from 'node:crypto';
import type { createClient } from '@redis/client';
import { answeredWithin } from './timeout.ts';

/** A program that Redis runs as one step. */
export interface RedisScript {
  readonly text: string;
  /** SHA-1 of the text, by which Redis knows it. */
  readonly sha: string;
}

/** A connection to Redis or Valkey. It is made again whenever it is lost. */
export interface RedisConnection {
  /** `host:port`, without credentials: for messages. */
  readonly address: string;
  /**
   * @returns what the script returns @throws {Error} immediately while there is no connection; where Redis does not
   *   answer in time
   */
  run(script: RedisScript, keys: readonly string[], values: readonly string[]): Promise<unknown>;
  /** Ends the connection; what was not answered is rejected. */
  close(): void;
}

/** The options of a connection. */
export interface RedisOptions {
  /** `redis[s]://[[user]:password@]host[:port][/database]` */
  readonly url: string;
  /** Milliseconds that Redis may take to answer. */
  readonly timeout: number;
  /** Called when the connection is there, each time. */
  readonly onConnected: () => void;
  /** Called when it is lost, or cannot be made. */
  readonly onError: (error: Error) => void;
}

/** A connection to Redis that is never made again: a command is answered, or its connection is lost. */
export interface RedisSession {
  /** Fulfilled when commands can be sent; rejected where they never can. */
  readonly ready: Promise<void>;
  /** Returns true until the connection is lost. */
  isOpen(): boolean;
  /** @returns what the script returns @throws {Error} where the connection is lost, or Redis refuses the script */
  run(script: RedisScript, keys: readonly string[], values: readonly string[]): Promise<unknown>;
  /** Ends the connection; what was not answered is rejected. */
  close(): void;
}

/** Options of a {@link RedisSession}. */
export interface RedisSessionOptions {
  /** `redis[s]://host[:port][/database]`; credentials in it are not used. */
  readonly url: string;
  /** Milliseconds that connecting may take. */
  readonly timeout: number;
  readonly credentials: { readonly username: string | null; readonly password: string } | null;
  /** Certificates and key in PEM, for `rediss:`; absent for the authorities of Node.js, and for no certificate. */
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string };
}

/** The package that connects to Redis is not installed. */
export class RedisClientMissing extends Error {
  constructor(cause: unknown) {
    super('Redis needs the package @redis/client: run `npm install @redis/client`.', {
      cause,
    });
    this.name = 'RedisClientMissing';
  }
}

const DEFAULT_PORT = '6379';

/** Milliseconds between two attempts to connect, at most. */
const MAX_RETRY_DELAY = 1_000;

/** @returns the script, for {@link RedisConnection.run} */
export function redisScript(text: string): RedisScript {
  return { text, sha: createHash('sha1').update(text).digest('hex') };
}

/** Finds the reason for which a URL is none of Redis; null if it is one. */
export function redisUrlProblem(url: string): string | null {
  const parsed = URL.parse(url);
  if (parsed === null || !/^rediss?:$/.test(parsed.protocol) || parsed.hostname === '')
    return 'is not a URL of Redis, such as redis://127.0.0.1:6379';
  return /^\/?\d*$/.test(parsed.pathname)
    ? null
    : 'names a database that is not a number, such as redis://127.0.0.1:6379/1';
}

/**
 * Connects to Redis, without waiting for it: `onConnected` says when the connection is there.
 *
 * @throws {RedisClientMissing}
 * @throws {TypeError} for a URL that is none of Redis
 */
export async function connectRedis({ url, timeout, onConnected, onError }: RedisOptions): Promise<RedisConnection> {
  const problem = redisUrlProblem(url);
  if (problem !== null) throw new TypeError(`The URL ${problem}`);
  const closing = new AbortController();
  const client = (await loadClient())({
    url,
    RESP: 2,
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    socket: {
      connectTimeout: timeout * 10,
      signal: closing.signal,
      reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, MAX_RETRY_DELAY),
    },
  });
  client.on('ready', onConnected);
  client.on('error', (error: unknown) => onError(error instanceof Error ? error : new Error(String(error))));
  // It rejects where `close` ends the attempts; all other errors are events.
  client.connect().catch(() => undefined);
  return {
    address: formatAddress(url),
    run: (script, keys, values) => answeredWithin(evaluate(client, script, keys, values), timeout, 'Redis'),
    close() {
      client.destroy();
      // The client would keep a connection that is being made.
      closing.abort();
    },
  };
}

/**
 * Loads the client. @returns a function that connects once, without waiting for it @throws {RedisClientMissing}
 */
export async function loadRedisSessions(): Promise<(options: RedisSessionOptions) => RedisSession> {
  const create = await loadClient();
  return (options) => openSession(create, options);
}

function openSession(
  create: typeof createClient,
  { url, timeout, credentials, tls }: RedisSessionOptions,
): RedisSession {
  const address = new URL(url);
  address.username = '';
  address.password = '';
  const closing = new AbortController();
  const shared = { connectTimeout: timeout, signal: closing.signal, reconnectStrategy: false } as const;
  const client = create({
    url: address.href,
    RESP: 2,
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    socket: address.protocol === 'rediss:' ? { ...shared, ...tls, tls: true, host: address.hostname } : shared,
    ...(credentials !== null && { password: credentials.password, username: credentials.username ?? 'default' }),
  });
  // Every command that waits is rejected too.
  client.on('error', () => undefined);
  return {
    ready: client.connect().then(() => undefined),
    isOpen: () => client.isReady,
    run: (script, keys, values) => evaluate(client, script, keys, values),
    close() {
      if (client.isOpen) client.destroy();
      closing.abort();
    },
  };
}

async function evaluate(
  client: Pick<ReturnType<typeof createClient>, 'eval' | 'evalSha'>,
  { text, sha }: RedisScript,
  keys: readonly string[],
  values: readonly string[],
): Promise<unknown> {
  const options = { keys: [...keys], arguments: [...values] };
  try {
    return await client.evalSha(sha, options);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
    return client.eval(text, options);
  }
}

/** @throws {RedisClientMissing} */
async function loadClient(): Promise<typeof createClient> {
  try {
    return (await import('@redis/client')).createClient;
  } catch (error) {
    throw new RedisClientMissing(error);
  }
}

function formatAddress(url: string): string {
  const { hostname, port } = new URL(url);
  return `${hostname}:${port === '' ? DEFAULT_PORT : port}`;
}
