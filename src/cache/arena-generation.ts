import type { Generation } from './cache.ts';

/** An entry of an arena. */
export interface Packed {
  readonly numbers: readonly [number, number, number];
  readonly text: string;
}

/** Bytes of a number; entries begin at multiples of it. */
const NUMBER = 8;
/**
 * Three numbers, then the lengths of the key, of the text in bytes and of the text in code units. The key and the text
 * follow.
 */
const HEADER = 6 * NUMBER;

/** Bytes of an entry in an arena. */
export function packedBytes({ text }: Packed, key: string): number {
  return align(HEADER + key.length + Buffer.byteLength(text));
}

/**
 * Strings one after another in one block of memory that V8 does not manage: tens of thousands of them cost the garbage
 * collector nothing. `clear` returns the memory to the system without a collection, which an idle process does not
 * make. The block is allocated with the first entry; the system backs the part of it that is written.
 */
export class ArenaGeneration implements Generation<Packed> {
  readonly #bytes: number;
  #arena: Arena | null = null;
  /** The offset of each entry, by the hash of its key. */
  #offsets = new Map<number, number>();

  /** @param bytes of all entries, as {@link packedBytes} counts them */
  constructor(bytes: number) {
    this.#bytes = align(bytes);
  }

  get size(): number {
    return this.#offsets.size;
  }

  get(hash: number, key: string): Packed | undefined {
    const offset = this.#offsets.get(hash);
    if (offset === undefined || this.#arena === null || !hasKey(this.#arena, offset, key)) return undefined;
    return readEntry(this.#arena, offset);
  }

  set(hash: number, key: string, value: Packed): void {
    const arena = (this.#arena ??= newArena(this.#bytes));
    this.#offsets.set(hash, arena.end);
    arena.end = writeEntry(arena, key, value);
  }

  delete(hash: number): boolean {
    return this.#offsets.delete(hash);
  }

  clear(): void {
    this.#offsets = new Map();
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
  /** The offset of the next entry. */
  end: number;
}

function newArena(bytes: number): Arena {
  const memory = new ArrayBuffer(bytes);
  return { memory, bytes: Buffer.from(memory), numbers: new Float64Array(memory), end: 0 };
}

function hasKey({ bytes, numbers }: Arena, offset: number, key: string): boolean {
  if (numbers[offset / NUMBER + 3] !== key.length) return false;
  const begin = offset + HEADER;
  for (let at = 0; at < key.length; at += 1) if (bytes[begin + at] !== key.charCodeAt(at)) return false;
  return true;
}

function readEntry({ bytes, numbers }: Arena, offset: number): Packed {
  const at = offset / NUMBER;
  const begin = offset + HEADER + (numbers[at + 3] ?? 0);
  const length = numbers[at + 4] ?? 0;
  // As many bytes as code units: all of them are ASCII.
  const encoding = length === numbers[at + 5] ? 'latin1' : 'utf8';
  return {
    numbers: [numbers[at] ?? 0, numbers[at + 1] ?? 0, numbers[at + 2] ?? 0],
    text: bytes.toString(encoding, begin, begin + length),
  };
}

/** An entry whose key has code units of more than a byte is never found. @returns where the next entry begins */
function writeEntry({ bytes, numbers, end }: Arena, key: string, value: Packed): number {
  const begin = end + HEADER;
  for (let at = 0; at < key.length; at += 1) bytes[begin + at] = key.charCodeAt(at);
  const length = bytes.write(value.text, begin + key.length);
  numbers.set([...value.numbers, key.length, length, value.text.length], end / NUMBER);
  return align(begin + key.length + length);
}

function align(bytes: number): number {
  return Math.ceil(bytes / NUMBER) * NUMBER;
}
