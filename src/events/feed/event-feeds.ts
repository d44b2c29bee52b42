import type { TokenVerifier } from '../../auth/token-verifier.ts';
import { apiError } from '../../conventions/errors.ts';
import type { Limits } from '../../model/model.ts';
import type { Observe } from '../../observe/observation.ts';
import type { BodyStream } from '../../exchange/handler.ts';
import { positionExpired } from '../../operations/read/event-log.ts';
import { type FeedRequest, type Feeds, unknownPosition } from '../../operations/read/feed.ts';
import type { EventLog } from '../../stores/store.ts';
import { StoreReports } from '../store-reports.ts';
import { EventTail } from './event-tail.ts';
import { FeedReader } from './feed-reader.ts';

/**
 * Milliseconds between two sweeps of the readers: one may have left, be due for a heartbeat, or have a token that is no
 * longer valid.
 */
const SWEEP = 1_000;
/** Sweeps after which the tokens of readers are verified again. */
const SWEEPS_PER_CHECK = 5;

export interface EventFeedsOptions {
  readonly log: Pick<EventLog, 'list' | 'range' | 'lastSequence'>;
  readonly limits: Limits['feeds'];
  /** null for a model without `auth`. */
  readonly tokens: TokenVerifier | null;
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
  readonly observe: Observe;
}

/** The readers of the feed in this process (EVT-8). Without readers it costs nothing. */
export class EventFeeds implements Feeds {
  readonly #options: EventFeedsOptions;
  readonly #tail: EventTail;
  readonly #reports: StoreReports;
  readonly #readers = new Set<FeedReader>();
  /** Feeds by the name of their reader, including those that are being opened. */
  readonly #counts = new Map<string, number>();
  #total = 0;
  #sweeps = 0;
  #timer: NodeJS.Timeout | null = null;
  #isEnded = false;

  constructor(options: EventFeedsOptions) {
    this.#options = options;
    this.#reports = new StoreReports(options.observe);
    this.#tail = new EventTail({
      ...options,
      onEvents: async (slices) => {
        for (const reader of this.#readers) {
          await slices.next();
          reader.wake();
        }
      },
    });
  }

  /** The number of open feeds. */
  get size(): number {
    return this.#readers.size;
  }

  async open(request: FeedRequest): Promise<BodyStream> {
    if (this.#isEnded) throw apiError('SERVER_UNAVAILABLE', 'The server is shutting down; connect again.');
    this.#count(request.reader);
    try {
      const position = await this.#positionOf(request);
      return this.#add(request, position);
    } catch (error) {
      this.#release(request.reader);
      throw error;
    }
  }

  /** Announces that there may be new events. Cheap to call often. */
  wake(): void {
    this.#tail.wake();
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    for (const reader of this.#readers) reader.end();
    await this.#tail.stop();
  }

  #add(request: FeedRequest, position: number): FeedReader {
    if (this.#isEnded) throw apiError('SERVER_UNAVAILABLE', 'The server is shutting down; connect again.');
    const { log, elapsed } = this.#options;
    const onEnd = (ended: FeedReader): void => this.#remove(ended);
    const reader = new FeedReader({ request, position, tail: this.#tail, log, elapsed, onEnd });
    this.#readers.add(reader);
    this.#timer ??= setInterval(() => this.sweep(), SWEEP).unref();
    return reader;
  }

  #remove(reader: FeedReader): void {
    if (!this.#readers.delete(reader)) return;
    this.#release(reader.request.reader);
    if (this.#readers.size > 0) return;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Counts a feed. @throws {ApiError} RATE_LIMIT_EXCEEDED, SERVER_OVERLOADED */
  #count(name: string): void {
    const { perCaller, total } = this.#options.limits;
    if ((this.#counts.get(name) ?? 0) >= perCaller || this.#total >= total) this.#endLost();
    const own = this.#counts.get(name) ?? 0;
    const headers = { 'Retry-After': '5' };
    if (own >= perCaller) {
      const message = `At most ${perCaller} feeds may be open at a time; close one, or follow several types with one.`;
      throw apiError('RATE_LIMIT_EXCEEDED', message, { headers });
    }
    if (this.#total >= total) {
      throw apiError('SERVER_OVERLOADED', 'Too many feeds are open; connect again later.', { headers });
    }
    this.#counts.set(name, own + 1);
    this.#total += 1;
  }

  /** Ends the feeds of clients that have left, which is otherwise noticed within a second. */
  #endLost(): void {
    for (const reader of this.#readers) if (hasLeft(reader)) reader.end();
  }

  #release(name: string): void {
    const own = (this.#counts.get(name) ?? 1) - 1;
    if (own > 0) this.#counts.set(name, own);
    else this.#counts.delete(name);
    this.#total -= 1;
    if (this.#total === 0) this.#tail.leave();
  }

  /** @throws {ApiError} REQUEST_HEADER_INVALID, EVENT_POSITION_EXPIRED */
  async #positionOf({ after }: FeedRequest): Promise<number> {
    const last = await this.#tail.follow();
    if (after === null) return last;
    const { removed } = await this.#options.log.range();
    if (after < removed) throw positionExpired();
    if (after > last) throw unknownPosition('is after the last event');
    return after;
  }

  /** Checks every reader. */
  sweep(): void {
    this.#sweeps += 1;
    const isCheck = this.#sweeps % SWEEPS_PER_CHECK === 0;
    for (const reader of this.#readers) {
      if (hasLeft(reader)) reader.end();
      else reader.beat();
      if (isCheck) this.#verify(reader);
    }
  }

  /** Ends a feed whose token is no longer valid. If the keys cannot be read now, it does not end. */
  #verify(reader: FeedReader): void {
    const { token } = reader.request;
    const { tokens } = this.#options;
    if (token === null || tokens === null) return;
    const judge = async (): Promise<void> => {
      const { kind } = await tokens.verify(token);
      if (kind === 'expired') reader.fail(apiError('AUTH_TOKEN_EXPIRED', 'The token has expired; get a new one.'));
      if (kind === 'invalid')
        reader.fail(apiError('AUTH_TOKEN_INVALID', 'The token is no longer valid; get another one.'));
    };
    judge().catch((error: unknown) => this.#reports.failed(error));
  }
}

/**
 * True if the connection of a reader has ended, or its client has closed its side. A half-closed client would wait
 * forever for the end of the response.
 */
function hasLeft({ request: { client } }: FeedReader): boolean {
  return client?.destroyed === true || client?.readableEnded === true;
}
