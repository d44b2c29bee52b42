import { LeasedRateLimiter, type RateLender } from '../limits/leased-rate-limiter.ts';
import { LocalRateLimiter } from '../limits/rate-limiter.ts';
import type { Model } from '../model/model.ts';
import { limitsOfInstance } from '../model/rate-quota.ts';
import type { Random } from '../platform/random.ts';
import type { Rates } from './quota.ts';

interface RateSources extends Pick<Rates, 'sleep' | 'observe'> {
  readonly model: Pick<Model, 'limits'>;
  /** null where this process counts alone. */
  readonly rateLender: RateLender | null;
  readonly random: Random;
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
}

/** What counts the requests of callers; null where the model has no rate limits. */
export function ratesOf({
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
