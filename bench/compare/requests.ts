/** A request of a load. */
export interface LoadRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON. {@link SERIAL} is replaced by a number that is unique to the request. */
  readonly body?: string;
}

export const SERIAL = '{n}';

/** Digits that replace {@link SERIAL}. Their number is constant, so that the length of a body is known in advance. */
export const SERIAL_LENGTH = 24;

/** The HTTP/1.1 message, still with {@link SERIAL}. */
export function rawRequest({ method, path, headers = {}, body }: LoadRequest): string {
  const fields = { Host: '127.0.0.1', ...headers, ...(body === undefined ? {} : bodyFields(body)) };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`;
}

function bodyFields(body: string): Readonly<Record<string, string>> {
  const length = Buffer.byteLength(body.replaceAll(SERIAL, '0'.repeat(SERIAL_LENGTH)));
  return { 'Content-Type': 'application/json', 'Content-Length': String(length) };
}
