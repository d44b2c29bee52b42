import { divideQuota } from '../model/rate-quota.ts';
import type { RateLimits } from '../model/rate-quota.ts';
import type { Observe } from '../observe/observation.ts';
import type { RedisConnection } from '../platform/redis.ts';
import { type HashedKey, keyedHash } from './keyed-hash.ts';
import { type Loan, type LoanRequest, type RateLender, UNUSED_SHARE } from './leased-rate-limiter.ts';
import { JOIN, LEAVE, LEND } from './redis-scripts.ts';

/** The options of borrowing from Redis. */
export interface RedisLenderOptions {
  readonly redis: RedisConnection;
  /** The name of the API: APIs of one name on one database of Redis share their callers. */
  readonly name: string;
  /** The id of this process, unlike that of any other. */
  readonly id: string;
  /** 16 hexadecimal digits: the secret of the hash, where Redis has none yet. */
  readonly secret: string;
  readonly instances: RateLimits['instances'];
  /** Lends the share of this instance while Redis is away. */
  readonly fallback: RateLender;
  readonly observe: Observe;
}

/**
 * Borrows units of rate limits from Redis, where all instances of an API borrow (LIM-2). While Redis is away, each
 * instance admits its share. It is away when it refuses, or does not answer in time: then no request waits for it,
 * until `join` succeeds again.
 */
export class RedisLender implements RateLender {
  readonly isShared = true;
  readonly #options: RedisLenderOptions;
  readonly #prefix: string;
  #hash: ((name: string) => HashedKey) | null = null;
  #state: 'unknown' | 'here' | 'away' = 'unknown';

  constructor(options: RedisLenderOptions) {
    this.#options = options;
    // The braces keep all keys in one slot of a cluster.
    this.#prefix = `restwright:{${options.name}}:rate`;
  }

  hash(name: string): HashedKey {
    return this.#hash === null ? this.#options.fallback.hash(name) : this.#hash(name);
  }

  async borrow(request: LoanRequest): Promise<Loan> {
    if (this.#state === 'here') {
      try {
        return await this.#lend(request);
      } catch (error) {
        this.setAway(error);
      }
    }
    const { fallback, instances } = this.#options;
    const quota = divideQuota(request.quota, instances);
    // A request that counts more than the share takes all of it.
    const loan = await fallback.borrow({ ...request, quota, units: Math.min(request.units, quota.requests) });
    return loan.units === 0 ? loan : { ...loan, units: Math.max(loan.units, request.units) };
  }

  /**
   * Says that this process is there, which has to be repeated, and that Redis is used from now on. @returns whether
   * Redis answered
   */
  async join(): Promise<boolean> {
    const { redis, id, secret } = this.#options;
    try {
      const shared = await redis.run(JOIN, [this.#key('instances'), this.#key('secret')], [id, secret]);
      if (typeof shared !== 'string' || !/^[0-9a-f]{16}$/.test(shared))
        throw new Error(`the key ${this.#key('secret')} has another value than 16 hexadecimal digits; delete it`);
      this.#hash = keyedHash(shared);
    } catch (error) {
      this.setAway(error);
      return false;
    }
    this.#setState('here', null);
    return true;
  }

  /** Says that this process is not there any more, where Redis answers, and ends the connection. */
  async leave(): Promise<void> {
    const { redis, id } = this.#options;
    if (this.#state === 'here') await redis.run(LEAVE, [this.#key('instances')], [id]).catch(() => undefined);
    redis.close();
  }

  /** From now on the share of this instance is lent. */
  setAway(error: unknown): void {
    this.#setState('away', error instanceof Error ? error : new Error(String(error)));
  }

  #setState(state: 'here' | 'away', failure: Error | null): void {
    if (state === this.#state) return;
    this.#state = state;
    const { redis, instances, observe } = this.#options;
    observe({ kind: 'shared-rate-limits', address: redis.address, instances, failure });
  }

  async #lend({ kind, high, low, quota, units }: LoanRequest): Promise<Loan> {
    const keys = [this.#key(`${kind}:${hex(high)}${hex(low)}`), this.#key('instances')];
    const values = [quota.requests, quota.per, units, UNUSED_SHARE].map(String);
    const reply = await this.#options.redis.run(LEND, keys, values);
    const [lent, microseconds]: readonly unknown[] = Array.isArray(reply) ? reply : [];
    if (typeof lent !== 'number' || typeof microseconds !== 'number') throw new Error('Redis answered something else');
    return { units: lent, lacking: microseconds / 1_000 };
  }

  #key(name: string): string {
    return `${this.#prefix}:${name}`;
  }
}

function hex(word: number): string {
  return word.toString(16).padStart(8, '0');
}
