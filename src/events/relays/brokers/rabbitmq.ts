import { isIP } from 'node:net';
import { withTimeout } from '../../../platform/timeout.ts';
import {
  type Broker,
  type BrokerOptions,
  BrokerPackageMissing,
  type PublishResult,
  type RelayMessage,
} from '../broker.ts';
import {
  type BrokerHost,
  chooseCredentials,
  findUrlCredentials,
  formatHosts,
  listCertificates,
  readConnectionFiles,
  readHost,
} from './connection-settings.ts';
import {
  describeConnectionError,
  describeMissingExchange,
  describeRefusal,
  describeReturn,
} from './rabbitmq-problems.ts';
import { loadRabbitmqSessions, type RabbitmqSession, type RabbitmqSessionOptions } from './rabbitmq-session.ts';

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'amqp:': 5672, 'amqps:': 5671 };

/** Messages that are sent one at a time after a queue has refused one. */
const SINGLE_MESSAGES = 10_000;

/** Routes that are remembered: exchanges with routing keys. */
const MAX_ROUTES = 10_000;

/** A call of `publish` in progress. */
interface SendingCall {
  readonly messages: readonly RelayMessage[];
  acknowledged: number;
  /** True once its time is over: it must not send any more. */
  isOver: boolean;
}

/**
 * Relays to an exchange of RabbitMQ (EVT-9c). Messages are persistent and confirmed, and returned where no queue takes
 * them. They have `message-id`, `type`, `content-type`, and the headers `sequence` and `traceparent`.
 *
 * Many messages are in flight on one channel. A lost connection leaves no gap, since a channel is read in order: what
 * is sent again repeats the last messages. A gap can only be left by a message that a queue did not take while it took
 * one behind it, which nothing can undo. It is avoided thus:
 * - Nothing is sent behind a message until its exchange is there, and until one of its routing key was taken by a
 *   queue. An unroutable message holds up all that follow.
 * - After a queue has refused a message (a full one with `overflow: reject-publish`), messages are sent one at a time.
 *
 * So the order holds except for messages that are in flight when a queue refuses one for the first time, or is unbound.
 * A classic queue stores large messages apart: when it is killed, it may lose one and keep a small one behind it. A
 * quorum queue does not.
 *
 * The URL is `amqp://user:password@host:port/virtual-host`, or `amqps://` for TLS.
 *
 * @throws {BrokerPackageMissing}
 */
export async function openRabbit(options: BrokerOptions): Promise<Broker> {
  return new RabbitmqBroker(options, await loadSessions());
}

async function loadSessions(): Promise<(options: RabbitmqSessionOptions) => RabbitmqSession> {
  try {
    return await loadRabbitmqSessions();
  } catch (error) {
    throw new BrokerPackageMissing('RabbitMQ', 'rabbitmq-client', error);
  }
}

class RabbitmqBroker implements Broker {
  readonly address: string;
  readonly #options: BrokerOptions;
  readonly #connect: (options: RabbitmqSessionOptions) => RabbitmqSession;
  #session: RabbitmqSession | null = null;
  /** Routes that a queue has taken a message of, in this session. */
  #routes = new Set<string>();
  #singles = 0;
  #isClosed = false;

  constructor(options: BrokerOptions, connect: (options: RabbitmqSessionOptions) => RabbitmqSession) {
    this.address = formatHosts([readRabbitHost(new URL(options.target.url))]);
    this.#options = options;
    this.#connect = connect;
  }

  async publish(messages: readonly RelayMessage[]): Promise<PublishResult> {
    const call: SendingCall = { messages, acknowledged: 0, isOver: false };
    const problem = await withTimeout(this.#send(call), this.#options.timeout, () => this.#expire());
    call.isOver = true;
    return { acknowledged: call.acknowledged, problem };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const session = this.#session;
    this.#session = null;
    await session?.close();
  }

  /** Ends a session that does not answer. One that is blocked has its messages in flight, and answers later. */
  #expire(): string {
    const reason = this.#session?.blockedReason ?? null;
    if (reason !== null) return `RabbitMQ at ${this.address} takes no messages: ${reason}`;
    this.#session?.destroy();
    return `RabbitMQ at ${this.address} did not answer within ${this.#options.timeout} ms`;
  }

  async #send(call: SendingCall): Promise<string | null> {
    try {
      const session = await this.#open(call);
      while (call.acknowledged < call.messages.length && !call.isOver) {
        const problem = await this.#sendNext(session, call);
        if (problem !== null) return problem;
      }
      return null;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return describeConnectionError(error, this.address);
    }
  }

  /** @throws {Error} */
  async #open(call: SendingCall): Promise<RabbitmqSession> {
    if (this.#session !== null && this.#session.failure === null) return this.#session;
    const settings = await readSettings(this.#options);
    if (call.isOver || this.#isClosed) throw new Error('the connection was closed');
    const session = this.#connect(settings);
    this.#session = session;
    this.#routes = new Set();
    await session.open();
    return session;
  }

  /** Sends the next messages that may be in flight together. @throws {Error} */
  async #sendNext(session: RabbitmqSession, call: SendingCall): Promise<string | null> {
    const first = call.messages[call.acknowledged];
    if (first === undefined) return null;
    if (!(await this.#hasExchange(session, first.destination))) return describeMissingExchange(first.destination);
    // Its time may have ended meanwhile, and another call may be sending.
    if (call.isOver) return null;
    const messages = call.messages.slice(call.acknowledged, this.#findEnd(session, call));
    const isMandatory = !this.#options.target.dropsUnroutable;
    const sent = messages.map((message) => ({ message, result: session.send(message, isMandatory) }));
    for (const { message, result } of sent) {
      const outcome = await result;
      if (outcome !== 'acknowledged') {
        await Promise.all(sent.map((each) => each.result));
        return this.#describeOutcome(outcome, message);
      }
      this.#learnRoute(message);
      if (call.isOver) continue;
      call.acknowledged += 1;
      session.release(message.id);
    }
    return null;
  }

  /** The end of the next messages: after one that perhaps no queue takes, or before a new exchange. */
  #findEnd(session: RabbitmqSession, { messages, acknowledged }: SendingCall): number {
    if (this.#singles > 0) return acknowledged + 1;
    const mayReturn = !this.#options.target.dropsUnroutable;
    const end = messages.findIndex(
      (message, index) =>
        index > acknowledged &&
        (!session.hasExchange(message.destination) ||
          (mayReturn && !this.#routes.has(nameRoute(messages[index - 1] ?? message)))),
    );
    return end < 0 ? messages.length : end;
  }

  async #hasExchange(session: RabbitmqSession, exchange: string): Promise<boolean> {
    if (session.hasExchange(exchange) || (await session.findExchange(exchange))) return true;
    return this.#options.target.create && (await session.createExchange(exchange));
  }

  #learnRoute(message: RelayMessage): void {
    if (this.#singles > 0) this.#singles -= 1;
    if (this.#routes.size >= MAX_ROUTES) this.#routes.clear();
    this.#routes.add(nameRoute(message));
  }

  #describeOutcome(outcome: 'returned' | 'refused' | Error, message: RelayMessage): string {
    if (outcome === 'returned') {
      // Bindings have changed: other routes may have ended, too.
      this.#routes.clear();
      return describeReturn(message);
    }
    if (outcome === 'refused') {
      this.#singles = SINGLE_MESSAGES;
      return describeRefusal(message);
    }
    return describeConnectionError(outcome, this.address);
  }
}

function nameRoute({ destination, routingKey }: RelayMessage): string {
  return `${destination}\n${routingKey}`;
}

async function readSettings({ target, timeout }: BrokerOptions): Promise<RabbitmqSessionOptions> {
  const files = await readConnectionFiles(target);
  const url = new URL(target.url);
  const { protocol, pathname } = url;
  const { host, port } = readRabbitHost(url);
  const credentials = chooseCredentials(files, findUrlCredentials(target.url));
  const name = isIP(host) === 0 ? { servername: host } : {};
  return {
    hostname: host,
    port,
    username: credentials?.username ?? 'guest',
    password: credentials?.password ?? 'guest',
    vhost: pathname.length > 1 ? decodeURIComponent(pathname.slice(1)) : '/',
    tls: protocol === 'amqps:' ? { ...listCertificates(files), ...name } : false,
    connectionName: 'restwright',
    noDelay: true,
    acquireTimeout: timeout,
    connectionTimeout: timeout,
  };
}

function readRabbitHost(url: URL): BrokerHost {
  return readHost(url, DEFAULT_PORTS[url.protocol] ?? 0);
}
