/** The hash of a text: 64 bits, as two unsigned 32-bit integers. */
export interface HashedKey {
  readonly high: number;
  readonly low: number;
}

/**
 * HalfSipHash-1-3 of the UTF-16 code units, two to a word: who does not know the secret cannot choose texts with equal hashes, or with equal
 * bits of them.
 *
 * @param secret 16 hexadecimal digits
 */
export function keyedHash(secret: string): (text: string) => HashedKey {
  const k0 = Number.parseInt(secret.slice(0, 8), 16) | 0;
  const k1 = Number.parseInt(secret.slice(8, 16), 16) | 0;
  const state = new HalfSipState();
  return (text) => {
    state.begin(k0, k1);
    const pairs = text.length & ~1;
    for (let at = 0; at < pairs; at += 2) state.absorb(text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16));
    const rest = pairs === text.length ? 0 : text.charCodeAt(pairs);
    state.absorb(rest | (text.length << 24));
    return { high: state.finish(0xee), low: state.finish(0xdd) };
  };
}

/** The four words of SipHash with 32 bits each. */
class HalfSipState {
  #v0 = 0;
  #v1 = 0;
  #v2 = 0;
  #v3 = 0;

  begin(k0: number, k1: number): void {
    this.#v0 = k0;
    this.#v1 = k1 ^ 0xee;
    this.#v2 = k0 ^ 0x6c796765;
    this.#v3 = k1 ^ 0x74656462;
  }

  absorb(word: number): void {
    this.#v3 ^= word;
    this.#round();
    this.#v0 ^= word;
  }

  /** The next 32 bits. @param mark another one for each call */
  finish(mark: number): number {
    if (mark === 0xee) this.#v2 ^= mark;
    else this.#v1 ^= mark;
    this.#round();
    this.#round();
    this.#round();
    return (this.#v1 ^ this.#v3) >>> 0;
  }

  #round(): void {
    let [v0, v1, v2, v3] = [this.#v0, this.#v1, this.#v2, this.#v3];
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
    this.#v0 = v0;
    this.#v1 = v1;
    this.#v2 = v2;
    this.#v3 = v3;
  }
}
