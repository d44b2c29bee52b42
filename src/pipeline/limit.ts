import type { OriginChecked } from './check-origin.ts';

/** What is left of a rate limit after this request. */
export interface Quota {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the quota is whole again. */
  readonly reset: number;
}

/** A request that the rate limits admit (step 8). */
export interface Limited extends OriginChecked {
  /** null where the model declares no rate limit for it. */
  readonly quota: Quota | null;
}

/** Step 8. No model has rate limits yet: every request is admitted. */
export function limit(checked: OriginChecked): Limited {
  return { ...checked, quota: null };
}
