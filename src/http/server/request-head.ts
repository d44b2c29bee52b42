import { readRequestLine } from '../../conventions/url/request-line.ts';

/** The parts of a head that no parser has accepted. */
export interface RequestHead {
  /** '' where the request line is unknown. */
  readonly method: string;
  readonly target: string;
  /** Alternating names and values of the well-formed lines. */
  readonly headers: readonly string[];
}

/** A field line (RFC 9112 5) without its line end. */
const FIELD_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\t\x20-\x7e\x80-\xff]*)$/;
/** A method, incomplete or followed by its space: the bytes may become a request line. */
const METHOD_START = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+(?: |$)/;
/** A request line whose target begins with a slash or a scheme, and contains spaces. */
const SPACE_IN_TARGET = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ (?:\/|https?:\/\/)[\x20-\x7e]* HTTP\/1\.[0-9]$/;
/** The rest of a request target and of its line, as far as it has arrived. */
const TARGET_REST = /^(?:[\x21-\x7e]+$|[\x21-\x7e]* HTTP\/1\.[0-9]\r?\n)/;
/** Bytes that the server reads at most to find the end of a line. */
const MAX_LINE = 1_048_576;
/** Bytes of a head that the server reads at most to find its end. */
const MAX_BYTES = 16_384;

const unknownLine = { method: '', target: '' };

/**
 * Reads what an invalid head contains, for the correlation id and `Accept` of the error response (ERR-5, ERR-6). Skips
 * invalid lines.
 */
export function readHead(bytes: Buffer): RequestHead {
  const { method, target } = readRequestLine(bytes) ?? unknownLine;
  const headers: string[] = [];
  // After the last line end follows a line that has not arrived completely.
  for (const line of text(bytes).split('\r\n').slice(1, -1)) {
    if (line === '') break;
    const [, name, value] = FIELD_LINE.exec(line) ?? [];
    if (name !== undefined && value !== undefined) headers.push(name, value.trim());
  }
  return { method, target, headers };
}

/**
 * Selects the bytes of the message that the parser rejected, out of a packet that may begin with earlier messages. They
 * follow the last empty line before the error, without the empty lines that a server ignores (RFC 9112 2.2).
 *
 * @param errorAt index in the packet
 */
export function invalidMessage(packet: Buffer, errorAt: number): Buffer {
  const before = packet.subarray(0, errorAt).lastIndexOf('\r\n\r\n');
  let start = before === -1 ? 0 : before + 4;
  while (packet[start] === 0x0d || packet[start] === 0x0a) start += 1;
  return packet.subarray(start);
}

/**
 * True if the first bytes of a message contain the whole head, cannot become one, or are more than the server waits
 * for.
 */
export function isHeadComplete(bytes: Buffer): boolean {
  if (bytes.length > MAX_BYTES || !METHOD_START.test(text(bytes))) return true;
  if (!bytes.includes('\n')) return false;
  return readRequestLine(bytes) === null || bytes.includes('\r\n\r\n');
}

/** True if a line of a complete head is not a field. */
export function hasInvalidLine(bytes: Buffer): boolean {
  const [head = ''] = text(bytes).split('\r\n\r\n', 1);
  return head
    .split('\r\n')
    .slice(1)
    .some((line) => !FIELD_LINE.test(line));
}

/** True if a request line is well-formed but for spaces in its target. */
export function hasSpaceInTarget(bytes: Buffer): boolean {
  const [line = ''] = text(bytes).split('\r\n', 1);
  return SPACE_IN_TARGET.test(line);
}

/**
 * True if bytes from the middle of a long head contain the end of their line, or are more than the server waits for.
 */
export function isLineComplete(bytes: Buffer): boolean {
  return bytes.length > MAX_LINE || bytes.includes('\n');
}

/**
 * True if bytes from the middle of a long head begin in its request target: the end of their line shows it, or their
 * characters.
 */
export function startsInTarget(bytes: Buffer): boolean {
  return TARGET_REST.test(bytes.toString('latin1'));
}

/** True if the bytes end in a request target, after a method and its space. */
export function endsInTarget(bytes: Buffer): boolean {
  return !bytes.includes('\n') && /^[^ ]+ [^ ]+$/.test(text(bytes)) && METHOD_START.test(text(bytes));
}

function text(bytes: Buffer): string {
  return bytes.toString('latin1', 0, MAX_BYTES);
}
