import net from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** One answer as its bytes came. */
export interface RawAnswer {
  readonly status: number;
  /** By lower-case name; several lines of a name are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** As UTF-8, without the framing of chunks. */
  readonly body: string;
  /** Head and body as sent, as latin1. */
  readonly raw: string;
}

export interface RawOptions {
  /** Milliseconds after which whatever has come is returned; 2,000 by default. */
  readonly timeout?: number;
  /** Final answers to wait for; 1 by default. `Infinity` waits for the server to close. */
  readonly answers?: number;
  /** Methods of the requests in order, where one is HEAD: its answer has a length and no body. */
  readonly methods?: readonly string[];
  /** Says FIN after the last chunk. */
  readonly halfClose?: boolean;
  /** Sends what follows the first chunk only once this has come back. */
  readonly awaiting?: string;
}

export interface Conversation {
  /** Interim answers (1xx) included. */
  readonly answers: readonly RawAnswer[];
  /** Whether the server closed the connection before the time was up. */
  readonly closed: boolean;
  /** What the last answer did not explain. */
  readonly rest: string;
}

/** Time between two chunks, so that each arrives as a packet of its own. */
const GAP = 5;

/** The answers of {@link converse}. */
export async function sendRaw(
  port: number,
  chunks: readonly (string | Uint8Array)[],
  options: RawOptions = {},
): Promise<readonly RawAnswer[]> {
  return (await converse(port, chunks, options)).answers;
}

/** Sends bytes as they are, each chunk in a packet of its own (text as latin1), and returns what came back. */
export async function converse(
  port: number,
  chunks: readonly (string | Uint8Array)[],
  { timeout = 2_000, answers = 1, methods = [], halfClose = false, awaiting = '' }: RawOptions = {},
): Promise<Conversation> {
  const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  let text = '';
  const ended = new Promise<boolean>((resolve) => {
    const timer = setTimeout(resolve, timeout, false);
    const finish = (closed: boolean): void => {
      clearTimeout(timer);
      resolve(closed);
    };
    // A reset after the answer is the end of the conversation too; what came before it counts.
    socket.on('error', () => finish(true)).on('end', () => finish(true));
    socket.on('data', (packet) => {
      text += packet.toString('latin1');
      if (finalAnswers(readAnswers(text, methods).answers) >= answers) finish(false);
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
  return { ...readAnswers(text, methods), closed };
}

/** Waits until something is so, or the time is up. */
async function until(isSo: () => boolean, timeout: number): Promise<void> {
  for (const start = performance.now(); !isSo() && performance.now() - start < timeout; ) await pause(GAP);
}

function finalAnswers(answers: readonly RawAnswer[]): number {
  return answers.filter(({ status }) => status >= 200).length;
}

function readAnswers(text: string, methods: readonly string[]): { answers: RawAnswer[]; rest: string } {
  const answers: RawAnswer[] = [];
  let rest = text;
  for (;;) {
    const answer = readAnswer(rest, methods[finalAnswers(answers)] ?? 'GET');
    if (answer === null) return { answers, rest };
    answers.push(answer);
    rest = rest.slice(answer.raw.length);
  }
}

function readAnswer(text: string, method: string): RawAnswer | null {
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

/** `size` counts the framing too; null where the body has not come whole. */
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
