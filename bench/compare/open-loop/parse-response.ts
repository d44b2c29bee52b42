/** A complete response at the start of the received bytes. */
export interface ParsedResponse {
  readonly status: number;
  /** Offset of the next response. */
  readonly end: number;
  readonly retryAfter: boolean;
  /** True if the server closes the connection after this response. */
  readonly closes: boolean;
}

const HEAD_END = '\r\n\r\n';
const LAST_CHUNK = '\r\n0\r\n\r\n';

/** Parses the first response. @param received Latin-1, one character per byte @returns null while it is incomplete */
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
    // If there are no chunks before the last one, its line break is that of the header section.
    const last = received.indexOf(LAST_CHUNK, body - 2);
    return last === -1 ? null : last + LAST_CHUNK.length;
  }
  const end = body + Number(/\r\ncontent-length: (\d+)/.exec(fields)?.[1] ?? 0);
  return received.length < end ? null : end;
}
