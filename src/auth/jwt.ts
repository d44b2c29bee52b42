import { type Cache, GenerationalCache } from '../cache/cache.ts';
import { fnv1a } from '../cache/fnv1a.ts';
import type { Issuer } from '../model/model.ts';
import type { MaybePromise } from '../platform/maybe-promise.ts';
import { findIssuer, judgeClaims, type JudgedClaims } from './claims.ts';
import { type CompactToken, MAX_TOKEN, readToken } from './compact-token.ts';
import { type KeyFinder, type KeySet, matchingKeys } from './key-finder.ts';
import { verifySignature } from './signature.ts';
import type { TokenVerdict, TokenVerifier } from './token-verifier.ts';

/** An issuer of the model with its keys. */
export interface IssuerWithKeys extends Issuer {
  readonly finder: KeyFinder;
}

/** A token that was verified, with what its verdict depends on. */
interface KnownToken {
  readonly verdict: TokenVerdict;
  /** Milliseconds since the epoch. */
  readonly expires: number;
  readonly finder: KeyFinder;
  readonly keys: KeySet;
}

/** In characters of tokens; claims take up about as much memory as the token. About 20,000 tokens of typical size. */
const MAX_WEIGHT = 33_554_432;
const TOKEN_WEIGHT = 800;
/** Characters of a signature by which a token is found: 144 bits that only those know who have the token. */
const FOUND_BY = 24;

const EXPIRED: TokenVerdict = { kind: 'expired' };
const UNAVAILABLE: TokenVerdict = { kind: 'unavailable' };

/**
 * Verifies JSON Web Tokens (RFC 7519, RFC 9068, RFC 8725; AUTH-2).
 *
 * A verified token is remembered until it expires, or its issuer has other keys. It is found by the end of its
 * signature and compared as a whole. The time of that reveals nothing about a token whose end is not known. The verdict
 * depends on the token and the keys, and is that of one *identity*: nothing that is represented is cached here.
 */
export class JwtVerifier implements TokenVerifier {
  readonly #issuers: readonly IssuerWithKeys[];
  readonly #now: () => number;
  readonly #known: Cache<KnownToken> = new GenerationalCache(
    { maxWeight: MAX_WEIGHT, weigh: (_, token) => TOKEN_WEIGHT + token.length },
    (token) => fnv1a(token.slice(-FOUND_BY)),
  );
  readonly caches = { tokens: this.#known };
  /** Verifications under way, by token: requests with one new token share one. */
  readonly #pending = new Map<string, Promise<TokenVerdict>>();

  /** @param now milliseconds since the epoch */
  constructor(issuers: readonly IssuerWithKeys[], now: () => number) {
    this.#issuers = issuers;
    this.#now = now;
  }

  verify(token: string): MaybePromise<TokenVerdict> {
    if (token.length > MAX_TOKEN) return rejectJwt(`it has more than ${MAX_TOKEN} characters`);
    const known = this.#known.get(token);
    if (known !== undefined && known.finder.current() === known.keys)
      return this.#now() < known.expires ? known.verdict : EXPIRED;
    if (known !== undefined) this.#known.missAfterAll();
    return this.#pending.get(token) ?? this.#verifyNew(token);
  }

  isKnown(token: string): boolean {
    const known = token.length > MAX_TOKEN ? undefined : this.#known.get(token);
    return known !== undefined && known.finder.current() === known.keys && this.#now() < known.expires;
  }

  #verifyNew(token: string): MaybePromise<TokenVerdict> {
    const read = readToken(token);
    if (read.kind === 'invalid') return read;
    const { claims, isAccessToken } = read.token;
    const issuer = findIssuer(claims, this.#issuers);
    if (issuer === undefined) return rejectJwt('no issuer of the model has its iss and aud');
    if (!isAccessToken && !issuer.allowTypJwt)
      return rejectJwt('its typ is not at+jwt, and allow_typ_jwt is not declared');
    const judged = judgeClaims(claims, issuer, this.#now());
    // True if a token is expired is said of those with a valid signature alone.
    if (judged.kind === 'invalid') return judged;
    const verdict = this.#verifyBy({ token, issuer, judged }, read.token).finally(() => this.#pending.delete(token));
    this.#pending.set(token, verdict);
    return verdict;
  }

  async #verifyBy({ token, issuer, judged }: Verification, compact: CompactToken): Promise<TokenVerdict> {
    const keys = await issuer.finder.find(compact);
    if (keys === null) return UNAVAILABLE;
    const { algorithm, keyId } = compact;
    const matching = matchingKeys(keys, { algorithm, keyId });
    if (matching.length === 0) return rejectJwt('no key of its issuer has its kid and alg');
    if (!(await isSignedByOne(token, algorithm, matching))) return rejectJwt('its signature is not valid');
    if (judged.kind !== 'valid') return judged;
    const verdict: TokenVerdict = { kind: 'verified', token: judged.token };
    const expires = judged.expires * 1_000;
    const { finder } = issuer;
    this.#known.set(token, { verdict, expires, finder, keys });
    return verdict;
  }
}

interface Verification {
  readonly token: string;
  readonly issuer: IssuerWithKeys;
  readonly judged: Exclude<JudgedClaims, { readonly kind: 'invalid' }>;
}

async function isSignedByOne(token: string, algorithm: string, keys: KeySet): Promise<boolean> {
  for (const { algorithms, key } of keys) {
    const known = algorithms.find((name) => name === algorithm);
    if (known !== undefined && (await verifySignature(token, key, known))) return true;
  }
  return false;
}

function rejectJwt(reason: string): TokenVerdict {
  return { kind: 'invalid', reason };
}
