import type { RateLimits, RateQuota } from '../model/rate-quota.ts';
import type { MaybePromise } from '../platform/maybe-promise.ts';
import { BucketTable } from './bucket-table.ts';
import { fullAfterReturning, fullAfterTaking, unitsIn, waitFor } from './gcra.ts';
import { keyedHash } from './keyed-hash.ts';

/**
 * Buckets of callers by identity, of addresses without credentials, and of addresses whose credentials were refused.
 */
export type BucketKind = 'caller' | 'address' | 'failure';

/** The state of a bucket after units were taken from it. */
export interface BucketState {
  readonly admitted: boolean;
  /** The whole units that are left. */
  readonly remaining: number;
  /** Milliseconds until the units that were refused are there; where they were taken, until there is one more. */
  readonly wait: number;
}

/**
 * Counts what callers take from their quotas (LIM-2). Synchronous, except where another process lends the units and
 * none are left here.
 */
export interface RateLimiter {
  /** Takes units, if all of them are there. @param units at most the quota */
  take(kind: BucketKind, name: string, units: number): MaybePromise<BucketState>;
  /** True if a unit is there. */
  check(kind: BucketKind, name: string): BucketState;
  /** Puts units back that were taken for nothing. */
  giveBack(kind: BucketKind, name: string, units: number): void;
}

/** Which quota a bucket has. Failed attempts have as many as requests without credentials. */
export function findQuota(kind: BucketKind, { caller, address }: Pick<RateLimits, 'caller' | 'address'>): RateQuota {
  return kind === 'caller' ? caller : address;
}

/** Tables of their own, so that a flood of addresses takes no room from callers. */
export function bucketTables(): Readonly<Record<BucketKind, BucketTable>> {
  return { caller: new BucketTable(), address: new BucketTable(), failure: new BucketTable() };
}

/** The options of a keeper of buckets. */
interface LocalBucketOptions {
  readonly limits: Pick<RateLimits, 'caller' | 'address'>;
  /** The secret of the hash of names: 16 random hexadecimal digits. */
  readonly secret: string;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}

/** The limiter of one process: decides synchronously, in memory of a fixed size. */
export class LocalRateLimiter implements RateLimiter {
  readonly #options: LocalBucketOptions;
  readonly #hash: ReturnType<typeof keyedHash>;
  readonly #tables = bucketTables();

  constructor(options: LocalBucketOptions) {
    this.#options = options;
    this.#hash = keyedHash(options.secret);
  }

  take(kind: BucketKind, name: string, units: number): BucketState {
    const { limits, now } = this.#options;
    return takeFrom(this.#tables[kind], this.#slot(kind, name), units, { quota: findQuota(kind, limits), now: now() });
  }

  check(kind: BucketKind, name: string): BucketState {
    const table = this.#tables[kind];
    const { limits, now } = this.#options;
    const slot = table.find(this.#hash(name));
    return computeBucketState(slot === -1 ? 0 : table.fullAt(slot), now(), findQuota(kind, limits));
  }

  giveBack(kind: BucketKind, name: string, units: number): void {
    const table = this.#tables[kind];
    const slot = this.#slot(kind, name);
    table.setFullAt(slot, fullAfterReturning(table.fullAt(slot), units, findQuota(kind, this.#options.limits)));
  }

  #slot(kind: BucketKind, name: string): number {
    const hashed = this.#hash(name);
    const slot = this.#tables[kind].find(hashed);
    return slot === -1 ? this.#tables[kind].claim(hashed) : slot;
  }
}

/** Takes units from a bucket in a table, if all of them are there. */
export function takeFrom(
  table: BucketTable,
  slot: number,
  units: number,
  { quota, now }: { readonly quota: RateQuota; readonly now: number },
): BucketState {
  const fullAt = table.fullAt(slot);
  const wait = waitFor(fullAt, now, units, quota);
  if (wait > 0) return { admitted: false, remaining: unitsIn(fullAt, now, quota), wait };
  const after = fullAfterTaking(fullAt, now, units, quota);
  table.setFullAt(slot, after);
  return { admitted: true, remaining: unitsIn(after, now, quota), wait: waitFor(after, now, 1, quota) };
}

/** True if a bucket has a unit. */
export function computeBucketState(fullAt: number, now: number, quota: RateQuota): BucketState {
  const wait = waitFor(fullAt, now, 1, quota);
  return { admitted: wait === 0, remaining: unitsIn(fullAt, now, quota), wait };
}
