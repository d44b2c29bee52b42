/** The longest line that is taken in, in bytes without its line break (MET-13 bounds a line alike). */
export const MAX_LINE = 1_048_576;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** A line of a file or a body, as it stands there. */
export interface Line {
  /** Counted from 1. */
  readonly number: number;
  /** Its bytes with the line break, if it has one; null for a line beyond {@link MAX_LINE}, which is skipped and not kept. */
  readonly raw: Uint8Array | null;
}

/**
 * Splits a stream of bytes into lines, in memory that is bounded by the longest line and one chunk.
 * A last line without a line break is a line; nothing after the last line break is none.
 *
 * @param number of the first line, counted from 1
 */
export async function* splitLines(chunks: AsyncIterable<Uint8Array>, number = 1): AsyncGenerator<Line> {
  let next = number;
  let pending: Uint8Array[] = [];
  let length = 0;
  const take = (part: Uint8Array): void => {
    length += part.length;
    if (length <= MAX_LINE + 2) pending.push(part);
    else pending = [];
  };
  const finish = (): Line => {
    const raw = length > MAX_LINE + 2 ? null : joined(pending);
    pending = [];
    length = 0;
    return { number: next++, raw: raw !== null && content(raw).length > MAX_LINE ? null : raw };
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      take(chunk.subarray(start, end + 1));
      yield finish();
      start = end + 1;
    }
    if (start < chunk.length) take(chunk.subarray(start));
  }
  if (length > 0) yield finish();
}

/** What a line says: its bytes without the line break (LF or CRLF) and without a byte order mark. */
export function content(raw: Uint8Array): Uint8Array {
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
