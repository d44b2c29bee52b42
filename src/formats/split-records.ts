import { joinBytes } from './join-bytes.ts';
import { malformedBody } from './malformed-body.ts';

/** Maximum length of a line of a body, in bytes without its line break (MET-13). */
export const MAX_LINE = 1_048_576;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d];
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** A record of a file or a body: a line, or several lines. */
export interface RawRecord {
  /** The number of its first line, from 1. */
  readonly number: number;
  /** The number of line breaks in it. */
  readonly breaks: number;
  /** Its bytes, with the final line break, if it has one; null if it exceeds the limit. */
  readonly raw: Uint8Array | null;
}

/** The end of a record: a line break, a line break outside quotes (CSV), or the end of an item of a JSON array. */
export type RecordFraming = 'lines' | 'csv' | 'json';

/** Finds the index after the end of the current record, or -1. It is called with each byte once, in order. */
type FindEnd = (chunk: Uint8Array, from: number) => number;

/**
 * Splits a body into lines. Memory is limited to one line and one chunk. The last line may lack a line break. Empty
 * lines are skipped. More than {@link MAX_LINE} of them in a row are refused, because a small gzip body could contain
 * nothing else for hours.
 *
 * @param onKept called after each chunk with the number of bytes that are kept, those of an incomplete line; may throw
 * @throws {ApiError} REQUEST_BODY_MALFORMED
 */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array>,
  onKept: (bytes: number) => void = () => undefined,
): AsyncGenerator<RawRecord> {
  const record = new RecordBuilder(1, MAX_LINE);
  let empty = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      if (end === start && !record.isStarted) {
        record.skip();
        empty += 1;
        if (empty > MAX_LINE) throw malformedBody(null, 'too many empty lines; send one object on each line');
      } else {
        record.add(chunk.subarray(start, end + 1));
        yield record.finish();
        empty = 0;
      }
      start = end + 1;
    }
    if (start < chunk.length) record.add(chunk.subarray(start));
    onKept(record.kept);
  }
  if (record.isStarted) yield record.finish();
}

/**
 * Splits a stream of bytes into records. The stream must start at the beginning of a record.
 *
 * @param number the number of the first line, from 1
 * @param max the maximum length of a record in bytes
 */
export async function* splitRecords(
  chunks: AsyncIterable<Uint8Array>,
  framing: RecordFraming,
  number = 1,
  max = MAX_LINE,
): AsyncGenerator<RawRecord> {
  const findEnd = FRAMINGS[framing]();
  const record = new RecordBuilder(number, max);
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = findEnd(chunk, 0); end !== -1; end = findEnd(chunk, end)) {
      record.add(chunk.subarray(start, end));
      yield record.finish();
      start = end;
    }
    if (start < chunk.length) record.add(chunk.subarray(start));
  }
  if (record.isStarted) yield record.finish();
}

class RecordBuilder {
  #number: number;
  readonly #max: number;
  #parts: Uint8Array[] = [];
  #length = 0;
  #breaks = 0;

  constructor(number: number, max: number) {
    this.#number = number;
    this.#max = max;
  }

  /** Skips an empty line. */
  skip(): void {
    this.#number += 1;
  }

  /** The bytes of the current record that are in memory. */
  get kept(): number {
    return this.#parts.length === 0 ? 0 : this.#length;
  }

  get isStarted(): boolean {
    return this.#length > 0;
  }

  add(part: Uint8Array): void {
    this.#length += part.length;
    for (let at = part.indexOf(LINE_FEED); at !== -1; at = part.indexOf(LINE_FEED, at + 1)) this.#breaks += 1;
    if (this.#length <= this.#max + 2) this.#parts.push(part);
    else this.#parts = [];
  }

  finish(): RawRecord {
    const raw = this.#length > this.#max + 2 ? null : joinBytes(this.#parts);
    const fits = raw !== null && recordContent(raw).length <= this.#max;
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
    // A doubled quote closes and reopens the quotes, so counting quotes is enough.
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
    // The outer array is not counted as a level, so that reading may start at any item.
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

/** The bytes of a record without its final line break (LF or CRLF) and without a byte order mark. */
export function recordContent(raw: Uint8Array): Uint8Array {
  let end = raw.length;
  if (raw[end - 1] === LINE_FEED) end -= 1;
  if (raw[end - 1] === CARRIAGE_RETURN) end -= 1;
  const marked = BYTE_ORDER_MARK.every((byte, index) => raw[index] === byte);
  return raw.subarray(marked ? BYTE_ORDER_MARK.length : 0, end);
}

/** True if a line contains only spaces and tabs. */
export function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09);
}
