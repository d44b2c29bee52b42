import type { SqlValue } from '../../sql/dialect.ts';

/** The SQL function that computes the revision of a row from its values, as {@link rowRevision} does. */
export const REVISION_FUNCTION = 'restwright_row_revision';

/** The most values that are digested together: SQLite's limit of arguments is 127 in older versions. */
const MAX_VALUES = 100;

/**
 * The bits of a revision above the lower 32. A revision has at most 15 digits: JSON with numbers of 16 digits takes
 * five times as long to write.
 */
const UPPER = 0x1_ffff;

/** Types of values. Two values of different types are never equal. */
const TYPES = { integer: 1, number: 2, text: 3, bytes: 4, null: 5 } as const;

/** Odd multipliers of MurmurHash3. */
const [FIRST, SECOND, FIRST_END, SECOND_END] = [0xcc9e2d51, 0x1b873593, 0x85ebca6b, 0xc2b2ae35];

/**
 * A digest of 64 bits. It is not cryptographic: a program that writes the table can find two rows with one digest. For
 * the few bytes of a row SHA-256 takes four times as long.
 */
class RowDigest {
  #one = 0x9747b28c;
  #other = 0x3c6ef372;

  /** Adds 32 bits. */
  add(word: number): void {
    this.#one = mixFirst(this.#one, word);
    this.#other = mixSecond(this.#other, word);
  }

  addText(text: string): void {
    let [one, other] = [this.#one, this.#other];
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      one = mixFirst(one, code);
      other = mixSecond(other, code);
    }
    [this.#one, this.#other] = [one, other];
  }

  addBytes(bytes: Uint8Array): void {
    for (const byte of bytes) this.add(byte);
  }

  /** 49 of its bits. */
  get number(): number {
    const one = finish(this.#one ^ this.#other);
    return (finish(this.#other + one) & UPPER) * 2 ** 32 + (one >>> 0);
  }
}

/** Mixes a word into one half of a digest. */
function mixFirst(half: number, word: number): number {
  return Math.imul(((half << 13) | (half >>> 19)) ^ word, FIRST);
}

/** Mixes a word into the other half, which rotates by another number of bits. */
function mixSecond(half: number, word: number): number {
  return Math.imul(((half << 5) | (half >>> 27)) ^ word, SECOND);
}

/** Lets each bit of a half change each other one. */
function finish(half: number): number {
  const mixed = Math.imul(half ^ (half >>> 16), FIRST_END);
  const again = Math.imul(mixed ^ (mixed >>> 13), SECOND_END);
  return again ^ (again >>> 16);
}

/** Computes the revision of a row: a digest of its values as they are read. */
export function rowRevision(values: readonly SqlValue[]): number {
  const digest = new RowDigest();
  for (const value of values) addValue(digest, value);
  return digest.number;
}

function addValue(digest: RowDigest, value: SqlValue): void {
  if (value === null) digest.add(TYPES.null);
  else if (value instanceof Uint8Array) {
    digest.add(TYPES.bytes);
    digest.add(value.length);
    digest.addBytes(value);
  } else if (typeof value === 'number' && Number.isSafeInteger(value)) {
    digest.add(TYPES.integer);
    digest.add(value);
    digest.add(Math.floor(value / 2 ** 32));
  } else {
    const text = String(value);
    digest.add(typeof value === 'string' ? TYPES.text : TYPES.number);
    digest.add(text.length);
    digest.addText(text);
  }
}

/** Digests values, or in SQL their expressions. Where there are too many, it digests the digests of parts of them. */
export function digestInParts<T, D extends T>(values: readonly T[], digest: (part: readonly T[]) => D): D {
  if (values.length <= MAX_VALUES) return digest(values);
  const parts = Array.from({ length: Math.ceil(values.length / MAX_VALUES) }, (_, at) =>
    digest(values.slice(at * MAX_VALUES, (at + 1) * MAX_VALUES)),
  );
  return digest(parts);
}
