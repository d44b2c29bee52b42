import { fnv1a } from './fnv1a.ts';

/** Odd, so that no two families have one product of 32 bits. */
const FAMILIES_APART = 0x9e3779b1;

/** What a text is kept by. */
export interface TextKey {
  readonly name: string;
  /** A whole number for what the name is one of. */
  readonly family: number;
  readonly hash: number;
}

/** The key of a name, which has another hash in each family. */
export function textKey(name: string, family: number): TextKey {
  return { name, family, hash: fnv1a(name) ^ Math.imul(family, FAMILIES_APART) };
}

/** Numbers that are kept beside a text. */
export type Beside = readonly [number, number, number];

/** Bytes of one piece of memory; each is taken when it is needed. */
const SEGMENT = 1_048_576;
/** What lies in a segment begins at multiples of so many bytes, as numbers must. Places are counted in them. */
const UNIT = 8;
const UNITS = SEGMENT / UNIT;
const UNITS_BITS = Math.log2(UNITS);
/** No text is there. */
const NOWHERE = 0;
/** Bytes of a text with its name that are not kept. */
const TOO_LONG = SEGMENT / 8;
/** A character of JavaScript has no more bytes in UTF-8. */
const LONGEST_CHARACTER = 3;
/** Bytes for each slot of the index: there are more slots than texts of a common length. */
const COMMON = 256;
/** Slots that a hash may stand in, the one that was entered last first. */
const SHARED = 8;
/** Of the segments, those that are filled anew next: what is asked for in there is kept anew. */
const OLDEST = 1 / 4;
/** Places are counted up to here; then all is forgotten and they begin anew. */
const MOST_PLACES = 2 ** 31 - 2 * UNITS;

export interface KeptTextsOptions {
  /** After how many places all is forgotten, a test's to make few. */
  readonly places?: number;
}

/**
 * Texts by key, in families of keys, in memory that V8 does not manage: tens of thousands of them burden no garbage collection, and each takes
 * about as many bytes as it has characters. They lie one after another, the newest in place of the oldest, in the order in which they were
 * kept or last asked for when they had nearly gone.
 */
export class RingBufferCache {
  readonly #most: number;
  readonly #places: number;
  readonly #segments: Segment[] = [];
  /** For each slot of the index a hash and the place of the text that has it. */
  readonly #hashes: Int32Array;
  readonly #found: Int32Array;
  /** Where the next text comes: places go on from one segment to the next. */
  #next = NOWHERE + 1;

  /** @param bytes how much memory the texts have, whole segments of 1 MiB */
  constructor(bytes: number, { places = MOST_PLACES }: KeptTextsOptions = {}) {
    this.#most = Math.ceil(bytes / SEGMENT);
    this.#places = places;
    const slots = 2 ** Math.ceil(Math.log2((this.#most * SEGMENT) / COMMON));
    this.#hashes = new Int32Array(slots);
    this.#found = new Int32Array(slots);
  }

  /** @returns null where there is none; what is found is good until something else is looked for or kept */
  get(key: TextKey): KeptText | null {
    const { hash } = key;
    const first = this.#firstSlot(hash);
    for (let slot = first; slot < first + SHARED; slot += 1) {
      if (this.#hashes[slot] !== hash) continue;
      const place = this.#found[slot] ?? NOWHERE;
      if (this.#isGone(place, this.#most)) continue;
      const kept = this.#at(place);
      if (!kept.isOf(key)) continue;
      return this.#isGone(place, this.#most * (1 - OLDEST)) ? this.#renew(kept, hash) : kept;
    }
    return null;
  }

  /** Keeps a text in place of the one that its key had. One that is too long is not kept; the one before is gone all the same. */
  set(key: TextKey, beside: Beside, text: string): void {
    const { hash } = key;
    const most = KeptText.bytes(key.name.length, text.length * LONGEST_CHARACTER);
    if (most > TOO_LONG) {
      this.#enter(hash, NOWHERE);
      return;
    }
    const place = this.#room(most);
    const kept = this.#at(place);
    kept.write(key, beside, text);
    this.#fill(hash, place, kept.size);
  }

  /** Lets go of all texts, and gives the system their memory at once: what was found is good no more. */
  clear(): void {
    this.#beginAnew();
    // Left to the garbage collector it would stay for as long as nothing else is done, which is when it is let go of.
    for (const { memory } of this.#segments.splice(0)) memory.transfer(0);
  }

  /** An old text comes before new ones again. */
  #renew(old: KeptText, hash: number): KeptText {
    const { size } = old;
    const place = this.#room(size);
    const kept = this.#at(place);
    kept.copy(old, size);
    this.#fill(hash, place, size);
    return kept;
  }

  /** A place with room for so many bytes in one segment. The oldest texts go where there is none. */
  #room(bytes: number): number {
    const left = (UNITS - (this.#next % UNITS)) * UNIT;
    if (bytes > left) this.#next += left / UNIT;
    if (this.#next >= this.#places) this.#beginAnew();
    return this.#next;
  }

  #beginAnew(): void {
    this.#hashes.fill(0);
    this.#found.fill(NOWHERE);
    this.#next = NOWHERE + 1;
  }

  /** Whether a place lies before the last so many segments, of which the one that is being filled is one; what never was is gone too. */
  #isGone(place: number, segments: number): boolean {
    return place === NOWHERE || place >>> UNITS_BITS <= (this.#next >>> UNITS_BITS) - segments;
  }

  #at(place: number): KeptText {
    const index = (place >>> UNITS_BITS) % this.#most;
    return new KeptText((this.#segments[index] ??= newSegment()), place & (UNITS - 1));
  }

  #firstSlot(hash: number): number {
    return Math.imul(hash, SHARED) & (this.#hashes.length - 1);
  }

  /** The next text comes behind the one that was put at a place. */
  #fill(hash: number, place: number, bytes: number): void {
    this.#next = place + Math.ceil(bytes / UNIT);
    this.#enter(hash, place);
  }

  /** It goes before the others of its slots, which move up as far as to where its hash was; where it was not, the last of them goes. */
  #enter(hash: number, place: number): void {
    const first = this.#firstSlot(hash);
    let movingHash = hash;
    let movingPlace = place;
    for (let slot = first; slot < first + SHARED; slot += 1) {
      const hashBefore = this.#hashes[slot] ?? 0;
      const placeBefore = this.#found[slot] ?? NOWHERE;
      this.#hashes[slot] = movingHash;
      this.#found[slot] = movingPlace;
      if (hashBefore === hash) return;
      movingHash = hashBefore;
      movingPlace = placeBefore;
    }
  }
}

interface Segment {
  readonly memory: ArrayBuffer;
  readonly bytes: Buffer;
  /** The same bytes as numbers, one for each unit, and as whole numbers, two for each. */
  readonly numbers: Float64Array;
  readonly integers: Int32Array;
}

function newSegment(): Segment {
  const memory = new ArrayBuffer(SEGMENT);
  return { memory, bytes: Buffer.from(memory), numbers: new Float64Array(memory), integers: new Int32Array(memory) };
}

/* How a text lies in its units: what is beside it, its family, the lengths of name, text and text in characters, name, text. */
const INTEGERS = 6;
const HEAD = 5;

/** A text where it lies. */
export class KeptText {
  readonly #segment: Segment;
  readonly #unit: number;

  constructor(segment: Segment, unit: number) {
    this.#segment = segment;
    this.#unit = unit;
  }

  /** What one takes. @param name bytes @param text bytes */
  static bytes(name: number, text: number): number {
    return HEAD * UNIT + name + text;
  }

  get size(): number {
    return KeptText.bytes(this.#integer(1), this.#integer(2));
  }

  /** @param index of what was kept beside the text */
  beside(index: 0 | 1 | 2): number {
    return this.#segment.numbers[this.#unit + index] ?? 0;
  }

  get text(): string {
    const begin = this.#begin + this.#integer(1);
    const bytes = this.#integer(2);
    // As many bytes as characters: all of them are ASCII.
    const encoding = bytes === this.#integer(3) ? 'latin1' : 'utf8';
    return this.#segment.bytes.toString(encoding, begin, begin + bytes);
  }

  isOf({ name, family }: TextKey): boolean {
    if (this.#integer(0) !== family || this.#integer(1) !== name.length) return false;
    const { bytes } = this.#segment;
    const begin = this.#begin;
    for (let at = 0; at < name.length; at += 1) if (bytes[begin + at] !== name.charCodeAt(at)) return false;
    return true;
  }

  /** A name with characters of more than a byte is never found again. */
  write({ name, family }: TextKey, beside: Beside, text: string): void {
    const { bytes, numbers, integers } = this.#segment;
    const begin = this.#begin;
    for (let at = 0; at < name.length; at += 1) bytes[begin + at] = name.charCodeAt(at);
    const length = bytes.write(text, begin + name.length);
    numbers[this.#unit] = beside[0];
    numbers[this.#unit + 1] = beside[1];
    numbers[this.#unit + 2] = beside[2];
    const integer = 2 * this.#unit + INTEGERS;
    integers[integer] = family;
    integers[integer + 1] = name.length;
    integers[integer + 2] = length;
    integers[integer + 3] = text.length;
  }

  /** @param old of which it may take the place */
  copy(old: KeptText, size: number): void {
    const begin = old.#unit * UNIT;
    this.#segment.bytes.set(old.#segment.bytes.subarray(begin, begin + size), this.#unit * UNIT);
  }

  get #begin(): number {
    return (this.#unit + HEAD) * UNIT;
  }

  #integer(index: number): number {
    return this.#segment.integers[2 * this.#unit + INTEGERS + index] ?? 0;
  }
}
