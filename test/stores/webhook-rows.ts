import type { JsonObject } from '../../src/conventions/json/json.ts';
import { timestamp } from '../../src/conventions/text/timestamp.ts';
import type { CreatePlan } from '../../src/plan/plan.ts';
import { createIds } from '../../src/platform/ids.ts';
import type { Store } from '../../src/stores/store.ts';
import { commit } from '../../store-suite/sample-writes.ts';

export const WEBHOOK_MODEL = `
name: shop
webhooks: {}
resources:
  products:
    id: client
    schema: { type: object, properties: { title: { type: string } } }
`;

const START = Date.parse('2026-11-01T00:00:00.000Z');

/** Makes the rows of webhooks and of their deliveries, with ids in the order of their times. */
export class WebhookRows {
  #now = START;
  #random = 0;
  readonly #ids = createIds({
    clock: { now: () => this.#now },
    random: { hex: (bytes) => (++this.#random).toString(16).padStart(2 * bytes, '0') },
  });

  get now(): string {
    return timestamp(this.#now);
  }

  uuid(): string {
    this.#now += 7;
    return this.#ids.uuid();
  }

  webhook(): CreatePlan {
    const values = { url: 'https://hooks.example.com/in', event_types: ['*'], format: 'native', status: 'enabled' };
    return this.#create('webhooks', { ...values, ordered: false, secret: 'sealed' }, null);
  }

  /** A delivery with one attempt, which succeeded. */
  delivery(webhook: string, eventId: string, changes: JsonObject = {}): CreatePlan {
    this.#now += 7;
    const attempt = { at: this.now, duration: 12, status_code: 200, response: 'ok', error: null };
    const values = { event_id: eventId, type: 'product.created', sequence: '12345', status: 'succeeded' };
    return this.#create('webhook_deliveries', { ...values, attempts: [attempt], ...changes }, webhook);
  }

  replay(webhook: string): CreatePlan {
    return this.#create(
      'webhook_replays',
      { from: this.now, to: this.now, status: 'pending', after: 1, last: 9 },
      webhook,
    );
  }

  #create(resource: string, values: JsonObject, webhook: string | null): CreatePlan {
    const within = webhook === null ? [] : [{ resource: 'webhooks', id: webhook }];
    const above = webhook === null ? {} : { webhook_id: webhook };
    return {
      kind: 'create',
      resource,
      id: this.uuid(),
      within,
      at: this.now,
      values: { ...above, ...values },
      event: null,
    };
  }
}

/** Writes webhooks. */
export async function writeWebhooks(store: Store, rows: WebhookRows, count: number): Promise<readonly string[]> {
  const plans = Array.from({ length: count }, () => rows.webhook());
  await commit(store, ...plans);
  return plans.map(({ id }) => id);
}

/** Writes the deliveries of events to webhooks in the order of their ends, as a process does: many in a unit. */
export async function writeDeliveries(
  store: Store,
  rows: WebhookRows,
  { webhooks, events }: { readonly webhooks: readonly string[]; readonly events: number },
): Promise<void> {
  for (let event = 0; event < events; event += 1) {
    const id = rows.uuid();
    const shuffled = webhooks.map((_, at) => webhooks[(at * 7 + event * 3) % webhooks.length] ?? '');
    await commit(store, ...shuffled.map((webhook) => rows.delivery(webhook, id)));
  }
}
