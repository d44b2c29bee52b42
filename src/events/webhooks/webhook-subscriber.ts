import type { KeyEnds } from './key-ends.ts';
import { timestamp } from '../../conventions/text/timestamp.ts';
import type { Json, JsonObject } from '../../conventions/json/json.ts';
import type { EventEnvelope } from '../../conventions/events/event.ts';
import type { WebhookSettings } from '../../model/webhook-settings.ts';
import type { Observe } from '../../observe/observation.ts';
import type { AttemptResult, Delivery, Subscriber, Subscription } from '../subscriber.ts';
import { type DeliveryRows, withAttempt } from './delivery-rows.ts';
import { StoreReports } from '../store-reports.ts';
import type { EndpointTable, Replay } from './endpoint-table.ts';
import type { StartedSubscription, SubscriptionStarts } from './subscription-starts.ts';
import { type AttemptOptions, attemptWebhook, type WebhookAttempt } from './webhook-attempt.ts';
import type { WebhookEndpoint } from './webhook-endpoint.ts';

export interface WebhookSubscriberOptions {
  readonly settings: WebhookSettings;
  readonly table: EndpointTable;
  readonly rows: DeliveryRows;
  readonly attempt: AttemptOptions;
  readonly starts: SubscriptionStarts;
  readonly observe: Observe;
  /** The API keys that have ended; null if the model has none. */
  readonly keys: Pick<KeyEnds, 'find'> | null;
}

/** Milliseconds of failures after which a webhook is disabled (EVT-6). */
const MAX_FAILING = 120 * 60 * 60_000;
/** Milliseconds by which the dispatcher waits longer than the sender, which knows the reason for a missing response. */
const MARGIN = 1_000;
/** Concurrent deliveries to one webhook. */
const CONCURRENCY = 4;
/** Deliveries per second to a webhook that was failing, until it has caught up. */
const DRAIN_RATE = 50;
/** Deliveries per second while writes need all of the process's time. They then take less than a tenth of it. */
const BUSY_RATE = 200;
/** Milliseconds that a failed delivery may wait for other writes, to share their transaction. */
const MAX_DELAY = 20;

const PREFIX = 'webhook:';

/** Names the subscription of a webhook, or of one of its replays. */
export function subscriptionName(webhook: string, replay: string | null): string {
  return replay === null ? `${PREFIX}${webhook}` : `${PREFIX}${webhook}:${replay}`;
}

function parseSubscriptionName(name: string): { readonly webhook: string; readonly replay: string | null } {
  const [webhook = '', replay] = name.slice(PREFIX.length).split(':');
  return { webhook, replay: replay ?? null };
}

/** Delivers events to webhooks (EVT-4 to EVT-7). */
export class WebhookSubscriber implements Subscriber {
  readonly name = 'webhooks';
  readonly concurrency = CONCURRENCY;
  readonly drainRate = DRAIN_RATE;
  readonly busyRate = BUSY_RATE;
  readonly isRemovable = true;
  readonly timeout: number;
  readonly schedule: readonly number[];
  readonly #options: WebhookSubscriberOptions;
  /** Enabled webhooks, by id. */
  readonly #endpoints = new Map<string, WebhookEndpoint>();
  /** By name. */
  readonly #subscriptions = new Map<string, Subscription>();
  /** The time since which each webhook fails, by its id; null if its last attempt succeeded. */
  readonly #failingSince = new Map<string, number | null>();
  readonly #stopped = new Set<string>();
  /** Names of the subscriptions of removed webhooks and replays that may still have stored state. */
  readonly #ended = new Set<string>();
  /** Subscriptions that may not have started, by name. */
  readonly #unstarted = new Map<string, StartedSubscription>();
  readonly #reports: StoreReports;
  #replays: readonly Replay[] = [];
  #reading: Promise<unknown> = Promise.resolve();
  #stamps = '';
  #stamp = 0;

  constructor(options: WebhookSubscriberOptions) {
    this.#options = options;
    this.#reports = new StoreReports(options.observe);
    const { retry, timeout } = options.settings;
    this.schedule = retry;
    this.timeout = timeout + MARGIN;
  }

  /** Returns a number that changes whenever webhooks, their secrets or their replays change, in any process. */
  async stamp(): Promise<number> {
    const { table, settings } = this.#options;
    const { webhooks, secrets, replays } = settings.resources;
    const stamps = await table.rows.resourceStamps([webhooks, secrets, replays]);
    const seen = stamps.join();
    if (seen !== this.#stamps) this.#stamp += 1;
    this.#stamps = seen;
    return this.#stamp;
  }

  /** Reads one after another, because the reader of events and their removal both call it. */
  subscriptions(): Promise<readonly Subscription[]> {
    const read = this.#reading.then(() => this.#read());
    this.#reading = read.catch(() => undefined);
    return read;
  }

  async deliver({ subscription, event, isStored }: Delivery): Promise<AttemptResult> {
    const { webhook, replay } = parseSubscriptionName(subscription.name);
    const endpoint = this.#endpoints.get(webhook);
    if (endpoint === undefined || this.#stopped.has(webhook)) return { kind: 'refused' };
    if (await this.#hasEnded(endpoint)) return { kind: 'refused' };
    const seen = endpoint.see(event);
    // Events that the webhook may not see, or that its filter excludes, are done.
    if (seen === null) return { kind: 'succeeded' };
    const attempted = await attemptWebhook(endpoint, seen, this.#options.attempt);
    const { verdict } = attempted;
    const record = (due: number | null): Promise<void> =>
      this.#record(endpoint, { event: seen, isStored, replay, due }, attempted);
    if (verdict.kind === 'gone') return { kind: 'refused', record };
    if (verdict.kind === 'succeeded') return { kind: 'succeeded', record };
    return { kind: 'failed', record, ...(verdict.retryAfter === null ? {} : { retryAfter: verdict.retryAfter }) };
  }

  /**
   * The list of deliveries is written before their results: no event whose delivery is missing there counts as
   * delivered after a crash.
   */
  flush(maxDelay: number): Promise<void> {
    return this.#options.rows.flush(maxDelay);
  }

  /** Reads the changes. State that cannot be stored now is stored with the next call. */
  async #read(): Promise<readonly Subscription[]> {
    const { table, starts, settings } = this.#options;
    const { set, stopped, deleted } = await table.changes();
    for (const endpoint of set) this.#set(endpoint);
    for (const id of [...stopped, ...deleted]) this.#remove(id);
    for (const id of deleted) this.#ended.add(subscriptionName(id, null));
    let replays = await table.replays();
    this.#setReplays(replays.found, new Set(set.map(({ id }) => id)));
    await starts.end([...this.#ended]);
    this.#ended.clear();
    const resource = settings.resources.replays;
    while (!(await starts.start([...this.#unstarted.values()], { resource, stamp: replays.stamp }))) {
      replays = await table.replays();
      this.#setReplays(replays.found, new Set());
    }
    this.#unstarted.clear();
    return [...this.#subscriptions.values()];
  }

  #set(endpoint: WebhookEndpoint): void {
    const { id, start, failingSince } = endpoint;
    const name = subscriptionName(id, null);
    this.#endpoints.set(id, endpoint);
    this.#failingSince.set(id, failingSince);
    this.#stopped.delete(id);
    this.#subscriptions.set(name, toSubscription(endpoint, null));
    this.#unstarted.set(name, { name, after: start });
  }

  /** Removes a webhook from memory. Its stored state remains, because it may be enabled again. */
  #remove(id: string): void {
    this.#endpoints.delete(id);
    this.#failingSince.delete(id);
    this.#stopped.delete(id);
    this.#drop(subscriptionName(id, null));
  }

  #drop(name: string): void {
    this.#subscriptions.delete(name);
    this.#unstarted.delete(name);
  }

  /** @param changed ids of webhooks that have changed */
  #setReplays(replays: readonly Replay[], changed: ReadonlySet<string>): void {
    const found = new Set(replays.map(({ id }) => id));
    for (const replay of this.#replays) {
      const { name } = replayStart(replay);
      if (!found.has(replay.id)) this.#ended.add(name);
      if (!found.has(replay.id) || !this.#endpoints.has(replay.webhook)) this.#drop(name);
    }
    for (const replay of replays) {
      const [endpoint, start] = [this.#endpoints.get(replay.webhook), replayStart(replay)];
      if (endpoint === undefined || (this.#subscriptions.has(start.name) && !changed.has(replay.webhook))) continue;
      this.#subscriptions.set(start.name, toSubscription(endpoint, replay));
      this.#unstarted.set(start.name, start);
    }
    this.#replays = replays;
  }

  /**
   * Lists the attempt, and updates the webhook. Never rejects: an event that the receiver has counts as delivered in
   * any case.
   */
  async #record(endpoint: WebhookEndpoint, made: MadeAttempt, attempted: WebhookAttempt): Promise<void> {
    try {
      await this.#list(endpoint, made, attempted);
      // The delivery is written before the webhook that it disables.
      if (attempted.verdict.kind !== 'succeeded') await this.flush(MAX_DELAY);
      await this.#follow(endpoint, attempted);
    } catch (error) {
      this.#reports.failed(error);
    }
  }

  /** Lists the attempt with its delivery. */
  async #list(endpoint: WebhookEndpoint, made: MadeAttempt, { listed, verdict }: WebhookAttempt): Promise<void> {
    const { rows, settings } = this.#options;
    const { event, isStored, replay, due } = made;
    const failed = due === null ? 'dead' : 'retrying';
    const outcome = (earlier: Json | undefined): JsonObject => ({
      status: verdict.kind === 'succeeded' ? 'succeeded' : failed,
      attempts: withAttempt(earlier, listed),
      next_attempt_at: due === null ? null : timestamp(due),
    });
    const row = isStored ? await rows.find(endpoint.id, event.id, replay) : null;
    if (row !== null) {
      await rows.changeBelow(settings.resources.deliveries, row, outcome(row['attempts']));
      return;
    }
    const { id: eventId, type, metadata } = event;
    rows.add({ webhook: endpoint.id, eventId, type, sequence: metadata.sequence, replay }, outcome(undefined));
  }

  /**
   * Disables a webhook that is gone or has failed for too long, and records the time since which it fails (EVT-5,
   * EVT-6).
   */
  async #follow({ id }: WebhookEndpoint, { verdict, listed }: WebhookAttempt): Promise<void> {
    const since = this.#failingSince.get(id) ?? null;
    if (verdict.kind === 'gone') await this.#disable(id, 'gone');
    else if (verdict.kind === 'succeeded') await this.#setFailingSince(id, null);
    else if (since === null) await this.#setFailingSince(id, listed.at);
    else if (listed.at - since >= MAX_FAILING) await this.#disable(id, 'failing');
  }

  async #setFailingSince(id: string, since: number | null): Promise<void> {
    if ((this.#failingSince.get(id) ?? null) === since) return;
    await this.#options.rows.changeWebhook(id, { failing_since: since === null ? null : timestamp(since) });
    this.#failingSince.set(id, since);
  }

  /** Disables a webhook whose API key has ended. */
  async #hasEnded({ id, keyId }: WebhookEndpoint): Promise<boolean> {
    const { keys, rows } = this.#options;
    const reason = keyId === null ? null : ((await keys?.find(keyId)) ?? null);
    if (keyId === null || reason === null) return false;
    await rows.endWebhook(id, keyId, reason);
    this.#stopped.add(id);
    return true;
  }

  async #disable(id: string, reason: 'gone' | 'failing'): Promise<void> {
    if (this.#stopped.has(id)) return;
    await this.#options.rows.changeWebhook(id, { status: 'disabled', disabled_reason: reason });
    this.#stopped.add(id);
  }
}

function toSubscription(endpoint: WebhookEndpoint, replay: Replay | null): Subscription {
  const { id, patterns, ordered, owner } = endpoint;
  return {
    name: subscriptionName(id, replay?.id ?? null),
    patterns,
    ordered,
    owner,
    accepts: (event) => endpoint.see(event) !== null,
    ...(replay === null ? { start: endpoint.start } : { until: replay.last }),
  };
}

/** Returns the position at which a replay starts. */
export function replayStart({ webhook, id, after }: Replay): StartedSubscription {
  return { name: subscriptionName(webhook, id), after };
}

/** An attempt that was made. */
interface MadeAttempt {
  readonly event: EventEnvelope;
  /** True if an earlier attempt may be listed. */
  readonly isStored: boolean;
  readonly replay: string | null;
  /** The time at which the next one is due, in milliseconds since the epoch; null if there is none. */
  readonly due: number | null;
}
