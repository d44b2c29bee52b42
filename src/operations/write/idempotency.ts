import { ApiError, apiError } from '../../conventions/errors.ts';
import { readIdempotencyKey } from '../../conventions/headers/idempotency-key.ts';
import type { IdempotencyRecord, StoredIdempotencyRecord } from '../../plan/plan.ts';
import type { IdempotencyRecords } from '../../stores/store.ts';
import type { Negotiated } from '../../pipeline/negotiate.ts';

/** How long a response can be replayed, in milliseconds (MET-12). */
export const RETENTION = 24 * 60 * 60 * 1_000;

const FIELD = 'Idempotency-Key';

/** A request that is done at most once. */
export interface KeyedRequest {
  /** The name of its record. */
  readonly name: string;
  /** Distinguishes it from another request under the same key. */
  readonly request: string;
}

/** The value of a request under a key, and whether it is an earlier request's. */
export interface Replayable<T> {
  readonly value: T;
  readonly replayed: boolean;
}

/** What idempotency records need. */
export interface IdempotencyOptions {
  readonly store: IdempotencyRecords;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly digest: (content: string | Uint8Array) => string;
}

/**
 * The results of requests under an `Idempotency-Key`, by the *identity* of their caller (MET-12). A record is committed in the transaction of
 * its write.
 */
export class Idempotency {
  readonly #options: IdempotencyOptions;
  /** Names of the requests that this process is working on. */
  readonly #inProgress = new Set<string>();

  constructor(options: IdempotencyOptions) {
    this.#options = options;
  }

  /**
   * The name of a request's record: caller, method, path and key.
   *
   * @param required whether the request must have a key
   * @returns null where it has none
   * @throws {ApiError} IDEMPOTENCY_KEY_INVALID, IDEMPOTENCY_KEY_REQUIRED
   */
  name({ exchange, principal, method, segments }: Negotiated, required: boolean): string | null {
    const key = readIdempotencyKey(exchange.fields.get('idempotency-key'));
    if (key !== null) {
      return `key:${this.#options.digest(JSON.stringify([principal.identity, method, segments, key]))}`;
    }
    if (!required) return null;
    throw apiError('IDEMPOTENCY_KEY_REQUIRED', 'Send an Idempotency-Key, so that this request can be retried safely.', {
      details: [{ field: FIELD, message: 'is required' }],
    });
  }

  /** Distinguishes a request from another under its key: target, version, type and body. @param bytes of the body, inflated */
  requestDigest({ exchange, contract }: Negotiated, bytes: Uint8Array): string {
    const { digest } = this.#options;
    const { request, fields } = exchange;
    return digest(JSON.stringify([request.target, contract.version, fields.get('content-type'), digest(bytes)]));
  }

  /** The record of a name; null where there is none or it has expired. */
  async find(name: string): Promise<StoredIdempotencyRecord | null> {
    return this.#options.store.find(name, this.#options.now());
  }

  /** A record to be committed with a write. @param outcome plain data, stored as JSON */
  record(keyed: KeyedRequest, outcome: object | string): IdempotencyRecord {
    return { ...keyed, outcome: JSON.stringify(outcome), expiresAt: this.#options.now() + RETENTION };
  }

  /**
   * Does a request once. The run itself records its result, in the transaction of its write; a failed run is not recorded, and runs again.
   * Where another process does the same request meanwhile, its result is returned, and no refusal that its change alone brought about
   * (step 13 before 14).
   *
   * @param run does it; `recorded` where the record exists already
   * @param read the value of a record
   * @throws {ApiError} IDEMPOTENCY_KEY_REUSED: another request had the key; IDEMPOTENCY_KEY_IN_PROGRESS: the first is not done yet
   */
  async runOnce<T>(
    keyed: KeyedRequest,
    run: () => Promise<T | 'recorded'>,
    read: (record: StoredIdempotencyRecord) => T | Promise<T>,
  ): Promise<Replayable<T>> {
    const { name } = keyed;
    if (this.#inProgress.has(name)) throw inProgress();
    this.#inProgress.add(name);
    try {
      const earlier = await this.#recorded(keyed);
      if (earlier !== null) return { value: await read(earlier), replayed: true };
      const outcome = await orRefusal(run);
      if (outcome !== 'recorded' && !(outcome instanceof ApiError)) return { value: outcome, replayed: false };
      const meanwhile = await this.#recorded(keyed);
      if (meanwhile === null) throw outcome === 'recorded' ? inProgress() : outcome;
      return { value: await read(meanwhile), replayed: true };
    } finally {
      this.#inProgress.delete(name);
    }
  }

  async #recorded({ name, request }: KeyedRequest): Promise<StoredIdempotencyRecord | null> {
    const record = await this.find(name);
    if (record === null || record.request === request) return record;
    const message = 'This Idempotency-Key was sent with another request; use a new key for each request.';
    throw apiError('IDEMPOTENCY_KEY_REUSED', message, {
      details: [{ field: FIELD, message: 'belongs to another request' }],
    });
  }
}

/** The value of a run, or the refusal that it ends in. */
async function orRefusal<T>(run: () => Promise<T>): Promise<T | ApiError> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

function inProgress(): Error {
  const message = 'A request with this Idempotency-Key is still in progress; retry it in a moment.';
  return apiError('IDEMPOTENCY_KEY_IN_PROGRESS', message, { headers: { 'Retry-After': '1' } });
}
