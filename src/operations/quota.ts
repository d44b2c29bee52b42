import { type ApiError, apiError } from '../conventions/errors.ts';
import { rateLimitFields, waitSeconds } from '../conventions/headers/rate-limit-fields.ts';
import { addressName } from '../limits/address-name.ts';
import { LeasedRateLimiter, type RateLender } from '../limits/leased-rate-limiter.ts';
import {
  type BucketKind,
  type BucketState,
  LocalRateLimiter,
  findQuota,
  type RateLimiter,
} from '../limits/rate-limiter.ts';
import type { Model } from '../model/model.ts';
import type { Observe } from '../observe/observation.ts';
import { limitsOfInstance, type RateLimits, type RateQuota } from '../model/rate-quota.ts';
import { chain, type MaybePromise } from '../platform/maybe-promise.ts';
import type { Random } from '../platform/random.ts';

/** Counts requests against the rate limits. */
export interface Rates {
  readonly limits: RateLimits;
  readonly limiter: RateLimiter;
  /** Waits for a number of milliseconds. */
  readonly sleep: (milliseconds: number) => Promise<unknown>;
  readonly observe: Observe;
}

interface RateSources extends Pick<Rates, 'sleep' | 'observe'> {
  readonly model: Pick<Model, 'limits'>;
  /** Lends units of buckets that several processes share; null if this process counts alone. */
  readonly rateLender: RateLender | null;
  readonly random: Random;
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
}

/** Creates the counter of requests; null if the model has no rate limits. */
export function createRates({
  model,
  rateLender: lender,
  random,
  elapsed: now,
  sleep,
  observe,
}: RateSources): Rates | null {
  const { rate } = model.limits;
  if (rate === null) return null;
  const limits = lender?.isShared === true ? rate : limitsOfInstance(rate);
  const limiter =
    lender === null
      ? new LocalRateLimiter({ limits, secret: random.hex(8), now })
      : new LeasedRateLimiter({ limits, lender, now });
  return { limits, limiter, sleep, observe };
}

/** The bucket that one request takes from (LIM-2), and what it had left then. */
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
    this.#quota = findQuota(kind, rates.limits);
    this.#state = { admitted: true, remaining: this.#quota.requests, wait: 0 };
  }

  /** The cost of a search, in requests. */
  get searchWeight(): number {
    return this.#rates.limits.weights.search;
  }

  /**
   * Takes the cost of a request.
   *
   * @param units more than the quota count as all of it
   * @throws {ApiError} RATE_LIMIT_EXCEEDED
   */
  take(units: number): MaybePromise<void> {
    return chain(this.#request(Math.min(units, this.#quota.requests)), (state) => this.#admit(state));
  }

  /**
   * Takes the cost of a request beyond the unit that it has taken.
   *
   * @throws {ApiError} RATE_LIMIT_EXCEEDED; then the whole request fits after the time that it names
   */
  async takeMore(units: number): Promise<void> {
    const { requests, per } = this.#quota;
    const further = Math.min(units, requests - 1);
    if (further > 0) this.#admit(await this.#request(further), per / requests);
  }

  /**
   * Takes a unit, and waits until one is available.
   *
   * @param patience maximum milliseconds to wait
   * @throws {ApiError} RATE_LIMIT_EXCEEDED
   */
  async takeOrWait(patience: number): Promise<void> {
    for (let waited = 0; ; ) {
      this.#state = await this.#request(1);
      const { admitted, wait } = this.#state;
      if (admitted) return;
      const milliseconds = Math.ceil(wait);
      if (waited + milliseconds > patience) throw this.#exceeded(wait);
      await this.#rates.sleep(milliseconds);
      waited += milliseconds;
    }
  }

  /** Puts a unit back. */
  giveBack(): void {
    this.#rates.limiter.giveBack(this.#kind, this.#name, 1);
  }

  /** Checks that a unit is left, without taking it. @throws {ApiError} RATE_LIMIT_EXCEEDED */
  check(): void {
    this.#state = this.#rates.limiter.check(this.#kind, this.#name);
    if (!this.#state.admitted) throw this.#exceeded(this.#state.wait);
  }

  /** Takes a unit, if one is left. */
  count(): void {
    const state = this.#request(1);
    // If the unit must be lent by another process, the response does not wait for it.
    if (!(state instanceof Promise)) this.#state = state;
  }

  /** Lists the header fields of a response. */
  fields(): readonly string[] {
    return rateLimitFields(this.#quota, this.#state.remaining, this.#state.wait);
  }

  #request(units: number): MaybePromise<BucketState> {
    return this.#rates.limiter.take(this.#kind, this.#name, units);
  }

  /** @param further milliseconds to wait in addition @throws {ApiError} RATE_LIMIT_EXCEEDED */
  #admit(state: BucketState, further = 0): void {
    this.#state = state;
    if (!state.admitted) throw this.#exceeded(state.wait + further);
  }

  #exceeded(wait: number): ApiError {
    this.#rates.observe({ kind: 'rate-limited', bucket: this.#kind });
    const seconds = waitSeconds(wait);
    const message = `Too many requests; try again in ${seconds} s.`;
    return apiError('RATE_LIMIT_EXCEEDED', message, { headers: { 'Retry-After': String(seconds) } });
  }
}
