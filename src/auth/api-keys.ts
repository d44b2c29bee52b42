import { timingSafeEqual } from 'node:crypto';
import { createCache } from '../cache/cache.ts';
import type { JsonObject } from '../conventions/json/json.ts';
import { chain, type MaybePromise } from '../platform/maybe-promise.ts';
import type { TokenVerdict, TokenVerifier } from './token-verifier.ts';

/** The issuer of the callers with an API key (AUTH-9). No issuer of a model has this name. */
export const API_KEY_ISSUER = 'api-keys';

/** An API key as it is stored. */
export interface StoredApiKey {
  readonly id: string;
  /** The SHA-256 of the key as base64url. */
  readonly digest: string;
  readonly subject: string;
  readonly scopes: readonly string[];
  readonly claims: JsonObject;
  /** Milliseconds since the epoch; null for a key that does not expire. */
  readonly expiresAt: number | null;
}

export interface ApiKeyOptions {
  /** The keys that begin with these characters. */
  readonly find: (prefix: string) => MaybePromise<readonly StoredApiKey[]>;
  /** One number, which changes with every change of a key, by any process. */
  readonly stamps: () => MaybePromise<readonly number[]>;
  readonly digest: (key: string) => string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** The claim with the id of a key (RFC 7519 4.1.7). */
const KEY_ID = 'jti';

const START = 'rw_';
const KEY = /^rw_[A-Za-z0-9_-]{43}$/;
/** Characters of a key that find it. */
const PREFIX = 11;
/** Prefixes whose keys are kept. */
const MAX_PREFIXES = 10_000;

/** A new key, with the prefix by which it is found. @param random 32 unpredictable bytes in hexadecimal */
export function apiKey(random: string): { readonly key: string; readonly prefix: string } {
  const key = `${START}${Buffer.from(random, 'hex').toString('base64url')}`;
  return { key, prefix: key.slice(0, PREFIX) };
}

const UNKNOWN: TokenVerdict = { kind: 'invalid', reason: 'no API key is equal to it' };

/**
 * Verifies API keys (AUTH-8). The keys of a prefix stay cached until any key changes. Every process refuses a revoked
 * key with the first request after its revocation was acknowledged. It depends on the store alone, and holds digests,
 * never keys.
 */
export class ApiKeyVerifier implements TokenVerifier {
  readonly #options: ApiKeyOptions;
  readonly #found = createCache<{ readonly stamp: number; readonly keys: readonly StoredApiKey[] }>({
    maxWeight: MAX_PREFIXES,
    weigh: ({ keys }) => 1 + keys.length,
  });
  readonly caches = { api_keys: this.#found };

  constructor(options: ApiKeyOptions) {
    this.#options = options;
  }

  verify(key: string): MaybePromise<TokenVerdict> {
    if (!KEY.test(key)) return { kind: 'invalid', reason: 'an API key has 43 characters after its prefix' };
    return chain(this.#options.stamps(), ([stamp = 0]) => {
      const known = this.#found.get(key.slice(0, PREFIX));
      if (known !== undefined && known.stamp === stamp) return this.#judge(key, known.keys);
      if (known !== undefined) this.#found.missAfterAll();
      return this.#verifyNew(key, stamp);
    });
  }

  isKnown(key: string): boolean {
    const known = KEY.test(key) ? this.#found.get(key.slice(0, PREFIX)) : undefined;
    return known !== undefined && this.#judge(key, known.keys).kind === 'verified';
  }

  /** @param stamp read before the keys */
  async #verifyNew(key: string, stamp: number): Promise<TokenVerdict> {
    const prefix = key.slice(0, PREFIX);
    const keys = await this.#options.find(prefix);
    this.#found.set(prefix, { stamp, keys });
    return this.#judge(key, keys);
  }

  #judge(key: string, candidates: readonly StoredApiKey[]): TokenVerdict {
    const digest = Buffer.from(this.#options.digest(key));
    const found = candidates.find((each) => isEqual(Buffer.from(each.digest), digest));
    if (found === undefined) return UNKNOWN;
    const { id, subject, scopes, claims, expiresAt } = found;
    if (expiresAt !== null && expiresAt <= this.#options.now()) return { kind: 'expired' };
    const all = { ...claims, sub: subject, scope: scopes.join(' '), [KEY_ID]: id };
    const token = { issuer: API_KEY_ISSUER, subject, client: null, scopes: new Set(scopes), claims: all };
    return { kind: 'verified', token };
  }
}

/** The id of the API key of a caller; null for one with other credentials. */
export function findApiKeyId({
  issuer,
  claims,
}: {
  readonly issuer: string | null;
  readonly claims: JsonObject;
}): string | null {
  const id = issuer === API_KEY_ISSUER ? claims[KEY_ID] : null;
  return typeof id === 'string' ? id : null;
}

/** Sends API keys to their verifier, and all other bearer tokens to that of the issuers. */
export function withApiKeys(tokens: TokenVerifier, keys: TokenVerifier): TokenVerifier {
  const select = (token: string): TokenVerifier => (token.startsWith(START) ? keys : tokens);
  return {
    verify: (token) => select(token).verify(token),
    isKnown: (token) => select(token).isKnown?.(token) === true,
    caches: { ...tokens.caches, ...keys.caches },
  };
}

function isEqual(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
