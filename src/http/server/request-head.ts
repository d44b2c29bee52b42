import { readRequestLine } from '../../conventions/request-line.ts';

/** What is known of a request whose head no parser has accepted. */
export interface RequestHead {
  /** '' where the request line is not known. */
  readonly method: string;
  readonly target: string;
  /** Names and values in turn, of the lines that are well-formed. */
  readonly headers: readonly string[];
}

/** A field line (RFC 9112 5) without its end. */
const FIELD_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\t\x20-\x7e\x80-\xff]*)$/;
/** A method that may still go on, or one with its space: the bytes may become a request line. */
const METHOD_START = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+(?: |$)/;
/** What follows in a request target and on its line, as far as it has come. */
const TARGET_REST = /^(?:[\x21-\x7e]+$|[\x21-\x7e]* HTTP\/1\.[0-9]\r?\n)/;
/** More than the server reads to find the end of a line. */
const MAX_LINE = 1_048_576;
/** More than any head that the server waits for the end of. */
const MAX_BYTES = 16_384;

/** Nothing is known: the request did not come so far, or not in the bytes at hand. */
export const unknownHead: RequestHead = Object.freeze({ method: '', target: '', headers: Object.freeze([]) });

/** What a faulty head tells, for the correlation id and `Accept` of the refusal (ERR-5, ERR-6). Faulty lines are left out. */
export function readHead(bytes: Buffer): RequestHead {
  const { method, target } = readRequestLine(bytes) ?? unknownHead;
  const headers: string[] = [];
  // What follows the last line end is a line that has not arrived whole.
  for (const line of text(bytes).split('\r\n').slice(1, -1)) {
    if (line === '') break;
    const [, name, value] = FIELD_LINE.exec(line) ?? [];
    if (name !== undefined && value !== undefined) headers.push(name, value.trim());
  }
  return { method, target, headers };
}

/**
 * The bytes of the message that the parser stumbled over, out of a packet that may hold earlier ones: what follows the last
 * empty line before the fault, without the empty lines that a server ignores (RFC 9112 2.2).
 *
 * @param faultAt index in the packet
 */
export function invalidMessage(packet: Buffer, faultAt: number): Buffer {
  const before = packet.subarray(0, faultAt).lastIndexOf('\r\n\r\n');
  let start = before === -1 ? 0 : before + 4;
  while (packet[start] === 0x0d || packet[start] === 0x0a) start += 1;
  return packet.subarray(start);
}

/** Whether the first bytes of a message tell all that can be told of its head, or more than the server waits for. */
export function isHeadComplete(bytes: Buffer): boolean {
  if (bytes.length > MAX_BYTES || !METHOD_START.test(text(bytes))) return true;
  if (!bytes.includes('\n')) return false;
  return readRequestLine(bytes) === null || bytes.includes('\r\n\r\n');
}

/** Whether bytes out of the middle of a long head tell what its line is, or more than the server waits for. */
export function isLineComplete(bytes: Buffer): boolean {
  return bytes.length > MAX_LINE || bytes.includes('\n');
}

/** Whether bytes out of the middle of a long head begin within its request target: by how the line ends, or where it does not, by what is in it. */
export function startsInTarget(bytes: Buffer): boolean {
  return TARGET_REST.test(bytes.toString('latin1'));
}

/** Whether the bytes end within a request target, after a method and its space. */
export function endsInTarget(bytes: Buffer): boolean {
  return !bytes.includes('\n') && /^[^ ]+ [^ ]+$/.test(text(bytes)) && METHOD_START.test(text(bytes));
}

function text(bytes: Buffer): string {
  return bytes.toString('latin1', 0, MAX_BYTES);
}
