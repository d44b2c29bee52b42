import type { Generation } from './cache.ts';

/** What an arena stores. */
export interface Packed {
  readonly numbers: readonly [number, number, number];
  readonly text: string;
}

/** Bytes of a number; entries begin at multiples of it. */
const NUMBER = 8;
/** Three numbers, then the lengths of the key, of the text in bytes and of the text in code units. The key and the text follow. */
const HEADER = 6 * NUMBER;
/** An entry counts as so many bytes at least, so that half of the index stays empty. */
const MIN_BYTES = 256;
const SLOTS_PER_ENTRY = 2;
const DELETED = -1;

/** The bytes that an entry takes in an arena. */
export function packedBytes({ text }: Packed, key: string): number {
  return Math.max(MIN_BYTES, align(HEADER + key.length + Buffer.byteLength(text)));
}

/**
 * Strings one after another in one block of memory that V8 does not manage: tens of thousands of them cost the garbage collector nothing, and
 * `clear` returns the memory to the system without a collection, which an idle process does not make. The block is allocated with the first
 * entry; the system backs the part of it that is written.
 */
export class ArenaGeneration implements Generation<Packed> {
  readonly #bytes: number;
  #arena: Arena | null = null;

  /** @param bytes of the entries, as {@link packedBytes} counts them; a power of two */
  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  get(hash: number, key: string): Packed | undefined {
    const arena = this.#arena;
    const offset = arena === null ? 0 : (arena.offsets[slotOf(arena, hash)] ?? 0);
    return arena !== null && offset > 0 && hasKey(arena, offset, key) ? read(arena, offset) : undefined;
  }

  set(hash: number, key: string, value: Packed): void {
    const arena = (this.#arena ??= newArena(this.#bytes));
    const slot = slotOf(arena, hash);
    arena.hashes[slot] = hash;
    arena.offsets[slot] = arena.end;
    arena.end += write(arena, key, value);
  }

  delete(hash: number): boolean {
    if (this.#arena === null) return false;
    const { offsets } = this.#arena;
    const slot = slotOf(this.#arena, hash);
    const isFound = (offsets[slot] ?? 0) > 0;
    if (isFound) offsets[slot] = DELETED;
    return isFound;
  }

  clear(): void {
    // Left to the garbage collector, the memory would be held for as long as the process is idle.
    this.#arena?.memory.transfer(0);
    this.#arena = null;
  }
}

interface Arena {
  readonly memory: ArrayBuffer;
  readonly bytes: Buffer;
  /** The same memory. */
  readonly numbers: Float64Array;
  /** The index: a hash table with linear probing. A slot is empty where its offset is 0. */
  readonly hashes: Int32Array;
  readonly offsets: Int32Array;
  /** Where the next entry begins. */
  end: number;
}

function newArena(bytes: number): Arena {
  const memory = new ArrayBuffer(NUMBER + bytes);
  const slots = (SLOTS_PER_ENTRY * bytes) / MIN_BYTES;
  return {
    memory,
    bytes: Buffer.from(memory),
    numbers: new Float64Array(memory),
    hashes: new Int32Array(slots),
    offsets: new Int32Array(slots),
    end: NUMBER,
  };
}

/** The slot of a hash, or the empty slot that is its. */
function slotOf({ hashes, offsets }: Arena, hash: number): number {
  const mask = offsets.length - 1;
  let slot = hash & mask;
  while (offsets[slot] !== 0 && hashes[slot] !== hash) slot = (slot + 1) & mask;
  return slot;
}

function hasKey({ bytes, numbers }: Arena, offset: number, key: string): boolean {
  if (numbers[offset / NUMBER + 3] !== key.length) return false;
  const begin = offset + HEADER;
  for (let at = 0; at < key.length; at += 1) if (bytes[begin + at] !== key.charCodeAt(at)) return false;
  return true;
}

function read({ bytes, numbers }: Arena, offset: number): Packed {
  const number = (index: number): number => numbers[offset / NUMBER + index] ?? 0;
  const begin = offset + HEADER + number(3);
  const end = begin + number(4);
  // As many bytes as code units: all of them are ASCII.
  const encoding = number(4) === number(5) ? 'latin1' : 'utf8';
  return { numbers: [number(0), number(1), number(2)], text: bytes.toString(encoding, begin, end) };
}

/** An entry whose key has code units of more than a byte is never found. @returns how many bytes it takes */
function write({ bytes, numbers, end }: Arena, key: string, value: Packed): number {
  const begin = end + HEADER;
  for (let at = 0; at < key.length; at += 1) bytes[begin + at] = key.charCodeAt(at);
  const length = bytes.write(value.text, begin + key.length);
  numbers.set([...value.numbers, key.length, length, value.text.length], end / NUMBER);
  return align(HEADER + key.length + length);
}

function align(bytes: number): number {
  return Math.ceil(bytes / NUMBER) * NUMBER;
}
