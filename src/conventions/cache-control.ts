/** The cache directives that a model declares for a resource; `maxAge` in seconds. */
export interface CacheDirectives {
  readonly maxAge: number;
  readonly scope: 'public' | 'private';
}

/** What `Cache-Control` depends on (CACHE-5). */
export interface CacheControlOptions {
  /** Whether the request carries credentials. */
  readonly credentials: boolean;
  /** The directives of the model; null if it declares none. */
  readonly cache: CacheDirectives | null;
  /** Whether every caller, authenticated or not, gets the same response. */
  readonly sameForEveryCaller: boolean;
}

/** The directives of a response that contains two resources: the stricter of both (CACHE-5). */
export function combineDirectives(one: CacheDirectives | null, other: CacheDirectives | null): CacheDirectives | null {
  if (one === null || other === null) return null;
  const scope = one.scope === 'public' ? other.scope : 'private';
  return { maxAge: Math.min(one.maxAge, other.maxAge), scope };
}

/** `Cache-Control` of every error, every 201 and every response to a write (CACHE-5, ERR-7). */
export const NO_STORE = 'no-store';

/** Whether shared caches may store the response. It then has no fields about one caller, such as `RateLimit` (CACHE-5). */
export function isShared({ cache, sameForEveryCaller }: CacheControlOptions): boolean {
  return cache?.scope === 'public' && sameForEveryCaller;
}

/** `Cache-Control` of a successful response to GET, HEAD or QUERY (CACHE-5, RFC 9111 5.2.2). */
export function cacheControl(cacheability: CacheControlOptions): string {
  const { credentials, cache } = cacheability;
  if (cache === null) return credentials ? 'private, no-cache' : 'no-cache';
  return `${isShared(cacheability) ? 'public' : 'private'}, max-age=${cache.maxAge}`;
}
