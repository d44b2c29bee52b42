import type { AllowedHosts } from '../conventions/events/webhook-url.ts';

/** The delivery of webhooks (EVT-6, EVT-7). */
export interface WebhookSettings {
  /** Names of the resources of webhooks and of what lies below them. */
  readonly resources: WebhookResources;
  /** Delay before each attempt, in milliseconds. */
  readonly retry: readonly number[];
  /** Milliseconds of an attempt. */
  readonly timeout: number;
  /** Hosts that webhooks may call although their addresses are not public. */
  readonly allowed: AllowedHosts;
  /** Webhooks that one owner may have; without authentication all webhooks are of one owner. */
  readonly maxPerOwner: number;
  /** Milliseconds for which successful deliveries are stored. */
  readonly keepDeliveries: number;
}

export interface WebhookResources {
  readonly webhooks: string;
  readonly secrets: string;
  readonly deliveries: string;
  readonly replays: string;
}
