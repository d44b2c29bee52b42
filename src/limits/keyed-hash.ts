/** The hash of a text: 64 bits, as two unsigned 32-bit integers. */
export interface HashedKey {
  readonly high: number;
  readonly low: number;
}

/**
 * HalfSipHash-1-3 of the UTF-16 code units, two to a word. Without the secret no one can choose texts with equal
 * hashes, or with equal bits of them.
 *
 * @param secret 16 hexadecimal digits
 */
export function keyedHash(secret: string): (text: string) => HashedKey {
  const k0 = Number.parseInt(secret.slice(0, 8), 16) | 0;
  const k1 = Number.parseInt(secret.slice(8, 16), 16) | 0;
  return (text) => halfSipHash(text, k0, k1);
}

/** Rounds after the last word: three for each half of the hash, with the word 0, which changes nothing. */
const LAST_ROUNDS = 3;

function halfSipHash(text: string, k0: number, k1: number): HashedKey {
  const words = (text.length >> 1) + 1;
  let [v0, v1, v2, v3] = [k0, k1 ^ 0xee, k0 ^ 0x6c796765, k1 ^ 0x74656462];
  let high = 0;
  for (let step = 0; step < words + 2 * LAST_ROUNDS; step += 1) {
    const word = step < words ? wordAt(text, step) : 0;
    if (step === words) v2 ^= 0xee;
    if (step === words + LAST_ROUNDS) {
      high = (v1 ^ v3) >>> 0;
      v1 ^= 0xdd;
    }
    v3 ^= word;
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
    v0 ^= word;
  }
  return { high, low: (v1 ^ v3) >>> 0 };
}

/** Two code units; the last word has what is left, and the length. */
function wordAt(text: string, step: number): number {
  const at = 2 * step;
  if (at + 1 < text.length) return text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16);
  return (at < text.length ? text.charCodeAt(at) : 0) | (text.length << 24);
}
