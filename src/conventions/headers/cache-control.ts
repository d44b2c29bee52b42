/** The cache directives that a model declares for a resource; `maxAge` in seconds. */
export interface CacheDirectives {
  readonly maxAge: number;
  readonly scope: 'public' | 'private';
}

/** The facts on which `Cache-Control` depends (CACHE-5). */
export interface CacheControlOptions {
  /** True if the request carries credentials. */
  readonly credentials: boolean;
  /**
   * The directives of the model; null if it declares none. `public` is only what every caller, authenticated or not,
   * gets the same of.
   */
  readonly cache: CacheDirectives | null;
}

/** The directives of a response that contains two resources: the stricter of both (CACHE-5). */
export function combineDirectives(one: CacheDirectives | null, other: CacheDirectives | null): CacheDirectives | null {
  if (one === null || other === null) return null;
  const scope = one.scope === 'public' ? other.scope : 'private';
  return { maxAge: Math.min(one.maxAge, other.maxAge), scope };
}

/** The directives of a response that is not the same for every caller (CACHE-5). */
export function privateDirectives(cache: CacheDirectives | null): CacheDirectives | null {
  return cache === null ? null : { ...cache, scope: 'private' };
}

/** `Cache-Control` of every error, every 201 and every response to a write (CACHE-5, ERR-7). */
export const NO_STORE = 'no-store';

/**
 * True if shared caches may store the response. It then has no fields about one caller, such as `RateLimit` (CACHE-5).
 */
export function isShared(cache: CacheDirectives | null): boolean {
  return cache?.scope === 'public';
}

/** `Cache-Control` of a successful response to GET, HEAD or QUERY (CACHE-5, RFC 9111 5.2.2). */
export function cacheControl({ credentials, cache }: CacheControlOptions): string {
  if (cache === null) return credentials ? 'private, no-cache' : 'no-cache';
  return `${cache.scope}, max-age=${cache.maxAge}`;
}
