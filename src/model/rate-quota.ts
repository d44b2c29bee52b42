/** So many requests in a time. */
export interface RateQuota {
  readonly requests: number;
  /** Milliseconds. */
  readonly per: number;
}

/** The rates of admitted requests (LIM-2), for all instances together. */
export interface RateLimits {
  /** Quota of each caller with an identity. */
  readonly caller: RateQuota;
  /** Quota of each address without an identity. */
  readonly address: RateQuota;
  /** The number of instances that admit them. */
  readonly instances: number;
  /** The weight of a request, in requests. */
  readonly weights: { readonly search: number };
}

/**
 * Computes the part of a quota that one of several instances admits. If it is below one request, the time is longer
 * instead.
 */
export function divideQuota({ requests, per }: RateQuota, instances: number): RateQuota {
  const share = Math.max(1, Math.floor(requests / instances));
  return { requests: share, per: Math.max(per, (share * instances * per) / requests) };
}

/** The limits of one instance, where no store is shared. */
export function limitsOfInstance(limits: RateLimits): RateLimits {
  const { caller, address, instances } = limits;
  return { ...limits, caller: divideQuota(caller, instances), address: divideQuota(address, instances) };
}
