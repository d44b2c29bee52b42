import type { Routed } from './route.ts';

/** Who calls. */
export interface Principal {
  /** The caller as events name it; null for an anonymous one. */
  readonly subject: string | null;
  /** Stands for everything that the caller may see: part of every cache key and tag, so that no answer reaches another (CACHE-1). */
  readonly scope: string;
}

/** A request whose caller is known (step 7). */
export interface Authenticated extends Routed {
  readonly principal: Principal;
  /** Whether the request carries credentials, asked for or not: then no cache shares its answer unless the model says so (CACHE-5). */
  readonly credentials: boolean;
}

const ANONYMOUS: Principal = { subject: null, scope: 'anonymous' };

/** Step 7. Without an `auth` section every caller is anonymous and sees the same. */
export function authenticate(routed: Routed): Authenticated {
  return { ...routed, principal: ANONYMOUS, credentials: routed.exchange.fields.get('authorization') !== null };
}
