import { lazy } from '../cache/memoize.ts';
import type { JsonObject } from '../conventions/json/json.ts';
import type { TokenAlgorithm } from '../conventions/json/json-web-key.ts';

/** The key that verifies a signature: a public JSON Web Key, or the bytes of the shared secret of HS256. */
export type VerificationKey = JsonObject | Uint8Array;

/**
 * Loads the verification of signatures with the first token: a server without `auth` never needs it, nor the rest of
 * the library.
 */
const loadVerification = lazy(async () => {
  const [{ compactVerify }, { JOSEError }] = await Promise.all([
    import('jose/jws/compact/verify'),
    import('jose/errors'),
  ]);
  return { compactVerify, JOSEError };
});

/**
 * True if a key made the signature of a token. The algorithm is the one that the caller chose by the key; one that the
 * token names instead is no signature.
 *
 * @param token three parts in canonical base64url
 */
export async function verifySignature(
  token: string,
  key: VerificationKey,
  algorithm: TokenAlgorithm,
): Promise<boolean> {
  const { compactVerify, JOSEError } = await loadVerification();
  try {
    await compactVerify(token, key, { algorithms: [algorithm] });
    return true;
  } catch (error) {
    // Also where the key is not what its members say, such as a point that is not on the curve.
    if (error instanceof JOSEError || error instanceof TypeError || error instanceof DOMException) return false;
    throw error;
  }
}

/** A new ES256 key pair as JSON Web Keys; the thumbprint of the public one (RFC 7638) is the id of both. */
export async function createSigningKey(): Promise<{ readonly privateKey: JsonObject; readonly publicKey: JsonObject }> {
  const { calculateJwkThumbprint, exportJWK, generateKeyPair } = await import('jose');
  const pair = await generateKeyPair('ES256', { extractable: true });
  const { x = '', y = '', d = '' } = await exportJWK(pair.privateKey);
  const point = { kty: 'EC', crv: 'P-256', x, y } as const;
  const publicKey = { ...point, kid: await calculateJwkThumbprint(point), alg: 'ES256', use: 'sig' };
  return { publicKey, privateKey: { ...publicKey, d } };
}

/** Signs a token of RFC 9068. @param key an ES256 key with its private part @throws {TypeError} for another key */
export async function signToken(claims: JsonObject, key: JsonObject): Promise<string> {
  const { importJWK, SignJWT } = await import('jose');
  const { kid } = key;
  const header = { alg: 'ES256', typ: 'at+jwt', ...(typeof kid === 'string' ? { kid } : {}) };
  return new SignJWT({ ...claims }).setProtectedHeader(header).sign(await importJWK({ ...key }, 'ES256'));
}
