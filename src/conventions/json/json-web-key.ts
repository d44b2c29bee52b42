import { type Json, type JsonObject, isJsonObject } from './json.ts';

/**
 * The signature algorithms of public keys (AUTH-2, RFC 7518 3.1, RFC 8037, RFC 9864). `EdDSA` is the former name of
 * `Ed25519`.
 */
export type PublicKeyAlgorithm = 'RS256' | 'PS256' | 'ES256' | 'EdDSA' | 'Ed25519';

/** All algorithms of tokens. `HS256` only where the model has the shared secret. */
export type TokenAlgorithm = PublicKeyAlgorithm | 'HS256';

/** The use of a JSON Web Key (RFC 7517). */
export type KeyVerdict =
  | { readonly kind: 'usable'; readonly id: string | null; readonly algorithms: ReadonlySet<PublicKeyAlgorithm> }
  /**
   * A public key for another purpose, such as encryption. Issuers publish them in one set with those for signatures.
   */
  | { readonly kind: 'other'; readonly reason: string }
  /** Not what RFC 7517 describes, or too weak. */
  | { readonly kind: 'invalid'; readonly reason: string }
  /** It has a private part: all who read the set can sign. */
  | { readonly kind: 'private'; readonly reason: string };

/** Members of private and symmetric keys (RFC 7518 6, RFC 8037 2). */
const PRIVATE_MEMBERS: readonly string[] = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv'];

const BASE64URL = /^[A-Za-z0-9_-]+$/;
const MIN_RSA_BITS = 2_048;
const MAX_RSA_BITS = 16_384;
const MAX_EXPONENT_BITS = 64;
const COORDINATE_BYTES = 32;
/** Maximum length of a key id; longer ones are rejected in tokens, too. */
export const MAX_KEY_ID = 512;

/** Judges one key of a set. A key that names its algorithm is good for that alone (RFC 8725 3.1). */
export function judgeKey(key: Json): KeyVerdict {
  if (!isJsonObject(key)) return invalidJwk('a key is an object');
  const member = PRIVATE_MEMBERS.find((name) => key[name] !== undefined);
  if (member !== undefined) return { kind: 'private', reason: `it has the private member ${member}` };
  const { kid, use, key_ops: operations, alg } = key;
  if (kid !== undefined && !isKeyId(kid)) return invalidJwk(`kid is not a string of 1 to ${MAX_KEY_ID} characters`);
  if (use !== undefined && use !== 'sig') return other('its use is not sig');
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('verify')))
    return other('its key_ops do not contain verify');
  const material = judgeMaterial(key);
  if (material.kind !== 'usable') return material;
  if (alg === undefined) return { ...material, id: kid ?? null };
  const algorithms = new Set([...material.algorithms].filter((name) => name === alg));
  return algorithms.size === 0
    ? other(`its alg ${JSON.stringify(alg)} is not ${[...material.algorithms].join(' or ')}`)
    : { kind: 'usable', id: kid ?? null, algorithms };
}

/** True if a value can identify a key. */
export function isKeyId(value: Json | undefined): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= MAX_KEY_ID;
}

/** The algorithms that the type of a key and its numbers are good for. */
function judgeMaterial(key: JsonObject): KeyVerdict {
  const { kty, crv, x, y } = key;
  if (kty === 'RSA') return judgeRsa(key);
  if (kty === 'EC' && crv === 'P-256') {
    return isCoordinate(x) && isCoordinate(y)
      ? usable('ES256')
      : invalidJwk(`x and y are not ${COORDINATE_BYTES} bytes in base64url`);
  }
  if (kty === 'OKP' && crv === 'Ed25519')
    return isCoordinate(x) ? usable('EdDSA', 'Ed25519') : invalidJwk(`x is not ${COORDINATE_BYTES} bytes in base64url`);
  if (typeof kty !== 'string') return invalidJwk('it has no kty');
  const curve = typeof crv === 'string' ? ` with crv ${crv}` : '';
  return other(`no accepted algorithm has keys of kty ${kty}${curve}`);
}

function judgeRsa({ n, e }: JsonObject): KeyVerdict {
  const modulus = decodeBytes(n);
  const exponent = decodeBytes(e);
  if (modulus === null || exponent === null) return invalidJwk('n and e are not in base64url');
  const bits = bitLength(modulus);
  if (bits < MIN_RSA_BITS || bits > MAX_RSA_BITS)
    return invalidJwk(`its modulus has ${bits} bits; use ${MIN_RSA_BITS} to ${MAX_RSA_BITS}`);
  // With the exponent 1 a message is its own signature.
  const isOdd = ((exponent.at(-1) ?? 0) & 1) === 1;
  return isOdd && bitLength(exponent) > 1 && bitLength(exponent) <= MAX_EXPONENT_BITS
    ? usable('RS256', 'PS256')
    : invalidJwk('its exponent e is not an odd number from 3 on, of 64 bits at most');
}

function isCoordinate(value: Json | undefined): boolean {
  return decodeBytes(value)?.length === COORDINATE_BYTES;
}

/** The bytes of a string in base64url without padding; null for other values. */
function decodeBytes(value: Json | undefined): readonly number[] | null {
  if (typeof value !== 'string' || !BASE64URL.test(value) || value.length % 4 === 1) return null;
  const binary = atob(value.replaceAll('-', '+').replaceAll('_', '/'));
  return Array.from(binary, (character) => character.charCodeAt(0));
}

/** The number of bits of an unsigned big-endian number, without leading zeros. */
function bitLength(bytes: readonly number[]): number {
  const first = bytes.findIndex((byte) => byte !== 0);
  if (first === -1) return 0;
  return (bytes.length - first) * 8 - (Math.clz32(bytes[first] ?? 0) - 24);
}

function usable(...algorithms: readonly PublicKeyAlgorithm[]): KeyVerdict {
  return { kind: 'usable', id: null, algorithms: new Set(algorithms) };
}

function invalidJwk(reason: string): KeyVerdict {
  return { kind: 'invalid', reason };
}

function other(reason: string): KeyVerdict {
  return { kind: 'other', reason };
}
