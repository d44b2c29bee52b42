import type { EventLog, LoggedEvent } from '../stores/store.ts';
import type { DeliveryPool } from './delivery-pool.ts';
import type { Endpoint } from './endpoint.ts';
import type { Endpoints } from './endpoints.ts';
import type { ProgressStore } from './progress-store.ts';

/** Events that are read from the log at a time, also for a subscription that reads by itself. */
const PAGE = 256;
const OWN_PAGE = 128;
/** Subscriptions that read by themselves in one run, so that new events are read in between. */
const MAX_BEHIND = 32;
/** Events whose types alone are read at a time. */
const MAX_SKIPPED = 1_024;
/**
 * After a process ended with attempts in flight, this many deliveries after the position of a subscription are stored
 * before they are attempted. One of them may have ended the process.
 */
const SUSPECTS = 1_000;

interface LogScanOptions {
  readonly events: Pick<EventLog, 'list' | 'types' | 'lastSequence'>;
  readonly endpoints: Endpoints;
  readonly progress: ProgressStore;
  readonly pool: Pick<DeliveryPool, 'add' | 'postpone'>;
  /** Called after each step, so that attempts can start. @returns false to stop */
  readonly onStep: () => boolean;
}

/** Reads the log for the subscriptions of a reader, and offers each event to those that want it. */
export class LogScan {
  readonly #options: LogScanOptions;
  /** The position of the reader when this process began to deliver. */
  #startedAt = 0;
  /** Deliveries up to this sequence may be stored before their first attempt: see {@link SUSPECTS}. */
  #suspectUntil = 0;

  constructor(options: LogScanOptions) {
    this.#options = options;
  }

  /** Begins to deliver in this process. @param isClean true if no process has ended with attempts in flight */
  async begin(position: number, isClean: boolean): Promise<void> {
    this.#startedAt = position;
    this.#suspectUntil = isClean ? 0 : await this.#options.events.lastSequence();
  }

  /**
   * Offers the new events to the subscriptions that follow the reader. If none wants any of them, only their types are
   * read.
   *
   * @param last the last event to read: the subscriptions are at least as new
   */
  async readNew(last: number): Promise<void> {
    const { events, endpoints, progress, onStep } = this.#options;
    for (;;) {
      const after = progress.sequence;
      const until = Math.min(last, after + MAX_SKIPPED);
      if (until <= after) return;
      const isWanted = endpoints.wants(await events.types(after, until));
      const page = isWanted ? await events.list({ after, until, limit: PAGE }) : [];
      for (const event of page) {
        for (const endpoint of endpoints.match(event.type)) this.#offerNew(endpoint, event);
        progress.sequence = event.sequence;
      }
      if (page.length < PAGE) progress.sequence = until;
      if (!onStep()) return;
      // Deliveries within the process end meanwhile.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Reads on for the endpoints that do not follow. @returns true if any of them has more to read, and room for it */
  async readBehind(): Promise<boolean> {
    const hungry = [...this.#options.endpoints].filter((endpoint) => !endpoint.isFollowing && endpoint.hasRoom);
    let isBehind = hungry.length > MAX_BEHIND;
    for (const endpoint of hungry.slice(0, MAX_BEHIND)) isBehind = (await this.#readOn(endpoint)) || isBehind;
    return isBehind;
  }

  #offerNew(endpoint: Endpoint, event: LoggedEvent): void {
    if (!endpoint.isFollowing || event.sequence <= endpoint.offered || this.#offer(endpoint, event)) return;
    endpoint.isFollowing = false;
    endpoint.offered = event.sequence - 1;
  }

  /** Offers an event to an endpoint. @returns false if it is full */
  #offer(endpoint: Endpoint, event: LoggedEvent): boolean {
    if (!endpoint.wants(event)) return true;
    const { sequence } = event;
    const isSuspect = sequence <= this.#suspectUntil && sequence <= (endpoint.start ?? this.#startedAt) + SUSPECTS;
    const offered = isSuspect ? 'held' : endpoint.offer(event);
    const { pool } = this.#options;
    if (offered === 'held') pool.postpone(endpoint, event);
    if (offered === 'queued') pool.add(endpoint);
    return offered !== 'full';
  }

  async #readOn(endpoint: Endpoint): Promise<boolean> {
    const { events, progress } = this.#options;
    const { sequence } = progress;
    const page = await events.list({ after: endpoint.offered, limit: OWN_PAGE });
    progress.touch();
    for (const event of page) {
      if (event.sequence > sequence) break;
      if (endpoint.matches(event.type) && !this.#offer(endpoint, event)) return false;
      endpoint.offered = event.sequence;
    }
    const isBehind = page.length === OWN_PAGE && page.every((event) => event.sequence < sequence);
    if (!isBehind) endpoint.isFollowing = true;
    return isBehind;
  }
}
