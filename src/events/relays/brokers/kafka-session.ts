import type * as Kafka from '@platformatic/kafka';
import { isIP, type Socket } from 'node:net';
import type { BaseOptions, MessageToProduce, Producer } from '@platformatic/kafka';
import { sequenceText } from '../../../conventions/events/event.ts';
import type { RelayTarget } from '../../../model/relay-settings.ts';
import { BrokerPackageMissing, type RelayMessage } from '../broker.ts';
import {
  type BrokerHosts,
  chooseCredentials,
  type ConnectionFiles,
  listCertificates,
  parseHosts,
} from './connection-settings.ts';
import { describeKafkaFailure, listErrors, readApiId } from './kafka-problems.ts';

const DEFAULT_KAFKA_PORT = 9092;
/** A connection that is lost is made again so often, for the same batch: Kafka leaves out one that it has. */
const RETRIES = 5;
const RETRY_DELAY = 200;
/** A topic that was created is known to all brokers after some of these. */
const CREATION_RETRIES = 25;

export type KafkaLibrary = typeof Kafka;

/** The parts of the URL of a target: `kafka://user:password@one:9092,two:9092`. */
export interface KafkaAddress extends BrokerHosts {
  readonly isEncrypted: boolean;
}

/** A reason why Kafka did not store messages. */
export interface KafkaRefusal {
  /** `rejected` by a broker, in whole or in part; `unknown` where its answer was lost. */
  readonly kind: 'missing topic' | 'rejected' | 'unknown';
  readonly reason: string;
}

/** A producer with its connections. After a failure it is closed, and another one is opened. */
export interface KafkaSession {
  /** @throws {Error} where no broker is there, or refuses the credentials */
  hasTopic(topic: string): Promise<boolean>;
  /** Creates a topic unless it exists, and waits until it can be used. @throws {Error} */
  createTopic(topic: string, partitions: number): Promise<void>;
  /** Sends messages of topics that exist, a batch for each partition. @returns null if all are stored */
  send(messages: readonly RelayMessage[]): Promise<KafkaRefusal | null>;
  /** Ends the connections; bytes that were not written are dropped. */
  close(): void;
}

/** @throws {BrokerPackageMissing} */
export async function loadKafka(): Promise<KafkaLibrary> {
  try {
    return await import('@platformatic/kafka');
  } catch (error) {
    throw new BrokerPackageMissing('Kafka', '@platformatic/kafka', error);
  }
}

/** Reads the URL of a target. */
export function parseKafkaUrl(url: string): KafkaAddress {
  return { ...parseHosts(url, DEFAULT_KAFKA_PORT), isEncrypted: url.startsWith('kafkas://') };
}

/** The options of a session. */
export interface KafkaSessionOptions {
  readonly library: KafkaLibrary;
  readonly target: RelayTarget;
  readonly files: ConnectionFiles;
  /** Milliseconds that connecting, and a request, may take. */
  readonly timeout: number;
}

/** Prepares a producer: its first request connects. */
export function openKafkaSession(options: KafkaSessionOptions): KafkaSession {
  return new ProducerSession(options.library, makeConnectionOptions(options));
}

function makeConnectionOptions({ library, target, files, timeout }: KafkaSessionOptions): BaseOptions {
  const { hosts, isEncrypted, credentials: ofUrl } = parseKafkaUrl(target.url);
  const credentials = chooseCredentials(files, ofUrl);
  return {
    clientId: 'restwright',
    bootstrapBrokers: [...hosts],
    retries: RETRIES,
    retryDelay: RETRY_DELAY,
    connectTimeout: timeout,
    requestTimeout: timeout,
    timeout: Math.ceil(timeout / 2),
    ...(isEncrypted && { tls: listCertificates(files) }),
    ...(credentials !== null && {
      sasl: {
        mechanism: library.SASLMechanisms.PLAIN,
        username: credentials.username ?? '',
        password: credentials.password,
      },
    }),
  };
}

class ProducerSession implements KafkaSession {
  readonly #library: KafkaLibrary;
  readonly #connection: BaseOptions;
  readonly #producer: Producer;
  /** True once a broker has answered. */
  #isEstablished = false;

  constructor(library: KafkaLibrary, connection: BaseOptions) {
    this.#library = library;
    this.#connection = connection;
    this.#producer = new library.Producer({
      ...connection,
      idempotent: true,
      // The partition of a key is that of the Java client.
      partitioner: library.compatibilityPartitioner,
    });
    prepareConnections(this.#producer, connection);
  }

  async hasTopic(topic: string): Promise<boolean> {
    try {
      await this.#producer.metadata({ topics: [topic], forceUpdate: true, retries: 0 });
      this.#isEstablished = true;
      return true;
    } catch (error) {
      if (!isMissingTopic(error)) throw new Error(this.#describe(error), { cause: error });
      this.#isEstablished = true;
      return false;
    }
  }

  async createTopic(topic: string, partitions: number): Promise<void> {
    const admin = new this.#library.Admin(this.#connection);
    prepareConnections(admin, this.#connection);
    try {
      await admin.createTopics({ topics: [topic], partitions });
    } catch (error) {
      if (!listErrors(error).some((each) => readApiId(each) === 'TOPIC_ALREADY_EXISTS')) {
        throw new Error(`the topic ${topic} cannot be created: ${this.#describe(error)}`, { cause: error });
      }
    } finally {
      closeClient(admin);
    }
    await this.#producer.metadata({ topics: [topic], forceUpdate: true, retries: CREATION_RETRIES });
  }

  async send(messages: readonly RelayMessage[]): Promise<KafkaRefusal | null> {
    try {
      await this.#producer.send({ messages: messages.map(toRecord) });
      return null;
    } catch (error) {
      const reason = this.#describe(error);
      if (isMissingTopic(error)) return { kind: 'missing topic', reason };
      return { kind: listErrors(error).some((each) => readApiId(each) !== null) ? 'rejected' : 'unknown', reason };
    }
  }

  close(): void {
    closeClient(this.#producer);
  }

  #describe(error: unknown): string {
    const { tls, sasl } = this.#connection;
    const isEstablished = this.#isEstablished;
    return describeKafkaFailure(error, {
      isEncrypted: tls !== undefined,
      hasCredentials: sasl !== undefined,
      isEstablished,
    });
  }
}

/**
 * Listens to errors of connections: the client listens to the first one alone. Requests are rejected anyway.
 *
 * Names the broker in the TLS handshake: gateways choose the broker by it. An address must not be named, and brokers
 * may announce addresses to a client that was given names. All connections read the options as they are made.
 */
function prepareConnections({ connections }: Pick<Producer, 'connections'>, { tls }: BaseOptions): void {
  connections.on('connecting', ({ broker, connection }) => {
    if (tls !== undefined) tls.servername = isIP(broker.host) === 0 ? broker.host : '';
    connection.on('error', () => undefined);
  });
}

/** Ends a client. It would wait until a broker that does not answer has read all bytes. */
function closeClient(client: Pick<Producer, 'connections' | 'close'>): void {
  const connections = [...client.connections].map(([, connection]) => connection);
  client.close().catch(() => undefined);
  // A connection has no socket before it connects, unlike its type.
  for (const { socket } of connections as readonly { readonly socket?: Socket }[]) socket?.destroy();
}

const HEADERS = {
  id: Buffer.from('message-id'),
  sequence: Buffer.from('sequence'),
  type: Buffer.from('type'),
  contentType: Buffer.from('content-type'),
  traceparent: Buffer.from('traceparent'),
} as const;

function toRecord(message: RelayMessage): MessageToProduce {
  const headers = new Map([
    [HEADERS.id, Buffer.from(message.id)],
    [HEADERS.sequence, Buffer.from(sequenceText(message.sequence))],
    [HEADERS.type, Buffer.from(message.type)],
    [HEADERS.contentType, Buffer.from(message.contentType)],
  ]);
  if (message.traceparent !== '') headers.set(HEADERS.traceparent, Buffer.from(message.traceparent));
  return { topic: message.destination, key: Buffer.from(message.key), value: Buffer.from(message.body), headers };
}

function isMissingTopic(error: unknown): boolean {
  return listErrors(error).some(
    (each) => readApiId(each) === 'UNKNOWN_TOPIC_OR_PARTITION' || each.message.startsWith('Unknown topic '),
  );
}
