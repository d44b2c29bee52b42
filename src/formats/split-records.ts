import { apiError } from '../conventions/errors.ts';

/** The longest line of a body that is taken in, in bytes without its line break (MET-13). */
export const MAX_LINE = 1_048_576;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d];
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** A line of a file or a body, or a record that may go over several, as it stands there. */
export interface RawRecord {
  /** Of its first line, counted from 1. */
  readonly number: number;
  /** Line breaks in it. */
  readonly breaks: number;
  /** Its bytes with the line break, if it has one; null for a line beyond the limit, which is skipped and not kept. */
  readonly raw: Uint8Array | null;
}

/** What parts records: a line break; one outside of quotes, as in CSV; the end of an item of a JSON array. */
export type RecordFraming = 'lines' | 'csv' | 'json';

/** Finds the index after the last byte of the record that a chunk goes on with, or -1. It is told every byte once, in order. */
type FindEnd = (chunk: Uint8Array, from: number) => number;

/**
 * Splits a body into its lines, in memory that is bounded by the longest line and one chunk. A last line without a line break is a line;
 * nothing after the last line break is none. Empty lines are passed over, and more than {@link MAX_LINE} of them in a row are refused: a
 * small body in gzip could hold nothing else for hours.
 *
 * @throws {ApiError} REQUEST_BODY_MALFORMED
 */
export async function* splitLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<RawRecord> {
  const record = new RecordBuilder(1, MAX_LINE);
  let empty = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      if (end === start && !record.begun) {
        record.pass();
        empty += 1;
        if (empty > MAX_LINE) throw nothingButBreaks();
      } else {
        record.add(chunk.subarray(start, end + 1));
        yield record.finish();
        empty = 0;
      }
      start = end + 1;
    }
    if (start < chunk.length) record.add(chunk.subarray(start));
  }
  if (record.begun) yield record.finish();
}

function nothingButBreaks(): Error {
  return apiError(
    'REQUEST_BODY_MALFORMED',
    'The body holds nothing but empty lines for long; send one object on each line.',
  );
}

/**
 * Splits a stream of bytes into records. It begins where a record does.
 *
 * @param number of the first line, counted from 1
 * @param most bytes of a record
 */
export async function* splitRecords(
  chunks: AsyncIterable<Uint8Array>,
  framing: RecordFraming,
  number = 1,
  most = MAX_LINE,
): AsyncGenerator<RawRecord> {
  const findEnd = FRAMINGS[framing]();
  const record = new RecordBuilder(number, most);
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = findEnd(chunk, 0); end !== -1; end = findEnd(chunk, end)) {
      record.add(chunk.subarray(start, end));
      yield record.finish();
      start = end;
    }
    if (start < chunk.length) record.add(chunk.subarray(start));
  }
  if (record.begun) yield record.finish();
}

class RecordBuilder {
  #number: number;
  readonly #most: number;
  #parts: Uint8Array[] = [];
  #length = 0;
  #breaks = 0;

  constructor(number: number, most: number) {
    this.#number = number;
    this.#most = most;
  }

  /** Passes over an empty line. */
  pass(): void {
    this.#number += 1;
  }

  get begun(): boolean {
    return this.#length > 0;
  }

  add(part: Uint8Array): void {
    this.#length += part.length;
    for (let at = part.indexOf(LINE_FEED); at !== -1; at = part.indexOf(LINE_FEED, at + 1)) this.#breaks += 1;
    if (this.#length <= this.#most + 2) this.#parts.push(part);
    else this.#parts = [];
  }

  finish(): RawRecord {
    const raw = this.#length > this.#most + 2 ? null : joined(this.#parts);
    const fits = raw !== null && recordContent(raw).length <= this.#most;
    const line = { number: this.#number, breaks: this.#breaks, raw: fits ? raw : null };
    this.#number += this.#breaks;
    this.#parts = [];
    this.#length = 0;
    this.#breaks = 0;
    return line;
  }
}

const FRAMINGS: Readonly<Record<RecordFraming, () => FindEnd>> = {
  lines: () => (chunk, from) => chunk.indexOf(LINE_FEED, from) + 1 || -1,

  csv: () => {
    // A doubled quote closes and opens again, so that only their number counts.
    let quoted = false;
    return (chunk, from) => {
      for (let at = from; at < chunk.length; at++) {
        if (chunk[at] === QUOTE) quoted = !quoted;
        else if (chunk[at] === LINE_FEED && !quoted) return at + 1;
      }
      return -1;
    };
  },

  json: () => {
    // Of the file's own array only the items are counted, so that it does not matter where the reading begins.
    let depth = 0;
    let quoted = false;
    let escaped = false;
    return (chunk, from) => {
      for (let at = from; at < chunk.length; at++) {
        const byte = chunk[at];
        if (quoted) {
          if (escaped) escaped = false;
          else if (byte === BACKSLASH) escaped = true;
          else if (byte === QUOTE) quoted = false;
        } else if (byte === QUOTE) quoted = true;
        else if (byte === OPEN_OBJECT || (byte === OPEN_ARRAY && depth > 0)) depth += 1;
        else if ((byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) && depth > 0) {
          depth -= 1;
          if (depth === 0) return at + 1;
        }
      }
      return -1;
    };
  },
};

/** What a line says: its bytes without the line break (LF or CRLF) and without a byte order mark. */
export function recordContent(raw: Uint8Array): Uint8Array {
  let end = raw.length;
  if (raw[end - 1] === LINE_FEED) end -= 1;
  if (raw[end - 1] === CARRIAGE_RETURN) end -= 1;
  const marked = BYTE_ORDER_MARK.every((byte, index) => raw[index] === byte);
  return raw.subarray(marked ? BYTE_ORDER_MARK.length : 0, end);
}

/** Whether a line's content holds nothing but spaces and tabs: such a line is passed over. */
export function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
}
