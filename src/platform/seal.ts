import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto';

/** Closes text so that only the holder of the secret can read it or make it. */
export interface Seal {
  /** The token of a text without lone surrogates, as base64url. The same text always gives the same token. */
  seal(plain: string): string;
  /** The text of a token that this seal made; null for one that is forged, cut, foreign or spelled another way. */
  open(token: string): string | null;
}

const CIPHER = 'aes-256-ctr';
const KEY_BYTES = 32;
const VECTOR_BYTES = 16;
const SECRET_MIN_BYTES = 16;

/**
 * Deterministic authenticated encryption (PAGE-6), as SIV composes it (RFC 5297, Rogaway and Shrimpton 2006): a keyed hash of the text,
 * HMAC-SHA-256 cut to 128 bits, authenticates it and is the vector that AES-256-CTR encrypts it under. Without a counter or randomness two
 * different texts share no vector, and equal texts give equal tokens. Token: vector, ciphertext. The two keys come from the secret by HKDF
 * (RFC 5869).
 *
 * @param secret at least 16 unpredictable bytes; the same ones open the tokens after a restart and on another instance
 * @param context what the tokens are for; tokens of one context do not open in another
 * @throws {RangeError} for a shorter secret
 */
export function createSeal(secret: Uint8Array, context = 'restwright'): Seal {
  if (secret.length < SECRET_MIN_BYTES)
    throw new RangeError(`a seal needs a secret of ${SECRET_MIN_BYTES} bytes or more`);
  const hashKey = deriveKey(secret, `${context} seal 2 hash`);
  const cipherKey = deriveKey(secret, `${context} seal 2 cipher`);
  const vectorOf = (plain: string | Uint8Array): Buffer =>
    createHmac('sha256', hashKey).update(plain).digest().subarray(0, VECTOR_BYTES);

  return {
    seal(plain) {
      const vector = vectorOf(plain);
      const hidden = createCipheriv(CIPHER, cipherKey, vector).update(plain, 'utf8');
      return Buffer.concat([vector, hidden]).toString('base64url');
    },
    open(token) {
      const bytes = Buffer.from(token, 'base64url');
      // The decoder skips what is not base64url and bits that stand for nothing; only one spelling may open.
      if (bytes.length < VECTOR_BYTES || bytes.toString('base64url') !== token) return null;
      const vector = bytes.subarray(0, VECTOR_BYTES);
      const plain = createDecipheriv(CIPHER, cipherKey, vector).update(bytes.subarray(VECTOR_BYTES));
      return timingSafeEqual(vector, vectorOf(plain)) ? plain.toString('utf8') : null;
    },
  };
}

function deriveKey(secret: Uint8Array, info: string): KeyObject {
  return createSecretKey(new Uint8Array(hkdfSync('sha256', secret, '', info, KEY_BYTES)));
}
