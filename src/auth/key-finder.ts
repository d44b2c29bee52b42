import type { TokenAlgorithm } from '../conventions/json/json-web-key.ts';
import type { MaybePromise } from '../platform/maybe-promise.ts';
import type { VerificationKey } from './signature.ts';

/** A key of an issuer, and what it verifies. */
export interface IssuerKey {
  readonly id: string | null;
  readonly algorithms: readonly TokenAlgorithm[];
  readonly key: VerificationKey;
}

/**
 * The keys of an issuer at one time. Sets are compared as objects: a set with other keys is another object. The same
 * keys read again are the same object, so that verified tokens stay verified.
 */
export type KeySet = readonly IssuerKey[];

/** The key that a token names. */
export interface WantedKey {
  readonly algorithm: string;
  /** null where the token does not say. */
  readonly keyId: string | null;
}

/** Finds the keys of one issuer. */
export interface KeyFinder {
  /**
   * The keys that are known now, by which verified tokens stay verified; null where they must be read first. It never
   * waits.
   */
  current(): KeySet | null;

  /**
   * The key set to look for a key in. Synchronous where the key is known.
   *
   * @returns null where the keys cannot be read now
   */
  find(wanted: WantedKey): MaybePromise<KeySet | null>;
}

/** The finder of keys that never change: those in the model. */
export function fixedKeys(keys: KeySet): KeyFinder {
  return { current: () => keys, find: () => keys };
}

/** The keys of a set that are tried for a token that names none. */
const MAX_TRIED = 4;

/**
 * The keys that may have signed a token: those of its key id and those without one, or all where it has none. A key
 * never verifies another algorithm than its own, so that no token can make a secret of a public key (RFC 8725 3.1).
 */
export function matchingKeys(keys: KeySet, { algorithm, keyId }: WantedKey): KeySet {
  return keys
    .filter(
      ({ id, algorithms }) =>
        (keyId === null || id === null || id === keyId) && algorithms.some((name) => name === algorithm),
    )
    .slice(0, MAX_TRIED);
}
