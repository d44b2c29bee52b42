import type { KeyEnd } from '../../model/webhook-checks.ts';
import { readString } from '../../model/values/access.ts';
import type { VisibleRows } from '../../operations/visible-rows.ts';
import { ChangedRows } from './changed-rows.ts';
import type { DeliveryRows } from './delivery-rows.ts';
import type { KeyEnds } from './key-ends.ts';

interface EndedKeysOptions {
  readonly rows: VisibleRows;
  /** The name of the resource of webhooks. */
  readonly webhooks: string;
  readonly keys: KeyEnds;
  readonly deliveries: Pick<DeliveryRows, 'endWebhook'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Disables webhooks when their API keys end. It knows the time at which the next key expires: a check before reads two
 * stamps, whatever the number of webhooks.
 */
export class EndedKeys {
  readonly #options: EndedKeysOptions;
  readonly #changes: ChangedRows;
  /** The API keys of enabled webhooks, by the ids of the webhooks. */
  readonly #keyIds = new Map<string, string>();
  /** The time at which the next of these keys expires, in milliseconds since the epoch. */
  #next = Number.POSITIVE_INFINITY;
  /** The stamp of the keys that was seen last. */
  #stamp = -1;

  constructor(options: EndedKeysOptions) {
    this.#options = options;
    this.#changes = new ChangedRows(options.rows, options.webhooks);
  }

  /** Finds the reason for which a key has ended; null if it has not. */
  find(key: string): Promise<KeyEnd | null> {
    return this.#options.keys.find(key);
  }

  /** Disables the webhooks whose keys have ended since the last call. Do not call it while it runs. */
  async disable(): Promise<void> {
    const { keys, now } = this.#options;
    const changed = await this.#readChanges();
    const stamp = await keys.refresh();
    const isWhole = stamp !== this.#stamp || now() >= this.#next;
    if (isWhole) this.#next = Number.POSITIVE_INFINITY;
    // A check that fails is made again as a whole.
    this.#stamp = -1;
    for (const id of isWhole ? [...this.#keyIds.keys()] : changed) await this.#check(id);
    this.#stamp = stamp;
  }

  /** @returns the ids of webhooks that have changed */
  async #readChanges(): Promise<readonly string[]> {
    const { changed, deleted } = await this.#changes.read();
    for (const id of deleted) this.#keyIds.delete(id);
    for (const row of changed) {
      const key = row['status'] === 'enabled' ? readString(row['key_id']) : null;
      if (key === null || key === undefined) this.#keyIds.delete(row.id);
      else this.#keyIds.set(row.id, key);
    }
    return changed.map(({ id }) => id);
  }

  async #check(webhook: string): Promise<void> {
    const { keys, deliveries } = this.#options;
    const key = this.#keyIds.get(webhook);
    if (key === undefined) return;
    const end = await keys.end(key);
    const reason = keys.reason(end);
    if (reason !== null) await deliveries.endWebhook(webhook, key, reason);
    else this.#next = Math.min(this.#next, end ?? Number.POSITIVE_INFINITY);
  }
}

/** The reasons for which a webhook is disabled that has ended with its key. */
const KEY_ENDS: ReadonlySet<string> = new Set<KeyEnd>(['key_expired', 'key_revoked']);

/** True if a webhook was disabled with its API key. */
export function endedWithKey(row: Readonly<Record<string, unknown>>): boolean {
  const { status, disabled_reason: reason } = row;
  return status === 'disabled' && typeof reason === 'string' && KEY_ENDS.has(reason);
}
