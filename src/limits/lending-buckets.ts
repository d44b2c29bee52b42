import { fullAfterTaking, unitsIn, waitFor } from './gcra.ts';
import { type Loan, type LoanRequest, type RateLender, UNUSED_SHARE } from './leased-rate-limiter.ts';
import { keyedHash } from './keyed-hash.ts';
import { bucketTables } from './rate-limiter.ts';

/**
 * The buckets of several processes: lends to each what it requests, and less when little is left, so that none holds
 * what another could use. What is lent counts as taken: units that a process took with it when it died are refilled as
 * time passes.
 */
export class LendingBuckets {
  readonly #tables = bucketTables();
  readonly #borrowers: number;
  readonly #now: () => number;

  /** @param now milliseconds, monotonic */
  constructor(borrowers: number, now: () => number) {
    this.#borrowers = borrowers;
    this.#now = now;
  }

  lend({ kind, high, low, quota, units }: LoanRequest): Loan {
    const table = this.#tables[kind];
    const now = this.#now();
    const found = table.find({ high, low });
    const slot = found === -1 ? table.claim({ high, low }) : found;
    const fullAt = table.fullAt(slot);
    if (waitFor(fullAt, now, units, quota) > 0) return { units: 0, lacking: Math.max(0, fullAt - now) };
    const fair = Math.floor(unitsIn(fullAt, now, quota) / (2 * this.#borrowers));
    const most = Math.floor((quota.requests * UNUSED_SHARE) / this.#borrowers);
    const lent = Math.max(units, Math.min(most, fair));
    const after = fullAfterTaking(fullAt, now, lent, quota);
    table.setFullAt(slot, after);
    return { units: lent, lacking: after - now };
  }
}

/**
 * Lends to this process alone. @param secret of the hash of names: 16 hexadecimal digits @param now milliseconds,
 * monotonic
 */
export function localLender(secret: string, now: () => number): RateLender {
  const buckets = new LendingBuckets(1, now);
  return { isShared: false, hash: keyedHash(secret), borrow: (request) => Promise.resolve(buckets.lend(request)) };
}
