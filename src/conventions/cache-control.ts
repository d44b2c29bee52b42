/** What a model declares of caches; `maxAge` in seconds. */
export interface CacheDirectives {
  readonly maxAge: number;
  readonly scope: 'public' | 'private';
}

/** What the value of `Cache-Control` depends on (CACHE-5). */
export interface CacheControlOptions {
  /** Whether the request carries credentials. */
  readonly credentials: boolean;
  /** What the model declares; null where it declares nothing. */
  readonly cache: CacheDirectives | null;
  /** Whether every caller, known or not, gets this very answer. */
  readonly sameForEveryCaller: boolean;
}

/** What holds for an answer that tells of two resources: what each of them allows (CACHE-5). */
export function combineDirectives(one: CacheDirectives | null, other: CacheDirectives | null): CacheDirectives | null {
  if (one === null || other === null) return null;
  const scope = one.scope === 'public' ? other.scope : 'private';
  return { maxAge: Math.min(one.maxAge, other.maxAge), scope };
}

/** `Cache-Control` of every error, every 201 and every answer to a write (CACHE-5, ERR-7). */
export const NO_STORE = 'no-store';

/** Whether caches may share the answer among callers; then it has no fields about one of them, such as `RateLimit` (CACHE-5). */
export function isShared({ cache, sameForEveryCaller }: CacheControlOptions): boolean {
  return cache?.scope === 'public' && sameForEveryCaller;
}

/** `Cache-Control` of an answer to GET, HEAD or QUERY that is no error (CACHE-5, RFC 9111 5.2.2). */
export function cacheControl(cacheability: CacheControlOptions): string {
  const { credentials, cache } = cacheability;
  if (cache === null) return credentials ? 'private, no-cache' : 'no-cache';
  return `${isShared(cacheability) ? 'public' : 'private'}, max-age=${cache.maxAge}`;
}
