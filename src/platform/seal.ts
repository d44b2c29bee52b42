import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';

/** Closes text so that only the holder of the secret can read it or make it. */
export interface Seal {
  /** The token of a text without lone surrogates, as base64url. The same text always gives the same token. */
  seal(plain: string): string;
  /** The text of a token that this seal made; null for one that is forged, cut, foreign or spelled another way. */
  open(token: string): string | null;
}

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const SECRET_MIN_BYTES = 16;

/**
 * Deterministic authenticated encryption (PAGE-6). The nonce is synthetic, a keyed hash of the text, as in SIV (RFC 5297):
 * without a counter or randomness two different texts still never share one, and equal texts give equal tokens. Token:
 * nonce, AES-256-GCM ciphertext, tag. The two keys come from the secret by HKDF (RFC 5869).
 *
 * @param secret at least 16 unpredictable bytes; the same ones open the tokens after a restart and on another instance
 * @param context what the tokens are for; tokens of one context do not open in another
 * @throws {RangeError} for a shorter secret
 */
export function createSeal(secret: Uint8Array, context = 'restwright'): Seal {
  if (secret.length < SECRET_MIN_BYTES)
    throw new RangeError(`a seal needs a secret of ${SECRET_MIN_BYTES} bytes or more`);
  const nonceKey = deriveKey(secret, `${context} seal 1 nonce`);
  const cipherKey = deriveKey(secret, `${context} seal 1 cipher`);

  return {
    seal(plain) {
      const nonce = createHmac('sha256', nonceKey).update(plain, 'utf8').digest().subarray(0, NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, cipherKey, nonce, { authTagLength: TAG_BYTES });
      const hidden = [cipher.update(plain, 'utf8'), cipher.final()];
      return Buffer.concat([nonce, ...hidden, cipher.getAuthTag()]).toString('base64url');
    },
    open(token) {
      const bytes = Buffer.from(token, 'base64url');
      // The decoder skips what is not base64url and bits that stand for nothing; only one spelling may open.
      if (bytes.length < NONCE_BYTES + TAG_BYTES || bytes.toString('base64url') !== token) return null;
      return decipher(cipherKey, bytes);
    },
  };
}

function deriveKey(secret: Uint8Array, info: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', info, KEY_BYTES));
}

function decipher(key: Uint8Array, token: Buffer): string | null {
  const nonce = token.subarray(0, NONCE_BYTES);
  const decipherer = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipherer.setAuthTag(token.subarray(-TAG_BYTES));
  const plain = decipherer.update(token.subarray(NONCE_BYTES, -TAG_BYTES));
  try {
    return Buffer.concat([plain, decipherer.final()]).toString('utf8');
  } catch {
    // The one thing that `final` reports here is a tag that does not fit: not a token of ours.
    return null;
  }
}
