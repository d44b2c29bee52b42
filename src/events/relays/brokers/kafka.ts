import { answeredWithin } from '../../../platform/timeout.ts';
import type { Broker, BrokerOptions, PublishResult, RelayMessage } from '../broker.ts';
import { describeFailure, formatHosts, readConnectionFiles } from './connection-settings.ts';
import {
  type KafkaLibrary,
  type KafkaRefusal,
  type KafkaSession,
  loadKafka,
  openKafkaSession,
  parseKafkaUrl,
} from './kafka-session.ts';

/** Messages and bytes of a request. Topics take 1 MiB in a batch by default, with headers. */
const MAX_MESSAGES = 1000;
const MAX_BYTES = 512 * 1024;
/** Topics that are known to exist: a template may have a topic for each tenant. */
const MAX_TOPICS = 10_000;

/**
 * Relays to Kafka (EVT-9b). A record has the key of the resource, and the headers `message-id`, `sequence`, `type`,
 * `content-type` and `traceparent`.
 *
 * The producer is idempotent, with `acks=all`, and one request at a time. A connection that is lost is made again for
 * some time, with the same batch, which Kafka stores once. A request without a result is sent again as a new one. Its
 * records can be stored twice, the second time behind those that preceded them.
 *
 * Records of one partition are in order: with one partition by `sequence`, else those of each resource. A request to
 * several partitions may be stored in part: none of its messages counts as sent then. A partition is chosen as the
 * Java client does: more partitions later move resources to other ones.
 *
 * The URL is `kafka://`, or `kafkas://` for TLS; several hosts are separated by commas. Credentials are
 * `user:password`, for SASL/PLAIN.
 *
 * @throws {BrokerPackageMissing}
 */
export async function openKafka(options: BrokerOptions): Promise<Broker> {
  return new KafkaBroker(options, await loadKafka());
}

/** The messages of a call, of which the first ones are stored. */
interface Block {
  readonly messages: readonly RelayMessage[];
  acknowledged: number;
}

class KafkaBroker implements Broker {
  readonly address: string;
  readonly #options: BrokerOptions;
  readonly #library: KafkaLibrary;
  readonly #topics = new Set<string>();
  #session: KafkaSession | null = null;
  /** Messages of a request: one after a request was refused, so that it is known which one is refused. */
  #limit = MAX_MESSAGES;
  #isClosed = false;

  constructor(options: BrokerOptions, library: KafkaLibrary) {
    const { hosts } = parseKafkaUrl(options.target.url);
    this.address = formatHosts(hosts);
    this.#options = options;
    this.#library = library;
  }

  async publish(messages: readonly RelayMessage[]): Promise<PublishResult> {
    const block: Block = { messages, acknowledged: 0 };
    const ended = new AbortController();
    let problem: string | null;
    try {
      problem = await answeredWithin(this.#send(block, ended.signal), this.#options.timeout, 'Kafka');
    } catch (error) {
      problem = describeFailure(error);
    }
    if (problem !== null) {
      ended.abort(new Error(problem));
      this.#drop();
    }
    return { acknowledged: block.acknowledged, problem };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#drop();
  }

  /** @returns the problem that ended the block; null if all messages are stored */
  async #send(block: Block, ended: AbortSignal): Promise<string | null> {
    if (block.messages.length === 0) return null;
    const session = await this.#open(ended);
    let isChecked = false;
    while (block.acknowledged < block.messages.length) {
      const chunk = takeChunk(block, this.#limit);
      const missing = await this.#findMissingTopic(session, chunk);
      ended.throwIfAborted();
      const sent =
        missing === null
          ? chunk
          : chunk.slice(
              0,
              chunk.findIndex((each) => each.destination === missing),
            );
      if (sent.length === 0) return describeMissingTopic(missing ?? '', this.#options.target.partitions);
      const refusal = await session.send(sent);
      ended.throwIfAborted();
      if (refusal === null) {
        block.acknowledged += sent.length;
        this.#limit = Math.min(MAX_MESSAGES, this.#limit * 2);
      } else if (refusal.kind === 'missing topic' && !isChecked) {
        // It was deleted.
        isChecked = true;
        this.#topics.clear();
      } else if (refusal.kind === 'rejected' && sent.length > 1) {
        this.#limit = 1;
      } else {
        return describeRejection(refusal, sent);
      }
    }
    return null;
  }

  async #open(ended: AbortSignal): Promise<KafkaSession> {
    if (this.#session !== null) return this.#session;
    const { target, timeout } = this.#options;
    const files = await readConnectionFiles(target);
    ended.throwIfAborted();
    if (this.#isClosed) throw new Error('the relay is closed');
    this.#session = openKafkaSession({ library: this.#library, target, files, timeout });
    return this.#session;
  }

  /** Finds the first topic that does not exist, and creates those that are to be created. */
  async #findMissingTopic(session: KafkaSession, messages: readonly RelayMessage[]): Promise<string | null> {
    const { create, partitions } = this.#options.target;
    for (const topic of new Set(messages.map(({ destination }) => destination))) {
      if (this.#topics.has(topic)) continue;
      if (!(await session.hasTopic(topic))) {
        if (!create) return topic;
        await session.createTopic(topic, partitions);
      }
      if (this.#topics.size >= MAX_TOPICS) this.#topics.clear();
      this.#topics.add(topic);
    }
    return null;
  }

  #drop(): void {
    this.#session?.close();
    this.#session = null;
    this.#topics.clear();
  }
}

/** Takes messages of one request: as many as fit, and one at least. */
function takeChunk({ messages, acknowledged }: Block, limit: number): readonly RelayMessage[] {
  let bytes = 0;
  let end = acknowledged;
  for (const { body } of messages.slice(acknowledged, acknowledged + limit)) {
    bytes += Buffer.byteLength(body);
    if (bytes > MAX_BYTES && end > acknowledged) break;
    end += 1;
  }
  return messages.slice(acknowledged, end);
}

function describeMissingTopic(topic: string, partitions: number): string {
  const command = `kafka-topics.sh --create --topic ${topic} --partitions ${partitions}`;
  return `the topic ${topic} does not exist; create it (${command}), or set create: true`;
}

/** @param sent the messages of the request: a single one is the one that Kafka refuses */
function describeRejection({ kind, reason }: KafkaRefusal, sent: readonly RelayMessage[]): string {
  const [message] = sent;
  if (kind === 'unknown' || message === undefined) return reason;
  return `Kafka refuses the event ${message.id} for the topic ${message.destination}: ${reason}`;
}
