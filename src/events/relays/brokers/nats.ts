import { answeredWithin } from '../../../platform/timeout.ts';
import type { Broker, BrokerOptions, PublishResult, RelayMessage } from '../broker.ts';
import { describeFailure, formatHosts, parseHosts, readConnectionFiles } from './connection-settings.ts';
import { NatsBlock, SubjectStreams } from './nats-block.ts';
import { DEFAULT_NATS_PORT, type NatsLibrary, type NatsSession, connectNats, loadNats } from './nats-session.ts';
import { createStream, describeMissingStream, readStream } from './nats-streams.ts';

/** Messages in flight, at most. */
const MAX_IN_FLIGHT = 1_000;

/**
 * Relays to NATS JetStream (EVT-9a). A message has the headers `Nats-Msg-Id` (the id of the event), `Content-Type`,
 * `type`, `sequence` and `traceparent`. JetStream stores an id once within the `duplicate_window` of the stream. A
 * message that is sent again after it is stored again, behind the others.
 *
 * Messages in flight are a chain: JetStream refuses one if the last of its stream is not the one before it
 * (`Nats-Expected-Last-Msg-Id`). Messages of other writers in the same stream break the chain. It is begun again where
 * it broke, and is shorter then: a stream of its own is faster. Messages of several streams are in order within each.
 *
 * The user needs to publish to the subjects, and to subscribe to `_INBOX.>`. With `$JS.API.STREAM.NAMES` and
 * `$JS.API.STREAM.MSG.GET.*` it also recognizes messages that were stored before the duplicate window. An
 * acknowledged message is as durable as JetStream is configured: `sync_interval: always` survives a loss of power.
 *
 * The URL is `nats://`, or `tls://` for TLS; a server that requires TLS gets it with either. Credentials are
 * `user:password`, a token, or the content of a `.creds` file.
 *
 * @throws {BrokerPackageMissing}
 */
export async function openNats(options: BrokerOptions): Promise<Broker> {
  return new NatsBroker(options, await loadNats());
}

class NatsBroker implements Broker {
  readonly address: string;
  readonly #options: BrokerOptions;
  readonly #library: NatsLibrary;
  readonly #streams: SubjectStreams;
  #session: NatsSession | null = null;
  /** Messages in flight: fewer where other writers break the chain. */
  #inFlight = MAX_IN_FLIGHT;
  #isClosed = false;

  constructor(options: BrokerOptions, library: NatsLibrary) {
    this.address = formatHosts(parseHosts(options.target.url, DEFAULT_NATS_PORT).hosts);
    this.#options = options;
    this.#library = library;
    this.#streams = new SubjectStreams(options.target.stream);
  }

  async publish(messages: readonly RelayMessage[]): Promise<PublishResult> {
    const block = new NatsBlock(messages);
    const ended = new AbortController();
    let problem: string | null;
    try {
      problem = await answeredWithin(this.#send(block, ended.signal), this.#options.timeout, 'NATS');
    } catch (error) {
      problem = describeFailure(error);
      ended.abort(error);
      this.#drop();
    }
    return { acknowledged: block.acknowledged, problem };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#drop();
  }

  /** @returns the problem that ended the block; null if all messages are stored */
  async #send(block: NatsBlock, ended: AbortSignal): Promise<string | null> {
    if (block.messages.length === 0) return null;
    const session = await this.#open(block, ended);
    let mayCreate = this.#options.target.create;
    while (block.acknowledged < block.messages.length) {
      const before = block.acknowledged;
      const refusal = await block.send(session, this.#streams, this.#inFlight);
      ended.throwIfAborted();
      if (refusal === null) {
        this.#inFlight = Math.min(MAX_IN_FLIGHT, this.#inFlight * 2);
      } else if (refusal.kind === 'out of order') {
        this.#inFlight = Math.max(1, block.acknowledged - before);
      } else if (refusal.kind === 'no stream') {
        const subject = block.messages[block.acknowledged]?.destination ?? '';
        if (this.#streams.remove(subject)) continue;
        if (!mayCreate) return describeMissingStream(this.#options.target, subject);
        await createStream(session, this.#options.target, subject);
        mayCreate = false;
      } else {
        return refusal.reason;
      }
    }
    return null;
  }

  /** @throws {Error} where the server is away, or the stream is missing */
  async #open(block: NatsBlock, ended: AbortSignal): Promise<NatsSession> {
    if (this.#session?.isOpen === true) return this.#session;
    this.#drop();
    const { target, timeout } = this.#options;
    const files = await readConnectionFiles(target);
    const session = await connectNats({ library: this.#library, target, files, timeout });
    if (ended.aborted || this.#isClosed) {
      session.close();
      throw new Error('the relay is closed');
    }
    this.#session = session;
    await this.#inspect(session, block);
    return session;
  }

  /** Finds the stream, and the messages that it has: another process, or a lost connection, may have sent them. */
  async #inspect(session: NatsSession, block: NatsBlock): Promise<void> {
    const { target } = this.#options;
    const subject = block.messages[0]?.destination ?? '';
    const state = await readStream(session, target.stream, subject);
    if (state === 'unknown') return;
    if (state !== 'missing') {
      // Without a name, only this subject is known to be in the stream.
      if (state.id !== null) block.storeUpTo(state.id, target.stream === null ? subject : null);
      return;
    }
    if (!target.create) throw new Error(describeMissingStream(target, subject));
    await createStream(session, target, subject);
  }

  #drop(): void {
    this.#session?.close();
    this.#session = null;
  }
}
