import type { Row } from '../../plan/plan.ts';
import type { WebhookResources } from '../../model/webhook-settings.ts';
import { readString } from '../../model/values/access.ts';
import type { EndpointTable } from './endpoint-table.ts';
import { RequestQueue } from './request-queue.ts';
import { webhookOwner } from './webhook-endpoint.ts';

interface PendingRequestsOptions {
  readonly table: EndpointTable;
  /** The names of the resources. */
  readonly names: Pick<WebhookResources, 'deliveries'>;
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
  /** Attempts a delivery. Resolves with its success. */
  readonly deliver: (row: Row) => Promise<boolean>;
  readonly onError: (error: unknown) => void;
}

/** Deliveries in flight. */
const CONCURRENCY = 16;
/** Deliveries that wait in memory: from so many on, those of later requests are read when some of them have ended. */
const MAX_WAITING = 5_000;
/** Rows that are read at a time. */
const PAGE = 500;
/** Milliseconds after which all pending ones are read again: ids of other processes may sort before known ones. */
const WHOLE_INTERVAL = 5_000;

/** Attempts the deliveries that callers have requested, with a share of the places for each owner (EVT-6c). */
export class PendingRequests {
  readonly #options: PendingRequestsOptions;
  readonly #queue: RequestQueue;
  /** The stamp of deliveries at which all pending ones were known. */
  #stamp: number | null = null;
  /** The id up to which they were read; null to begin at the first. */
  #last: string | null = null;
  #wholeAt = Number.NEGATIVE_INFINITY;
  #stopped = false;

  constructor(options: PendingRequestsOptions) {
    this.#options = options;
    this.#queue = new RequestQueue({
      concurrency: CONCURRENCY,
      elapsed: options.elapsed,
      attempt: (row) => this.#attempt(row),
      onEnd: () => this.#start(),
    });
  }

  /** Starts as many as may be in flight. While no delivery changes, none is read. */
  async run(): Promise<void> {
    const { table, names } = this.#options;
    const [stamp = 0] = await table.rows.resourceStamps([names.deliveries]);
    if (stamp !== this.#stamp && (await this.#read())) this.#stamp = stamp;
    this.#start();
  }

  /** Starts no more, and resolves when nothing is in flight. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#queue.settled();
  }

  #start(): void {
    if (!this.#stopped) this.#queue.start();
  }

  /** Reads the pending deliveries that it does not know. @returns false if there may be more */
  async #read(): Promise<boolean> {
    const { table, names, elapsed } = this.#options;
    if (elapsed() - this.#wholeAt >= WHOLE_INTERVAL) this.#last = null;
    if (this.#last === null) this.#wholeAt = elapsed();
    while (this.#queue.waiting < MAX_WAITING) {
      const range = { after: this.#last, limit: PAGE };
      const rows = await table.find(names.deliveries, ['status', 'pending'], range);
      await this.#add(rows.filter(({ id }) => !this.#queue.has(id)));
      this.#last = rows.at(-1)?.id ?? this.#last;
      if (rows.length < PAGE) return true;
    }
    return false;
  }

  async #add(rows: readonly Row[]): Promise<void> {
    const { table } = this.#options;
    const webhooks = new Set(rows.map((row) => readString(row['webhook_id']) ?? ''));
    const unknown = [...webhooks].filter((id) => this.#queue.findOwner(id) === undefined);
    const found = await table.lookup(unknown);
    const owners = new Map(found.map((row) => [row.id, webhookOwner(row)]));
    for (const row of rows) {
      const id = readString(row['webhook_id']) ?? '';
      this.#queue.add(row, { id, owner: this.#queue.findOwner(id) ?? owners.get(id) ?? id });
    }
  }

  /** Attempts a delivery that is still pending. One that could not be recorded is read again. Never rejects. */
  async #attempt({ id }: Row): Promise<boolean> {
    const { table, names, deliver, onError } = this.#options;
    try {
      const row = await table.rows.item({ resource: names.deliveries, id, within: [] });
      return row?.['status'] !== 'pending' || (await deliver(row));
    } catch (error) {
      this.#stamp = null;
      this.#last = null;
      onError(error);
      return false;
    }
  }
}
