/** So many requests in a time. */
export interface RateQuota {
  readonly requests: number;
  /** Milliseconds. */
  readonly per: number;
}

/** How many requests this server admits (LIM-2). */
export interface RateLimits {
  /** Of each caller with an identity. */
  readonly caller: RateQuota;
  /** Of each address without one. */
  readonly address: RateQuota;
  /** What a request counts, in requests. */
  readonly weights: { readonly search: number };
}
