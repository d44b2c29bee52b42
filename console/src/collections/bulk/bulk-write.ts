import { type BatchedWrite, isRequestError, type SettledWrite } from 'restwright/client';
import type { AnyWriter, ApiCalls, ParentIds, Row } from '../../api/calls.ts';
import type { ApiCollection } from '../../schema/api-schema.ts';
import { describeRefusal, waitForLimits } from '../transfer/import-rows.ts';
import { type PageOptions, pause } from '../transfer/read-page.ts';

/** The same write to many rows. */
export interface BulkPlan {
  readonly collection: ApiCollection;
  readonly parents: ParentIds;
  readonly rows: readonly Row[];
  /** The write to one row, if it still has the revision that was read. */
  readonly write: (writer: AnyWriter, row: Row) => BatchedWrite<unknown>;
  /** The characters of one write, more or less. */
  readonly size: number;
}

/** The result of the write to one row. */
export interface RowResult {
  readonly row: Row;
  /** The reason for which it was refused; null if it was made. */
  readonly refusal: string | null;
}

const MAX_WRITES = 100;
/** The body of a batch has at most 1 MiB. */
const MAX_CHARACTERS = 500_000;
const NO_LIMIT = 0;

/**
 * Writes to many rows in batches, each row by itself. A batch whose response was lost is sent again with its key, so
 * that no write is made twice. Writes that a limit has refused are made later.
 */
export class BulkWrite {
  readonly #plan: BulkPlan;
  readonly #key: string | null;
  readonly #results: RowResult[] = [];
  #pending: readonly Row[];
  #batch: readonly Row[] = [];
  #batches = 0;

  /** @param key that of the whole write; null for a dry run */
  constructor(plan: BulkPlan, key: string | null) {
    this.#plan = plan;
    this.#key = key;
    this.#pending = plan.rows;
  }

  /**
   * Makes the writes that are not made yet.
   *
   * @throws {RequestError} if a batch could not be sent; {@link run} may be called again
   */
  async run(
    calls: ApiCalls,
    options: PageOptions,
    onProgress: (results: readonly RowResult[]) => void,
  ): Promise<readonly RowResult[]> {
    const limit = Math.max(1, Math.min(MAX_WRITES, Math.floor(MAX_CHARACTERS / this.#plan.size)));
    for (;;) {
      if (this.#batch.length === 0) {
        this.#batch = this.#pending.slice(0, limit);
        this.#pending = this.#pending.slice(limit);
      }
      if (this.#batch.length === 0) return this.#results;
      options.signal.throwIfAborted();
      const settled = await waitForLimits(() => this.#send(calls, options.signal), options);
      const delay = this.#note(settled);
      this.#batch = [];
      this.#batches += 1;
      onProgress([...this.#results]);
      if (delay > NO_LIMIT) await pause(delay, options);
    }
  }

  async #send(calls: ApiCalls, signal: AbortSignal): Promise<readonly SettledWrite<unknown>[]> {
    const { write } = this.#plan;
    const how = this.#key === null ? { dry_run: true } : { idempotencyKey: `${this.#key}-${this.#batches}` };
    return await calls.batch(this.#plan, (writer) => this.#batch.map((row) => write(writer, row)), { ...how, signal });
  }

  /** Sorts the results of the batch. @returns milliseconds until the limited writes may be made; 0 for none */
  #note(settled: readonly SettledWrite<unknown>[]): number {
    const limited: Row[] = [];
    let delay = NO_LIMIT;
    for (const [index, row] of this.#batch.entries()) {
      const result = settled[index];
      const reason = result?.status === 'rejected' ? result.reason : null;
      const isLimited = isRequestError(reason) && reason.retryAfter !== null && [429, 503].includes(reason.status);
      if (isLimited) {
        limited.push(row);
        delay = Math.max(delay, reason.retryAfter ?? NO_LIMIT, 1);
      } else this.#results.push({ row, refusal: reason === null ? null : describeRefusal(reason) });
    }
    this.#pending = [...limited, ...this.#pending];
    return delay;
  }
}
