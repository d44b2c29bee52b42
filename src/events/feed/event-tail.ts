import type { Observe } from '../../observe/observation.ts';
import type { EventSight } from '../../operations/read/event-view.ts';
import { TimeSlices } from '../../platform/time-slices.ts';
import type { EventLog, LoggedEvent } from '../../stores/store.ts';
import { StoreReports } from '../store-reports.ts';
import { Wakeups } from '../wakeups.ts';

/** Events that are read from the log at a time. */
const PAGE = 256;
/** Milliseconds between two checks of the end of the log, which other processes may have written to. */
const CHECK_INTERVAL = 50;
/** Milliseconds before the log is read again after a failure. */
const RETRY_DELAY = 1_000;
/** Maximum number of events in memory, and of their characters. */
const MAX_EVENTS = 1_024;
const MAX_CHARACTERS = 4 * 1_048_576;

/** An event at the end of the log. */
export interface TailEvent {
  readonly logged: LoggedEvent;
  /** Its serialized forms, by variant, each made once for all readers who see the same parts of it. */
  readonly texts: Readonly<Record<EventSight, Map<object, string>>>;
}

export function tailEvent(logged: LoggedEvent): TailEvent {
  return { logged, texts: { row: new Map(), left: new Map() } };
}

export interface EventTailOptions {
  readonly log: Pick<EventLog, 'list' | 'lastSequence'>;
  /** Called after events were added. */
  readonly onEvents: (slices: TimeSlices) => Promise<void>;
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
  readonly observe: Observe;
}

/**
 * The end of the log, read once for all readers of the process (EVT-8). The newest events are in memory. A reader that
 * is further behind reads the log itself. Without readers nothing is read.
 */
export class EventTail {
  readonly #options: EventTailOptions;
  readonly #wakeups: Wakeups;
  readonly #reports: StoreReports;
  #events: TailEvent[] = [];
  #characters = 0;
  /** Every later event up to `last` is in memory. */
  #start = 0;
  #last = 0;
  #isFollowed = false;

  constructor(options: EventTailOptions) {
    this.#options = options;
    this.#reports = new StoreReports(options.observe);
    this.#wakeups = new Wakeups(() => this.#run(), options.elapsed);
  }

  /** The sequence of the last event that was read. */
  get last(): number {
    return this.#last;
  }

  /** Begins to follow the log, at its first reader. @returns the sequence of its last event now */
  async follow(): Promise<number> {
    const last = await this.#options.log.lastSequence();
    if (!this.#isFollowed) {
      this.#isFollowed = true;
      [this.#start, this.#last] = [last, last];
      this.#wakeups.in(CHECK_INTERVAL);
    }
    return last;
  }

  /** Stops following the log, because the last reader has left. */
  leave(): void {
    this.#isFollowed = false;
    this.#events = [];
    this.#characters = 0;
  }

  /** Announces that there may be new events. Cheap to call often. */
  wake(): void {
    if (this.#isFollowed) this.#wakeups.now();
  }

  /** Stops reading. */
  async stop(): Promise<void> {
    this.leave();
    await this.#wakeups.stop();
  }

  /** True if all events after a sequence are in memory. */
  reaches(sequence: number): boolean {
    return sequence >= this.#start;
  }

  /** Yields the events after a sequence that the tail {@link reaches}. */
  *after(sequence: number): Generator<TailEvent, void> {
    const events = this.#events;
    let [low, high] = [0, events.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((events[middle]?.logged.sequence ?? 0) > sequence) high = middle;
      else low = middle + 1;
    }
    for (let at = low; at < events.length; at += 1) {
      const event = events[at];
      if (event !== undefined) yield event;
    }
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    try {
      const slices = new TimeSlices();
      while (this.#isFollowed) {
        const read = await this.#options.log.list({ after: this.#last, limit: PAGE });
        this.#add(read);
        if (read.length > 0) await this.#options.onEvents(slices);
        if (read.length < PAGE) break;
      }
      this.#reports.succeeded();
      if (this.#isFollowed) this.#wakeups.in(CHECK_INTERVAL);
    } catch (error) {
      this.#reports.failed(error);
      this.#wakeups.in(RETRY_DELAY);
    }
  }

  #add(read: readonly LoggedEvent[]): void {
    if (!this.#isFollowed) return;
    for (const logged of read) {
      this.#events.push(tailEvent(logged));
      this.#characters += logged.json.length;
      this.#last = logged.sequence;
    }
    let count = 0;
    while (this.#events.length - count > MAX_EVENTS || this.#characters > MAX_CHARACTERS) {
      const { logged } = this.#events[count] ?? {};
      if (logged === undefined) break;
      this.#characters -= logged.json.length;
      this.#start = logged.sequence;
      count += 1;
    }
    // A reader goes on iterating over the array with which it began.
    if (count > 0) this.#events = this.#events.slice(count);
  }
}
