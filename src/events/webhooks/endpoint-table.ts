import type { WebhookResources } from '../../model/webhook-settings.ts';
import { readString } from '../../model/values/access.ts';
import { VisibleRows } from '../../operations/visible-rows.ts';
import type { Row } from '../../plan/plan.ts';
import type { Seal } from '../../platform/seal.ts';
import type { Store } from '../../stores/store.ts';
import { ChangedRows } from './changed-rows.ts';
import { signingKeys } from './signing-keys.ts';
import { type EndpointContext, type WebhookEndpoint, webhookEndpoint } from './webhook-endpoint.ts';

/** A window of the log that a webhook gets again. */
export interface Replay {
  readonly id: string;
  readonly row: Row;
  readonly webhook: string;
  readonly after: number;
  readonly last: number;
}

export interface EndpointTableOptions extends EndpointContext {
  readonly store: Pick<Store, 'rows' | 'stamps'>;
  readonly names: WebhookResources;
  /** Opens the secrets. */
  readonly seal: Seal;
}

/** The replays that are not finished, and the stamp with which they were read. */
export interface PendingReplays {
  readonly stamp: number;
  readonly found: readonly Replay[];
}

/** The changes to webhooks since they were read. */
export interface WebhookChanges {
  /** Enabled webhooks that are new or have changed. */
  readonly set: readonly WebhookEndpoint[];
  /** Webhooks that are disabled, or cannot be called. */
  readonly stopped: readonly string[];
  readonly deleted: readonly string[];
}

/** A range of rows in the order of their ids. */
interface IdRange {
  /** The id before the first; null for none. */
  readonly after?: string | null;
  readonly limit?: number;
}

/** Rows that are read at a time. */
const PAGE = 500;

/** Reads the webhooks of a store. */
export class EndpointTable {
  readonly rows: VisibleRows;
  readonly #options: EndpointTableOptions;
  readonly #webhooks: ChangedRows;
  readonly #secrets: ChangedRows;
  /** Rows of each webhook, by their ids. */
  readonly #rotated = new Map<string, Map<string, Row>>();
  /** Ids of webhooks that are to be read again. */
  readonly #outdated = new Set<string>();
  #isRead = false;
  #replays: PendingReplays | null = null;

  constructor(options: EndpointTableOptions) {
    this.#options = options;
    this.rows = VisibleRows.unrestricted(options.store);
    this.#webhooks = new ChangedRows(this.rows, options.names.webhooks);
    this.#secrets = new ChangedRows(this.rows, options.names.secrets);
  }

  /**
   * Reads the changes of webhooks since the last call; with the first call all webhooks. Do not call it while it runs.
   */
  async changes(): Promise<WebhookChanges> {
    await this.#readSecrets();
    const outdated = this.#isRead ? await this.lookup([...this.#outdated]) : [];
    // Changes are returned once: nothing that can fail follows.
    const { changed, deleted } = await this.#webhooks.read();
    this.#isRead = true;
    this.#outdated.clear();
    for (const id of deleted) this.#rotated.delete(id);
    const set: WebhookEndpoint[] = [];
    const stopped: string[] = [];
    for (const [id, row] of new Map([...outdated, ...changed].map((each) => [each.id, each]))) {
      const endpoint = row['status'] === 'enabled' ? this.#endpoint(row, this.#rotatedOf(id)) : null;
      if (endpoint === null) stopped.push(id);
      else set.push(endpoint);
    }
    return { set, stopped, deleted };
  }

  /** Reads one webhook, enabled or not; null if there is none, or it cannot be called. */
  async endpoint(id: string): Promise<WebhookEndpoint | null> {
    const { names } = this.#options;
    const row = await this.rows.item({ resource: names.webhooks, id, within: [] });
    if (row === null) return null;
    return this.#endpoint(row, await this.find(names.secrets, ['webhook_id', id]));
  }

  async replays(): Promise<PendingReplays> {
    const { names } = this.#options;
    const [stamp = 0] = await this.rows.resourceStamps([names.replays]);
    if (stamp === this.#replays?.stamp) return this.#replays;
    const rows = await this.find(names.replays, ['status', 'pending']);
    const found = rows.map((row) => ({
      id: row.id,
      row,
      webhook: readString(row['webhook_id']) ?? '',
      after: Number(row['after']),
      last: Number(row['last']),
    }));
    this.#replays = { stamp, found };
    return this.#replays;
  }

  /** Finds the rows of a resource that have a value, in the order of their ids. Default of the range: all rows. */
  async find(
    resource: string,
    [path, value]: readonly [path: string, value: string],
    { after = null, limit = Number.POSITIVE_INFINITY }: IdRange = {},
  ): Promise<readonly Row[]> {
    const rows: Row[] = [];
    for (;;) {
      const last = rows.at(-1)?.id ?? after;
      const page = await this.rows.list({
        kind: 'list',
        resource,
        within: [],
        filter: [{ path, operator: 'in', values: [value] }],
        order: [{ path: 'id', descending: false }],
        window: {
          kind: 'seek',
          after: last === null ? null : [last],
          backward: false,
          limit: Math.min(limit - rows.length, PAGE),
        },
        count: { kind: 'none' },
        effort: 'light',
      });
      rows.push(...page.rows);
      if (!page.more || rows.length >= limit) return rows;
    }
  }

  /** Reads the secrets that were added and removed. */
  async #readSecrets(): Promise<void> {
    const { changed, deleted } = await this.#secrets.read();
    for (const row of changed) {
      const webhook = readString(row['webhook_id']) ?? '';
      const known = this.#rotated.get(webhook) ?? new Map<string, Row>();
      this.#rotated.set(webhook, known.set(row.id, row));
      this.#outdated.add(webhook);
    }
    if (deleted.length === 0) return;
    for (const [webhook, known] of this.#rotated)
      if (deleted.filter((id) => known.delete(id)).length > 0) this.#outdated.add(webhook);
  }

  #rotatedOf(webhook: string): readonly Row[] {
    return [...(this.#rotated.get(webhook)?.values() ?? [])];
  }

  /** Finds webhooks by their ids. */
  async lookup(ids: readonly string[]): Promise<readonly Row[]> {
    const rows: Row[] = [];
    for (let from = 0; from < ids.length; from += PAGE) {
      const found = await this.rows.lookup({
        resource: this.#options.names.webhooks,
        rows: ids.slice(from, from + PAGE).map((id) => ({ id, within: [] })),
        effort: 'light',
      });
      rows.push(...found.map(({ row }) => row));
    }
    return rows;
  }

  #endpoint(row: Row, rotated: readonly Row[]): WebhookEndpoint | null {
    return webhookEndpoint(row, signingKeys(row, rotated, this.#options.seal), this.#options);
  }
}
