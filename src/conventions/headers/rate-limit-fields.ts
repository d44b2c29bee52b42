/** A quota as fields name it. */
interface FieldQuota {
  readonly requests: number;
  /** Milliseconds. */
  readonly per: number;
}

/** Whole seconds, at least 1: what `Retry-After` says of a wait in milliseconds. */
export function waitSeconds(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1_000));
}

/**
 * `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-11): names and values alternating. `t` is
 * the window in which the `r` remaining requests can be made; where none remain, the seconds until one can.
 *
 * @param wait milliseconds until one more request can be made
 */
export function rateLimitFields({ requests, per }: FieldQuota, remaining: number, wait: number): readonly string[] {
  const window = waitSeconds(per);
  return [
    'RateLimit-Policy',
    `"default";q=${requests};w=${window}`,
    'RateLimit',
    `"default";r=${remaining};t=${remaining === 0 ? waitSeconds(wait) : window}`,
  ];
}
