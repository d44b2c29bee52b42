import { isJsonObject, type Json, type JsonObject } from '../conventions/json/json.ts';
import { judgeKey } from '../conventions/json/json-web-key.ts';
import type { IssuerKey, KeySet } from './key-finder.ts';

/** More keys than any issuer has at one time. */
const MAX_KEYS = 100;

/** Keys that cannot be used. The message says why, and holds no part of a key. */
export class UnusableKeys extends Error {
  override readonly name = 'UnusableKeys';
}

/**
 * The keys of a JSON Web Key Set that verify tokens (RFC 7517 5). Keys for other purposes, of other algorithms and
 * malformed ones are left out.
 *
 * @throws {UnusableKeys} for what is no key set, one that contains a private key, and one that has no key for tokens
 */
export function readKeySet(document: Json): KeySet {
  const keys = isJsonObject(document) ? document['keys'] : undefined;
  if (!Array.isArray(keys)) throw new UnusableKeys('it is not a JSON Web Key Set: {"keys": [...]}');
  if (keys.length > MAX_KEYS) throw new UnusableKeys(`it has more than ${MAX_KEYS} keys`);
  const found = usableKeys(keys);
  if (found.length > 0) return found;
  const verdict = keys.length === 0 ? null : judgeKey(keys[0]);
  const reason = verdict === null || verdict.kind === 'usable' ? 'it is empty' : `for the first one, ${verdict.reason}`;
  throw new UnusableKeys(`it has no key that verifies tokens: ${reason}`);
}

/** @throws {UnusableKeys} where a key is private: who signs is then known to all who can read the set */
export function usableKeys(keys: readonly Json[]): KeySet {
  return keys.flatMap((key): readonly IssuerKey[] => {
    const verdict = judgeKey(key);
    if (verdict.kind === 'private') throw new UnusableKeys(`it contains a private key: ${verdict.reason}`);
    if (verdict.kind !== 'usable' || !isJsonObject(key)) return [];
    return [{ id: verdict.id, algorithms: [...verdict.algorithms], key: publicPart(key) }];
  });
}

/** The members that make the key; what it is for has been judged. */
function publicPart({ kty, crv, x, y, n, e }: JsonObject): JsonObject {
  const members = { kty, crv, x, y, n, e };
  const present = Object.entries(members).filter((member): member is [string, Json] => member[1] !== undefined);
  return Object.freeze(Object.fromEntries(present));
}

/** True if two sets have the same keys in the same order. */
export function isSameSet(one: KeySet, other: KeySet): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
