/** The encodings of text files that are read. */
export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const;

export type Encoding = (typeof ENCODINGS)[number];

/** The separators of cells. */
export const DELIMITERS = [',', ';', '\t', '|'] as const;

export type Delimiter = (typeof DELIMITERS)[number];

const QUOTE = '"';

/**
 * Detects the encoding of a text by its first bytes: a byte-order mark, else the zeros of UTF-16. Else it is UTF-8
 * where that is valid, and Windows-1252, which contains Latin-1, where it is not.
 */
export function detectEncoding(start: Uint8Array): Encoding {
  const [first, second] = start;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (start.length > 1 && first === 0 && second !== 0) return 'utf-16be';
  if (start.length > 1 && first !== 0 && second === 0) return 'utf-16le';
  return isUtf8(start) ? 'utf-8' : 'windows-1252';
}

/** Checks if bytes are UTF-8; their last character may be cut. */
function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** The text of the first bytes of a file, without a byte-order mark. */
export function decodeStart(start: Uint8Array, encoding: Encoding): string {
  return new TextDecoder(encoding).decode(start, { stream: true });
}

/** Decodes a file as UTF-8, whatever its encoding is. UTF-8 itself is passed on as it is. */
export async function* encodeAsUtf8(chunks: AsyncIterable<Uint8Array>, encoding: Encoding): AsyncGenerator<Uint8Array> {
  if (encoding === 'utf-8') {
    yield* chunks;
    return;
  }
  const decoder = new TextDecoder(encoding);
  const encoder = new TextEncoder();
  for await (const chunk of chunks) yield encoder.encode(decoder.decode(chunk, { stream: true }));
  yield encoder.encode(decoder.decode());
}

/** The separator that the first line of a file names, as spreadsheets write it: `sep=;`. Null for another line. */
export function namedDelimiter(line: string): Delimiter | null {
  const [, named] = /^"?sep=(.)"?\r?$/i.exec(line) ?? [];
  return DELIMITERS.find((each) => each === named) ?? null;
}

/**
 * Detects the separator of the cells of CSV: that which `sep=` names, else the one of which the header has most outside
 * quotes.
 */
export function detectDelimiter(text: string): Delimiter {
  const [header = ''] = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  const named = namedDelimiter(header);
  if (named !== null) return named;
  const counts = new Map<string, number>();
  let isQuoted = false;
  for (const character of header) {
    if (character === QUOTE) isQuoted = !isQuoted;
    else if (!isQuoted) counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  const most = Math.max(...DELIMITERS.map((each) => counts.get(each) ?? 0));
  return DELIMITERS.find((each) => (counts.get(each) ?? 0) === most) ?? ',';
}

/** Checks if a text has several JSON values, such as one on each line. The last one may be cut. */
export function hasSeveralValues(text: string): boolean {
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (isQuoted) {
      if (character === '\\') at += 1;
      else if (character === QUOTE) isQuoted = false;
    } else if (character === QUOTE) isQuoted = true;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') {
      depth -= 1;
      if (depth === 0) return /^\s*[{[]/.test(text.slice(at + 1));
    }
  }
  return false;
}
