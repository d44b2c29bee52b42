import net from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** One response as it was received. */
export interface RawResponse {
  readonly status: number;
  /** By lower-case name; several lines of a name are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** As UTF-8, without the framing of chunks. */
  readonly body: string;
  /** Head and body as sent, as latin1. */
  readonly raw: string;
}

export interface RawOptions {
  /** Milliseconds after which the bytes so far are returned; 2,000 by default. */
  readonly timeout?: number;
  /** Final responses to wait for; 1 by default. `Infinity` waits for the server to close. */
  readonly responses?: number;
  /** Methods of the requests in order, where one is HEAD: its response has a length and no body. */
  readonly methods?: readonly string[];
  /** Half-closes (FIN) after the last chunk. */
  readonly halfClose?: boolean;
  /** Sends the chunks after the first only once this text was received. */
  readonly awaiting?: string;
}

export interface Conversation {
  /** Interim responses (1xx) included. */
  readonly responses: readonly RawResponse[];
  /** True if the server closed the connection before the timeout. */
  readonly closed: boolean;
  /** The bytes after the last response. */
  readonly rest: string;
}

/** Milliseconds between two chunks, so that each arrives as a packet of its own. */
const GAP = 5;

/** The responses of {@link converse}. */
export async function sendRaw(
  port: number,
  chunks: readonly (string | Uint8Array)[],
  options: RawOptions = {},
): Promise<readonly RawResponse[]> {
  return (await converse(port, chunks, options)).responses;
}

/** Sends bytes as they are, each chunk in a packet of its own (text as latin1), and returns the responses. */
export async function converse(
  port: number,
  chunks: readonly (string | Uint8Array)[],
  { timeout = 2_000, responses = 1, methods = [], halfClose = false, awaiting = '' }: RawOptions = {},
): Promise<Conversation> {
  const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  let text = '';
  const ended = new Promise<boolean>((resolve) => {
    const timer = setTimeout(resolve, timeout, false);
    const finish = (closed: boolean): void => {
      clearTimeout(timer);
      resolve(closed);
    };
    // A reset after the response ends the conversation, too; the bytes before it count.
    socket.on('error', () => finish(true)).on('end', () => finish(true));
    socket.on('data', (packet) => {
      text += packet.toString('latin1');
      if (finalResponses(readResponses(text, methods).responses) >= responses) finish(false);
    });
  });
  for (const [index, chunk] of chunks.entries()) {
    if (index > 0) await pause(GAP);
    if (index > 0) await until(() => text.includes(awaiting), timeout);
    socket.write(typeof chunk === 'string' ? Buffer.from(chunk, 'latin1') : chunk);
  }
  if (halfClose) socket.end();
  const closed = await ended;
  socket.destroy();
  return { ...readResponses(text, methods), closed };
}

/** Waits until a condition holds, or the timeout. */
async function until(holds: () => boolean, timeout: number): Promise<void> {
  for (const start = performance.now(); !holds() && performance.now() - start < timeout; ) await pause(GAP);
}

function finalResponses(responses: readonly RawResponse[]): number {
  return responses.filter(({ status }) => status >= 200).length;
}

function readResponses(text: string, methods: readonly string[]): { responses: RawResponse[]; rest: string } {
  const responses: RawResponse[] = [];
  let rest = text;
  for (;;) {
    const response = readResponse(rest, methods[finalResponses(responses)] ?? 'GET');
    if (response === null) return { responses, rest };
    responses.push(response);
    rest = rest.slice(response.raw.length);
  }
}

function readResponse(text: string, method: string): RawResponse | null {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return null;
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
  const headers = readHeaders(lines);
  const bodiless = status < 200 || status === 204 || status === 304 || method === 'HEAD';
  const content = bodiless ? { body: '', size: 0 } : readBody(text.slice(end + 4), headers);
  if (content === null) return null;
  const body = Buffer.from(content.body, 'latin1').toString();
  return { status, headers, body, raw: text.slice(0, end + 4 + content.size) };
}

function readHeaders(lines: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return headers;
}

/** `size` includes the framing; null where the body is incomplete. */
function readBody(text: string, headers: Readonly<Record<string, string>>): { body: string; size: number } | null {
  if (headers['transfer-encoding'] !== 'chunked') {
    const size = Number(headers['content-length'] ?? 0);
    return text.length < size ? null : { body: text.slice(0, size), size };
  }
  let body = '';
  for (let at = 0; ; ) {
    const line = text.indexOf('\r\n', at);
    if (line === -1) return null;
    const size = Number.parseInt(text.slice(at, line), 16);
    const next = line + 2 + size + 2;
    if (text.length < next) return null;
    if (size === 0) return { body, size: next };
    body += text.slice(line + 2, line + 2 + size);
    at = next;
  }
}
