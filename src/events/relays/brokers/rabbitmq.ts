import { setImmediate } from 'node:timers/promises';
import type { Channel, Connection, ConnectionOptions } from 'rabbitmq-client';
import type { RelayTarget } from '../../../model/relay-settings.ts';
import { monotonicNow } from '../../../platform/clock.ts';
import { withTimeout } from '../../../platform/timeout.ts';
import {
  type Broker,
  type BrokerOptions,
  BrokerPackageMissing,
  type PublishResult,
  type RelayMessage,
} from '../broker.ts';
import { describeFailure, parseCredentials, readConnectionFiles } from './connection-settings.ts';

const DISPLAY_NAME = 'RabbitMQ';
const PACKAGE = 'rabbitmq-client';
const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'amqp:': '5672', 'amqps:': '5671' };
/** Bytes of a frame: most messages need one. */
const FRAME_SIZE = 131_072;
const SEQUENCE_DIGITS = 20;

type ConnectionClass = new (options: ConnectionOptions) => Connection;

/** A connection with the channel of its messages, and the exchanges that are known to exist. */
interface RabbitSession {
  readonly connection: Connection;
  readonly channel: Channel;
  readonly exchanges: Set<string>;
  /** The ids of messages that no queue took, in the last call. */
  returned: Set<string>;
}

/** A call of `publish`. */
interface PublishCall {
  /** The first messages that are confirmed. */
  confirmed: number;
  /** The ids of messages that no queue took. */
  readonly returned: Set<string>;
  isOver: boolean;
}

/**
 * Opens RabbitMQ for a relay (EVT-9c): persistent messages with publisher confirms.
 *
 * Queues get messages in the order in which they are sent. One that is refused, or that no queue takes, comes later
 * than those that followed it in its block. It is sent alone until it is taken.
 *
 * @throws {BrokerPackageMissing}
 *
 * @example
 * ```ts
 * const broker = await openRabbit({ target, timeout: 5_000 });
 * const { acknowledged, problem } = await broker.publish(messages);
 * ```
 */
export async function openRabbit({ target, timeout }: BrokerOptions): Promise<Broker> {
  return new RabbitBroker(await loadConnection(), target, timeout);
}

class RabbitBroker implements Broker {
  readonly address: string;
  readonly #connect: ConnectionClass;
  readonly #target: RelayTarget;
  readonly #timeout: number;
  #session: RabbitSession | null = null;
  /** True after a message in the middle of a block was not taken: the next ones are sent alone. */
  #isCareful = false;

  constructor(connect: ConnectionClass, target: RelayTarget, timeout: number) {
    this.#connect = connect;
    this.#target = target;
    this.#timeout = timeout;
    this.address = formatAddress(target.url);
  }

  async publish(messages: readonly RelayMessage[]): Promise<PublishResult> {
    const until = monotonicNow() + this.#timeout;
    const alone = this.#isCareful && messages.length > 1 ? 1 : 0;
    const first = await this.#attempt(messages.slice(0, alone), until);
    if (first.problem !== null) return first;
    const { acknowledged, problem } = await this.#attempt(messages.slice(alone), until);
    return { acknowledged: first.acknowledged + acknowledged, problem };
  }

  close(): Promise<void> {
    this.#disconnect();
    return Promise.resolve();
  }

  /** Sends messages together. @param until monotonic milliseconds */
  async #attempt(messages: readonly RelayMessage[], until: number): Promise<PublishResult> {
    if (messages.length === 0) return { acknowledged: 0, problem: null };
    const call: PublishCall = { confirmed: 0, returned: new Set(), isOver: false };
    const failure = await this.#sendWithin(messages, call, until - monotonicNow());
    call.isOver = true;
    // The client announces returned messages in the next iteration of the event loop.
    await setImmediate();
    const at = this.#target.dropsUnroutable ? -1 : messages.findIndex(({ id }) => call.returned.has(id));
    const unroutable = at === -1 || at >= call.confirmed ? undefined : messages[at];
    const acknowledged = unroutable === undefined ? call.confirmed : at;
    const problem = unroutable === undefined ? failure : describeUnroutable(unroutable);
    this.#isCareful = problem !== null;
    return { acknowledged, problem };
  }

  /** Sends messages. @returns the problem of the first one that is not confirmed; null for none */
  async #sendWithin(messages: readonly RelayMessage[], call: PublishCall, timeout: number): Promise<string | null> {
    try {
      return await withTimeout(this.#send(messages, call), timeout, () => {
        const question = 'is it low on memory or disk space?';
        throw new Error(`${DISPLAY_NAME} did not confirm within ${this.#timeout} ms; ${question}`);
      });
    } catch (error) {
      this.#disconnect();
      return describeProblem(error);
    }
  }

  async #send(messages: readonly RelayMessage[], call: PublishCall): Promise<string | null> {
    const session = await this.#connected(call);
    for (const each of new Set(messages.map(({ destination }) => destination))) await this.#require(each, session);
    session.returned = call.returned;
    const sent = messages.map((message) => publishMessage(session, message));
    // The first rejection is thrown below, and ends the call.
    for (const each of sent) each.catch(() => undefined);
    for (const each of sent) {
      if (!(await each)) return `${DISPLAY_NAME} refused a message; is a queue full?`;
      call.confirmed += 1;
    }
    return null;
  }

  /** @throws {Error} where the call has ended meanwhile, which sends no more */
  async #connected(call: PublishCall): Promise<RabbitSession> {
    if (this.#session !== null) return this.#session;
    const session = await this.#open();
    if (call.isOver) {
      session.connection.unsafeDestroy();
      throw new Error('the call has ended');
    }
    this.#session = session;
    return session;
  }

  async #open(): Promise<RabbitSession> {
    const connection = new this.#connect(await this.#settings());
    // The client would connect again by itself, and send what waits in its memory.
    const { promise: failed, reject } = Promise.withResolvers<never>();
    failed.catch(() => undefined);
    connection.on('error', (error: unknown) => {
      connection.unsafeDestroy();
      if (this.#session?.connection === connection) this.#session = null;
      reject(error);
    });
    try {
      await Promise.race([connection.onConnect(this.#timeout), failed]);
      const channel = await connection.acquire();
      await channel.confirmSelect();
      const session: RabbitSession = { connection, channel, exchanges: new Set(), returned: new Set() };
      channel.on('basic.return', ({ messageId }) => void session.returned.add(messageId ?? ''));
      return session;
    } catch (error) {
      connection.unsafeDestroy();
      throw error;
    }
  }

  async #settings(): Promise<ConnectionOptions> {
    const { credentials, ca, cert, key } = await readConnectionFiles(this.#target);
    const url = new URL(this.#target.url);
    const found = credentials === null ? null : parseCredentials(credentials);
    if (found !== null) {
      url.username = encodeURIComponent(found.username ?? '');
      url.password = encodeURIComponent(found.password);
    }
    const tls = {
      ...(ca === null ? {} : { ca }),
      ...(cert === null ? {} : { cert }),
      ...(key === null ? {} : { key }),
    };
    return {
      url: url.href,
      connectionTimeout: this.#timeout,
      acquireTimeout: this.#timeout,
      frameMax: FRAME_SIZE,
      noDelay: true,
      ...(url.protocol === 'amqps:' ? { tls } : {}),
    };
  }

  /** Creates an exchange, or finds out whether it exists. @throws {Error} where it does not */
  async #require(exchange: string, { channel, exchanges }: RabbitSession): Promise<void> {
    if (exchanges.has(exchange)) return;
    if (this.#target.create) await channel.exchangeDeclare({ exchange, type: 'topic', durable: true });
    else await channel.exchangeDeclare({ exchange, passive: true });
    exchanges.add(exchange);
  }

  #disconnect(): void {
    this.#session?.connection.unsafeDestroy();
    this.#session = null;
  }
}

function describeUnroutable({ destination, routingKey }: RelayMessage): string {
  return `no queue takes the routing key ${routingKey} of ${destination}; bind one, or set unroutable: drop`;
}

function describeProblem(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === 'NOT_FOUND') return 'the exchange does not exist; declare it, or set create: true';
  if (code === 'ACCESS_REFUSED') return `${DISPLAY_NAME} refused the credentials, or the user may not write here`;
  return describeFailure(error);
}

/** Sends one message. @returns false where the broker refuses it @throws {Error} where the connection is lost */
async function publishMessage({ channel }: RabbitSession, message: RelayMessage): Promise<boolean> {
  const { id, sequence, type, destination, routingKey, contentType, traceparent, body } = message;
  try {
    await channel.basicPublish(
      {
        exchange: destination,
        routingKey,
        messageId: id,
        type,
        contentType,
        durable: true,
        mandatory: true,
        headers: { sequence: String(sequence).padStart(SEQUENCE_DIGITS, '0'), traceparent },
      },
      Buffer.from(body),
    );
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'NACK') return false;
    throw error;
  }
}

/** @throws {BrokerPackageMissing} */
async function loadConnection(): Promise<ConnectionClass> {
  try {
    return (await import('rabbitmq-client')).Connection;
  } catch (error) {
    throw new BrokerPackageMissing(DISPLAY_NAME, PACKAGE, error);
  }
}

function formatAddress(url: string): string {
  const { protocol, hostname, port } = new URL(url);
  return `${hostname}:${port === '' ? (DEFAULT_PORTS[protocol] ?? '') : port}`;
}
