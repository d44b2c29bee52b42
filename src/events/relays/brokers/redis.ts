import { sequenceText } from '../../../conventions/events/event.ts';
import {
  RedisClientMissing,
  type RedisSession,
  type RedisSessionOptions,
  loadRedisSessions,
} from '../../../platform/redis.ts';
import { answeredWithin } from '../../../platform/timeout.ts';
import {
  type Broker,
  type BrokerOptions,
  BrokerPackageMissing,
  type PublishResult,
  type RelayMessage,
} from '../broker.ts';
import {
  chooseCredentials,
  describeFailure,
  findUrlCredentials,
  formatHosts,
  listCertificates,
  readConnectionFiles,
  readHost,
} from './connection-settings.ts';
import { addToStreams } from './redis-script.ts';

const DEFAULT_PORT = 6379;

/**
 * Relays to Redis Streams (EVT-9d). An entry has the id `SEQUENCE-0` and the fields `id`, `type`, `sequence`,
 * `content-type`, `traceparent` and `data`.
 *
 * Redis refuses an entry whose id is not larger than those before it, also one that it refused before for want of
 * memory. So a script adds all messages of a call in one step, and stops at the first that is refused. A message
 * that has been passed counts as sent only where its entry is there, or was removed by a consumer.
 *
 * The script names all streams as its keys: Redis Cluster is supported only where one node has them all. An entry that
 * was acknowledged is as durable as Redis is configured: `appendfsync always` survives a loss of power.
 *
 * The URL is `redis://`, or `rediss://` for TLS, with a database as its path. Credentials are `user:password`, or a
 * password alone.
 *
 * @throws {BrokerPackageMissing}
 */
export async function openRedis(options: BrokerOptions): Promise<Broker> {
  return new RedisBroker(options, await loadSessions());
}

async function loadSessions(): Promise<(options: RedisSessionOptions) => RedisSession> {
  try {
    return await loadRedisSessions();
  } catch (error) {
    if (error instanceof RedisClientMissing) throw new BrokerPackageMissing('Redis', '@redis/client', error.cause);
    throw error;
  }
}

class RedisBroker implements Broker {
  readonly address: string;
  readonly #options: BrokerOptions;
  readonly #connect: (options: RedisSessionOptions) => RedisSession;
  #session: RedisSession | null = null;
  #isClosed = false;

  constructor(options: BrokerOptions, connect: (options: RedisSessionOptions) => RedisSession) {
    this.address = formatHosts([readHost(new URL(options.target.url), DEFAULT_PORT)]);
    this.#options = options;
    this.#connect = connect;
  }

  async publish(messages: readonly RelayMessage[]): Promise<PublishResult> {
    const ended = new AbortController();
    try {
      return await answeredWithin(this.#add(messages, ended.signal), this.#options.timeout, 'Redis');
    } catch (error) {
      ended.abort(error);
      this.#drop();
      return { acknowledged: 0, problem: describeFailure(error) };
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#drop();
  }

  async #add(messages: readonly RelayMessage[], ended: AbortSignal): Promise<PublishResult> {
    const session = await this.#open(ended);
    const streams = [...new Set(messages.map(({ destination }) => destination))];
    const keys = new Map(streams.map((stream, index) => [stream, String(index + 1)]));
    const values = messages.flatMap((each) => [
      keys.get(each.destination) ?? '',
      String(each.sequence),
      each.id,
      each.type,
      sequenceText(each.sequence),
      each.contentType,
      each.traceparent,
      each.body,
    ]);
    const mode = this.#options.target.create ? 'create' : '';
    return readReply(await session.run(addToStreams, streams, [mode, ...values]), messages);
  }

  async #open(ended: AbortSignal): Promise<RedisSession> {
    if (this.#session?.isOpen() === true) return this.#session;
    this.#drop();
    const { target, timeout } = this.#options;
    const files = await readConnectionFiles(target);
    ended.throwIfAborted();
    if (this.#isClosed) throw new Error('the relay is closed');
    const session = this.#connect({
      url: target.url,
      timeout,
      credentials: chooseCredentials(files, findUrlCredentials(target.url)),
      tls: listCertificates(files),
    });
    this.#session = session;
    await session.ready;
    return session;
  }

  #drop(): void {
    this.#session?.close();
    this.#session = null;
  }
}

/** @param reply what the script returned */
function readReply(reply: unknown, messages: readonly RelayMessage[]): PublishResult {
  if (!Array.isArray(reply)) throw new TypeError('Redis sent no list');
  const [stored, reason, stream]: unknown[] = reply;
  if (typeof stored !== 'number' || typeof reason !== 'string') throw new TypeError('Redis sent another list');
  if (reason === '') return { acknowledged: stored, problem: null };
  const entry = `${messages[stored]?.sequence ?? 0}-0`;
  return { acknowledged: stored, problem: describeRefusal(reason, String(stream), entry) };
}

function describeRefusal(reason: string, stream: string, entry: string): string {
  switch (reason) {
    case 'missing':
      return `the stream ${stream} does not exist; create it (XGROUP CREATE ${stream} GROUP $ MKSTREAM), or set create: true`;
    case 'taken':
      return `the stream ${stream} has another event as ${entry}: relay to a stream without other writers`;
    case 'passed':
      return `the stream ${stream} has entries after ${entry}, and not ${entry}: relay to a stream without other writers`;
    default:
      return describeFailure(reason);
  }
}
