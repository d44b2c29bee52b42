import type { EventEnvelope } from '../../conventions/events/event.ts';
import type { WebhookResources } from '../../model/webhook-settings.ts';
import { PING } from '../../model/compile/settings/webhook-hooks.ts';
import type { Observe } from '../../observe/observation.ts';
import { readString } from '../../model/values/access.ts';
import type { Row } from '../../plan/plan.ts';
import type { Clock } from '../../platform/clock.ts';
import { settlesWithin } from '../../platform/timeout.ts';
import type { Store } from '../../stores/store.ts';
import type { JudgedEvent } from '../../operations/read/event-view.ts';
import { StoreReports } from '../store-reports.ts';
import { type DeliveryRows, MAX_DELETED, withAttempt } from './delivery-rows.ts';
import type { EndpointTable, Replay } from './endpoint-table.ts';
import { type AttemptOptions, attemptWebhook } from './webhook-attempt.ts';
import { endedWithKey, type EndedKeys } from './ended-keys.ts';
import type { WebhookEndpoint } from './webhook-endpoint.ts';
import { PendingRequests } from './pending-requests.ts';
import type { SubscriptionStarts } from './subscription-starts.ts';
import { replayStart } from './webhook-subscriber.ts';

export interface WebhookRequestsOptions {
  readonly names: WebhookResources;
  readonly table: EndpointTable;
  readonly rows: DeliveryRows;
  readonly attempt: AttemptOptions;
  /** Finds the event with a sequence; null if it is no longer in the log. */
  readonly find: (sequence: number) => Promise<JudgedEvent | null>;
  /** Makes the ping of a webhook. */
  readonly ping: (delivery: Row) => EventEnvelope;
  readonly starts: SubscriptionStarts;
  /** The API keys that have ended, and the webhooks that end with them; null if the model has no API keys. */
  readonly keys: Pick<EndedKeys, 'disable' | 'find'> | null;
  /** Milliseconds for which events and unsuccessful deliveries are stored. */
  readonly retention: number;
  /** Milliseconds for which successful deliveries are listed. */
  readonly keepDeliveries: number;
  readonly store: Pick<Store, 'deliveries' | 'events'>;
  readonly observe: Observe;
}

/** Milliseconds between two checks for old deliveries. */
const CLEANING_INTERVAL = 60_000;

/** Makes the deliveries that callers have requested: an event again, or a ping. Each is attempted once (EVT-4). */
export class WebhookRequests {
  readonly #options: WebhookRequestsOptions;
  readonly #reports: StoreReports;
  readonly #pending: PendingRequests;
  #cleanedAt = Number.NEGATIVE_INFINITY;

  constructor(options: WebhookRequestsOptions) {
    this.#options = options;
    this.#reports = new StoreReports(options.observe);
    const { elapsed } = options.attempt;
    const onError = (error: unknown): void => this.#reports.failed(error);
    this.#pending = new PendingRequests({ ...options, elapsed, deliver: (row) => this.#deliver(row), onError });
  }

  /** Starts the requested deliveries. Never rejects. */
  async run(): Promise<void> {
    const { table, keys } = this.#options;
    try {
      await keys?.disable();
      await this.#pending.run();
      await this.#deleteOld();
      const { found } = await table.replays();
      for (const replay of found)
        if ((await this.#hasEnded(replay)) || (await this.#isDelivered(replay))) await this.#finish(replay);
      this.#reports.succeeded();
    } catch (error) {
      this.#reports.failed(error);
    }
  }

  /** Starts no more deliveries, and resolves when nothing is in flight. */
  stop(): Promise<void> {
    return this.#pending.stop();
  }

  /** Deletes deliveries that are too old, in small steps. */
  async #deleteOld(): Promise<void> {
    const { attempt, rows, store, retention, keepDeliveries } = this.#options;
    const now = attempt.now();
    if (Math.abs(now - this.#cleanedAt) < CLEANING_INTERVAL) return;
    const { removed, since } = await store.events.range();
    // A delivery is listed after its event was written.
    const ofRemoved = Math.max(now - retention, removed === 0 ? 0 : (since ?? 0));
    let isDone = true;
    for (const [status, before] of [
      ['succeeded', now - keepDeliveries],
      ['dead', ofRemoved],
      ['retrying', ofRemoved],
    ] as const)
      isDone = (await rows.deleteOlder(status, before)) < MAX_DELETED && isDone;
    // The next run continues if there are more.
    if (isDone) this.#cleanedAt = now;
  }

  /** True if the webhook of a replay has ended with its API key. */
  async #hasEnded({ webhook }: Replay): Promise<boolean> {
    const { keys, names, table } = this.#options;
    if (keys === null) return false;
    const row = await table.rows.item({ resource: names.webhooks, id: webhook, within: [] });
    return row !== null && endedWithKey(row);
  }

  /** True if all events of a replay have been delivered or abandoned. */
  async #isDelivered(replay: Replay): Promise<boolean> {
    const { starts, store } = this.#options;
    const start = replayStart(replay);
    if (!(await starts.isStarted(start))) return false;
    const [position] = await store.deliveries.positions([start.name]);
    // Without a position of its own, it has reached the end of the log.
    if (position !== undefined && (position.sequence ?? replay.last) < replay.last) return false;
    const open = await store.deliveries.list({ endpoint: start.name, states: ['waiting', 'held'], limit: 1 });
    return open.length === 0;
  }

  async #finish(replay: Replay): Promise<void> {
    const { rows, names, starts } = this.#options;
    await rows.changeBelow(names.replays, replay.row, { status: 'finished' });
    await starts.end([replayStart(replay).name]);
  }

  /** Finds a webhook; null if it cannot be called, or has ended with its API key. */
  async #usable(id: string): Promise<WebhookEndpoint | null> {
    const { table, keys } = this.#options;
    const endpoint = await table.endpoint(id);
    const key = endpoint?.keyId ?? null;
    const end = key === null ? null : await keys?.find(key);
    return (end ?? null) === null ? endpoint : null;
  }

  /** @returns its success */
  async #deliver(row: Row): Promise<boolean> {
    const { rows, names, attempt, ping, find } = this.#options;
    const endpoint = await this.#usable(readString(row['webhook_id']) ?? '');
    const logged = row['type'] === PING ? null : await find(Number(row['sequence']));
    const seen = endpoint === null || logged === null ? null : endpoint.see(logged);
    const event = row['type'] === PING ? ping(row) : seen;
    if (endpoint === null || event === null) {
      const error =
        endpoint === null ? 'The webhook cannot be used now.' : 'The event is not in the log, or not for this webhook.';
      const listed = { at: attempt.now(), duration: 0, statusCode: null, response: null, error };
      await rows.changeBelow(names.deliveries, row, { status: 'dead', attempts: withAttempt(null, listed) });
      return true;
    }
    const { listed, verdict } = await attemptWebhook(endpoint, event, attempt);
    const status = verdict.kind === 'succeeded' ? 'succeeded' : 'dead';
    await rows.changeBelow(names.deliveries, row, { status, attempts: withAttempt(null, listed) });
    return status === 'succeeded';
  }
}

/** Runs requests when something was committed, and regularly for what other processes have committed. */
export class RequestLoop {
  readonly #requests: Pick<WebhookRequests, 'run' | 'stop'>;
  readonly #clock: Clock;
  readonly #timer: ReturnType<typeof setInterval>;
  #lastRun = 0;
  #stopped = false;
  #running: Promise<void> | null = null;

  constructor(requests: Pick<WebhookRequests, 'run' | 'stop'>, clock: Clock) {
    this.#requests = requests;
    this.#clock = clock;
    this.#timer = setInterval(() => this.#run(), INTERVAL).unref();
  }

  /** Announces that something was committed. Cheap to call often. */
  wake(): void {
    if (Math.abs(this.#clock.now() - this.#lastRun) >= MIN_INTERVAL) this.#run();
  }

  /** Starts no more deliveries, and waits for those in flight. @param timeout milliseconds at most */
  async stop(timeout = STOP_TIMEOUT): Promise<void> {
    clearInterval(this.#timer);
    this.#stopped = true;
    await settlesWithin(this.#end(), timeout);
  }

  async #end(): Promise<void> {
    await this.#running;
    await this.#requests.stop();
  }

  #run(): void {
    if (this.#running !== null || this.#stopped) return;
    this.#lastRun = this.#clock.now();
    this.#running = this.#requests.run().finally(() => (this.#running = null));
  }
}

/** Milliseconds between two regular runs, and the minimum between two runs after commits. */
const INTERVAL = 500;
const MIN_INTERVAL = 100;
/** Milliseconds that `stop` waits by default. */
const STOP_TIMEOUT = 30_000;
