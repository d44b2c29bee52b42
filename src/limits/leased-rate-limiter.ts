import type { RateLimits, RateQuota } from '../model/rate-quota.ts';
import type { MaybePromise } from '../platform/maybe-promise.ts';
import { BucketTable } from './bucket-table.ts';
import { unitsIn, waitFor } from './gcra.ts';
import type { HashedKey } from './keyed-hash.ts';
import { type BucketKind, type BucketState, findQuota, type RateLimiter } from './rate-limiter.ts';

/** A request of a process to the keeper of the buckets. */
export interface LoanRequest extends HashedKey {
  readonly kind: BucketKind;
  readonly quota: RateQuota;
  /** The least number that is of use; more are lent where there is plenty. */
  readonly units: number;
}

/** Units that a process may take from a bucket without asking. */
export interface Loan {
  /** 0 where fewer than the least number are left. */
  readonly units: number;
  /** Milliseconds until the bucket is full, without these units. */
  readonly lacking: number;
}

/** Lends units of buckets that several processes take from. */
export interface RateLender {
  /**
   * True if the instances of an API borrow from it together; otherwise only the processes of one instance do, and each
   * has its share.
   */
  readonly isShared: boolean;
  /** The hash of a name, the same in every process. */
  hash(name: string): HashedKey;
  /** Never rejects. */
  borrow(request: LoanRequest): Promise<Loan>;
}

/**
 * Share of a quota that all processes together may have borrowed and not used. The sum that they admit may differ from
 * the quota by as much.
 */
export const UNUSED_SHARE = 0.08;

const SLOTS = 2 ** 16;

/** The options of borrowing. */
interface LeasedRateLimiterOptions {
  readonly limits: Pick<RateLimits, 'caller' | 'address'>;
  readonly lender: RateLender;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}

/**
 * The limiter of one of several processes: takes from what it has borrowed, synchronously, and borrows again when that
 * is used up. What the lender refused is refused here until it would be there, without asking. Units that are not used
 * in the time of the quota are void.
 */
export class LeasedRateLimiter implements RateLimiter {
  readonly #options: LeasedRateLimiterOptions;
  readonly #leases = { caller: new Leases(), address: new Leases(), failure: new Leases() };
  /** By bucket: requests that wait for the same loan. */
  readonly #pending = new Map<string, Promise<void>>();

  constructor(options: LeasedRateLimiterOptions) {
    this.#options = options;
  }

  take(kind: BucketKind, name: string, units: number): MaybePromise<BucketState> {
    const hashed = this.#options.lender.hash(name);
    const quota = findQuota(kind, this.#options.limits);
    return this.#takeNow(kind, hashed, units, quota) ?? this.#takeLater(kind, hashed, units, quota);
  }

  check(kind: BucketKind, name: string): BucketState {
    const { lender, limits, now } = this.#options;
    return this.#leases[kind].state(lender.hash(name), 1, findQuota(kind, limits), now());
  }

  giveBack(kind: BucketKind, name: string, units: number): void {
    const { lender, limits, now } = this.#options;
    this.#leases[kind].add(lender.hash(name), units, findQuota(kind, limits), now());
  }

  /** null where units have to be borrowed first. */
  #takeNow(kind: BucketKind, hashed: HashedKey, units: number, quota: RateQuota): BucketState | null {
    const now = this.#options.now();
    const leases = this.#leases[kind];
    if (leases.take(hashed, units, now)) return { ...leases.state(hashed, 1, quota, now), admitted: true };
    const state = leases.state(hashed, units, quota, now);
    return state.admitted ? null : state;
  }

  async #takeLater(kind: BucketKind, hashed: HashedKey, units: number, quota: RateQuota): Promise<BucketState> {
    const bucket = `${kind} ${hashed.high} ${hashed.low}`;
    for (;;) {
      const borrowed = this.#pending.get(bucket) ?? this.#borrow(bucket, { kind, ...hashed, quota, units });
      await borrowed;
      const state = this.#takeNow(kind, hashed, units, quota);
      if (state !== null) return state;
    }
  }

  #borrow(bucket: string, { kind, high, low, quota, units }: LoanRequest): Promise<void> {
    const { lender, now } = this.#options;
    const leases = this.#leases[kind];
    const least = units - leases.units({ high, low }, now());
    const borrow = async (): Promise<void> => {
      const loan = await lender.borrow({ kind, high, low, quota, units: least });
      this.#pending.delete(bucket);
      leases.add({ high, low }, loan.units, quota, now());
      leases.setFullAt({ high, low }, now() + loan.lacking);
    };
    const borrowed = borrow();
    this.#pending.set(bucket, borrowed);
    return borrowed;
  }
}

/** The units that one process has borrowed of many buckets, and the time at which each is full at the lender. */
class Leases {
  readonly #table = new BucketTable(SLOTS);
  readonly #units = new Uint32Array(SLOTS);
  /** Milliseconds. */
  readonly #validUntil = new Float64Array(SLOTS);

  units(hashed: HashedKey, now: number): number {
    const slot = this.#table.find(hashed);
    return slot === -1 || now >= (this.#validUntil[slot] ?? 0) ? 0 : (this.#units[slot] ?? 0);
  }

  /** @returns whether all of them were there */
  take(hashed: HashedKey, units: number, now: number): boolean {
    const there = this.units(hashed, now);
    if (there < units) return false;
    this.#units[this.#table.find(hashed)] = there - units;
    return true;
  }

  add(hashed: HashedKey, units: number, { per }: RateQuota, now: number): void {
    const there = this.units(hashed, now);
    const slot = this.#slot(hashed);
    this.#units[slot] = there + units;
    this.#validUntil[slot] = now + per;
  }

  setFullAt(hashed: HashedKey, fullAt: number): void {
    this.#table.setFullAt(this.#slot(hashed), fullAt);
  }

  /** True if so many units are here or would be lent, as far as this process knows. */
  state(hashed: HashedKey, units: number, quota: RateQuota, now: number): BucketState {
    const there = this.units(hashed, now);
    const slot = this.#table.find(hashed);
    const fullAt = slot === -1 ? 0 : this.#table.fullAt(slot);
    const wait = there >= units ? 0 : waitFor(fullAt, now, units - there, quota);
    const remaining = Math.min(quota.requests, unitsIn(fullAt, now, quota) + there);
    return { admitted: wait === 0, remaining, wait };
  }

  /** A slot of the bucket; a new one has nothing of the bucket that it displaced, whose units are void. */
  #slot(hashed: HashedKey): number {
    const found = this.#table.find(hashed);
    if (found !== -1) return found;
    const slot = this.#table.claim(hashed);
    this.#table.setFullAt(slot, 0);
    this.#units[slot] = 0;
    return slot;
  }
}
