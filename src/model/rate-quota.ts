/** So many requests in a time. */
export interface RateQuota {
  readonly requests: number;
  /** Milliseconds. */
  readonly per: number;
}

/** How many requests are admitted (LIM-2), by all instances together. */
export interface RateLimits {
  /** Of each caller with an identity. */
  readonly caller: RateQuota;
  /** Of each address without one. */
  readonly address: RateQuota;
  /** The number of instances that admit them. */
  readonly instances: number;
  /** What a request counts, in requests. */
  readonly weights: { readonly search: number };
}

/** What one of several instances admits of a quota: at least one request, in a time that is longer by as much. */
export function shareOf({ requests, per }: RateQuota, instances: number): RateQuota {
  const share = Math.max(1, Math.floor(requests / instances));
  return { requests: share, per: Math.max(per, (share * instances * per) / requests) };
}

/** The limits of one instance, where no store is shared. */
export function limitsOfInstance(limits: RateLimits): RateLimits {
  const { caller, address, instances } = limits;
  return { ...limits, caller: shareOf(caller, instances), address: shareOf(address, instances) };
}
