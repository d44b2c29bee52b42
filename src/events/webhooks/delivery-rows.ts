import type { Json, JsonObject } from '../../conventions/json/json.ts';
import { timestamp } from '../../conventions/text/timestamp.ts';
import type { Model, Resource } from '../../model/model.ts';
import type { KeyEnd } from '../../model/webhook-checks.ts';
import type { WebhookResources } from '../../model/webhook-settings.ts';
import type { Observe } from '../../observe/observation.ts';
import type { VisibleRows } from '../../operations/visible-rows.ts';
import type { EventContext } from '../../plan/events/change-event.ts';
import { readString } from '../../model/values/access.ts';
import type { FieldValues, Row, WritePlan } from '../../plan/plan.ts';
import { createPlan, deletePlan, updatePlan, type WriteAuthor } from '../../plan/write/write-plan.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Random } from '../../platform/random.ts';
import type { Store } from '../../stores/store.ts';
import { DeliveryBatch } from './delivery-batch.ts';

/** An attempt as deliveries list it. */
export interface ListedAttempt {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Milliseconds. */
  readonly duration: number;
  /** null without a response. */
  readonly statusCode: number | null;
  /** The first KiB of the response. */
  readonly response: string | null;
  /** The reason why there was no response. */
  readonly error: string | null;
}

export interface DeliveryRowsOptions {
  readonly model: Pick<Model, 'resources'>;
  readonly names: WebhookResources;
  readonly rows: VisibleRows;
  readonly store: Pick<Store, 'writes'>;
  readonly events: EventContext;
  readonly clock: Clock;
  readonly random: Random;
  readonly onCommit: () => void;
  readonly observe: Observe;
}

/** A delivery that is recorded for the first time. */
export interface NewDelivery {
  readonly webhook: string;
  readonly eventId: string;
  readonly type: string;
  readonly sequence: string;
  readonly replay: string | null;
}

/** Deliveries that are deleted in one transaction. */
export const MAX_DELETED = 200;
/** Attempts that a delivery lists: the last ones. */
const MAX_LISTED = 50;

/** Writes the rows of webhooks and of their deliveries, for the system. */
export class DeliveryRows {
  readonly #options: DeliveryRowsOptions;
  readonly #batch: DeliveryBatch;

  constructor(options: DeliveryRowsOptions) {
    this.#options = options;
    this.#batch = new DeliveryBatch(options);
  }

  /** Adds a delivery after its first attempt. It is written by {@link flush}. */
  add(delivery: NewDelivery, outcome: JsonObject): void {
    const { names, events } = this.#options;
    const { webhook, eventId, type, sequence, replay } = delivery;
    const resource = this.#resource(names.deliveries);
    const values = { webhook_id: webhook, event_id: eventId, type, sequence, replay_id: replay, ...outcome };
    const within = [{ resource: names.webhooks, id: webhook }];
    this.#batch.add(createPlan(this.#author(), { resource, within, id: events.id() }, complete(resource, values)));
  }

  /** Writes what was added. @see DeliveryBatch.flush */
  flush(maxDelay: number): Promise<void> {
    return this.#batch.flush(maxDelay);
  }

  /** Finds the delivery of an event that earlier attempts have recorded; null if there is none. */
  async find(webhook: string, eventId: string, replay: string | null): Promise<Row | null> {
    const { names, rows } = this.#options;
    const page = await rows.list({
      kind: 'list',
      resource: names.deliveries,
      within: [{ resource: names.webhooks, id: webhook }],
      filter: [{ path: 'event_id', operator: 'in', values: [eventId] }],
      order: [{ path: 'id', descending: true }],
      window: { kind: 'seek', after: null, backward: false, limit: 100 },
      count: { kind: 'none' },
      effort: 'light',
    });
    const isMeant = (row: Row): boolean => (row['replay_id'] ?? null) === replay && row['status'] === 'retrying';
    return page.rows.find(isMeant) ?? null;
  }

  /**
   * Deletes the oldest deliveries with a status that are older than a time.
   *
   * @param before milliseconds since the epoch
   * @returns their number, at most {@link MAX_DELETED}
   */
  async deleteOlder(status: string, before: number): Promise<number> {
    const { names, rows } = this.#options;
    const resource = this.#resource(names.deliveries);
    const { rows: found } = await rows.list({
      kind: 'list',
      resource: resource.name,
      within: [],
      filter: [
        { path: 'status', operator: 'in', values: [status] },
        { path: 'created_at', operator: 'lt', value: timestamp(before) },
      ],
      order: [
        { path: 'created_at', descending: false },
        { path: 'id', descending: false },
      ],
      window: { kind: 'seek', after: null, backward: false, limit: MAX_DELETED },
      count: { kind: 'none' },
      effort: 'light',
    });
    const author = this.#author();
    const within = (row: Row): WritePlan['within'] => [
      { resource: names.webhooks, id: readString(row['webhook_id']) ?? '' },
    ];
    const plans = found.map((row) => deletePlan(author, { resource, within: within(row), row }));
    return plans.length > 0 && (await this.#commit(plans)) ? plans.length : 0;
  }

  /** Changes a row below a webhook. @returns true if it was unchanged since it was read */
  changeBelow(resource: string, row: Row, changes: JsonObject): Promise<boolean> {
    const { names } = this.#options;
    return this.#change(resource, row, changes, [
      { resource: names.webhooks, id: readString(row['webhook_id']) ?? '' },
    ]);
  }

  /** Disables a webhook that was made with an API key which has ended. One that has another key by now stays. */
  endWebhook(id: string, key: string, reason: KeyEnd): Promise<void> {
    const isMeant = (row: Row): boolean => row['key_id'] === key && row['status'] === 'enabled';
    return this.changeWebhook(id, { status: 'disabled', disabled_reason: reason }, isMeant);
  }

  /** Changes a webhook, if it exists. @param isMeant false for a row that stays as it is */
  async changeWebhook(id: string, changes: JsonObject, isMeant: (row: Row) => boolean = () => true): Promise<void> {
    const { names, rows } = this.#options;
    // A write of its owner may come between.
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const row = await rows.item({ resource: names.webhooks, id, within: [] });
      if (row === null || !isMeant(row) || (await this.#change(names.webhooks, row, changes, []))) return;
    }
  }

  async #change(name: string, row: Row, changes: JsonObject, within: WritePlan['within']): Promise<boolean> {
    const resource = this.#resource(name);
    const plan = updatePlan(this.#author(), { resource, within, row }, { ...row, ...changes });
    return plan === null || this.#commit([plan]);
  }

  async #commit(plans: readonly WritePlan[]): Promise<boolean> {
    const { kind } = await this.#options.store.writes.commit({ plans });
    if (kind === 'committed') this.#options.onCommit();
    return kind === 'committed';
  }

  #resource(name: string): Resource {
    const resource = this.#options.model.resources.get(name);
    if (resource === undefined) throw new Error(`the model has no resource ${name}`);
    return resource;
  }

  #author(): WriteAuthor {
    const { events, clock, random } = this.#options;
    const origin = { correlationId: events.id(), traceId: random.hex(16), actor: null, at: timestamp(clock.now()) };
    return { events, origin };
  }
}

/** Adds an attempt to those of a delivery. */
export function withAttempt(earlier: Json | undefined, attempt: ListedAttempt): Json {
  const { at, duration, statusCode, response, error } = attempt;
  const listed = { at: timestamp(at), duration, status_code: statusCode, response, error };
  return [...(Array.isArray(earlier) ? earlier : []), listed].slice(-MAX_LISTED);
}

function complete({ fields }: Resource, values: FieldValues): FieldValues {
  return Object.fromEntries(
    fields.map(({ name, type }) => [name, values[name] ?? (type.kind === 'array' ? [] : null)]),
  );
}
