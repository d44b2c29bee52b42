import { apiError } from '../../conventions/errors.ts';
import { sequenceText } from '../../conventions/events/event.ts';
import { streamError, streamEvent, streamHeartbeat, streamStart } from '../../conventions/events/event-stream.ts';
import { writeOrderedJson } from '../../formats/json.ts';
import type { BodyStream } from '../../exchange/handler.ts';
import { positionExpired } from '../../operations/read/event-log.ts';
import type { FeedRequest } from '../../operations/read/feed.ts';
import { TimeSlices } from '../../platform/time-slices.ts';
import type { EventLog } from '../../stores/store.ts';
import { type EventTail, type TailEvent, tailEvent } from './event-tail.ts';

/** Maximum characters of events that are sent at a time; a single event may have more. */
const MAX_CHUNK = 65_536;
/** Events that a reader that is behind reads from the log at a time. */
const PAGE = 64;
/** Events that may be logged while a reader takes nothing. */
const MAX_LAG = 10_000;
/** Milliseconds after which a reader without events gets a heartbeat. */
const HEARTBEAT = 15_000;

export interface FeedReaderOptions {
  readonly request: FeedRequest;
  /** The sequence after which its events begin. */
  readonly position: number;
  readonly tail: EventTail;
  readonly log: Pick<EventLog, 'list' | 'range'>;
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
  readonly onEnd: (reader: FeedReader) => void;
}

/**
 * One reader of the feed (EVT-8). Its events are serialized when it takes them, so that a slow reader has no queue: it
 * falls behind and reads the log itself. It gets an error if more than 10,000 events are logged while it takes nothing.
 */
export class FeedReader implements BodyStream, AsyncIterator<string, undefined> {
  readonly request: FeedRequest;
  readonly #options: FeedReaderOptions;
  #position: number;
  /** The end of the tail beyond which it is too slow. */
  #patience = Number.POSITIVE_INFINITY;
  #sentAt: number;
  #isStarted = false;
  #isDue = false;
  #isEnded = false;
  #failure: unknown = null;
  #resume: (() => void) | null = null;

  constructor(options: FeedReaderOptions) {
    this.request = options.request;
    this.#options = options;
    this.#position = options.position;
    this.#sentAt = options.elapsed();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<string, undefined>> {
    const text = await this.#next();
    if (text === null) return { done: true, value: undefined };
    this.#sentAt = this.#options.elapsed();
    this.#patience = this.#options.tail.last + MAX_LAG;
    return { done: false, value: text };
  }

  /** Ends the feed, because the client has left. */
  return(): Promise<IteratorResult<string, undefined>> {
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  /** Announces that there may be events for it. */
  wake(): void {
    const resume = this.#resume;
    this.#resume = null;
    resume?.();
  }

  /** Sends a heartbeat if one is due. */
  beat(): void {
    if (this.#resume === null || this.#options.elapsed() - this.#sentAt < HEARTBEAT) return;
    this.#isDue = true;
    this.wake();
  }

  /** Ends with an error event. */
  fail(error: unknown): void {
    this.#failure ??= error;
    this.wake();
  }

  /** Ends without an error event. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#options.onEnd(this);
    this.wake();
  }

  /** Returns the next part of the stream; null at its end. */
  async #next(): Promise<string | null> {
    if (this.#isEnded) return null;
    if (!this.#isStarted) {
      this.#isStarted = true;
      return streamStart(sequenceText(this.#position));
    }
    try {
      return await this.#events();
    } catch (error) {
      this.end();
      return streamError(this.request.describe(error));
    }
  }

  async #events(): Promise<string | null> {
    const { tail } = this.#options;
    while (!this.#isEnded) {
      if (this.#failure !== null) throw this.#failure;
      if (tail.last > this.#patience) throw tooSlow();
      const isBehind = !tail.reaches(this.#position);
      const text = isBehind ? await this.#readLog() : this.#take(tail.after(this.#position));
      if (text !== '') return text;
      if (isBehind) continue;
      if (this.#isDue) return this.#heartbeat();
      await new Promise<void>((resolve) => (this.#resume = resolve));
    }
    return null;
  }

  #heartbeat(): string {
    this.#isDue = false;
    return streamHeartbeat(sequenceText(this.#position));
  }

  /** Writes the events that the reader sees, up to the size of one chunk. */
  #take(events: Iterable<TailEvent>): string {
    let text = '';
    for (const event of events) {
      if (text.length >= MAX_CHUNK) break;
      this.#position = event.logged.sequence;
      text += this.#textOf(event) ?? '';
    }
    if (text !== '') this.#isDue = false;
    return text;
  }

  /** Reads events that are no longer in memory. @throws {ApiError} EVENT_POSITION_EXPIRED */
  async #readLog(): Promise<string> {
    const { tail, log, request } = this.#options;
    const after = this.#position;
    const until = tail.last;
    const read = await log.list({ ...request.selection, after, until, limit: PAGE });
    if (after < (await log.range()).removed) throw positionExpired();
    const slices = new TimeSlices();
    let text = '';
    for (const logged of read) {
      if (text.length >= MAX_CHUNK) return text;
      await slices.next();
      this.#position = logged.sequence;
      text += this.#textOf(tailEvent(logged)) ?? '';
    }
    if (read.length < PAGE) this.#position = until;
    return text;
  }

  /** Writes an event; null if the reader does not see it. */
  #textOf({ logged, texts }: TailEvent): string | null {
    const { view, selects } = this.request;
    if (!selects(logged)) return null;
    const sight = view.sightOf(logged);
    if (sight === 'none') return null;
    const known = texts[sight].get(view.form);
    if (known !== undefined) return known;
    const seen = view.represent(logged, sight);
    const text = streamEvent(seen.metadata.sequence, seen.type, writeOrderedJson(seen));
    texts[sight].set(view.form, text);
    return text;
  }
}

function tooSlow(): Error {
  return apiError(
    'SERVER_OVERLOADED',
    `More than ${MAX_LAG} events were logged while this feed was not read; connect again with Last-Event-ID to continue.`,
  );
}
