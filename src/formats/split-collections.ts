import { joinBytes } from './join-bytes.ts';
import { decodeUtf8 } from './malformed-body.ts';

/** The reason for which a text is not JSON, and the line, from 1. */
export class MalformedData extends Error {
  override readonly name = 'MalformedData';
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** A part of a JSON text that is an array of rows, or an object of such arrays. */
export interface DataPart {
  /** `list`: the start of an array. `item`: an item of it. `value`: a member of the object that is no array. */
  readonly kind: 'list' | 'item' | 'value';
  /** The name of the member; null in a text that is one array. */
  readonly collection: string | null;
  /** The line of its first byte, from 1. */
  readonly line: number;
  /** The JSON of an item or value, not checked yet; empty for a list. */
  readonly raw: Uint8Array;
}

type Expected =
  | 'root'
  | 'first-name'
  | 'name'
  | 'colon'
  | 'member'
  | 'first-item'
  | 'item'
  | 'after-item'
  | 'after-member'
  | 'end';

const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d];
const BYTE_ORDER_MARK: readonly number[] = [0xef, 0xbb, 0xbf];
const SCALAR_ENDS: ReadonlySet<number> = new Set([COMMA, CLOSE_OBJECT, CLOSE_ARRAY, 0x20, 0x09, LINE_FEED, 0x0d]);
const NOTHING = new Uint8Array();

/**
 * Splits a JSON text that is an array, or an object whose members are arrays, into their items, in constant memory.
 *
 * @param max the maximum length of a part in bytes
 * @throws {MalformedData} where the text is neither, or a part is too long. The parts themselves are not checked.
 */
export async function* splitCollections(chunks: AsyncIterable<Uint8Array>, max: number): AsyncGenerator<DataPart> {
  const splitter = new CollectionSplitter(max);
  for await (const chunk of chunks) yield* splitter.push(chunk);
  splitter.end();
}

class CollectionSplitter {
  readonly #max: number;
  #expected: Expected = 'root';
  #collection: string | null = null;
  #line = 1;
  #offset = 0;
  /** The value that is being read; null between values. */
  #value: ValueScan | null = null;

  constructor(max: number) {
    this.#max = max;
  }

  *push(chunk: Uint8Array): Generator<DataPart> {
    let at = 0;
    while (at < chunk.length) {
      if (this.#value === null) {
        const part = this.#structure(chunk[at] ?? 0);
        if (part !== null) yield part;
        // A value starts with the byte that announces it.
        if (this.#value === null) at += 1;
        this.#offset += 1;
        continue;
      }
      const scan: ValueScan = this.#value;
      at = scan.read(chunk, at);
      if (scan.length > this.#max) throw new MalformedData(scan.line, `a row is longer than ${this.#max} bytes`);
      if (!scan.isComplete) continue;
      this.#line += scan.breaks;
      this.#value = null;
      const part = this.#completed(scan);
      if (part !== null) yield part;
    }
  }

  end(): void {
    if (this.#expected !== 'end' || this.#value !== null) throw this.#error('the JSON ends too early');
  }

  /** Reads a byte between values. Returns the start of a list. */
  #structure(byte: number): DataPart | null {
    if (byte === LINE_FEED) this.#line += 1;
    if (byte === LINE_FEED || byte === 0x20 || byte === 0x09 || byte === 0x0d) return null;
    if (this.#offset < BYTE_ORDER_MARK.length && byte === BYTE_ORDER_MARK[this.#offset]) return null;
    switch (this.#expected) {
      case 'root':
        if (byte === OPEN_ARRAY) return this.#openList();
        return this.#expect(byte === OPEN_OBJECT, 'first-name', 'the file must be an array or an object of arrays');
      case 'first-name':
        if (byte === CLOSE_OBJECT) return this.#expect(true, 'end', '');
        return this.#startValue(byte === QUOTE, 'expected a name in double quotes');
      case 'name':
        return this.#startValue(byte === QUOTE, 'expected a name in double quotes');
      case 'colon':
        return this.#expect(byte === COLON, 'member', 'expected a colon');
      case 'member':
        return byte === OPEN_ARRAY ? this.#openList() : this.#startValue(true, '');
      case 'first-item':
        return byte === CLOSE_ARRAY ? this.#closeList() : this.#startValue(true, '');
      case 'item':
        return this.#startValue(byte !== CLOSE_ARRAY, 'expected a row after the comma');
      case 'after-item':
        return byte === CLOSE_ARRAY ? this.#closeList() : this.#expect(byte === COMMA, 'item', 'expected a comma or ]');
      case 'after-member':
        if (byte === CLOSE_OBJECT) return this.#expect(true, 'end', '');
        return this.#expect(byte === COMMA, 'name', 'expected a comma or }');
      case 'end':
        throw this.#error('unexpected data after the end');
    }
  }

  #expect(isMet: boolean, next: Expected, message: string): null {
    if (!isMet) throw this.#error(message);
    this.#expected = next;
    return null;
  }

  #startValue(isMet: boolean, message: string): null {
    if (!isMet) throw this.#error(message);
    this.#value = new ValueScan(this.#line);
    return null;
  }

  #openList(): DataPart {
    this.#expected = 'first-item';
    return { kind: 'list', collection: this.#collection, line: this.#line, raw: NOTHING };
  }

  #closeList(): null {
    this.#expected = this.#collection === null ? 'end' : 'after-member';
    return null;
  }

  #completed({ line, bytes }: ValueScan): DataPart | null {
    const raw = bytes();
    const collection = this.#collection;
    if (raw.length === 0) throw this.#error('expected a value');
    if (this.#expected === 'member') {
      this.#expected = 'after-member';
      return { kind: 'value', collection, line, raw };
    }
    if (this.#expected === 'first-item' || this.#expected === 'item') {
      this.#expected = 'after-item';
      return { kind: 'item', collection, line, raw };
    }
    this.#collection = readMemberName(raw, line);
    this.#expected = 'colon';
    return null;
  }

  #error(message: string): MalformedData {
    return new MalformedData(this.#line, message);
  }
}

/** Finds the end of a value: of a string, of an object or array with all that it contains, or of a scalar. */
class ValueScan {
  readonly line: number;
  length = 0;
  /** The line breaks in it. */
  breaks = 0;
  isComplete = false;
  readonly #parts: Uint8Array[] = [];
  #depth = 0;
  #quoted = false;
  #escaped = false;
  #started = false;

  constructor(line: number) {
    this.line = line;
  }

  /** Reads from an index of a chunk. Returns the index after the last byte of the value, or the end of the chunk. */
  read(chunk: Uint8Array, from: number): number {
    let at = from;
    while (at < chunk.length && !this.isComplete) {
      const byte = chunk[at] ?? 0;
      if (this.#isScalarEnd(byte)) {
        this.isComplete = true;
        break;
      }
      at += 1;
      this.#step(byte);
    }
    this.#parts.push(chunk.subarray(from, at));
    this.length += at - from;
    return at;
  }

  readonly bytes = (): Uint8Array => joinBytes(this.#parts);

  #isScalarEnd(byte: number): boolean {
    return !this.#quoted && this.#depth === 0 && SCALAR_ENDS.has(byte);
  }

  #step(byte: number): void {
    const isFirst = !this.#started;
    this.#started = true;
    if (byte === LINE_FEED) this.breaks += 1;
    if (this.#quoted) {
      if (this.#escaped) this.#escaped = false;
      else if (byte === BACKSLASH) this.#escaped = true;
      else if (byte === QUOTE) {
        this.#quoted = false;
        this.isComplete = this.#depth === 0;
      }
    } else if (byte === QUOTE) this.#quoted = true;
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) this.#depth += 1;
    else if ((byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) && !isFirst) {
      this.#depth -= 1;
      this.isComplete = this.#depth === 0;
    }
  }
}

function readMemberName(raw: Uint8Array, line: number): string {
  try {
    const name: unknown = JSON.parse(decodeUtf8(raw));
    if (typeof name === 'string') return name;
  } catch {
    // Reported below.
  }
  throw new MalformedData(line, 'the name of a member is not valid JSON');
}
