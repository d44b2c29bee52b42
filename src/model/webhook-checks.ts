import type { ErrorDetail } from '../conventions/errors.ts';
import type { PolicyCaller } from './policy.ts';
import type { HookServices } from './hooks.ts';

/** The selection of events that a webhook subscribes to. */
export interface WebhookSelection {
  /** `*`, `product.*`, `product.created`. */
  readonly patterns: readonly string[];
  /** The JSON of a policy on the data of events; null for all events. */
  readonly filter: string | null;
  /** The version of its events. */
  readonly version: string;
  /** The caller that sends it. Fields that it may not read are unknown (REP-11). */
  readonly caller: PolicyCaller;
}

/** The reason for which an API key, and a webhook that was made with it, has ended. */
export type KeyEnd = 'key_revoked' | 'key_expired';

/** The sequences of a window of the event log: greater than `after`, up to `last`. */
export interface LogWindow {
  readonly after: number;
  readonly last: number;
}

/** A window of the log, for a replay. */
export interface ReplayWindow extends LogWindow {
  /** The latest end of a window from the same time that has as many events as a replay may; null where all fit. */
  readonly fits: string | null;
}

/**
 * The checks that hooks of webhooks need from the running server. Hooks get them among their services, under
 * {@link WEBHOOK_CHECKS}.
 */
export abstract class WebhookChecks {
  /** Finds the reason why a webhook may not have a URL, as a predicate without a subject; null for a valid URL. */
  abstract checkUrl(url: string): Promise<string | null>;
  /** Finds the errors of a selection. */
  abstract checkSelection(selection: WebhookSelection): readonly ErrorDetail[];
  /** Finds the reason for which an API key has ended; null if it has not. */
  abstract keyEnd(key: string): Promise<KeyEnd | null>;
  /** The version that webhooks have which name none. */
  abstract readonly version: string;
  /** The sequence of the last event: a webhook gets those after it. */
  abstract lastSequence(): Promise<number>;
  /**
   * The events that were logged in a period, both times included (RFC 3339); null where some of them may have been
   * removed.
   */
  abstract window(from: string, to: string): Promise<ReplayWindow | null>;
}

/** The name of the service. No service of an application has it. */
export const WEBHOOK_CHECKS = 'restwright.webhooks';

/** The checks among the services of hooks. @throws {Error} where the composition root has added none */
export function webhookChecks(services: HookServices): WebhookChecks {
  const found = services[WEBHOOK_CHECKS];
  if (found instanceof WebhookChecks) return found;
  throw new Error('the API was composed without what webhooks need');
}
