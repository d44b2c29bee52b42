import type { ClearableCache } from '../cache/cache.ts';
import type { JsonObject } from '../conventions/json/json.ts';
import type { MaybePromise } from '../platform/maybe-promise.ts';

/** A bearer token that was verified: who calls, and what the token allows (AUTH-2, AUTH-9). */
export interface VerifiedToken {
  /** The name of the issuer in the model. */
  readonly issuer: string;
  readonly subject: string;
  /** The client that acts for the subject; null where the token names none. */
  readonly client: string | null;
  readonly scopes: ReadonlySet<string>;
  /** All claims, for row policies. */
  readonly claims: JsonObject;
}

/** The verdict on a token. */
export type TokenVerdict =
  | { readonly kind: 'verified'; readonly token: VerifiedToken }
  | { readonly kind: 'expired' }
  /** `reason` is for the log: a client learns nothing but that the token is not valid (AUTH-3). */
  | { readonly kind: 'invalid'; readonly reason: string }
  /** The keys of its issuer cannot be read now. */
  | { readonly kind: 'unavailable' };

/**
 * Verifies bearer tokens of one kind. The composition root hands it to the pipeline.
 *
 * @example
 * ```ts
 * const verdict = await tokens.verify('eyJhbGciOi...');
 * if (verdict.kind === 'verified') greet(verdict.token.subject);
 * ```
 */
export interface TokenVerifier {
  /**
   * Verifies a token. A known token is answered synchronously.
   *
   * @param token as it was sent, without the scheme
   */
  verify(token: string): MaybePromise<TokenVerdict>;
  /**
   * True if a token is in the cache of verified ones, so that it is no attempt to guess one (LIM-2b). Default: none is.
   *
   * @param token as it was sent, without the scheme
   */
  isKnown?(token: string): boolean;
  /**
   * Its caches, by the name that metrics have for them; absent if it has none. Those with `clear` are cleared when the
   * API is idle.
   */
  readonly caches?: Readonly<Record<string, Pick<ClearableCache, 'statistics'> & Partial<ClearableCache>>>;
}

/** The verifier of a model with `auth` for which none is given. */
export const NO_TOKENS: TokenVerifier = {
  verify: () => ({ kind: 'invalid', reason: 'no verifier of tokens is configured' }),
};
