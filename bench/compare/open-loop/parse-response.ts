/** A whole answer at the front of what was received. */
export interface ParsedResponse {
  readonly status: number;
  /** Where the next one begins. */
  readonly end: number;
  readonly retryAfter: boolean;
  /** Whether the server closes the connection after it. */
  readonly closes: boolean;
}

const HEAD_END = '\r\n\r\n';
const LAST_CHUNK = '\r\n0\r\n\r\n';

/** @param received Latin-1, which keeps one character for each byte @returns null while it is not whole */
export function parseResponse(received: string): ParsedResponse | null {
  const head = received.indexOf(HEAD_END);
  if (head === -1) return null;
  const fields = received.slice(0, head).toLowerCase();
  const status = Number(fields.slice(9, 12));
  const end = bodyEnd(received, head + HEAD_END.length, fields, status);
  if (end === null) return null;
  const closes = fields.includes('\r\nconnection: close');
  return { status, end, closes, retryAfter: fields.includes('\r\nretry-after: ') };
}

function bodyEnd(received: string, body: number, fields: string, status: number): number | null {
  if (status === 304 || status === 204) return body;
  if (fields.includes('\r\ntransfer-encoding: chunked')) {
    // The line break of the head stands before a body without chunks.
    const last = received.indexOf(LAST_CHUNK, body - 2);
    return last === -1 ? null : last + LAST_CHUNK.length;
  }
  const end = body + Number(/\r\ncontent-length: (\d+)/.exec(fields)?.[1] ?? 0);
  return received.length < end ? null : end;
}
