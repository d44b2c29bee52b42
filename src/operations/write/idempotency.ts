import { ApiError, apiError } from '../../conventions/errors.ts';
import type { IdempotencyRecord, StoredIdempotencyRecord, WrittenRows } from '../../plan/write-unit.ts';
import type { IdempotencyRecords } from '../../stores/store.ts';
import { keyInProgress } from '../failures.ts';
import type { Principal } from '../principal.ts';

/** Milliseconds for which a response can be replayed (MET-12). */
export const RETENTION = 24 * 60 * 60 * 1_000;

const FIELD = 'Idempotency-Key';

/** The parts of a request that distinguish it from others of its caller. */
export interface RequestIdentity {
  readonly method: string;
  /** Decoded path segments. */
  readonly segments: readonly string[] | null;
  readonly target: string;
  /** The version of the caller's contract. */
  readonly version: string;
  readonly contentType: string | null;
}

/** A request that is executed at most once. */
export interface KeyedRequest {
  /** The name of its record. */
  readonly name: string;
  /** Distinguishes it from another request under the same key. */
  readonly request: string;
}

/** The value of a request under a key. `replayed` is true if an earlier request produced it. */
export interface Replayable<T> {
  readonly value: T;
  readonly replayed: boolean;
}

/** Parameters of {@link Idempotency}. */
export interface IdempotencyOptions {
  readonly store: IdempotencyRecords;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly digest: (content: string | Uint8Array) => string;
}

/**
 * Stores the results of requests under an `Idempotency-Key`, by the *identity* of their caller (MET-12). A record is
 * committed in the transaction of its write.
 */
export class Idempotency {
  readonly #options: IdempotencyOptions;
  /** Names of the requests in progress in this process. */
  readonly #inProgress = new Set<string>();

  constructor(options: IdempotencyOptions) {
    this.#options = options;
  }

  /**
   * Names the record of a request by caller, method, path and key. A record that was stored under the former identity
   * of the caller keeps its name.
   *
   * @returns null without a key
   */
  async name(key: string | null, request: RequestIdentity, principal: Principal): Promise<string | null> {
    if (key === null) return null;
    const { identity, formerIdentity } = principal;
    if (formerIdentity !== null) {
      const former = this.#name(key, request, formerIdentity);
      const found = (await this.find(former)) ?? (await this.find(lineName(former, 1)));
      if (found !== null) return former;
    }
    return this.#name(key, request, identity);
  }

  #name(key: string, { method, segments }: RequestIdentity, identity: string): string {
    return `key:${this.#options.digest(JSON.stringify([identity, method, segments, key]))}`;
  }

  /**
   * Distinguishes a request from another under its key: target, version, type and body.
   *
   * @param bytes of the body, inflated
   */
  requestDigest({ target, version, contentType }: RequestIdentity, bytes: Uint8Array): string {
    const { digest } = this.#options;
    return digest(JSON.stringify([target, version, contentType, digest(bytes)]));
  }

  /** Finds the record of a name; null if there is none or it has expired. */
  async find(name: string): Promise<StoredIdempotencyRecord | null> {
    return this.#options.store.find(name, this.#options.now());
  }

  /**
   * Makes a record to be committed with a write.
   *
   * @param outcome makes plain data, stored as JSON, of the rows that the database has completed
   */
  record(keyed: KeyedRequest, outcome: (rows: WrittenRows) => object | string): IdempotencyRecord {
    return {
      ...keyed,
      outcome: (rows) => JSON.stringify(outcome(rows)),
      expiresAt: this.#options.now() + RETENTION,
    };
  }

  /**
   * Runs a request once. The run itself records its result, in the transaction of its write; a failed run is not
   * recorded, and can run again. If another process runs the same request meanwhile, its result is returned instead of
   * a refusal that its change caused (step 13 before 14).
   *
   * @param run executes it; returns `recorded` if the record exists already
   * @param read the value of a record
   * @throws {ApiError} IDEMPOTENCY_KEY_REUSED: another request had the key; IDEMPOTENCY_KEY_IN_PROGRESS: the first is
   *   not done yet
   */
  async runOnce<T>(
    keyed: KeyedRequest,
    run: () => Promise<T | 'recorded'>,
    read: (record: StoredIdempotencyRecord) => T | Promise<T>,
  ): Promise<Replayable<T>> {
    const { name } = keyed;
    if (this.#inProgress.has(name)) throw keyInProgress();
    this.#inProgress.add(name);
    try {
      const earlier = await this.#recorded(keyed);
      if (earlier !== null) return { value: await read(earlier), replayed: true };
      const outcome = await orRefusal(run);
      if (outcome !== 'recorded' && !(outcome instanceof ApiError)) return { value: outcome, replayed: false };
      const meanwhile = await this.#recorded(keyed);
      if (meanwhile === null) throw outcome === 'recorded' ? keyInProgress() : outcome;
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

/** Names the record of a line of NDJSON, below the key of its request. */
export function lineName(key: string, line: number): string {
  return `${key}:${line}`;
}

/** Returns the value of a run, or its refusal. */
async function orRefusal<T>(run: () => Promise<T>): Promise<T | ApiError> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** 400 IDEMPOTENCY_KEY_REQUIRED. */
export function keyRequired(): ApiError {
  return apiError('IDEMPOTENCY_KEY_REQUIRED', 'Send an Idempotency-Key, so that this request can be retried safely.', {
    details: [{ field: FIELD, message: 'is required' }],
  });
}
