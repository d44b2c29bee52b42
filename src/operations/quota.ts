import { type ApiError, apiError } from '../conventions/errors.ts';
import { rateLimitFields, waitSeconds } from '../conventions/headers/rate-limit-fields.ts';
import { addressName } from '../limits/address-name.ts';
import { type BucketKind, type BucketState, quotaOf, type RateLimiter } from '../limits/rate-limiter.ts';
import type { Observe } from '../observe/observation.ts';
import type { RateLimits, RateQuota } from '../model/rate-quota.ts';
import { chain, type MaybePromise } from '../platform/maybe-promise.ts';

/** What counting requests needs. */
export interface Rates {
  readonly limits: RateLimits;
  readonly limiter: RateLimiter;
  /** Waits for a number of milliseconds. */
  readonly sleep: (milliseconds: number) => Promise<unknown>;
  readonly observe: Observe;
}

/** The bucket from which one request takes (LIM-2), and what was left in it then. */
export class Quota {
  readonly #rates: Rates;
  readonly #kind: BucketKind;
  readonly #name: string;
  readonly #quota: RateQuota;
  #state: BucketState;

  /** @param name an identity, or the address of a peer */
  constructor(rates: Rates, kind: BucketKind, name: string) {
    this.#rates = rates;
    this.#kind = kind;
    this.#name = kind === 'caller' ? name : addressName(name);
    this.#quota = quotaOf(kind, rates.limits);
    this.#state = { admitted: true, remaining: this.#quota.requests, wait: 0 };
  }

  /** Takes what a request costs. @param units more than the quota count as all of it @throws {ApiError} RATE_LIMIT_EXCEEDED */
  take(units: number): MaybePromise<void> {
    const { requests } = this.#quota;
    return chain(this.#taken(Math.min(units, requests)), ({ admitted, wait }) => {
      if (!admitted) throw this.#exceeded(wait);
    });
  }

  /**
   * Takes what a request costs besides the unit that it has taken.
   *
   * @throws {ApiError} RATE_LIMIT_EXCEEDED; then the whole request fits after the time that it names
   */
  takeMore(units: number): MaybePromise<void> {
    const { requests, per } = this.#quota;
    const further = Math.min(units, requests - 1);
    if (further <= 0) return undefined;
    return chain(this.#taken(further), ({ admitted, wait }) => {
      if (!admitted) throw this.#exceeded(wait + per / requests);
    });
  }

  /** Takes a unit, and waits until there is one. @param patience milliseconds to wait @throws {ApiError} RATE_LIMIT_EXCEEDED */
  async takeOrWait(patience: number): Promise<void> {
    for (let waited = 0; ; ) {
      const { admitted, wait } = await this.#taken(1);
      if (admitted) return;
      const milliseconds = Math.ceil(wait);
      if (waited + milliseconds > patience) throw this.#exceeded(wait);
      await this.#rates.sleep(milliseconds);
      waited += milliseconds;
    }
  }

  /** Puts back a unit that was taken for nothing. */
  giveBack(): void {
    this.#rates.limiter.giveBack(this.#kind, this.#name, 1);
  }

  /** Whether a unit is there; takes none. @throws {ApiError} RATE_LIMIT_EXCEEDED */
  check(): void {
    this.#state = this.#rates.limiter.check(this.#kind, this.#name);
    if (!this.#state.admitted) throw this.#exceeded(this.#state.wait);
  }

  /** Takes a unit, where one is left. */
  count(): void {
    // Where it has to be borrowed, the response does not wait for it.
    void this.#taken(1);
  }

  /** The header fields of a response: names and values alternating. */
  fields(): readonly string[] {
    return rateLimitFields(this.#quota, this.#state.remaining, this.#state.wait);
  }

  #taken(units: number): MaybePromise<BucketState> {
    return chain(this.#rates.limiter.take(this.#kind, this.#name, units), (state) => (this.#state = state));
  }

  #exceeded(wait: number): ApiError {
    this.#rates.observe({ kind: 'rate-limited', bucket: this.#kind });
    const seconds = waitSeconds(wait);
    const message = `Too many requests; try again in ${seconds} s.`;
    return apiError('RATE_LIMIT_EXCEEDED', message, { headers: { 'Retry-After': String(seconds) } });
  }
}
