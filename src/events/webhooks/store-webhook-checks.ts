import { timestamp } from '../../conventions/text/timestamp.ts';
import { MAX_REPLAYED } from '../../model/compile/settings/webhook-hooks.ts';
import type { ErrorDetail } from '../../conventions/errors.ts';
import { parseWebhookUrl } from '../../conventions/events/webhook-url.ts';
import {
  type KeyEnd,
  type LogWindow,
  type ReplayWindow,
  WebhookChecks,
  type WebhookSelection,
} from '../../model/webhook-checks.ts';
import type { Contract, Contracts } from '../../contract/contract.ts';
import { findUnmatchedPattern, listEventTypes } from '../../model/event-types.ts';
import type { EventLog } from '../../stores/store.ts';
import { compileEventFilter } from '../../model/compile/access/event-filter.ts';
import { findContract } from './find-contract.ts';
import type { KeyEnds } from './key-ends.ts';
import type { WebhookSender } from './sender.ts';

export interface StoreWebhookChecksOptions {
  readonly contracts: Contracts;
  readonly hosts: Pick<WebhookSender, 'rules' | 'admits'>;
  /** Milliseconds for which events are stored. */
  readonly retention: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly events: Pick<EventLog, 'after' | 'lastSequence' | 'range'>;
  /** The API keys that have ended; null if the model has none. */
  readonly keys: Pick<KeyEnds, 'find'> | null;
}

/** Checks webhooks against a model and its store, for the hooks of webhooks. */
export class StoreWebhookChecks extends WebhookChecks {
  readonly version: string;
  readonly #options: StoreWebhookChecksOptions;

  constructor(options: StoreWebhookChecksOptions) {
    super();
    this.#options = options;
    this.version = String(options.contracts.current.model.version.major);
  }

  /**
   * Checks a URL. The message does not contain the addresses of a name, so that it reveals nothing of a private network
   * (EVT-7).
   */
  override async checkUrl(text: string): Promise<string | null> {
    const { hosts } = this.#options;
    const parsed = parseWebhookUrl(text, hosts.rules);
    if (parsed.kind === 'invalid') return parsed.message;
    if (await hosts.admits(parsed.url)) return null;
    return 'must have a host of which every address is public, or that webhooks.allow_hosts of the model names';
  }

  override checkSelection({ patterns, filter, version, caller }: WebhookSelection): readonly ErrorDetail[] {
    const contract = findContract(version, this.#options.contracts);
    if (contract === null) return [{ field: 'version', message: 'must be a version that is served' }];
    const details = patterns.flatMap((pattern, index) => patternDetail(pattern, index, contract));
    if (details.length > 0 || filter === null) return details;
    const compiled = compileEventFilter(filter, patterns, contract.permitted(caller).contract.model);
    return compiled.kind === 'valid' ? [] : [{ field: 'filter', message: compiled.message }];
  }

  override async keyEnd(key: string): Promise<KeyEnd | null> {
    return (await this.#options.keys?.find(key)) ?? null;
  }

  override async lastSequence(): Promise<number> {
    return this.#options.events.lastSequence();
  }

  override async window(from: string, to: string): Promise<ReplayWindow | null> {
    const { events, retention, now } = this.#options;
    const { removed, since } = await events.range();
    const after = await this.#lastBefore(from, false);
    // If the log is empty by now, the time of its last event is not known, but it was too old.
    const isStored = after >= removed || Date.parse(from) >= (since ?? now() - retention);
    if (!isStored) return null;
    const window = { after: Math.max(after, removed), last: await this.#lastBefore(to, true) };
    return { ...window, fits: await this.#findEnd(window) };
  }

  /** Finds the last time before the first event that a replay of a window may not send; null if it may send all. */
  async #findEnd({ after, last }: LogWindow): Promise<string | null> {
    if (last - after <= MAX_REPLAYED) return null;
    const [event] = await this.#options.events.after(after + MAX_REPLAYED, 1);
    return event === undefined ? null : timestamp(Date.parse(event.payload.timestamp) - 1);
  }

  /**
   * Finds the last event before a time by bisection: events are logged in the order of their times.
   *
   * @param inclusive true if an event at that time counts too
   */
  async #lastBefore(time: string, inclusive: boolean): Promise<number> {
    const { events } = this.#options;
    const limit = Date.parse(time);
    let low = 0;
    let high = await events.lastSequence();
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const [event] = await events.after(middle, 1);
      if (event === undefined) {
        high = middle;
        continue;
      }
      const at = Date.parse(event.payload.timestamp);
      if (at < limit || (inclusive && at === limit)) low = Math.max(middle + 1, Number(event.metadata.sequence));
      else high = middle;
    }
    return low;
  }
}

/** Makes the error of a pattern that matches no type of event. */
function patternDetail(pattern: string, index: number, { model }: Contract): readonly ErrorDetail[] {
  const unmatched = findUnmatchedPattern(pattern, [...model.resources.values()].flatMap(listEventTypes));
  if (unmatched === null) return [];
  const { nearest, known } = unmatched;
  const hint = nearest === null ? `the types are ${known.join(', ')}` : `did you mean ${nearest}?`;
  return [{ field: `event_types[${index}]`, message: `matches no type of event; ${hint}` }];
}
