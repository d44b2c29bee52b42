import type { Model } from '../../model/model.ts';
import type { HookServices } from '../../model/hooks.ts';
import { WEBHOOK_CHECKS } from '../../model/webhook-checks.ts';
import type { Observe } from '../../observe/observation.ts';
import type { Contracts } from '../../contract/contract.ts';
import type { EventContext } from '../../plan/events/change-event.ts';
import type { Row } from '../../plan/plan.ts';
import type { EventEnvelope } from '../../conventions/events/event.ts';
import type { Seal } from '../../platform/seal.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Random } from '../../platform/random.ts';
import type { LoggedEvent, Store } from '../../stores/store.ts';
import type { Subscriber } from '../subscriber.ts';
import { DeliveryRows } from './delivery-rows.ts';
import { EndpointTable } from './endpoint-table.ts';
import { EndedKeys } from './ended-keys.ts';
import { KeyEnds } from './key-ends.ts';
import { pingEvent } from './ping-event.ts';
import { type WebhookSender, webhookSender } from './sender.ts';
import { StoreWebhookChecks } from './store-webhook-checks.ts';
import { SubscriptionStarts } from './subscription-starts.ts';
import { WebhookRequests } from './webhook-requests.ts';
import { WebhookSubscriber } from './webhook-subscriber.ts';

export interface WebhookParts {
  readonly model: Model;
  readonly contracts: Contracts;
  readonly store: Store;
  /** The sender of webhooks. Default (null): that of the model, which allows no loopback address. */
  readonly webhookSender: WebhookSender | null;
  /** Opens the secrets of webhooks. */
  readonly seal: Seal;
  readonly events: EventContext;
  /** The scheme and authority of URLs in events. */
  readonly origin: () => string;
  readonly clock: Clock;
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
  readonly random: Random;
  readonly onCommit: () => void;
  readonly observe: Observe;
}

/** The webhooks of an API: the subscriber of a dispatch, the requests of callers, and the services of hooks. */
export interface Webhooks {
  readonly subscriber: Subscriber;
  readonly requests: WebhookRequests;
  readonly hookServices: HookServices;
}

/** Composes the delivery of webhooks from the parts of an API; null if its model has none. */
export function composeWebhooks(parts: WebhookParts): Webhooks | null {
  const { model, contracts, store, seal, origin, clock, elapsed } = parts;
  if (model.webhooks === null) return null;
  const settings = model.webhooks;
  const { resources: names, timeout, keepDeliveries } = settings;
  const sender = parts.webhookSender ?? webhookSender(settings);
  const now = (): number => clock.now();
  const { retention } = model.events;
  const table = new EndpointTable({ store, contracts, names, rules: sender.rules, seal, origin });
  const rows = new DeliveryRows({ ...parts, names, rows: table.rows });
  const keys = composeKeys({ model, table, webhooks: names.webhooks, deliveries: rows, now });
  const source = (): string => `${model.publicUrl ?? origin()}${model.basePath}`;
  const attempt = { sender, timeout, name: model.name, source, now, elapsed };
  const starts = new SubscriptionStarts(store);
  const find = async (sequence: number): Promise<LoggedEvent | null> => {
    const [found] = await store.events.list({ after: sequence - 1, limit: 1 });
    return found?.sequence === sequence ? found : null;
  };
  const ping = (delivery: Row): EventEnvelope => pingEvent(delivery, { ...parts, settings });
  const checks = new StoreWebhookChecks({ contracts, hosts: sender, events: store.events, retention, now, keys });
  return {
    subscriber: new WebhookSubscriber({ settings, table, rows, attempt, starts, keys, observe: parts.observe }),
    requests: new WebhookRequests({
      ...parts,
      names,
      table,
      rows,
      attempt,
      find,
      ping,
      starts,
      keys,
      retention,
      keepDeliveries,
    }),
    hookServices: { [WEBHOOK_CHECKS]: checks },
  };
}

interface KeyParts extends Pick<ConstructorParameters<typeof EndedKeys>[0], 'webhooks' | 'deliveries' | 'now'> {
  readonly model: Model;
  readonly table: EndpointTable;
}

/** Composes the search for API keys that have ended; null if the model has no API keys. */
function composeKeys({ model, table: { rows }, ...parts }: KeyParts): EndedKeys | null {
  const resource = model.auth?.apiKeys ?? null;
  if (resource === null) return null;
  return new EndedKeys({ ...parts, rows, keys: new KeyEnds({ rows, resource, now: parts.now }) });
}
