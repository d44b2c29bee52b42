import type { Routed } from './route.ts';

/** Who calls. */
export interface Principal {
  /** The caller as events name it; null for an anonymous one. */
  readonly subject: string | null;
  /**
   * Names the caller in what belongs to it alone: idempotency records and batch records. Never part of a cache key: two callers with one
   * permission share representations.
   */
  readonly identity: string;
}

/** A request whose caller is known (step 7). */
export interface Authenticated extends Routed {
  readonly principal: Principal;
  /** Whether the request carries credentials, required or not: then no shared cache stores its response unless the model allows it (CACHE-5). */
  readonly credentials: boolean;
}

const ANONYMOUS: Principal = { subject: null, identity: 'anonymous' };

/** Step 7. Without an `auth` section every caller is anonymous. */
export function authenticate(routed: Routed): Authenticated {
  return { ...routed, principal: ANONYMOUS, credentials: routed.exchange.fields.get('authorization') !== null };
}
