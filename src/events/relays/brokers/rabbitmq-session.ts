import { setImmediate } from 'node:timers/promises';
import type { Channel, Connection, ConnectionOptions, Envelope } from 'rabbitmq-client';
import { sequenceText } from '../../../conventions/events/event.ts';
import { settlesWithin } from '../../../platform/timeout.ts';
import type { RelayMessage } from '../broker.ts';
import { findErrorCode } from './rabbitmq-problems.ts';

/** The result of a message that was sent. An error ends the session. */
export type SendOutcome = 'acknowledged' | 'returned' | 'refused' | Error;

/** The options of a session: host, credentials, TLS and timeouts. */
export type RabbitmqSessionOptions = ConnectionOptions;

/** Milliseconds for which a connection that ends waits for RabbitMQ. */
const CLOSE_TIMEOUT = 1_000;

/** Loads the client. @returns a function that begins to connect */
export async function loadRabbitmqSessions(): Promise<(options: RabbitmqSessionOptions) => RabbitmqSession> {
  const { Connection: RabbitmqConnection } = await import('rabbitmq-client');
  return (options) => new RabbitmqSession(new RabbitmqConnection(options));
}

/** A connection with one channel, which is never made again: the first error ends it. */
export class RabbitmqSession {
  readonly #connection: Connection;
  #channel: Channel | null = null;
  #failure: Error | null = null;
  #blockedReason: string | null = null;
  readonly #exchanges = new Set<string>();
  /** Messages in flight, and those that were acknowledged after the call that sent them. */
  readonly #sent = new Map<string, Promise<SendOutcome>>();
  readonly #returned = new Set<string>();

  constructor(connection: Connection) {
    this.#connection = connection;
    connection.on('error', (error: unknown) => this.#fail(error));
    connection.on('connection.blocked', (reason: string) => {
      this.#blockedReason = reason;
    });
    connection.on('connection.unblocked', () => {
      this.#blockedReason = null;
    });
  }

  /** The first error; null while the session can be used. */
  get failure(): Error | null {
    return this.#failure;
  }

  /** The reason for which RabbitMQ takes nothing: `low on memory`; null while it does. */
  get blockedReason(): string | null {
    return this.#blockedReason;
  }

  /** Waits for the connection. @throws {Error} where it cannot be made */
  async open(): Promise<void> {
    try {
      const channel = await this.#connection.acquire();
      channel.on('basic.return', ({ messageId }) => {
        if (messageId !== undefined) this.#returned.add(messageId);
      });
      await channel.confirmSelect();
      this.#channel = channel;
    } catch (error) {
      throw this.#fail(error);
    }
  }

  hasExchange(name: string): boolean {
    return this.#exchanges.has(name);
  }

  /** Finds out if an exchange exists, of any type. */
  async findExchange(name: string): Promise<boolean> {
    return this.#declare(name, { exchange: name, passive: true });
  }

  /** Creates a durable topic exchange. */
  async createExchange(name: string): Promise<boolean> {
    return this.#declare(name, { exchange: name, type: 'topic', durable: true });
  }

  /**
   * Sends a message behind those that were sent before. A message that is in flight, or was acknowledged and not yet
   * {@link release released}, is not sent a second time. Never rejects.
   *
   * @param isMandatory true if RabbitMQ returns a message that no queue takes
   */
  send(message: RelayMessage, isMandatory: boolean): Promise<SendOutcome> {
    const earlier = this.#sent.get(message.id);
    if (earlier !== undefined) return earlier;
    const outcome = this.#publish(message, isMandatory);
    this.#sent.set(message.id, outcome);
    return outcome;
  }

  /** Drops an acknowledged message that the caller knows of. */
  release(id: string): void {
    this.#sent.delete(id);
  }

  /** Ends the connection without notice: what was not yet written is not sent. */
  destroy(): void {
    this.#fail(new Error('the connection was closed'));
  }

  /** Ends the connection. Never rejects. */
  async close(): Promise<void> {
    const channel = this.#channel;
    this.#channel = null;
    if (channel !== null && this.#failure === null) {
      const closing = channel.close().then(() => this.#connection.close());
      await settlesWithin(closing, CLOSE_TIMEOUT).catch(() => false);
    }
    this.destroy();
  }

  async #publish(message: RelayMessage, isMandatory: boolean): Promise<SendOutcome> {
    const { id } = message;
    try {
      if (this.#channel === null) throw new Error('the connection was closed');
      await this.#channel.basicPublish(toEnvelope(message, isMandatory), Buffer.from(message.body));
      // The client reports a return one iteration later than the confirm that follows it.
      await setImmediate();
      if (!this.#returned.delete(id)) return 'acknowledged';
      this.#sent.delete(id);
      return 'returned';
    } catch (error) {
      this.#sent.delete(id);
      this.#returned.delete(id);
      return findErrorCode(error) === 'NACK' ? 'refused' : this.#fail(error);
    }
  }

  /** Declares an exchange on a channel of its own, which an error ends. */
  async #declare(name: string, declaration: Parameters<Channel['exchangeDeclare']>[0]): Promise<boolean> {
    try {
      const channel = await this.#connection.acquire();
      try {
        await channel.exchangeDeclare(declaration);
        this.#exchanges.add(name);
        return true;
      } finally {
        await channel.close();
      }
    } catch (error) {
      if (findErrorCode(error) === 'NOT_FOUND') return false;
      throw this.#fail(error);
    }
  }

  /** Ends the session, and with it the attempts of the client to connect again. @returns the first error */
  #fail(error: unknown): Error {
    this.#failure ??= error instanceof Error ? error : new Error(String(error));
    this.#connection.unsafeDestroy();
    return this.#failure;
  }
}

function toEnvelope(message: RelayMessage, isMandatory: boolean): Envelope {
  const envelope: Envelope = {
    exchange: message.destination,
    routingKey: message.routingKey,
    mandatory: isMandatory,
    durable: true,
    messageId: message.id,
    contentType: message.contentType,
    type: message.type,
    headers: { sequence: sequenceText(message.sequence), traceparent: message.traceparent },
  };
  // The client would add the time of sending, which differs from one attempt to the next.
  return Object.assign(envelope, { timestamp: undefined });
}
