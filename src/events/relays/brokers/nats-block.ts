import { sequenceText } from '../../../conventions/events/event.ts';
import type { RelayMessage } from '../broker.ts';
import { describeFailure } from './connection-settings.ts';
import type { NatsSession, StoreRefusal, StoreReply } from './nats-session.ts';

/** Subjects whose streams are remembered: a template may have a subject for each tenant. */
const MAX_SUBJECTS = 10_000;

/** The streams that store subjects, as acknowledgements name them. */
export class SubjectStreams {
  readonly #only: string | null;
  readonly #streams = new Map<string, string>();

  /** @param only the stream that stores all subjects; null where it is not known */
  constructor(only: string | null) {
    this.#only = only;
  }

  find(subject: string): string | null {
    return this.#only ?? this.#streams.get(subject) ?? null;
  }

  set(subject: string, stream: string): void {
    if (this.#streams.size >= MAX_SUBJECTS) this.#streams.clear();
    this.#streams.set(subject, stream);
  }

  /** @returns whether its stream was known from an acknowledgement */
  remove(subject: string): boolean {
    return this.#streams.delete(subject);
  }
}

/** The messages of a call, and which of them are stored. */
export class NatsBlock {
  /** The number of messages at the front that are stored. */
  acknowledged = 0;
  readonly messages: readonly RelayMessage[];
  readonly #stored: boolean[];

  constructor(messages: readonly RelayMessage[]) {
    this.messages = messages;
    this.#stored = messages.map(() => false);
  }

  /**
   * Notes that the messages up to one are stored.
   *
   * @param id that of the message; another one is ignored
   * @param subject only if all have this one; null for any
   */
  storeUpTo(id: string, subject: string | null): void {
    const last = this.messages.findIndex((each) => each.id === id);
    const known = this.messages.slice(0, last + 1);
    if (subject !== null && known.some(({ destination }) => destination !== subject)) return;
    this.#stored.fill(true, 0, known.length);
    this.#advance();
  }

  /**
   * Sends messages from the first that is not stored, at most so many. Each names the message that has to precede it
   * in its stream, but for the first: those before it are stored. So none is stored before one that precedes it, even
   * if this call is delayed while another process sends.
   *
   * The stream of a new subject is unknown: its first message is sent alone.
   *
   * @returns the reply to the first message that is not stored; null if all that were sent are
   */
  async send(session: NatsSession, streams: SubjectStreams, length: number): Promise<StoreRefusal | null> {
    const replies = new Map<number, Promise<StoreReply>>();
    const previous = new Map<string, string>();
    const first = this.acknowledged;
    for (const [offset, message] of this.messages.slice(first, first + length).entries()) {
      const stream = streams.find(message.destination);
      if (stream === null && offset > 0) break;
      if (this.#stored[first + offset] === true) continue;
      const before = stream === null ? null : (previous.get(stream) ?? null);
      replies.set(first + offset, sendMessage(session, message, { stream, before }));
      if (stream === null) break;
      previous.set(stream, message.id);
    }
    let refusal: StoreRefusal | null = null;
    for (const [index, reply] of replies) {
      const settled = await reply;
      if (settled.kind !== 'stored') {
        refusal ??= settled;
        continue;
      }
      this.#stored[index] = true;
      this.#advance();
      const subject = this.messages[index]?.destination;
      if (subject !== undefined && streams.find(subject) === null) streams.set(subject, settled.stream);
    }
    return refusal;
  }

  #advance(): void {
    while (this.#stored[this.acknowledged] === true) this.acknowledged += 1;
  }
}

/** The place of a message in its stream. */
interface ChainLink {
  readonly stream: string | null;
  /** The id of the message that has to be the last of the stream. */
  readonly before: string | null;
}

function sendMessage(session: NatsSession, message: RelayMessage, { stream, before }: ChainLink): Promise<StoreReply> {
  const { promise, resolve } = Promise.withResolvers<StoreReply>();
  const headers: (readonly [string, string])[] = [
    ['Nats-Msg-Id', message.id],
    ['Content-Type', message.contentType],
    ['type', message.type],
    ['sequence', sequenceText(message.sequence)],
  ];
  if (message.traceparent !== '') headers.push(['traceparent', message.traceparent]);
  if (stream !== null) headers.push(['Nats-Expected-Stream', stream]);
  if (before !== null) headers.push(['Nats-Expected-Last-Msg-Id', before]);
  try {
    session.send({ subject: message.destination, headers, body: message.body }, resolve);
  } catch (error) {
    resolve({ kind: 'refused', reason: `event ${message.id} cannot be sent: ${describeFailure(error)}` });
  }
  return promise;
}
